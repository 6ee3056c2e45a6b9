use wasmill_sys as sys;

use crate::error::check;
use crate::{CallError, Context};

/// The handles of the metrics that the step has asked for.
#[derive(Default)]
pub(crate) struct Metrics(Vec<(u32, String, i32)>);

impl Metrics {
    fn handle(&mut self, kind: u32, name: &str) -> Result<i32, CallError> {
        if let Some(known) = self.0.iter().find(|m| m.0 == kind && m.1 == name) {
            return Ok(known.2);
        }
        let handle = sys::metric_define(kind, name.as_bytes());
        check("metric_define", name, handle)?;
        self.0.push((kind, name.to_owned(), handle));
        Ok(handle)
    }
}

impl Context {
    /// The counter of that name, which matches `[a-z][a-z0-9_]*`. A step has 64
    /// metrics at most.
    pub fn counter(&mut self, name: &str) -> Result<Counter, CallError> {
        self.metrics.handle(0, name).map(Counter)
    }

    /// The gauge of that name; what [`counter`](Context::counter) says holds
    /// here too.
    pub fn gauge(&mut self, name: &str) -> Result<Gauge, CallError> {
        self.metrics.handle(1, name).map(Gauge)
    }
}

/// A metric that only grows.
#[derive(Clone, Copy, Debug)]
pub struct Counter(i32);

impl Counter {
    /// Adds `n`. What is above the largest `i64` counts as that.
    pub fn add(self, n: u64) {
        sys::metric_add(self.0, i64::try_from(n).unwrap_or(i64::MAX));
    }
}

/// A metric that goes up and down.
#[derive(Clone, Copy, Debug)]
pub struct Gauge(i32);

impl Gauge {
    /// Adds `n`, which may be negative.
    pub fn add(self, n: i64) {
        sys::metric_add(self.0, n);
    }
}
