use std::marker::PhantomData;

use crate::step::each;
use crate::{Batch, Context, Record, Result, Step};

/// What a step can be made of. `M` tells them apart and is always inferred:
///
/// - a function `(Record, &mut Context) -> Result`,
/// - the same with `&Config` in the middle, which is decoded from the step's
///   config,
/// - each of the two with `&Batch` in place of `Record`,
/// - [`Step::init`] of a type.
pub trait Definition<M> {
    #[doc(hidden)]
    fn start(self, cx: &mut Context) -> Result<Box<dyn Run>>;
}

/// A step that was made.
#[doc(hidden)]
pub trait Run {
    /// Serves a batch.
    fn batch(&mut self, batch: &Batch<'_>, cx: &mut Context) -> Result;

    /// Serves the end.
    fn end(&mut self, token: &[u8], cx: &mut Context) -> Result<Option<Vec<u8>>> {
        _ = (token, cx);
        Ok(None)
    }
}

/// Does not compile if `D` is no definition.
pub const fn is_definition<M, D: Definition<M>>(_: &D) {}

#[doc(hidden)]
pub struct OfRecord(());
#[doc(hidden)]
pub struct OfBatch(());
#[doc(hidden)]
pub struct OfStep<T>(PhantomData<T>);

struct Records<F>(F);
struct Batches<F>(F);
struct Typed<T>(T);

impl<F> Definition<OfRecord> for F
where
    F: for<'r, 'c> Fn(Record<'r>, &'c mut Context) -> Result + 'static,
{
    fn start(self, _: &mut Context) -> Result<Box<dyn Run>> {
        Ok(Box::new(Records(self)))
    }
}

impl<F> Run for Records<F>
where
    F: for<'r, 'c> Fn(Record<'r>, &'c mut Context) -> Result,
{
    fn batch(&mut self, batch: &Batch<'_>, cx: &mut Context) -> Result {
        each(batch, cx, &self.0);
        Ok(())
    }
}

impl<F> Definition<OfBatch> for F
where
    F: for<'r, 'b, 'c> Fn(&'b Batch<'r>, &'c mut Context) -> Result + 'static,
{
    fn start(self, _: &mut Context) -> Result<Box<dyn Run>> {
        Ok(Box::new(Batches(self)))
    }
}

impl<F> Run for Batches<F>
where
    F: for<'r, 'b, 'c> Fn(&'b Batch<'r>, &'c mut Context) -> Result,
{
    fn batch(&mut self, batch: &Batch<'_>, cx: &mut Context) -> Result {
        (self.0)(batch, cx)
    }
}

impl<F, T> Definition<OfStep<T>> for F
where
    F: for<'c> FnOnce(&'c mut Context) -> Result<T>,
    T: Step + 'static,
{
    fn start(self, cx: &mut Context) -> Result<Box<dyn Run>> {
        Ok(Box::new(Typed(self(cx)?)))
    }
}

impl<T: Step> Run for Typed<T> {
    fn batch(&mut self, batch: &Batch<'_>, cx: &mut Context) -> Result {
        self.0.batch(batch, cx)
    }

    fn end(&mut self, token: &[u8], cx: &mut Context) -> Result<Option<Vec<u8>>> {
        self.0.end(token, cx)
    }
}

#[cfg(feature = "json")]
mod configured {
    use std::marker::PhantomData;

    use serde::de::DeserializeOwned;

    use super::{Definition, Run};
    use crate::step::each;
    use crate::{Batch, Context, Record, Result};

    #[doc(hidden)]
    pub struct OfRecordAndConfig<C>(PhantomData<C>);
    #[doc(hidden)]
    pub struct OfBatchAndConfig<C>(PhantomData<C>);

    struct Records<F, C>(F, C);
    struct Batches<F, C>(F, C);

    impl<F, C> Definition<OfRecordAndConfig<C>> for F
    where
        F: for<'r, 'f, 'c> Fn(Record<'r>, &'f C, &'c mut Context) -> Result + 'static,
        C: DeserializeOwned + 'static,
    {
        fn start(self, cx: &mut Context) -> Result<Box<dyn Run>> {
            Ok(Box::new(Records(self, cx.config::<C>()?)))
        }
    }

    impl<F, C> Run for Records<F, C>
    where
        F: for<'r, 'f, 'c> Fn(Record<'r>, &'f C, &'c mut Context) -> Result,
    {
        fn batch(&mut self, batch: &Batch<'_>, cx: &mut Context) -> Result {
            each(batch, cx, |record, cx| (self.0)(record, &self.1, cx));
            Ok(())
        }
    }

    impl<F, C> Definition<OfBatchAndConfig<C>> for F
    where
        F: for<'r, 'b, 'f, 'c> Fn(&'b Batch<'r>, &'f C, &'c mut Context) -> Result + 'static,
        C: DeserializeOwned + 'static,
    {
        fn start(self, cx: &mut Context) -> Result<Box<dyn Run>> {
            Ok(Box::new(Batches(self, cx.config::<C>()?)))
        }
    }

    impl<F, C> Run for Batches<F, C>
    where
        F: for<'r, 'b, 'f, 'c> Fn(&'b Batch<'r>, &'f C, &'c mut Context) -> Result,
    {
        fn batch(&mut self, batch: &Batch<'_>, cx: &mut Context) -> Result {
            (self.0)(batch, &self.1, cx)
        }
    }
}
