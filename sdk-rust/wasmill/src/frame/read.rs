use std::fmt;

use super::{HEAD, KIND, MAGIC, NULL, RECORD, VERSION, padded};
use crate::headers::measure;
use crate::{Flags, Headers, Partition, Record};

/// A frame that is not well formed. The host makes none.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Malformed;

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("wasmill: malformed frame of records")
    }
}

impl std::error::Error for Malformed {}

/// A frame whose head was checked. Its records are checked as they come.
#[derive(Clone, Copy)]
pub(crate) struct Frame<'a> {
    pub(crate) partition: Partition<'a>,
    pub(crate) count: u32,
    index: u32,
    rest: &'a [u8],
}

impl<'a> Frame<'a> {
    /// A view of `data`, which is one whole frame.
    pub(crate) fn open(data: &'a [u8]) -> Result<Self, Malformed> {
        let (head, body) = data.split_first_chunk::<HEAD>().ok_or(Malformed)?;
        let exact = u32_at(head, 0) == MAGIC
            && u16_at(head, 4) == VERSION
            && u16_at(head, 6) == KIND
            && u32_at(head, 12) as usize == data.len()
            && head[24..].iter().all(|b| *b == 0);
        let size = u32_at(head, 20) as usize;
        if !exact || size > body.len() {
            return Err(Malformed);
        }
        let (name, rest) = body.split_at_checked(padded(size)).ok_or(Malformed)?;
        let (name, padding) = name.split_at(size);
        let count = u32_at(head, 8);
        if padding.iter().any(|b| *b != 0) || u64::from(count) * RECORD as u64 > rest.len() as u64 {
            return Err(Malformed);
        }
        let partition = Partition {
            name,
            number: u32_at(head, 16),
        };
        Ok(Frame {
            partition,
            count,
            index: 0,
            rest,
        })
    }

    /// The next record with its cause; `None` behind the last one.
    #[inline]
    pub(crate) fn next(&mut self) -> Option<Result<(Record<'a>, u32), Malformed>> {
        if self.index == self.count {
            return (!self.rest.is_empty()).then(|| self.fail());
        }
        match decode(self.rest, self.partition) {
            Some((mut record, cause, rest)) => {
                record.index = self.index;
                self.index += 1;
                self.rest = rest;
                Some(Ok((record, cause)))
            }
            None => Some(self.fail()),
        }
    }

    /// Ends the walk with an error.
    #[cold]
    fn fail<T>(&mut self) -> Result<T, Malformed> {
        self.rest = &[];
        self.index = self.count;
        Err(Malformed)
    }
}

#[inline]
fn decode<'a>(data: &'a [u8], partition: Partition<'a>) -> Option<(Record<'a>, u32, &'a [u8])> {
    let head = data.first_chunk::<RECORD>()?;
    let size = u32_at(head, 36) as usize;
    if size < RECORD || !size.is_multiple_of(8) || size > data.len() {
        return None;
    }
    let (body, rest) = data.split_at(size);
    let body = &body[RECORD..];
    let (key, body) = take(body, u32_at(head, 24))?;
    let (value, body) = take(body, u32_at(head, 28))?;
    let (count, mut padding, mut headers) = (u32_at(head, 32), body, Headers::default());
    if count > 0 {
        let (raw, after) = body.split_at(measure(body, count)?);
        (padding, headers) = (after, Headers::packed(count, raw));
    }
    if padding.len() >= 8 || padding.iter().any(|b| *b != 0) {
        return None;
    }
    let record = Record {
        key,
        value,
        headers,
        time: i64_at(head, 0),
        position: i64_at(head, 8),
        index: 0,
        stream: u16_at(head, 20),
        flags: Flags(u16_at(head, 22)),
        partition,
    };
    Some((record, u32_at(head, 16), rest))
}

#[inline]
fn take(body: &[u8], length: u32) -> Option<(Option<&[u8]>, &[u8])> {
    if length == NULL {
        return Some((None, body));
    }
    let (bytes, rest) = body.split_at_checked(length as usize)?;
    Some((Some(bytes), rest))
}

fn u16_at<const N: usize>(b: &[u8; N], at: usize) -> u16 {
    u16::from_le_bytes([b[at], b[at + 1]])
}

fn u32_at<const N: usize>(b: &[u8; N], at: usize) -> u32 {
    u32::from_le_bytes([b[at], b[at + 1], b[at + 2], b[at + 3]])
}

fn i64_at<const N: usize>(b: &[u8; N], at: usize) -> i64 {
    (u64::from(u32_at(b, at)) | u64::from(u32_at(b, at + 4)) << 32).cast_signed()
}
