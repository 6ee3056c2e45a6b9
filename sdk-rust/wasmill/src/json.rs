//! JSON by serde: records and stores of typed values.

use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::emit::{MAX_FRAME, too_long};
use crate::{Context, NewRecord, Record, Result, Store};

impl<'a> Record<'a> {
    /// The value, decoded from JSON. A `T` may borrow from the record: text
    /// without escapes as `&str`, any as `Cow<str>` with `#[serde(borrow)]`.
    pub fn json<T: Deserialize<'a>>(&self) -> Result<T, serde_json::Error> {
        serde_json::from_slice(self.bytes())
    }
}

impl Context {
    /// Sends a record to the step's first output with `value` as JSON for its
    /// value, written straight into what the host gets.
    pub fn emit_json<'r, T: Serialize + ?Sized>(
        &mut self,
        record: impl Into<NewRecord<'r>>,
        value: &T,
    ) -> Result {
        self.emit_json_at(0, &record.into(), value)
    }

    /// Like [`emit_json`](Context::emit_json), to the output of that name.
    pub fn emit_json_to<'r, T: Serialize + ?Sized>(
        &mut self,
        output: &str,
        record: impl Into<NewRecord<'r>>,
        value: &T,
    ) -> Result {
        let stream = self.output(output)?;
        self.emit_json_at(stream, &record.into(), value)
    }

    fn emit_json_at<T: Serialize + ?Sized>(
        &mut self,
        stream: u16,
        r: &NewRecord<'_>,
        value: &T,
    ) -> Result {
        let at = self.place(stream, r);
        let write = |out: &mut Vec<u8>| serde_json::to_writer(out, value);
        if !self.out.add_written(r, at, self.info.record_limit, write)? {
            return Err(too_long().into());
        }
        if self.out.len() > MAX_FRAME {
            self.flush()?;
        }
        Ok(())
    }
}

impl Store<'_> {
    /// The value of a key, decoded from JSON, if there is one.
    pub fn get_json<T: DeserializeOwned>(&self, key: impl AsRef<[u8]>) -> Result<Option<T>> {
        Ok(self
            .with(key, |value| serde_json::from_slice(value))?
            .transpose()?)
    }

    /// Sets the value of a key to `value` as JSON.
    pub fn put_json<T: Serialize + ?Sized>(&self, key: impl AsRef<[u8]>, value: &T) -> Result {
        Ok(self.put(key, serde_json::to_vec(value)?)?)
    }
}
