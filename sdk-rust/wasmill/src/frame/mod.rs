//! The codec of frames: a header, the name of a partition, and records, each
//! at a multiple of 8.

#[cfg(test)]
mod golden_test;
mod read;
#[cfg(test)]
pub(crate) mod vectors;
mod write;

pub(crate) use read::Frame;
pub(crate) use write::{Builder, Place, record_size};

/// The length of what is null.
pub(crate) const NULL: u32 = u32::MAX;

/// The cause of what a batch as a whole emits.
pub(crate) const CAUSE_BATCH: u32 = u32::MAX;

const HEAD: usize = 32;
const RECORD: usize = 40;
const MAGIC: u32 = 0x314c_4d57; // "WML1"
const VERSION: u16 = 1;
const KIND: u16 = 1;

/// What stands for the length of a key or a value. What is longer than 4 GiB
/// cannot be in the memory of a guest.
#[expect(clippy::cast_possible_truncation, reason = "see above")]
pub(crate) fn length(bytes: Option<&[u8]>) -> u32 {
    bytes.map_or(NULL, |b| b.len() as u32)
}

/// The next multiple of 8.
fn padded(n: usize) -> usize {
    n.next_multiple_of(8)
}
