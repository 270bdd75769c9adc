//! Writes of one event under a condition.

use bytes::Bytes;

use crate::condition::{CheckedWrite, ColumnTest, ConditionError, EventPlace};
use crate::data::{Mutation, RowMutations};
use crate::model::{Layout, Model, ModelSchema};
use crate::value::ValueError;
use crate::{Error, Timestamp};

use super::delete::delete_mutations;
use super::{Change, ColumnError, EventWriter, Update, UpdateWrite, behind};

impl EventWriter {
    /// What a column's cell holds for what is written; nothing when that is an absent value.
    pub(crate) fn value_of(
        schema: &'static ModelSchema,
        write: impl FnOnce(&mut Self) -> Result<(), ColumnError>,
    ) -> Result<Option<Bytes>, ValueError> {
        let mut writer = Self {
            schema,
            bytes: Vec::new(),
            key: 0..0,
            time: None,
            changes: Vec::new(),
            block: None,
        };
        write(&mut writer).map_err(|error| error.source)?;
        // A counter's old versions are deleted before it is set.
        Ok(match writer.changes.pop() {
            Some(Change::Set(_, value)) => writer.bytes.get(value).map(Bytes::copy_from_slice),
            Some(Change::Share(_, value)) => Some(value),
            Some(Change::Add(_, input)) => Some(Bytes::copy_from_slice(&input.to_be_bytes())),
            Some(Change::Delete(_)) | None => None,
        })
    }

    /// Mutations of the event's row under a condition.
    pub(in crate::model) fn under(
        mut self,
        test: &ColumnTest,
        row: RowMutations,
    ) -> Result<CheckedWrite, Error> {
        let place = self.place()?;
        let table = self.schema.table_of(self.time)?.into_owned();
        let row = match self.schema.is_stamped_by_clock() {
            true => newest_from_now(self.schema, row),
            false => row,
        };
        let write = CheckedWrite::new(self.schema, test, &place, table, row);
        write.map_err(|source| self.refuse(source))
    }

    /// Where the event's cells stand.
    fn place(&mut self) -> Result<EventPlace, Error> {
        let target = self.target()?;
        Ok(match self.schema.layout {
            Layout::Row => EventPlace::Row,
            Layout::Cells | Layout::Qualifiers | Layout::Latest => {
                EventPlace::Stamps(target.timestamp_micros, target.end_micros())
            }
            Layout::Columns { .. } => {
                let offset = self.bytes.get(target.offset).unwrap_or_default();
                EventPlace::Offset(Bytes::copy_from_slice(offset))
            }
        })
    }

    #[cold]
    fn refuse(&self, source: ConditionError) -> Error {
        Error::Condition {
            table: self.schema.table_in_errors(self.time),
            key: self.described_key(),
            source,
        }
    }
}

/// The row with each value as the newest of its column: versions that a clock ahead of this one has stamped go, since a value behind
/// them would be written and not be seen, and what is compared next would still be the old one.
fn newest_from_now(schema: &ModelSchema, row: RowMutations) -> RowMutations {
    let mut mutations = Vec::with_capacity(row.mutations.len() * 2);
    for mutation in row.mutations {
        if let Mutation::SetCell {
            family,
            qualifier,
            timestamp_micros,
            ..
        } = &mutation
            && !schema.is_written_once(&mutation)
        {
            mutations.push(Mutation::DeleteFromColumn {
                family: family.clone(),
                qualifier: qualifier.clone(),
                start_micros: behind(*timestamp_micros),
                end_micros: 0,
            });
        }
        mutations.push(mutation);
    }
    RowMutations { mutations, ..row }
}

/// An insert, whose row is `row`, under a condition.
///
/// # Errors
/// [`Error::Key`] when the key can't hold the event's segments, [`Error::Condition`] when the condition can't be sent.
pub(crate) fn checked_insert<M: Model>(
    event: &M,
    row: RowMutations,
    test: &ColumnTest,
) -> Result<CheckedWrite, Error> {
    let key = |out: &mut Vec<u8>| event.encode_key(out);
    EventWriter::begin(M::SCHEMA, event.time(), key)?.under(test, row)
}

/// A delete of the event with a key, under a condition.
///
/// # Errors
/// Those of [`checked_insert`]; [`Error::Condition`] also where the event has to be read before.
pub(crate) fn checked_delete<M: Model>(
    key: &M::Key,
    test: &ColumnTest,
) -> Result<CheckedWrite, Error> {
    let event = EventWriter::of_key::<M>(key)?;
    let row = match M::SCHEMA.deletes_what_it_reads() {
        true => None,
        false => delete_mutations::<M>(key, &[])?,
    };
    match row {
        Some(row) => event.under(test, row),
        None => Err(event.refuse(ConditionError::ReadsFirst {
            write: "a delete",
            instead: "read the event, and call `delete`",
        })),
    }
}

impl<M: Model> Update<M> {
    /// The update under a condition.
    ///
    /// # Errors
    /// Those of [`to_mutations`](Update::to_mutations), and those of [`checked_insert`]; [`Error::Condition`] also where the event has to be read
    /// before.
    pub(crate) fn checked(self, now: Timestamp, test: &ColumnTest) -> Result<CheckedWrite, Error> {
        let changes = self.changed()?;
        let event = changes.unchanged()?;
        match changes.update(now)? {
            UpdateWrite::Row(row) => event.under(test, row),
            UpdateWrite::Replacement(_) => Err(event.refuse(ConditionError::ReadsFirst {
                write: "an update",
                instead: "`send` puts the new value in the place of the old one while that is there",
            })),
        }
    }
}
