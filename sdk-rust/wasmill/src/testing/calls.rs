//! The host functions, served from memory.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

use super::state::{self, Entries};
use super::{Emitted, Failed, Host};
use crate::Errno;
use crate::frame::Frame;

/// Bytes of frames that a call may emit.
const EMIT_LIMIT: usize = 16 << 20;
const TOKEN_LIMIT: usize = 64 << 10;

/// What of a call is undone if it fails.
#[derive(Clone, Default)]
pub(super) struct Effects {
    pub(super) stores: Vec<Entries>,
    pub(super) emitted: Vec<Emitted>,
    emitted_bytes: usize,
    pub(super) token: Vec<u8>,
}

impl Effects {
    /// Begins a call.
    pub(super) fn begin(&mut self) {
        self.emitted_bytes = 0;
    }
}

/// What runs: it decides what calls are allowed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Running {
    Init,
    /// So many records.
    Batch(u32),
    End,
}

pub(super) struct Calls {
    pub(super) stores: Vec<String>,
    outputs: Vec<String>,
    debug: bool,
    pub(super) running: Cell<Running>,
    /// Of the largest event time, and the reads of the clock.
    pub(super) clock: Cell<i64>,
    pub(super) effects: RefCell<Effects>,
    /// By index in the batch.
    pub(super) failed: RefCell<BTreeMap<u32, Failed>>,
    pub(super) logs: RefCell<Vec<(u32, String)>>,
    /// Kind, name and what was added.
    pub(super) metrics: RefCell<Vec<(u32, String, i64)>>,
}

impl Calls {
    pub(super) fn new(host: &Host) -> Self {
        let effects = Effects {
            stores: vec![Entries::new(); host.stores.len()],
            ..Effects::default()
        };
        Calls {
            stores: host.stores.clone(),
            outputs: host.outputs.clone(),
            debug: host.debug,
            running: Cell::new(Running::Init),
            clock: Cell::new(0),
            effects: RefCell::new(effects),
            failed: RefCell::default(),
            logs: RefCell::default(),
            metrics: RefCell::default(),
        }
    }

    fn with_store(&self, store: u32, serve: impl FnOnce(&mut Entries) -> i32) -> i32 {
        if self.running.get() == Running::Init {
            return -Errno::EPERM.0;
        }
        self.effects
            .borrow_mut()
            .stores
            .get_mut(store as usize)
            .map_or(-Errno::EBADF.0, serve)
    }

    /// Decodes a frame of the step's.
    fn decode(&self, frame: &[u8]) -> Option<Vec<Emitted>> {
        let (mut frame, mut all) = (Frame::open(frame).ok()?, Vec::new());
        let records = if let Running::Batch(n) = self.running.get() {
            n
        } else {
            0
        };
        while let Some(next) = frame.next() {
            let (r, cause) = next.ok()?;
            if cause != u32::MAX && cause >= records {
                return None;
            }
            all.push(Emitted {
                output: self.outputs.get(usize::from(r.stream))?.clone(),
                cause: (cause != u32::MAX).then_some(cause as usize),
                key: r.key.map(Vec::from),
                value: r.value.map(Vec::from),
                headers: r
                    .headers
                    .iter()
                    .map(|(n, v)| (n.to_vec(), v.map(Vec::from)))
                    .collect(),
                time: r.time(),
                flags: r.flags,
            });
        }
        Some(all)
    }
}

impl wasmill_sys::Host for Calls {
    fn emit(&self, frame: &[u8]) -> i32 {
        if self.running.get() == Running::Init {
            return -Errno::EPERM.0;
        }
        let mut effects = self.effects.borrow_mut();
        if effects.emitted_bytes + frame.len() > EMIT_LIMIT {
            return -Errno::E2BIG.0;
        }
        let Some(records) = self.decode(frame) else {
            return -Errno::EINVAL.0;
        };
        effects.emitted_bytes += frame.len();
        effects.emitted.extend(records);
        0
    }

    fn fail(&self, index: u32, code: i32, text: &[u8]) -> i32 {
        match self.running.get() {
            Running::Init => -Errno::EPERM.0,
            Running::Batch(n) if index < n => {
                let text = String::from_utf8_lossy(text).into_owned();
                let failed = Failed {
                    index: index as usize,
                    code,
                    text,
                };
                self.failed.borrow_mut().entry(index).or_insert(failed);
                0
            }
            _ => -Errno::EINVAL.0,
        }
    }

    fn state_get(&self, store: u32, key: &[u8], buf: &mut [u8]) -> i32 {
        self.with_store(store, |s| state::get(s, key, buf))
    }

    fn state_put(&self, store: u32, key: &[u8], value: &[u8]) -> i32 {
        self.with_store(store, |s| state::put(s, key, value))
    }

    fn state_delete(&self, store: u32, key: &[u8]) -> i32 {
        self.with_store(store, |s| {
            s.remove(key);
            0
        })
    }

    fn state_scan(&self, store: u32, start: &[u8], end: &[u8], buf: &mut [u8]) -> i32 {
        self.with_store(store, |s| state::scan(s, start, end, buf))
    }

    fn state_get_many(&self, store: u32, keys: &[u8], buf: &mut [u8]) -> i32 {
        self.with_store(store, |s| state::get_many(s, keys, buf))
    }

    fn resume(&self, token: &[u8]) -> i32 {
        if self.running.get() != Running::End {
            return -Errno::EPERM.0;
        }
        if token.len() > TOKEN_LIMIT {
            return -Errno::E2BIG.0;
        }
        self.effects.borrow_mut().token = token.to_vec();
        0
    }

    fn log(&self, level: u32, text: &[u8]) -> i32 {
        self.logs
            .borrow_mut()
            .push((level, String::from_utf8_lossy(text).into_owned()));
        0
    }

    fn log_enabled(&self, level: u32) -> i32 {
        i32::from(level > 0 || self.debug)
    }

    fn metric_define(&self, kind: u32, name: &[u8]) -> i32 {
        let valid = name.first().is_some_and(u8::is_ascii_lowercase)
            && name.len() <= 64
            && name
                .iter()
                .all(|c| matches!(c, b'a'..=b'z' | b'0'..=b'9' | b'_'));
        let mut metrics = self.metrics.borrow_mut();
        let known = metrics.iter().position(|m| m.1.as_bytes() == name);
        match known {
            _ if !valid => -Errno::EINVAL.0,
            Some(i) if metrics[i].0 != kind => -Errno::EINVAL.0,
            None if metrics.len() == 64 => -Errno::ENOSPC.0,
            Some(i) => i32::try_from(i).unwrap_or(-Errno::ENOSPC.0),
            None => {
                metrics.push((kind, String::from_utf8_lossy(name).into_owned(), 0));
                i32::try_from(metrics.len() - 1).unwrap_or(-Errno::ENOSPC.0)
            }
        }
    }

    fn metric_add(&self, handle: i32, delta: i64) -> i32 {
        let mut metrics = self.metrics.borrow_mut();
        match usize::try_from(handle)
            .ok()
            .and_then(|i| metrics.get_mut(i))
        {
            None => -Errno::EBADF.0,
            Some(m) if m.0 == 0 && delta < 0 => -Errno::EINVAL.0,
            Some(m) => {
                m.2 = m.2.saturating_add(delta);
                0
            }
        }
    }

    fn now(&self) -> i64 {
        let now = self.clock.get() + 1000;
        self.clock.set(now);
        now
    }
}
