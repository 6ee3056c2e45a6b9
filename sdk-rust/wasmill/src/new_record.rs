use crate::{Flags, Headers, Record};

/// A record to be emitted. It borrows what it is made of; the bytes are copied
/// when it is emitted. It has the event time of the record that caused it
/// unless [`at`](NewRecord::at) or [`without_time`](NewRecord::without_time)
/// says otherwise.
#[derive(Clone, Copy, Debug, Default)]
pub struct NewRecord<'a> {
    pub(crate) key: Option<&'a [u8]>,
    pub(crate) value: Option<&'a [u8]>,
    pub(crate) headers: Headers<'a>,
    pub(crate) flags: Flags,
    /// `None`: the time of the cause.
    pub(crate) time: Option<i64>,
}

impl<'a> NewRecord<'a> {
    /// A record whose key and value are null.
    pub fn null() -> Self {
        NewRecord::default()
    }

    /// A record with a value; its key is null.
    pub fn of<V: AsRef<[u8]> + ?Sized>(value: &'a V) -> Self {
        NewRecord::null().with_value(value)
    }

    /// A record with a key and a value.
    pub fn keyed<K: AsRef<[u8]> + ?Sized, V: AsRef<[u8]> + ?Sized>(
        key: &'a K,
        value: &'a V,
    ) -> Self {
        NewRecord::of(value).with_key(key)
    }

    /// A tombstone: the row that `key` names goes. The value is null.
    pub fn delete<K: AsRef<[u8]> + ?Sized>(key: &'a K) -> Self {
        NewRecord::null().with_key(key).with_flags(Flags::DELETE)
    }

    /// The same with that key.
    pub fn with_key<K: AsRef<[u8]> + ?Sized>(self, key: &'a K) -> Self {
        NewRecord {
            key: Some(key.as_ref()),
            ..self
        }
    }

    /// The same with that value.
    pub fn with_value<V: AsRef<[u8]> + ?Sized>(self, value: &'a V) -> Self {
        NewRecord {
            value: Some(value.as_ref()),
            ..self
        }
    }

    /// The same with those headers.
    pub fn with_headers(self, headers: Headers<'a>) -> Self {
        NewRecord { headers, ..self }
    }

    /// The same with those flags.
    pub fn with_flags(self, flags: Flags) -> Self {
        NewRecord { flags, ..self }
    }

    /// The same with that event time, in milliseconds since 1970.
    pub fn at(self, time: i64) -> Self {
        NewRecord {
            time: Some(time),
            ..self
        }
    }

    /// The same without an event time, whatever its cause has.
    pub fn without_time(self) -> Self {
        self.at(i64::MIN)
    }

    /// The bytes of key, value and headers: what a job's limit on records
    /// counts.
    pub fn size(&self) -> usize {
        let size = |b: Option<&[u8]>| b.map_or(0, <[u8]>::len);
        size(self.key) + size(self.value) + self.headers.raw().len()
    }
}

/// Key, value, headers and flags; the event time is that of the cause.
impl<'a> From<Record<'a>> for NewRecord<'a> {
    fn from(r: Record<'a>) -> Self {
        let known = Flags::INSERT | Flags::UPDATE | Flags::DELETE;
        NewRecord {
            key: r.key,
            value: r.value,
            headers: r.headers,
            flags: Flags(r.flags.0 & known.0),
            time: None,
        }
    }
}

/// The same.
impl<'a> From<&Record<'a>> for NewRecord<'a> {
    fn from(r: &Record<'a>) -> Self {
        NewRecord::from(*r)
    }
}
