use wasmill_sys as sys;

use crate::definition::{Definition, Run};
use crate::frame::Frame;
use crate::{Batch, Context, Errno, Error, Result, panics};

/// The operations of `wasmill_process`.
pub(crate) const BATCH: u32 = 1;
pub(crate) const END: u32 = 3;
pub(crate) const RESUMED: u32 = 4;

/// What the exports answer beside the negatives of error numbers.
pub(crate) const DONE: i32 = 0;
pub(crate) const MORE: i32 = 1;

/// One instance of the step: what a module has one of, a test as many as it
/// likes.
#[derive(Default)]
pub(crate) struct Instance {
    cx: Context,
    step: Option<Box<dyn Run>>,
}

impl Instance {
    /// Serves `wasmill_init`.
    pub(crate) fn init<M>(&mut self, payload: &[u8], definition: impl Definition<M>) -> i32 {
        self.cx.begin();
        let made = crate::init::parse(payload).and_then(|info| {
            self.cx.info = info;
            run(|| definition.start(&mut self.cx))
        });
        let result = made.map(|step| self.step = Some(step));
        self.status(result)
    }

    /// Serves `wasmill_process`.
    pub(crate) fn process(&mut self, op: u32, payload: &[u8]) -> i32 {
        self.cx.begin();
        match op {
            BATCH => {
                let result = self.batch(payload);
                self.status(result)
            }
            END => self.end(payload),
            RESUMED => DONE, // nothing here draws random numbers
            _ => -Errno::ENOSYS.0,
        }
    }

    fn batch(&mut self, payload: &[u8]) -> Result {
        let batch = Batch::new(Frame::open(payload)?);
        batch.check()?;
        let Instance {
            cx,
            step: Some(step),
        } = self
        else {
            return Err(uninitialised());
        };
        run(|| step.batch(&batch, cx))
    }

    fn end(&mut self, token: &[u8]) -> i32 {
        let Instance {
            cx,
            step: Some(step),
        } = self
        else {
            return self.status(Err(uninitialised()));
        };
        let next = run(|| step.end(token, cx)).and_then(|next| {
            if let Some(token) = &next {
                crate::error::check("resume", "", sys::resume(token))?;
            }
            Ok(next.is_some())
        });
        let more = matches!(next, Ok(true));
        match self.status(next.map(drop)) {
            DONE if more => MORE,
            status => status,
        }
    }

    /// Turns the end of a call into what the export returns. An error is
    /// logged, because only its number crosses the border.
    fn status(&mut self, result: Result) -> i32 {
        let result = result.and_then(|()| Ok(self.cx.flush()?));
        let result = result.and_then(|()| self.cx.error.take().map_or(Ok(()), |e| Err(e.into())));
        match result {
            Ok(()) => DONE,
            Err(e) => {
                self.cx.error(e.to_string());
                -e.errno().0
            }
        }
    }
}

/// Runs code of the step; a panic is an error.
fn run<T>(step: impl FnOnce() -> Result<T>) -> Result<T> {
    panics::guard(step).unwrap_or_else(|text| Err(Error::with_code(crate::CODE_PANIC, text)))
}

fn uninitialised() -> Error {
    Error::new("wasmill: the instance has no step: its init failed or was not called")
}

#[cfg(target_family = "wasm")]
mod module {
    use std::cell::RefCell;

    pub use wasmill_sys::alloc;

    use super::{Definition, Instance};

    thread_local! {
        static INSTANCE: RefCell<Instance> = RefCell::default();
    }

    /// Serves the export `wasmill_init`.
    pub fn init<M>(ptr: *const u8, len: u32, definition: impl Definition<M>) -> i32 {
        wasmill_sys::with_payload(ptr, len, |p| {
            INSTANCE.with_borrow_mut(|i| i.init(p, definition))
        })
    }

    /// Serves the export `wasmill_process`.
    pub fn process(op: u32, ptr: *const u8, len: u32) -> i32 {
        wasmill_sys::with_payload(ptr, len, |p| INSTANCE.with_borrow_mut(|i| i.process(op, p)))
    }
}

#[cfg(target_family = "wasm")]
pub use module::{alloc, init, process};
