//! What a benchmark needs of the SDK that is internal to it.

pub use wasmill_sys as sys;

use crate::Definition;

/// An instance of a step.
#[derive(Default)]
#[allow(missing_docs)]
pub struct Instance(crate::instance::Instance);

#[allow(missing_docs)]
impl Instance {
    pub fn init<M>(&mut self, payload: &[u8], definition: impl Definition<M>) -> i32 {
        self.0.init(payload, definition)
    }

    pub fn process(&mut self, op: u32, payload: &[u8]) -> i32 {
        self.0.process(op, payload)
    }
}

/// The values of the records of a frame.
pub fn frame_values(frame: &[u8]) -> Vec<String> {
    let mut frame = crate::frame::Frame::open(frame).expect("a frame");
    let mut all = Vec::new();
    while let Some(next) = frame.next() {
        let (record, _) = next.expect("a record");
        all.push(String::from_utf8_lossy(record.value.unwrap_or_default()).into_owned());
    }
    all
}
