use std::rc::Rc;

use super::Input;
use super::calls::{self, Calls};
use crate::frame::{Builder, Place};
use crate::instance::{BATCH, DONE, END, Instance, MORE};
use crate::{Errno, Error, Flags, Result};

/// Makes an instance; the number is what init answered.
pub(super) type Start = Box<dyn Fn() -> (Instance, i32)>;

/// A step that runs in a host in memory.
pub struct Running {
    calls: Rc<Calls>,
    start: Start,
    instance: Instance,
    position: i64,
}

/// How a call ended.
struct Answer {
    status: i32,
    reason: String,
    panicked: bool,
}

/// A record that the step emitted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Emitted {
    /// Where to.
    pub output: String,
    /// Index of the record of the batch that caused it; `None` for the batch
    /// as a whole.
    pub cause: Option<usize>,
    /// The key; `None` is null.
    pub key: Option<Vec<u8>>,
    /// The value; `None` is null.
    pub value: Option<Vec<u8>>,
    /// Names and values.
    pub headers: Vec<(Vec<u8>, Option<Vec<u8>>)>,
    /// The event time in milliseconds since 1970.
    pub time: Option<i64>,
    /// What it does to the row that its key names.
    pub flags: Flags,
}

/// A record that was rejected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failed {
    /// Its index in the batch.
    pub index: usize,
    /// The code of the error; [`CODE_PANIC`](crate::CODE_PANIC) for a panic.
    pub code: i32,
    /// The text of the error.
    pub text: String,
}

/// What became of a batch or of the end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// What the step emitted, in order.
    pub emitted: Vec<Emitted>,
    /// The records that were rejected, in order.
    pub failed: Vec<Failed>,
    /// Why the call as a whole was refused; nothing of it has stayed then.
    pub refused: Option<String>,
}

impl Outcome {
    /// The values of what was emitted, as text; null counts as empty.
    pub fn values(&self) -> Vec<String> {
        let text = |e: &Emitted| {
            String::from_utf8_lossy(e.value.as_deref().unwrap_or_default()).into_owned()
        };
        self.emitted.iter().map(text).collect()
    }
}

impl Running {
    pub(super) fn new(calls: Rc<Calls>, start: Start) -> Result<Self> {
        let (instance, status) = wasmill_sys::with_host(calls.clone(), &start);
        let running = Running {
            calls,
            start,
            instance,
            position: 0,
        };
        if status == DONE {
            Ok(running)
        } else {
            Err(Error::new(running.reason(status)))
        }
    }

    /// Gives the step a batch.
    pub fn batch<I: Into<Input>>(&mut self, records: impl IntoIterator<Item = I>) -> Outcome {
        self.batch_of("test", 0, records)
    }

    /// Gives the step a batch of a partition.
    pub fn batch_of<I: Into<Input>>(
        &mut self,
        partition: &str,
        number: u32,
        records: impl IntoIterator<Item = I>,
    ) -> Outcome {
        let records: Vec<Input> = records.into_iter().map(Into::into).collect();
        let mut left: Vec<usize> = (0..records.len()).collect();
        let mut outcome = Outcome::default();
        let before = self.calls.effects.borrow().clone();
        loop {
            let frame = frame(
                partition,
                number,
                self.position,
                left.iter().map(|i| (*i, &records[*i])),
            );
            let largest = left.iter().filter_map(|i| records[*i].time).max();
            let clock = largest.map_or(self.calls.clock.get(), |t| t.saturating_mul(1_000_000));
            self.calls.clock.set(clock);
            let count = u32::try_from(left.len()).unwrap_or(u32::MAX);
            let Answer {
                status,
                reason,
                panicked,
            } = self.call(calls::Running::Batch(count), BATCH, &frame);
            let failed = self.calls.failed.take();
            if status == DONE && failed.is_empty() {
                break;
            }
            self.calls.effects.replace(before.clone());
            if failed.is_empty() || status != DONE && !panicked {
                outcome.refused = Some(reason);
                break;
            }
            let original = |f: Failed| Failed {
                index: left[f.index],
                ..f
            };
            outcome.failed.extend(failed.into_values().map(original));
            let gone = |i: &usize| outcome.failed.iter().any(|f| f.index == *i);
            left.retain(|i| !gone(i));
            if left.is_empty() {
                break;
            }
        }
        self.position += i64::try_from(records.len()).unwrap_or(i64::MAX);
        outcome.failed.sort_by_key(|f| f.index);
        outcome.emitted = std::mem::take(&mut self.calls.effects.borrow_mut().emitted);
        for e in &mut outcome.emitted {
            e.cause = e.cause.map(|i| left[i]);
        }
        outcome
    }

