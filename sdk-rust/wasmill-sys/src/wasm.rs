//! The imports, and a safe function for each.

mod raw {
    #[link(wasm_import_module = "wasmill_v1")]
    unsafe extern "C" {
        pub(super) fn emit(frame: *const u8, frame_len: usize) -> i32;
        pub(super) fn fail(index: u32, code: i32, text: *const u8, text_len: usize) -> i32;
        pub(super) fn state_get(
            store: u32,
            key: *const u8,
            key_len: usize,
            buf: *mut u8,
            buf_len: usize,
        ) -> i32;
        pub(super) fn state_put(
            store: u32,
            key: *const u8,
            key_len: usize,
            value: *const u8,
            value_len: usize,
        ) -> i32;
        pub(super) fn state_delete(store: u32, key: *const u8, key_len: usize) -> i32;
        pub(super) fn state_scan(
            store: u32,
            start: *const u8,
            start_len: usize,
            end: *const u8,
            end_len: usize,
            buf: *mut u8,
            buf_len: usize,
        ) -> i32;
        pub(super) fn state_get_many(
            store: u32,
            keys: *const u8,
            keys_len: usize,
            buf: *mut u8,
            buf_len: usize,
        ) -> i32;
        pub(super) fn resume(token: *const u8, token_len: usize) -> i32;
        pub(super) fn log(level: u32, text: *const u8, text_len: usize) -> i32;
        pub(super) fn log_enabled(level: u32) -> i32;
        pub(super) fn metric_define(kind: u32, name: *const u8, name_len: usize) -> i32;
        pub(super) fn metric_add(handle: i32, delta: i64) -> i32;
        pub(super) safe fn now() -> i64;
    }
}

/// Hands over a frame of records; 0 or the negative of an error number.
pub fn emit(frame: &[u8]) -> i32 {
    // SAFETY: the host reads and writes what the slices cover, no more, during the
    // call alone.
    unsafe { raw::emit(frame.as_ptr(), frame.len()) }
}

/// Rejects the record of that index in the running batch.
pub fn fail(index: u32, code: i32, text: &[u8]) -> i32 {
    // SAFETY: the host reads and writes what the slices cover, no more, during the
    // call alone.
    unsafe { raw::fail(index, code, text.as_ptr(), text.len()) }
}

/// Reads the value of a key into `buf` and returns its length. If that is more
/// than `buf` has, nothing was written.
pub fn state_get(store: u32, key: &[u8], buf: &mut [u8]) -> i32 {
    // SAFETY: the host reads and writes what the slices cover, no more, during the
    // call alone.
    unsafe { raw::state_get(store, key.as_ptr(), key.len(), buf.as_mut_ptr(), buf.len()) }
}

/// Sets the value of a key.
pub fn state_put(store: u32, key: &[u8], value: &[u8]) -> i32 {
    // SAFETY: the host reads and writes what the slices cover, no more, during the
    // call alone.
    unsafe { raw::state_put(store, key.as_ptr(), key.len(), value.as_ptr(), value.len()) }
}

/// Removes a key.
pub fn state_delete(store: u32, key: &[u8]) -> i32 {
    // SAFETY: the host reads and writes what the slices cover, no more, during the
    // call alone.
    unsafe { raw::state_delete(store, key.as_ptr(), key.len()) }
}

/// Reads packed entries with start <= key < end into `buf`.
pub fn state_scan(store: u32, start: &[u8], end: &[u8], buf: &mut [u8]) -> i32 {
    // SAFETY: the host reads and writes what the slices cover, no more, during the
    // call alone.
    unsafe {
        raw::state_scan(
            store,
            start.as_ptr(),
            start.len(),
            end.as_ptr(),
            end.len(),
            buf.as_mut_ptr(),
            buf.len(),
        )
    }
}

/// Reads the packed values of packed keys into `buf`.
pub fn state_get_many(store: u32, keys: &[u8], buf: &mut [u8]) -> i32 {
    // SAFETY: the host reads and writes what the slices cover, no more, during the
    // call alone.
    unsafe {
        raw::state_get_many(
            store,
            keys.as_ptr(),
            keys.len(),
            buf.as_mut_ptr(),
            buf.len(),
        )
    }
}

/// Sets the token of the next call of `end`.
pub fn resume(token: &[u8]) -> i32 {
    // SAFETY: the host reads and writes what the slices cover, no more, during the
    // call alone.
    unsafe { raw::resume(token.as_ptr(), token.len()) }
}

/// Writes a line to the log: level 0 is debug, 3 is error.
pub fn log(level: u32, text: &[u8]) -> i32 {
    // SAFETY: the host reads and writes what the slices cover, no more, during the
    // call alone.
    unsafe { raw::log(level, text.as_ptr(), text.len()) }
}

/// Returns 1 if lines of the level go anywhere.
pub fn log_enabled(level: u32) -> i32 {
    // SAFETY: the call passes numbers alone.
    unsafe { raw::log_enabled(level) }
}

/// Returns the handle of a counter (kind 0) or a gauge (kind 1).
pub fn metric_define(kind: u32, name: &[u8]) -> i32 {
    // SAFETY: the host reads and writes what the slices cover, no more, during the
    // call alone.
    unsafe { raw::metric_define(kind, name.as_ptr(), name.len()) }
}

/// Adds to a metric.
pub fn metric_add(handle: i32, delta: i64) -> i32 {
    // SAFETY: the call passes numbers alone.
    unsafe { raw::metric_add(handle, delta) }
}

/// The batch's time in nanoseconds since 1970.
pub fn now() -> i64 {
    raw::now()
}
