use crate::{Flags, HeadersBuf, NewRecord};

/// A record that a test gives to the step.
#[derive(Clone, Debug, Default)]
pub struct Input {
    pub(super) key: Option<Vec<u8>>,
    pub(super) value: Option<Vec<u8>>,
    pub(super) headers: HeadersBuf,
    pub(super) flags: Flags,
    pub(super) time: Option<i64>,
    pub(super) stream: u16,
}

impl Input {
    /// A record whose key and value are null.
    pub fn null() -> Self {
        Input::default()
    }

    /// A record with a value; its key is null.
    pub fn value(value: impl AsRef<[u8]>) -> Self {
        Input {
            value: Some(value.as_ref().to_vec()),
            ..Input::default()
        }
    }

    /// A record with a key and a value.
    pub fn keyed(key: impl AsRef<[u8]>, value: impl AsRef<[u8]>) -> Self {
        Input {
            key: Some(key.as_ref().to_vec()),
            ..Input::value(value)
        }
    }

    /// The same with one more header.
    pub fn header(mut self, name: impl AsRef<[u8]>, value: impl AsRef<[u8]>) -> Self {
        self.headers.push(name, value);
        self
    }

    /// The same with those flags.
    pub fn flags(self, flags: Flags) -> Self {
        Input { flags, ..self }
    }

    /// The same with that event time, in milliseconds since 1970.
    pub fn at(self, time: i64) -> Self {
        Input {
            time: Some(time),
            ..self
        }
    }

    /// The same from another of the step's inputs.
    pub fn from_input(self, stream: u16) -> Self {
        Input { stream, ..self }
    }

    pub(super) fn record(&self) -> NewRecord<'_> {
        NewRecord {
            key: self.key.as_deref(),
            value: self.value.as_deref(),
            headers: self.headers.view(),
            flags: self.flags,
            time: None,
        }
    }
}

impl From<&str> for Input {
    fn from(value: &str) -> Self {
        Input::value(value)
    }
}

impl From<&[u8]> for Input {
    fn from(value: &[u8]) -> Self {
        Input::value(value)
    }
}
