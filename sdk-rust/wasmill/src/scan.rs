use crate::{CallError, Store};

/// A key of a store with its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The key.
    pub key: Vec<u8>,
    /// Its value.
    pub value: Vec<u8>,
}

/// The iterator over entries of a store that [`Store::scan`] returns.
#[derive(Debug)]
pub struct Scan<'n> {
    store: Store<'n>,
    /// Where the next page begins, and the scan ends.
    next: Vec<u8>,
    end: Vec<u8>,
    page: std::vec::IntoIter<Entry>,
    done: bool,
}

impl<'n> Scan<'n> {
    pub(crate) fn new(store: Store<'n>, start: &[u8], end: &[u8]) -> Self {
        Scan {
            store,
            next: start.to_vec(),
            end: end.to_vec(),
            page: Vec::new().into_iter(),
            done: false,
        }
    }

    /// Fetches the next page.
    fn turn(&mut self) -> Result<(), CallError> {
        let page = self.store.page(&self.next, &self.end, entries)?;
        let page = page.ok_or_else(|| self.store.malformed("state_scan"))?;
        match page.last() {
            // The key that follows the last one of the page.
            Some(last) => {
                self.next.clone_from(&last.key);
                self.next.push(0);
            }
            None => self.done = true,
        }
        self.page = page.into_iter();
        Ok(())
    }
}

impl Iterator for Scan<'_> {
    type Item = Result<Entry, CallError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.page.len() == 0
            && !self.done
            && let Err(e) = self.turn()
        {
            self.done = true;
            return Some(Err(e));
        }
        self.page.next().map(Ok)
    }
}

/// Unpacks a reply of `state_scan`.
pub(crate) fn entries(reply: &[u8]) -> Option<Vec<Entry>> {
    let (mut all, mut rest) = (Vec::new(), reply);
    while !rest.is_empty() {
        let (key, after) = rest.split_first_chunk::<4>()?;
        let (value, after) = after.split_first_chunk::<4>()?;
        let (key, after) = after.split_at_checked(u32::from_le_bytes(*key) as usize)?;
        let (value, after) = after.split_at_checked(u32::from_le_bytes(*value) as usize)?;
        all.push(Entry {
            key: key.to_vec(),
            value: value.to_vec(),
        });
        rest = after;
    }
    Some(all)
}
