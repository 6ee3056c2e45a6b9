//! The same functions in a native build: they go to the thread's host.

use std::cell::RefCell;
use std::rc::Rc;

/// What answers the calls of a native build. The functions are those of this
/// crate; results are those of the interface: 0 and above as each says, or the
/// negative of an error number.
pub trait Host {
    /// Hands over a frame of records; 0 or the negative of an error number.
    fn emit(&self, frame: &[u8]) -> i32;
    /// Rejects the record of that index in the running batch.
    fn fail(&self, index: u32, code: i32, text: &[u8]) -> i32;
    /// Reads the value of a key into `buf` and returns its length. If that is more
    /// than `buf` has, nothing was written.
    fn state_get(&self, store: u32, key: &[u8], buf: &mut [u8]) -> i32;
    /// Sets the value of a key.
    fn state_put(&self, store: u32, key: &[u8], value: &[u8]) -> i32;
    /// Removes a key.
    fn state_delete(&self, store: u32, key: &[u8]) -> i32;
    /// Reads packed entries with start <= key < end into `buf`.
    fn state_scan(&self, store: u32, start: &[u8], end: &[u8], buf: &mut [u8]) -> i32;
    /// Reads the packed values of packed keys into `buf`.
    fn state_get_many(&self, store: u32, keys: &[u8], buf: &mut [u8]) -> i32;
    /// Sets the token of the next call of `end`.
    fn resume(&self, token: &[u8]) -> i32;
    /// Writes a line to the log: level 0 is debug, 3 is error.
    fn log(&self, level: u32, text: &[u8]) -> i32;
    /// Returns 1 if lines of the level go anywhere.
    fn log_enabled(&self, level: u32) -> i32;
    /// Returns the handle of a counter (kind 0) or a gauge (kind 1).
    fn metric_define(&self, kind: u32, name: &[u8]) -> i32;
    /// Adds to a metric.
    fn metric_add(&self, handle: i32, delta: i64) -> i32;
    /// The batch's time in nanoseconds since 1970.
    fn now(&self) -> i64;
}

thread_local! {
    static HOST: RefCell<Option<Rc<dyn Host>>> = const { RefCell::new(None) };
}

/// The answer of calls where no host is installed: ENOSYS.
const ABSENT: i32 = -38;

/// Runs `body` with `host` as the thread's host, and installs the one before
/// again, also if `body` panics.
pub fn with_host<T>(host: Rc<dyn Host>, body: impl FnOnce() -> T) -> T {
    struct Restore(Option<Rc<dyn Host>>);
    impl Drop for Restore {
        fn drop(&mut self) {
            HOST.set(self.0.take());
        }
    }
    let _restore = Restore(HOST.replace(Some(host)));
    body()
}

/// The host of the thread, held during the call that it serves.
fn current() -> Option<Rc<dyn Host>> {
    HOST.with_borrow(Clone::clone)
}

/// Hands over a frame of records; 0 or the negative of an error number.
pub fn emit(frame: &[u8]) -> i32 {
    current().map_or(ABSENT, |h| h.emit(frame))
}

/// Rejects the record of that index in the running batch.
pub fn fail(index: u32, code: i32, text: &[u8]) -> i32 {
    current().map_or(ABSENT, |h| h.fail(index, code, text))
}

/// Reads the value of a key into `buf` and returns its length. If that is more
/// than `buf` has, nothing was written.
pub fn state_get(store: u32, key: &[u8], buf: &mut [u8]) -> i32 {
    current().map_or(ABSENT, |h| h.state_get(store, key, buf))
}

/// Sets the value of a key.
pub fn state_put(store: u32, key: &[u8], value: &[u8]) -> i32 {
    current().map_or(ABSENT, |h| h.state_put(store, key, value))
}

/// Removes a key.
pub fn state_delete(store: u32, key: &[u8]) -> i32 {
    current().map_or(ABSENT, |h| h.state_delete(store, key))
}

/// Reads packed entries with start <= key < end into `buf`.
pub fn state_scan(store: u32, start: &[u8], end: &[u8], buf: &mut [u8]) -> i32 {
    current().map_or(ABSENT, |h| h.state_scan(store, start, end, buf))
}

/// Reads the packed values of packed keys into `buf`.
pub fn state_get_many(store: u32, keys: &[u8], buf: &mut [u8]) -> i32 {
    current().map_or(ABSENT, |h| h.state_get_many(store, keys, buf))
}

/// Sets the token of the next call of `end`.
pub fn resume(token: &[u8]) -> i32 {
    current().map_or(ABSENT, |h| h.resume(token))
}

/// Writes a line to the log: level 0 is debug, 3 is error.
pub fn log(level: u32, text: &[u8]) -> i32 {
    current().map_or(ABSENT, |h| h.log(level, text))
}

/// Returns 1 if lines of the level go anywhere.
pub fn log_enabled(level: u32) -> i32 {
    current().map_or(ABSENT, |h| h.log_enabled(level))
}

/// Returns the handle of a counter (kind 0) or a gauge (kind 1).
pub fn metric_define(kind: u32, name: &[u8]) -> i32 {
    current().map_or(ABSENT, |h| h.metric_define(kind, name))
}

/// Adds to a metric.
pub fn metric_add(handle: i32, delta: i64) -> i32 {
    current().map_or(ABSENT, |h| h.metric_add(handle, delta))
}

/// The batch's time in nanoseconds since 1970.
pub fn now() -> i64 {
    current().map_or(0, |h| h.now())
}
