//! The entries of a bulk write, made one by one from the items of a source.

use crate::Error;
use crate::model::Made;

/// Makes entries from the items of a source. An entry may borrow memory that is reused for the next
/// one.
pub(crate) trait Make<I> {
    /// The entry of an item; `None` if there is nothing to write, or why it cannot be written.
    fn make(&mut self, item: I) -> Result<Option<Made<'_>>, Error>;
}

/// For a source whose items are entries.
pub(crate) struct Ready;

impl Make<super::Entry> for Ready {
    fn make(&mut self, item: super::Entry) -> Result<Option<Made<'_>>, Error> {
        Ok(item?.map(Made::Row))
    }
}
