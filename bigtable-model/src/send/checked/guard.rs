//! The guard of a row: a claim, a read, and one change that asks for the claim.

use std::collections::HashSet;

use bytes::Bytes;
use bytestring::ByteString;

use crate::backend::Backend;
use crate::condition::CheckedWrite;
use crate::data::{CheckAndMutateRow, Mutation, ReadRows, Row, RowFilter, RowSet};
use crate::model::{EventReader, EventRow, EventTimes, GUARD_NAME, PACKED, RowEvents, Schema};
use crate::send::call::{CHECK, at_row, contended, read_row};
use crate::send::expired::{expiry_of_blocks, unexpired_now};
use crate::{Error, Timestamp};

/// How often a write under a condition is tried while others write to its row.
const ATTEMPTS: usize = 16;

/// An event's row, and its time.
type Place<'a> = (&'a Bytes, Option<Timestamp>);

/// A unique value of a row's guard.
///
/// If a change still finds it, nobody has written to the row since the claim, because each write
/// sets the guard. An absent guard proves nothing, since a rule, a delete of the row or another
/// claim may have removed it. No claim is empty.
#[derive(Debug)]
pub(crate) struct Claim {
    value: Bytes,
    stamp: i64,
}

impl Claim {
    /// Writes a new claim into a row, in a request that is never repeated: a late attempt would set
    /// the claim after writes that the read did not see. `None` if there is no row and `makes_row`
    /// is false.
    pub(crate) async fn set(
        backend: &dyn Backend,
        schema: &Schema,
        key: &Bytes,
        makes_row: bool,
    ) -> Result<Option<Self>, Error> {
        let start = schema.time_of_row(key)?.unwrap_or_default();
        let claim = Self {
            value: Bytes::copy_from_slice(&fastrand::u128(1..).to_be_bytes()),
            stamp: schema.packed_stamp(start),
        };
        let table = schema.table_of_row(key)?;
        let request = CheckAndMutateRow {
            table: table.clone().into_owned(),
            key: key.clone(),
            predicate: Some(RowFilter::CellsPerRowLimit(1)),
            if_true: claim.guard(claim.value.clone()),
            if_false: match makes_row {
                true => claim.guard(claim.value.clone()),
                false => Vec::new(),
            },
        };
        let sent = backend.check_and_mutate_row(request).await;
        let place = (&**key, None);
        let is_there = sent.map_err(|source| at_row(schema, &table, CHECK, place, source))?;
        Ok((is_there || makes_row).then_some(claim))
    }

    /// Changes the row if the claim is still there, and returns whether it was. It is sent once: if
    /// the answer is lost, only the row itself shows whether it was changed.
    pub(crate) async fn change(
        self,
        backend: &dyn Backend,
        schema: &Schema,
        key: &Bytes,
        mut mutations: Vec<Mutation>,
    ) -> Result<bool, Error> {
        let table = schema.table_of_row(key)?;
        // The claim must not hold for requests that arrive late: the row is gone, or the guard is
        // emptied.
        if mutations != [Mutation::DeleteFromRow] {
            mutations.extend(self.guard(Bytes::new()));
        }
        let request = CheckAndMutateRow {
            table: table.clone().into_owned(),
            key: key.clone(),
            predicate: Some(self.predicate()),
            if_true: mutations,
            if_false: Vec::new(),
        };
        let sent = backend.check_and_mutate_row(request).await;
        let place = (&**key, None);
        sent.map_err(|source| at_row(schema, &table, CHECK, place, source))
    }

    /// Sets the guard, and deletes its other versions.
    fn guard(&self, value: Bytes) -> Vec<Mutation> {
        let family = ByteString::from_static(PACKED);
        let qualifier = Bytes::from_static(GUARD_NAME.as_bytes());
        vec![
            Mutation::DeleteFromColumn {
                family: family.clone(),
                qualifier: qualifier.clone(),
                start_micros: 0,
                end_micros: 0,
            },
            Mutation::SetCell {
                family,
                qualifier,
                timestamp_micros: self.stamp,
                value,
            },
        ]
    }

    fn predicate(&self) -> RowFilter {
        let exactly = |value: &Bytes| std::ops::Bound::Included(value.clone());
        let name = Bytes::from_static(GUARD_NAME.as_bytes());
        RowFilter::Chain(vec![
            RowFilter::QualifierRange {
                family: PACKED.to_owned(),
                start: exactly(&name),
                end: exactly(&name),
            },
            RowFilter::ValueRange {
                start: exactly(&self.value),
                end: exactly(&self.value),
            },
        ])
    }
}

