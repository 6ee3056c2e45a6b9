use wasmill_sys as sys;

use crate::error::check;
use crate::frame::{Builder, CAUSE_BATCH};
use crate::init::Info;
use crate::metric::Metrics;
use crate::{CallError, Error, Record, Store, panics};

/// The step's way to the host.
#[derive(Default)]
pub struct Context {
    pub(crate) info: Info,
    pub(crate) metrics: Metrics,
    /// What was emitted and not handed over.
    pub(crate) out: Builder,
    /// Index of the record that emits belong to, or CAUSE_BATCH, and its time.
    pub(crate) cause: u32,
    pub(crate) cause_time: i64,
    /// See stick.
    pub(crate) error: Option<CallError>,
}

impl Context {
    /// The job that the step belongs to.
    pub fn job(&self) -> &str {
        &self.info.job
    }

    /// The step's name in the job file.
    pub fn step(&self) -> &str {
        &self.info.step
    }

    /// The tenant that the job belongs to.
    pub fn tenant(&self) -> &str {
        &self.info.tenant
    }

    /// The number of the task that the instance serves.
    pub fn task(&self) -> u32 {
        self.info.task
    }

    /// How many partitions the step's input has.
    pub fn partitions(&self) -> u32 {
        self.info.partitions
    }

    /// The names of what the step reads; [`Record::stream`] is an index of it.
    pub fn inputs(&self) -> &[String] {
        &self.info.inputs
    }

    /// The names of the step's outputs, the default one first.
    pub fn outputs(&self) -> &[String] {
        &self.info.outputs
    }

    /// The batch's time in nanoseconds since 1970: the largest event time in
    /// it, not the clock on the wall. It advances by a microsecond a call, so
    /// that a batch that runs again gets the same times.
    pub fn now(&self) -> i64 {
        sys::now()
    }

    /// The store of that name. If the job declares none, every call on it is
    /// an error that says so.
    pub fn store<'n>(&self, name: &'n str) -> Store<'n> {
        Store::new(name, self.info.stores.iter().position(|s| s == name))
    }

    /// Rejects a record of the batch, as an error that the step returns for it
    /// does; the job's `on_error` decides what follows.
    pub fn fail(&mut self, record: &Record<'_>, error: impl Into<Error>) {
        self.reject(record.index, &error.into());
    }

    /// Notes what is emitted from here on as caused by `record`, until the next
    /// call or the end of the function. That gives it the record's event time
    /// and, if it is rejected by the host downstream, its origin. The function
    /// for records has no need of it, that for batches has.
    pub fn caused_by(&mut self, record: &Record<'_>) {
        self.set_cause(record.index, record.time);
    }

    /// Writes a line to the log of the job, with the step's name and task. The
    /// host drops lines above a rate.
    pub fn debug(&self, text: impl AsRef<str>) {
        sys::log(0, text.as_ref().as_bytes());
    }

    /// Like [`debug`](Context::debug), at level info.
    pub fn info(&self, text: impl AsRef<str>) {
        sys::log(1, text.as_ref().as_bytes());
    }

    /// Like [`debug`](Context::debug), at level warn.
    pub fn warn(&self, text: impl AsRef<str>) {
        sys::log(2, text.as_ref().as_bytes());
    }

    /// Like [`debug`](Context::debug), at level error.
    pub fn error(&self, text: impl AsRef<str>) {
        sys::log(3, text.as_ref().as_bytes());
    }

    /// Whether [`debug`](Context::debug) goes anywhere, so that the text need
    /// not be made in vain.
    pub fn debug_enabled(&self) -> bool {
        sys::log_enabled(0) > 0
    }

    /// Clears what belongs to one call.
    pub(crate) fn begin(&mut self) {
        self.set_cause(CAUSE_BATCH, i64::MIN);
        self.error = None;
        self.out.reset(b"", 0);
    }

    #[inline]
    pub(crate) fn set_cause(&mut self, index: u32, time: i64) {
        self.cause = index;
        self.cause_time = time;
        panics::set_cause(index);
    }

    pub(crate) fn reject(&mut self, index: u32, error: &Error) {
        let text = error.to_string();
        let result = check("fail", "", sys::fail(index, error.code(), text.as_bytes()));
        _ = self.stick(result);
    }

    /// Keeps the first error that no function of the step gets to see, or that
    /// concerns records which it handed over before: the call ends with it.
    pub(crate) fn stick<T>(&mut self, result: Result<T, CallError>) -> Result<T, CallError> {
        if let (Err(e), None) = (&result, &self.error) {
            self.error = Some(e.clone());
        }
        result
    }
}
