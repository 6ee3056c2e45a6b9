use std::collections::BTreeMap;
use std::ops::Bound;

use crate::Errno;
use crate::frame::{NULL, length};

/// Limits of the interface in bytes.
const KEY: usize = 4 << 10;
const VALUE: usize = 1 << 20;

/// The entries of a store.
pub(super) type Entries = BTreeMap<Vec<u8>, Vec<u8>>;

/// Copies a reply into `buf` if it fits, and returns its length.
pub(super) fn reply(bytes: &[u8], buf: &mut [u8]) -> i32 {
    if let Some(room) = buf.get_mut(..bytes.len()) {
        room.copy_from_slice(bytes);
    }
    i32::try_from(bytes.len()).unwrap_or(-Errno::E2BIG.0)
}

pub(super) fn put(entries: &mut Entries, key: &[u8], value: &[u8]) -> i32 {
    if key.len() > KEY || value.len() > VALUE {
        return -Errno::E2BIG.0;
    }
    entries.insert(key.to_vec(), value.to_vec());
    0
}

pub(super) fn get(entries: &Entries, key: &[u8], buf: &mut [u8]) -> i32 {
    if key.len() > KEY {
        return -Errno::E2BIG.0;
    }
    entries.get(key).map_or(-Errno::ENOENT.0, |v| reply(v, buf))
}

/// Packs as many entries as fit into `buf`.
pub(super) fn scan(entries: &Entries, start: &[u8], end: &[u8], buf: &mut [u8]) -> i32 {
    let upper = if end.is_empty() {
        Bound::Unbounded
    } else {
        Bound::Excluded(end)
    };
    if upper != Bound::Unbounded && end <= start {
        return 0;
    }
    let mut page = Vec::new();
    for (key, value) in entries.range::<[u8], _>((Bound::Included(start), upper)) {
        if !page.is_empty() && page.len() + 8 + key.len() + value.len() > buf.len() {
            break;
        }
        page.extend_from_slice(&length(Some(key)).to_le_bytes());
        page.extend_from_slice(&length(Some(value)).to_le_bytes());
        page.extend_from_slice(key);
        page.extend_from_slice(value);
    }
    reply(&page, buf)
}

/// Packs the values of packed keys.
pub(super) fn get_many(entries: &Entries, mut keys: &[u8], buf: &mut [u8]) -> i32 {
    let mut values = Vec::new();
    while !keys.is_empty() {
        let Some((n, rest)) = keys.split_first_chunk::<4>() else {
            return -Errno::EINVAL.0;
        };
        let Some((key, rest)) = rest.split_at_checked(u32::from_le_bytes(*n) as usize) else {
            return -Errno::EINVAL.0;
        };
        keys = rest;
        let value = entries.get(key);
        values.extend_from_slice(&value.map_or(NULL, |v| length(Some(v))).to_le_bytes());
        values.extend_from_slice(value.map_or(&[], |v| v));
    }
    reply(&values, buf)
}
