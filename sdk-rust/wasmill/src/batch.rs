use crate::frame::Frame;
use crate::{Partition, Record};

/// A run of records of one partition, in order. It is a view, good until the
/// step's function returns.
#[derive(Clone, Copy)]
pub struct Batch<'a> {
    frame: Frame<'a>,
}

impl<'a> Batch<'a> {
    /// A view of a frame that [`check`](Batch::check) has seen or will see.
    pub(crate) fn new(frame: Frame<'a>) -> Self {
        Batch { frame }
    }

    /// Walks over all records, so that a loop over them never ends early.
    pub(crate) fn check(&self) -> crate::Result {
        let mut frame = self.frame;
        while let Some(next) = frame.next() {
            next?;
        }
        Ok(())
    }

    /// How many records there are.
    pub fn len(&self) -> usize {
        self.frame.count as usize
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Where the records come from.
    pub fn partition(&self) -> Partition<'a> {
        self.frame.partition
    }

    /// The records in order.
    pub fn iter(&self) -> Records<'a> {
        Records { frame: self.frame }
    }
}

impl<'a> IntoIterator for &Batch<'a> {
    type Item = Record<'a>;
    type IntoIter = Records<'a>;

    fn into_iter(self) -> Records<'a> {
        self.iter()
    }
}

/// The iterator over the records of a [`Batch`].
#[derive(Clone)]
pub struct Records<'a> {
    frame: Frame<'a>,
}

impl<'a> Iterator for Records<'a> {
    type Item = Record<'a>;

    fn next(&mut self) -> Option<Record<'a>> {
        Some(self.frame.next()?.ok()?.0)
    }
}
