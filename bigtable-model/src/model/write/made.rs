//! The form of an event in a write of many.

use std::borrow::Cow;

use super::many::WrittenEvent;
use crate::Timestamp;
use crate::data::{EncodedEntry, RowMutations};
use crate::model::{EventRow, ModelSchema};

/// An entry of a bulk write, not yet part of a request.
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

    /// The same as a separate row.
    pub(crate) fn row(&self) -> Cow<'_, RowMutations> {
        match self {
            Self::Row(event) => Cow::Borrowed(&event.row),
            Self::Event(event) => Cow::Owned(event.row()),
        }
    }

    /// The encoded entry, encoded into `buffer` if that is still to do; with `again` without what
    /// an earlier entry of its row has written.
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
