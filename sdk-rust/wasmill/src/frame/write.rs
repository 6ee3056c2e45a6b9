use super::{HEAD, KIND, MAGIC, RECORD, VERSION, length, padded};
use crate::NewRecord;

/// The bytes that a record of so many bytes of content takes in a frame.
pub(crate) fn record_size(content: usize) -> usize {
    padded(RECORD + content)
}

/// Makes frames of records in one buffer, which it keeps.
#[derive(Default)]
pub(crate) struct Builder {
    buf: Vec<u8>,
    count: u32,
}

/// What a frame says of a record beside its content.
#[derive(Clone, Copy)]
pub(crate) struct Place {
    pub(crate) time: i64,
    pub(crate) position: i64,
    pub(crate) cause: u32,
    pub(crate) stream: u16,
}

impl Builder {
    /// Begins a frame for a partition. A step's own frames name none.
    pub(crate) fn reset(&mut self, name: &[u8], number: u32) {
        self.count = 0;
        self.buf.clear();
        self.buf.resize(HEAD, 0);
        self.put(0, &MAGIC.to_le_bytes());
        self.put(4, &VERSION.to_le_bytes());
        self.put(6, &KIND.to_le_bytes());
        self.put(16, &number.to_le_bytes());
        self.put(20, &length(Some(name)).to_le_bytes());
        self.buf.extend_from_slice(name);
        self.pad();
    }

    /// The bytes of the frame so far.
    pub(crate) fn len(&self) -> usize {
        self.buf.len()
    }

    /// The records of the frame so far.
    pub(crate) fn count(&self) -> u32 {
        self.count
    }

    /// Appends a record at a place.
    #[inline]
    pub(crate) fn add(&mut self, r: &NewRecord<'_>, at: Place) {
        let start = self.buf.len();
        self.buf.reserve(record_size(r.size()));
        self.head(r, at, length(r.value));
        self.buf.extend_from_slice(r.key.unwrap_or_default());
        self.buf.extend_from_slice(r.value.unwrap_or_default());
        self.finish(r, start);
    }

    /// Appends a record whose value is what `write` appends to the buffer in
    /// place of its own. If that fails, or the record comes to more than
    /// `limit` bytes of content, nothing of it stays; the result is then the
    /// error, or `Ok(false)`.
    #[cfg(feature = "json")]
    pub(crate) fn add_written<E>(
        &mut self,
        r: &NewRecord<'_>,
        at: Place,
        limit: usize,
        write: impl FnOnce(&mut Vec<u8>) -> Result<(), E>,
    ) -> Result<bool, E> {
        let start = self.buf.len();
        self.head(r, at, 0);
        let key = r.key.unwrap_or_default();
        self.buf.extend_from_slice(key);
        let value = self.buf.len();
        if let Err(e) = write(&mut self.buf) {
            self.buf.truncate(start);
            return Err(e);
        }
        let size = length(Some(&self.buf[value..]));
        if key.len() + size as usize + r.headers.raw().len() > limit {
            self.buf.truncate(start);
            return Ok(false);
        }
        self.put(start + 28, &size.to_le_bytes());
        self.finish(r, start);
        Ok(true)
    }

    /// The finished frame.
    pub(crate) fn frame(&mut self) -> &[u8] {
        self.put(8, &self.count.to_le_bytes());
        let size = length(Some(&self.buf));
        self.put(12, &size.to_le_bytes());
        &self.buf
    }

    #[inline]
    fn head(&mut self, r: &NewRecord<'_>, at: Place, value: u32) {
        let mut head = [0; RECORD];
        head[..8].copy_from_slice(&at.time.to_le_bytes());
        head[8..16].copy_from_slice(&at.position.to_le_bytes());
        head[16..20].copy_from_slice(&at.cause.to_le_bytes());
        head[20..22].copy_from_slice(&at.stream.to_le_bytes());
        head[22..24].copy_from_slice(&r.flags.0.to_le_bytes());
        head[24..28].copy_from_slice(&length(r.key).to_le_bytes());
        head[28..32].copy_from_slice(&value.to_le_bytes());
        head[32..36].copy_from_slice(&length_of(r.headers.len()).to_le_bytes());
        self.buf.extend_from_slice(&head);
    }

    #[inline]
    fn finish(&mut self, r: &NewRecord<'_>, start: usize) {
        self.buf.extend_from_slice(r.headers.raw());
        self.pad();
        let size = length_of(self.buf.len() - start);
        self.put(start + 36, &size.to_le_bytes());
        self.count += 1;
    }

    fn pad(&mut self) {
        let padding = padded(self.buf.len()) - self.buf.len();
        self.buf.extend_from_slice(&[0; 8][..padding]);
    }

    fn put(&mut self, at: usize, bytes: &[u8]) {
        self.buf[at..at + bytes.len()].copy_from_slice(bytes);
    }
}

/// A number of the interface. None that a guest's memory can hold is larger.
#[expect(clippy::cast_possible_truncation, reason = "see above")]
fn length_of(n: usize) -> u32 {
    n as u32
}
