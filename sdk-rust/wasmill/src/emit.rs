use wasmill_sys as sys;

use crate::error::check;
use crate::frame::{Place, record_size};
use crate::{CallError, Context, Errno, NewRecord};

/// The size in bytes at which emitted records are handed over before the batch
/// ends.
pub(crate) const MAX_FRAME: usize = 1 << 20;

impl Context {
    /// Sends a record to the step's first output. The error says that it is
    /// longer than the job allows, or that the host takes no more.
    pub fn emit<'r>(&mut self, record: impl Into<NewRecord<'r>>) -> Result<(), CallError> {
        self.emit_at(0, &record.into())
    }

    /// Sends a record to the output of that name, one of the step's outputs in
    /// the job file.
    pub fn emit_to<'r>(
        &mut self,
        output: &str,
        record: impl Into<NewRecord<'r>>,
    ) -> Result<(), CallError> {
        let stream = self.output(output)?;
        self.emit_at(stream, &record.into())
    }

    /// The number of an output.
    pub(crate) fn output(&self, name: &str) -> Result<u16, CallError> {
        let at = self.info.outputs.iter().position(|o| o == name);
        at.and_then(|i| u16::try_from(i).ok())
            .ok_or_else(|| CallError {
                call: "emit",
                on: name.to_owned(),
                errno: Errno::EBADF,
            })
    }

    fn emit_at(&mut self, stream: u16, r: &NewRecord<'_>) -> Result<(), CallError> {
        let size = r.size();
        if size > self.info.record_limit {
            return Err(too_long());
        }
        if self.out.len() + record_size(size) > MAX_FRAME {
            self.flush()?;
        }
        self.out.add(r, self.place(stream, r));
        Ok(())
    }

    #[inline]
    pub(crate) fn place(&self, stream: u16, r: &NewRecord<'_>) -> Place {
        let time = r.time.unwrap_or(self.cause_time);
        Place {
            time,
            position: 0,
            cause: self.cause,
            stream,
        }
    }

    /// Hands what was emitted over to the host.
    pub(crate) fn flush(&mut self) -> Result<(), CallError> {
        if self.out.count() == 0 {
            return Ok(());
        }
        let result = sys::emit(self.out.frame());
        self.out.reset(b"", 0);
        self.stick(check("emit", "", result)).map(drop)
    }
}

/// The error of a record that is longer than the job allows.
pub(crate) fn too_long() -> CallError {
    CallError {
        call: "emit",
        on: String::new(),
        errno: Errno::E2BIG,
    }
}
