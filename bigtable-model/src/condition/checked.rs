//! Writes of one event under a condition.

use super::{CheckedWrite, ColumnTest, ConditionError};
use crate::data::{Mutation, RowMutations};
use crate::model::{
    EventWriter, Model, ModelSchema, Update, UpdateWrite, delete_mutations, stamp_after,
};
use crate::{Error, Timestamp};

/// Mutations of the event's row under a condition.
pub(crate) fn under(
    mut event: EventWriter,
    test: &ColumnTest,
    row: RowMutations,
) -> Result<CheckedWrite, Error> {
    let schema = event.schema().clone();
    let place = event.place()?;
    let table = schema.table_of(event.time())?.into_owned();
    let row = match schema.is_stamped_by_clock() {
        true => newest_from_now(&schema, row),
        false => row,
    };
    match CheckedWrite::new(&schema, test, &place, table, row) {
        Ok(write) => Ok(CheckedWrite {
            time: event.time(),
            ..write
        }),
        Err(source) => Err(refuse(&event, source)),
    }
}

#[cold]
fn refuse(event: &EventWriter, source: ConditionError) -> Error {
    Error::Condition {
        table: event.schema().table_in_errors(event.time()),
        key: event.described_key(),
        source,
    }
}

/// The row, changed so that each value becomes the newest of its column: it deletes versions that a
/// faster clock has stamped later. Without this the value would be written but not seen, and the
/// next comparison would still find the old value.
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
                start_micros: stamp_after(*timestamp_micros),
                end_micros: 0,
            });
        }
        mutations.push(mutation);
    }
    RowMutations { mutations, ..row }
}

/// The insert `row` under a condition.
///
/// # Errors
/// [`Error::Key`] when the key cannot hold the event's segments, [`Error::Condition`] when the
/// condition cannot be sent.
pub(crate) fn checked_insert<M: Model>(
    event: &M,
    row: RowMutations,
    test: &ColumnTest,
) -> Result<CheckedWrite, Error> {
    under(EventWriter::of_event(event)?, test, row)
}

/// A delete of the event with a key, under a condition.
///
/// # Errors
/// Those of [`checked_insert`]; [`Error::Condition`] also if the event has to be read first.
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
        Some(row) => under(event, test, row),
        None => Err(refuse(
            &event,
            ConditionError::ReadsFirst {
                write: "a delete",
                instead: "read the event, and call `delete`",
            },
        )),
    }
}

impl<M: Model> Update<M> {
    /// The update under a condition.
    ///
    /// # Errors
    /// Those of [`to_mutations`](Update::to_mutations) and of [`checked_insert`];
    /// [`Error::Condition`] also if the event has to be read first.
    pub(crate) fn checked(self, now: Timestamp, test: &ColumnTest) -> Result<CheckedWrite, Error> {
        checked_update(self.changed()?, now, test)
    }
}

/// The changes of an event under a condition.
pub(super) fn checked_update(
    changes: EventWriter,
    now: Timestamp,
    test: &ColumnTest,
) -> Result<CheckedWrite, Error> {
    let event = changes.unchanged()?;
    match changes.update(now)? {
        UpdateWrite::Row(write) => under(event, test, write.row),
        UpdateWrite::Replacement(_) => Err(refuse(
            &event,
            ConditionError::ReadsFirst {
                write: "an update",
                instead: "`send` puts the new value in the place of the old one while that is there",
            },
        )),
    }
}
