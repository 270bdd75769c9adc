//! The entries of a bulk write, made one by one from what a source gives.

use crate::backend::Backend;
use crate::data::{EncodedEntry, Mutation, RowMutations};
use crate::model::{EventRow, ModelSchema, WrittenEvent, WrittenInsert};
use crate::{Error, Timestamp};

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

/// An entry that is not part of a request yet.
#[derive(Debug)]
pub(crate) enum Made<'a> {
    Row(EventRow),
    Event(WrittenEvent<'a>),
}

impl Made<'_> {
    /// The key of its row.
    pub(crate) fn key(&self) -> &[u8] {
        match self {
            Self::Row(event) => &event.row.key,
            Self::Event(event) => event.encoded.key(),
        }
    }

    /// The time of its event, if it is known.
    pub(crate) fn time(&self) -> Option<Timestamp> {
        match self {
            Self::Row(event) => event.time,
            Self::Event(event) => event.time(),
        }
    }

    /// The same as a row of its own.
    pub(super) fn into_row(self) -> RowMutations {
        match self {
            Self::Row(event) => event.row,
            Self::Event(event) => event.row(),
        }
    }

    /// Encodes it, in `buffer` if that is not done yet; with `again` without what an earlier entry
    /// of its row has written.
    pub(super) fn encoded<'e>(
        &'e self,
        schema: &ModelSchema,
        again: bool,
        buffer: &'e mut EncodedEntry,
    ) -> &'e EncodedEntry {
        match self {
            Self::Row(EventRow { row, .. }) => {
                buffer.begin(&row.key);
                let mutations = row.mutations.iter();
                let wanted = mutations.filter(|one| !(again && schema.is_written_once(one)));
                wanted.for_each(|one| buffer.add(&one.into()));
            }
            Self::Event(event) if !again => return event.encoded,
            Self::Event(event) => event.encode_again(buffer),
        }
        buffer
    }
}

impl<'a> From<WrittenInsert<'a>> for Made<'a> {
    fn from(written: WrittenInsert<'a>) -> Self {
        match written {
            WrittenInsert::Row(row) => Self::Row(row),
            WrittenInsert::Entry(event) => Self::Event(event),
        }
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
    let mut encoded = EncodedEntry::default();
    encoded.begin(&row.key);
    row.mutations
        .iter()
        .for_each(|one| encoded.add(&one.into()));
    backend.takes_entry(encoded.size()) && backend.check_entry(&row).is_ok()
}