    /// Tells the step that its input is over, as often as it asks for more.
    pub fn end(&mut self) -> Outcome {
        let (mut outcome, mut token) = (Outcome::default(), Vec::new());
        loop {
            let before = self.calls.effects.borrow().clone();
            let Answer { status, reason, .. } = self.call(calls::Running::End, END, &token);
            if status != DONE && status != MORE {
                self.calls.effects.replace(before);
                outcome.refused = Some(reason);
                return outcome;
            }
            let mut effects = self.calls.effects.borrow_mut();
            outcome.emitted.append(&mut effects.emitted);
            token = std::mem::take(&mut effects.token);
            if status == DONE {
                return outcome;
            }
        }
    }

    /// Goes on with a fresh instance, as a host may between any two batches.
    pub fn replace_instance(&mut self) -> Result {
        self.calls.running.set(calls::Running::Init);
        let (instance, status) = wasmill_sys::with_host(self.calls.clone(), &self.start);
        self.instance = instance;
        if status == DONE {
            Ok(())
        } else {
            Err(Error::new(self.reason(status)))
        }
    }

    /// The entries of a store in the order of their keys, as text.
    pub fn store(&self, name: &str) -> Vec<(String, String)> {
        let text = |b: &[u8]| String::from_utf8_lossy(b).into_owned();
        let effects = self.calls.effects.borrow();
        let at = self.calls.stores.iter().position(|s| s == name);
        let entries = at.and_then(|i| effects.stores.get(i)).into_iter().flatten();
        entries.map(|(k, v)| (text(k), text(v))).collect()
    }

    /// The lines of the log: level (0 is debug, 3 is error) and text.
    pub fn logs(&self) -> Vec<(u32, String)> {
        self.calls.logs.borrow().clone()
    }

    /// What was added to a metric; `None` if the step has none of that name.
    pub fn metric(&self, name: &str) -> Option<i64> {
        self.calls
            .metrics
            .borrow()
            .iter()
            .find(|m| m.1 == name)
            .map(|m| m.2)
    }

    /// Makes a call. A panic costs the instance, and the record that ran.
    fn call(&mut self, running: calls::Running, op: u32, payload: &[u8]) -> Answer {
        self.calls.running.set(running);
        let calls = self.calls.clone();
        calls.effects.borrow_mut().begin();
        let before = crate::panics::count();
        let status = wasmill_sys::with_host(calls, || self.instance.process(op, payload));
        let reason = self.reason(status);
        let panicked = crate::panics::count() != before;
        if panicked {
            // The engine's instance would be gone.
            if let Err(e) = self.replace_instance() {
                return Answer {
                    status: -Errno::EIO.0,
                    reason: e.to_string(),
                    panicked: false,
                };
            }
        }
        Answer {
            status,
            reason,
            panicked,
        }
    }

    /// The text of a status: what the step logged with it.
    fn reason(&self, status: i32) -> String {
        let logs = self.calls.logs.borrow();
        let last = logs.last().filter(|l| l.0 == 3).map(|l| l.1.clone());
        last.unwrap_or_else(|| Errno(-status).to_string())
    }
}

/// The frame of a batch.
fn frame<'r>(
    partition: &str,
    number: u32,
    position: i64,
    records: impl Iterator<Item = (usize, &'r Input)>,
) -> Vec<u8> {
    let mut builder = Builder::default();
    builder.reset(partition.as_bytes(), number);
    for (i, r) in records {
        let place = Place {
            time: r.time.unwrap_or(i64::MIN),
            position: position + i64::try_from(i).unwrap_or(i64::MAX),
            cause: 0,
            stream: r.stream,
        };
        builder.add(&r.record(), place);
    }
    builder.frame().to_vec()
}
