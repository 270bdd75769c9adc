//! What a write of many makes of an event.

use std::borrow::Cow;

use super::many::WrittenEvent;
use crate::Timestamp;
use crate::data::{EncodedEntry, RowMutations};
use crate::model::{EventRow, ModelSchema};

/// An entry of a bulk write that is not part of a request yet.
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
    pub(crate) fn row(&self) -> Cow<'_, RowMutations> {
        match self {
            Self::Row(event) => Cow::Borrowed(&event.row),
            Self::Event(event) => Cow::Owned(event.row()),
        }
    }

    /// Encodes it, in `buffer` if that is not done yet; with `again` without what an earlier entry
    /// of its row has written.
    pub(crate) fn encoded<'e>(
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
