use std::ops::{BitOr, BitOrAssign};

use crate::{Error, Headers, Result};

/// One record that the step was given: a view into its batch, good until the
/// step's function returns, and cheap to copy.
#[derive(Clone, Copy, Debug)]
pub struct Record<'a> {
    pub(crate) key: Option<&'a [u8]>,
    pub(crate) value: Option<&'a [u8]>,
    pub(crate) headers: Headers<'a>,
    pub(crate) time: i64,
    pub(crate) position: i64,
    pub(crate) index: u32,
    pub(crate) stream: u16,
    pub(crate) flags: Flags,
    pub(crate) partition: Partition<'a>,
}

impl<'a> Record<'a> {
    /// The key; `None` is null, which differs from an empty one.
    pub fn key(&self) -> Option<&'a [u8]> {
        self.key
    }

    /// The value; `None` is null, which differs from an empty one.
    pub fn value(&self) -> Option<&'a [u8]> {
        self.value
    }

    /// The value, empty if it is null.
    pub fn bytes(&self) -> &'a [u8] {
        self.value.unwrap_or_default()
    }

    /// The value as text, empty if it is null. A value that is not UTF-8 is an
    /// error.
    pub fn text(&self) -> Result<&'a str> {
        std::str::from_utf8(self.bytes()).map_err(|_| Error::new("the value is not UTF-8"))
    }

    /// The headers.
    pub fn headers(&self) -> Headers<'a> {
        self.headers
    }

    /// The event time in milliseconds since 1970, if the record has one.
    pub fn time(&self) -> Option<i64> {
        (self.time != i64::MIN).then_some(self.time)
    }

    /// The position in its partition.
    pub fn position(&self) -> i64 {
        self.position
    }

    /// The index in its batch.
    pub fn index(&self) -> usize {
        self.index as usize
    }

    /// Which of [`Context::inputs`](crate::Context::inputs) it came from.
    pub fn stream(&self) -> usize {
        usize::from(self.stream)
    }

    /// What it does to the row that its key names.
    pub fn flags(&self) -> Flags {
        self.flags
    }

    /// Where it comes from.
    pub fn partition(&self) -> Partition<'a> {
        self.partition
    }
}

/// Where a batch comes from: a topic and its partition, a file by its path, an
/// exchange.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Partition<'a> {
    /// The name: any bytes, not always UTF-8.
    pub name: &'a [u8],
    /// The number.
    pub number: u32,
}

/// What a record does to the row that its key names. A record without any is
/// plain data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flags(pub(crate) u16);

impl Flags {
    /// Plain data.
    pub const NONE: Flags = Flags(0);
    /// The row is new.
    pub const INSERT: Flags = Flags(1);
    /// The row changes.
    pub const UPDATE: Flags = Flags(2);
    /// The row goes.
    pub const DELETE: Flags = Flags(4);

    /// Whether all flags of `other` are set.
    pub fn contains(self, other: Flags) -> bool {
        self.0 & other.0 == other.0
    }
}

impl BitOr for Flags {
    type Output = Flags;

    fn bitor(self, other: Flags) -> Flags {
        Flags(self.0 | other.0)
    }
}

impl BitOrAssign for Flags {
    fn bitor_assign(&mut self, other: Flags) {
        self.0 |= other.0;
    }
}
