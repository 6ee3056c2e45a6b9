use std::cell::RefCell;

use wasmill_sys as sys;

use crate::error::check;
use crate::{CallError, Errno, Scan};

/// One of the step's stores: keyed state that belongs to the task and lasts.
/// What a batch writes is dropped again if the batch fails.
#[derive(Clone, Copy, Debug)]
pub struct Store<'n> {
    name: &'n str,
    id: u32,
}

impl<'n> Store<'n> {
    pub(crate) fn new(name: &'n str, index: Option<usize>) -> Self {
        let id = index
            .and_then(|i| u32::try_from(i).ok())
            .unwrap_or(u32::MAX);
        Store { name, id }
    }

    /// The value of a key, if there is one.
    pub fn get(&self, key: impl AsRef<[u8]>) -> Result<Option<Vec<u8>>, CallError> {
        self.with(key.as_ref(), <[u8]>::to_vec)
    }

    /// Calls `read` with the value of a key, if there is one, and returns what
    /// it returned. The value is not copied.
    pub fn with<T>(
        &self,
        key: impl AsRef<[u8]>,
        read: impl FnOnce(&[u8]) -> T,
    ) -> Result<Option<T>, CallError> {
        let key = key.as_ref();
        let fetch = |buf: &mut [u8]| sys::state_get(self.id, key, buf);
        match self.reply("state_get", fetch, read) {
            Err(e) if e.errno == Errno::ENOENT => Ok(None),
            other => other.map(Some),
        }
    }

    /// Sets the value of a key.
    pub fn put(&self, key: impl AsRef<[u8]>, value: impl AsRef<[u8]>) -> Result<(), CallError> {
        let result = sys::state_put(self.id, key.as_ref(), value.as_ref());
        check("state_put", self.name, result).map(drop)
    }

    /// Removes a key; it is no error if it is absent.
    pub fn delete(&self, key: impl AsRef<[u8]>) -> Result<(), CallError> {
        let result = sys::state_delete(self.id, key.as_ref());
        check("state_delete", self.name, result).map(drop)
    }

    /// The entries with start <= key < end in the order of the keys' bytes; an
    /// empty `end` is open. Entries are fetched many at a time: the loop may
    /// write to the store, but a write to a key that the scan has not come to
    /// may or may not be seen. An error ends the scan.
    pub fn scan(&self, start: impl AsRef<[u8]>, end: impl AsRef<[u8]>) -> Scan<'n> {
        Scan::new(*self, start.as_ref(), end.as_ref())
    }

    /// The values of some keys, in their order, in one crossing to the host.
    pub fn get_many<K: AsRef<[u8]>>(&self, keys: &[K]) -> Result<Vec<Option<Vec<u8>>>, CallError> {
        if keys.is_empty() {
            return Ok(Vec::new());
        }
        let mut packed = Vec::new();
        pack(keys.iter().map(AsRef::as_ref), &mut packed);
        let fetch = |buf: &mut [u8]| sys::state_get_many(self.id, &packed, buf);
        let values = self.reply("state_get_many", fetch, |reply| unpack(reply, keys.len()))?;
        values.ok_or_else(|| self.malformed("state_get_many"))
    }

    /// Fetches the page of entries from `start` on and has `read` read it.
    pub(crate) fn page<T>(
        &self,
        start: &[u8],
        end: &[u8],
        read: impl FnOnce(&[u8]) -> T,
    ) -> Result<T, CallError> {
        self.reply(
            "state_scan",
            |buf| sys::state_scan(self.id, start, end, buf),
            read,
        )
    }

    /// The error of a reply that is not as the interface says.
    pub(crate) fn malformed(&self, call: &'static str) -> CallError {
        CallError {
            call,
            on: self.name.to_owned(),
            errno: Errno::EIO,
        }
    }

    /// Makes a call that writes into a buffer, once more if it was too small,
    /// and has `read` read the reply.
    fn reply<T>(
        &self,
        call: &'static str,
        fetch: impl Fn(&mut [u8]) -> i32,
        read: impl FnOnce(&[u8]) -> T,
    ) -> Result<T, CallError> {
        let mut buf = REPLY.take(); // so that read may make calls of its own
        if buf.is_empty() {
            buf.resize(REPLY_ROOM, 0);
        }
        let result = loop {
            match check(call, self.name, fetch(&mut buf)) {
                Ok(n) if n > buf.len() => buf = vec![0; n.max(2 * buf.len())],
                other => break other,
            }
        };
        let result = result.map(|n| read(&buf[..n]));
        REPLY.set(buf);
        result
    }
}

/// The room in bytes that replies get at first: a page of a scan.
const REPLY_ROOM: usize = 64 << 10;

thread_local! {
    static REPLY: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Packs keys for `state_get_many`.
pub(crate) fn pack<'k>(keys: impl Iterator<Item = &'k [u8]>, packed: &mut Vec<u8>) {
    for key in keys {
        packed.extend_from_slice(&crate::frame::length(Some(key)).to_le_bytes());
        packed.extend_from_slice(key);
    }
}

/// Unpacks the values that `state_get_many` gives for `count` keys.
pub(crate) fn unpack(reply: &[u8], count: usize) -> Option<Vec<Option<Vec<u8>>>> {
    let (mut values, mut rest) = (Vec::with_capacity(count), reply);
    for _ in 0..count {
        let (length, after) = rest.split_first_chunk::<4>()?;
        rest = after;
        values.push(match u32::from_le_bytes(*length) {
            crate::frame::NULL => None,
            n => {
                let (value, after) = rest.split_at_checked(n as usize)?;
                rest = after;
                Some(value.to_vec())
            }
        });
    }
    rest.is_empty().then_some(values)
}
