//! Panics of the step. Its hook keeps the text with the place, which the
//! payload of a panic has not. In a module a panic is the end of the instance,
//! so the hook itself tells the host, before the trap.

use std::cell::{Cell, RefCell};
use std::panic::PanicHookInfo;
use std::sync::Once;

use crate::frame::CAUSE_BATCH;

thread_local! {
    /// The record that runs, as an index of the batch.
    static CAUSE: Cell<u32> = const { Cell::new(CAUSE_BATCH) };
    /// Whether the step runs on this thread.
    static RUNNING: Cell<bool> = const { Cell::new(false) };
    static TEXT: RefCell<String> = const { RefCell::new(String::new()) };
    static COUNT: Cell<u64> = const { Cell::new(0) };
}

/// How often the step has panicked on this thread.
#[cfg(not(target_family = "wasm"))]
pub(crate) fn count() -> u64 {
    COUNT.get()
}

/// Notes which record runs.
#[inline]
pub(crate) fn set_cause(index: u32) {
    CAUSE.set(index);
}

/// Runs the step; a panic in it becomes its text. In a module it does not come
/// back.
pub(crate) fn guard<T>(run: impl FnOnce() -> T) -> Result<T, String> {
    install();
    let outer = RUNNING.replace(true);
    // Nobody looks at what a panic left half done: the instance is discarded.
    let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(run));
    RUNNING.set(outer);
    result.map_err(|_| TEXT.take())
}

/// Installs the hook. Panics of other code go to the hook from before.
fn install() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if !RUNNING.get() {
                return before(info);
            }
            let text = describe(info);
            tell(&text);
            COUNT.set(COUNT.get() + 1);
            TEXT.set(text);
        }));
    });
}

/// What panicked, and where.
fn describe(info: &PanicHookInfo<'_>) -> String {
    let text = info.payload_as_str().unwrap_or("a value that is no text");
    match info.location() {
        Some(at) => format!("panic: {text} at {at}"),
        None => format!("panic: {text}"),
    }
}

/// Has the host reject the record that runs and writes the text to the log.
fn tell(text: &str) {
    wasmill_sys::log(3, text.as_bytes());
    let cause = CAUSE.get();
    if cause != CAUSE_BATCH {
        wasmill_sys::fail(cause, crate::CODE_PANIC, text.as_bytes());
    }
}
