use crate::{Batch, Context, Error, Record, Result};

/// A step that keeps something, or has something to do at the end. A step that
/// is one function needs none of it: see [`macro@crate::step`].
///
/// What a step keeps between records must not outlive the batch, except for
/// what it made in `init`: the host may run a batch again, and may replace the
/// instance between any two batches. What has to last is kept in a store.
///
/// ```
/// use wasmill::{Context, NewRecord, Record, Result, Step};
///
/// struct Count;
///
/// #[wasmill::step]
/// impl Step for Count {
///     fn init(_: &mut Context) -> Result<Self> {
///         Ok(Count)
///     }
///
///     fn record(&mut self, record: Record, cx: &mut Context) -> Result {
///         let counts = cx.store("counts");
///         let n: u64 = counts.get_json(record.bytes())?.unwrap_or(0);
///         counts.put_json(record.bytes(), &(n + 1))
///     }
///
///     fn end(&mut self, _: &[u8], cx: &mut Context) -> Result<Option<Vec<u8>>> {
///         for entry in cx.store("counts").scan("", "") {
///             let entry = entry?;
///             cx.emit(NewRecord::keyed(&entry.key, &entry.value))?;
///         }
///         Ok(None)
///     }
/// }
/// ```
pub trait Step {
    /// Makes the step, before the first batch. It may read the configuration,
    /// write logs and ask for metrics, no more. An error is a fault of the
    /// module: the job does not start with it.
    fn init(cx: &mut Context) -> Result<Self>
    where
        Self: Sized;

    /// Called for each record, in order. An error rejects the record; what
    /// follows is the job's `on_error`.
    fn record(&mut self, record: Record<'_>, cx: &mut Context) -> Result {
        _ = (record, cx);
        Err(Error::new(
            "wasmill: the step has neither `record` nor `batch`",
        ))
    }

    /// Called for each batch; by default it calls `record` for each record.
    /// Single records are rejected with [`Context::fail`]; an error refuses
    /// the whole batch, which the host then tries in halves until the record
    /// at fault is alone.
    fn batch(&mut self, batch: &Batch<'_>, cx: &mut Context) -> Result {
        self.each(batch, cx)
    }

    /// Calls `record` for each record and rejects those for which it fails:
    /// what `batch` does by default, for those that do more around it.
    fn each(&mut self, batch: &Batch<'_>, cx: &mut Context) -> Result {
        each(batch, cx, |record, cx| self.record(record, cx));
        Ok(())
    }

    /// Called when a bounded input is over. A call has to be short, as a batch
    /// is; if there is more to do, it returns a token that says where to go
    /// on, and is called again with it after the host has taken what was done
    /// so far. The first token is empty; `None` ends it. The token is at most
    /// 64 KiB, and is all that a fresh instance knows: another may make the
    /// next call.
    fn end(&mut self, token: &[u8], cx: &mut Context) -> Result<Option<Vec<u8>>> {
        _ = (token, cx);
        Ok(None)
    }
}

/// Calls `step` for each record, and rejects those for which it fails.
#[inline]
pub(crate) fn each(
    batch: &Batch<'_>,
    cx: &mut Context,
    mut step: impl FnMut(Record<'_>, &mut Context) -> Result,
) {
    for record in batch {
        cx.caused_by(&record);
        if let Err(e) = step(record, cx) {
            cx.reject(record.index, &e);
        }
    }
    cx.set_cause(crate::frame::CAUSE_BATCH, i64::MIN);
}