/// The row with all of its cells.
pub(crate) async fn read_all(
    backend: &dyn Backend,
    schema: &Schema,
    key: &Bytes,
) -> Result<Option<Row>, Error> {
    let request = ReadRows {
        table: schema.table_of_row(key)?.into_owned(),
        rows: RowSet::key(key.clone()),
        rows_limit: 1,
        ..ReadRows::default()
    };
    read_row(backend, schema, request, None).await
}

/// Sends a write under a condition on an event that may be in a block, which no predicate sees: the
/// client evaluates the condition, and changes the row if nobody wrote to it meanwhile. Returns
/// whether the write was made.
///
/// # Errors
/// [`Error::Backend`] when others wrote to the row each time.
pub(super) async fn write_checked(
    backend: &dyn Backend,
    schema: &Schema,
    write: CheckedWrite,
) -> Result<bool, Error> {
    let CheckedWrite {
        request,
        time,
        test,
        ..
    } = write;
    let place = (&request.key, time);
    let mutations = [request.if_true, request.if_false].concat();
    // A claim would create a missing row, and the condition will probably not hold.
    if !test.holds_of_none() && find(backend, schema, place).await?.is_empty() {
        return Ok(false);
    }
    for _ in 0..ATTEMPTS {
        let Some(claim) = Claim::set(backend, schema, place.0, true).await? else {
            return Ok(false);
        };
        let events = find(backend, schema, place).await?;
        let holds = match events.is_empty() {
            true => test.holds_of_none(),
            false => events.holds_at(0, |cells| test.holds_of(cells)),
        };
        if !holds {
            return Ok(false);
        }
        let mutations = mutations.clone();
        if claim.change(backend, schema, place.0, mutations).await? {
            return Ok(true);
        }
    }
    Err(contended(schema, "row", (place.0, place.1), ATTEMPTS))
}

/// Writes the events that the row does not have in cells or blocks, and that no tombstone names;
/// returns how many. All go out as one change: each change claims the row, so several at once would
/// hinder each other.
///
/// # Errors
/// As [`write_checked`].
pub(crate) async fn write_unknown(
    backend: &dyn Backend,
    schema: &Schema,
    events: &[EventRow],
) -> Result<u64, Error> {
    let Some(EventRow { row, .. }) = events.first() else {
        return Ok(0);
    };
    let key = &row.key;
    for _ in 0..ATTEMPTS {
        let Some(claim) = Claim::set(backend, schema, key, true).await? else {
            return Ok(0);
        };
        let known = known(backend, schema, key).await?;
        let unknown = events.iter().filter(|one| !known.contains(&one.time));
        let unknown: Vec<_> = unknown.collect();
        if unknown.is_empty() {
            return Ok(0);
        }
        let mutations = unknown.iter().flat_map(|one| one.row.mutations.clone());
        let mutations = mutations.collect();
        if claim.change(backend, schema, key, mutations).await? {
            return Ok(u64::try_from(unknown.len()).unwrap_or(u64::MAX));
        }
    }
    Err(contended(schema, "row", (key, None), ATTEMPTS))
}

/// The times of the events that a row has, even if they have expired, and of those that tombstones
/// name.
async fn known(
    backend: &dyn Backend,
    schema: &Schema,
    key: &Bytes,
) -> Result<HashSet<Option<Timestamp>>, Error> {
    let mut events = RowEvents::default();
    if let Some(row) = read_all(backend, schema, key).await? {
        EventReader::telling(schema).load(row, &EventTimes::All, &mut events)?;
    }
    (0..events.len()).map(|index| events.time(index)).collect()
}

/// The columns of the event with a key and a time, even if none is the presence column.
async fn find(
    backend: &dyn Backend,
    schema: &Schema,
    (key, time): Place<'_>,
) -> Result<RowEvents, Error> {
    let (asked, times) = schema.event_request(key, time)?;
    let filter = unexpired_now(backend, schema, asked.filter)?;
    let mut events = RowEvents::default();
    let asked = ReadRows { filter, ..asked };
    if let Some(row) = read_row(backend, schema, asked, time).await? {
        let reader = EventReader::new(schema).without_expired(expiry_of_blocks(backend, schema));
        let reader = reader.marking_all();
        reader.load(row, &times, &mut events)?;
    }
    Ok(events)
}
