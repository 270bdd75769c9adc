//! The entries of a bulk write, made one by one from what a source gives.

use crate::Error;
use crate::backend::Backend;
use crate::data::{EncodedEntry, Mutation, RowMutations};
use crate::model::{Made, ModelSchema};

/// Makes entries from the items of a source. An entry may borrow what is used for the next one
/// again.
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

/// Whether entries of a model may be encoded: the backend takes such, and accepts the names of the
/// families.
pub(crate) fn takes_encoded<B: Backend + ?Sized>(backend: &B, schema: &ModelSchema) -> bool {
    let deletion = |family: &str| Mutation::DeleteFromFamily {
        family: family.into(),
    };
    let row = RowMutations {
        key: "key".into(),
        mutations: schema.families().into_iter().map(deletion).collect(),
    };
    let encoded = EncodedEntry::from(&row);
    backend.takes_entry(encoded.size()) && backend.check_entry(&row).is_ok()
}
