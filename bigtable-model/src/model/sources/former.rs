//! The layout in which a model's events were stored before, as `was(...)` names it.

mod check;
mod shared;

use std::fmt;

use super::Source;
use crate::model::{EventRow, Model, ModelKey, RowEvents, Schema, TableName, insert_row};
use crate::{Error, Timestamp};

pub(crate) use check::agree_in_key_order;

/// How long before now a copy is stamped at the latest, in microseconds: a minute, in which writes
/// that follow it may have been stamped already, by other clocks too.
const STAMPED_BEFORE: i64 = 60_000_000;

/// The model by which events were stored before, as `was(...)` names it.
#[derive(Clone, Copy)]
pub struct Former {
    pub(crate) schema: &'static Schema,
    /// What an insert of the event that was found would write today.
    convert: fn(&RowEvents, usize) -> Result<EventRow, Error>,
}

impl Former {
    /// The description of the former model.
    #[must_use]
    pub const fn schema(&self) -> &'static Schema {
        self.schema
    }
}

impl Source for Former {
    fn schema(&self) -> &'static Schema {
        self.schema
    }

    fn convert(&self, events: &RowEvents, index: usize) -> Result<EventRow, Error> {
        (self.convert)(events, index)
    }
}

/// The former layout `Q` of `M`, checked while `M` is compiled. `table` is the table of `M`, or its
/// tables.
///
/// # Panics
/// When the events of both can't be united, so that the build stops.
#[doc(hidden)]
#[must_use]
pub const fn former<M: Model + From<Q>, Q: Model>(table: &TableName) -> Former {
    check::keys(
        const { &<M::Key as ModelKey>::LAYOUT },
        const { &<Q::Key as ModelKey>::LAYOUT },
    );
    check::families(M::COLUMNS);
    check::former(table, Q::SCHEMA.of_struct(), Q::MIRRORS.is_empty());
    Former {
        schema: Q::SCHEMA,
        convert: converted::<M, Q>,
    }
}

fn converted<M: Model + From<Q>, Q: Model>(
    events: &RowEvents,
    index: usize,
) -> Result<EventRow, Error> {
    let event = M::from(events.read::<Q>(index)?);
    insert_row(&event, before_others(events, index))
}

/// The time that a copy is stamped with, where cells have that of the write: that of the former
/// cells, but before any write of today's layout, which is to be newer whenever it was stamped.
fn before_others(events: &RowEvents, index: usize) -> Timestamp {
    let latest = Timestamp::now().as_micros().saturating_sub(STAMPED_BEFORE);
    let cells = events.event_cells(index);
    let newest = cells.map(|cell| cell.timestamp_micros()).max();
    // An event of a block has no cells.
    let newest = newest.or_else(|| Some(events.time_in_row(index)?.as_micros()));
    Timestamp::from_micros(newest.unwrap_or(latest).min(latest))
}

/// By the model's name and table: functions have no equality that means anything.
impl PartialEq for Former {
    fn eq(&self, other: &Self) -> bool {
        self.schema.model == other.schema.model && self.schema.table == other.schema.table
    }
}

impl Eq for Former {}

impl std::hash::Hash for Former {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.schema.model.hash(state);
        self.schema.table.hash(state);
    }
}

impl fmt::Debug for Former {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Former({})", self.schema.model)
    }
}
