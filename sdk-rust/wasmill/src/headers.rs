use std::fmt;

use crate::frame::NULL;

/// The headers of a record, a view: names with values, in order. Names may
/// repeat, and a value may be null, which differs from empty.
#[derive(Clone, Copy, Default)]
pub struct Headers<'a> {
    count: u32,
    raw: &'a [u8],
}

impl<'a> Headers<'a> {
    /// A view of packed headers that were found well formed.
    pub(crate) fn packed(count: u32, raw: &'a [u8]) -> Self {
        Headers { count, raw }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.count as usize
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The value of the first header of that name. The outer `None` is: no
    /// such header; the inner one: it is null.
    pub fn get(&self, name: impl AsRef<[u8]>) -> Option<Option<&'a [u8]>> {
        self.iter().find(|h| h.0 == name.as_ref()).map(|h| h.1)
    }

    /// Names and values in order.
    pub fn iter(&self) -> impl Iterator<Item = (&'a [u8], Option<&'a [u8]>)> + use<'a> {
        let (mut left, mut rest) = (self.count, self.raw);
        std::iter::from_fn(move || {
            left = left.checked_sub(1)?;
            let (header, after) = split(rest)?;
            rest = after;
            Some(header)
        })
    }

    pub(crate) fn raw(&self) -> &'a [u8] {
        self.raw
    }
}

impl fmt::Debug for Headers<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

type Header<'a> = (&'a [u8], Option<&'a [u8]>);

/// The first header of packed ones, and what follows it.
fn split(raw: &[u8]) -> Option<(Header<'_>, &[u8])> {
    let (name, rest) = raw.split_first_chunk::<4>()?;
    let (value, rest) = rest.split_first_chunk::<4>()?;
    let (name, rest) = rest.split_at_checked(u32::from_le_bytes(*name) as usize)?;
    match u32::from_le_bytes(*value) {
        NULL => Some(((name, None), rest)),
        n => {
            let (value, rest) = rest.split_at_checked(n as usize)?;
            Some(((name, Some(value)), rest))
        }
    }
}

/// The bytes that `count` headers at the start of `raw` take, if they are
/// well formed.
pub(crate) fn measure(raw: &[u8], count: u32) -> Option<usize> {
    let mut rest = raw;
    for _ in 0..count {
        rest = split(rest)?.1;
    }
    Some(raw.len() - rest.len())
}

/// Headers of a step's own.
#[derive(Clone, Debug, Default)]
pub struct HeadersBuf {
    count: u32,
    raw: Vec<u8>,
}

impl HeadersBuf {
    /// No headers.
    pub fn new() -> Self {
        HeadersBuf::default()
    }

    /// Appends a header.
    pub fn push(&mut self, name: impl AsRef<[u8]>, value: impl AsRef<[u8]>) {
        self.add(name.as_ref(), Some(value.as_ref()));
    }

    /// Appends a header whose value is null.
    pub fn push_null(&mut self, name: impl AsRef<[u8]>) {
        self.add(name.as_ref(), None);
    }

    /// Appends all headers of a record.
    pub fn extend(&mut self, headers: Headers<'_>) {
        self.count += headers.count;
        self.raw.extend_from_slice(headers.raw);
    }

    /// A view of them, for [`NewRecord::with_headers`](crate::NewRecord::with_headers).
    pub fn view(&self) -> Headers<'_> {
        Headers {
            count: self.count,
            raw: &self.raw,
        }
    }

    pub(crate) fn add(&mut self, name: &[u8], value: Option<&[u8]>) {
        self.count += 1;
        self.raw
            .extend_from_slice(&crate::frame::length(Some(name)).to_le_bytes());
        self.raw
            .extend_from_slice(&crate::frame::length(value).to_le_bytes());
        self.raw.extend_from_slice(name);
        self.raw.extend_from_slice(value.unwrap_or_default());
    }
}
