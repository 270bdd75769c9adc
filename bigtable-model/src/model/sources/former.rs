//! The former layout of a model's events, as `was(...)` names it.

mod check;
mod shared;

use crate::model::{EventRow, Former, FoundEvent, Model, ModelKey, TableName, insert_row};
use crate::{Error, Timestamp};

pub(crate) use check::agree_in_key_order;

/// The minimum age of a copy's timestamp, in microseconds: a minute, since later writes may already
/// have been stamped, even by other clocks.
const STAMPED_BEFORE: i64 = 60_000_000;

/// The former layout `Q` of `M`, checked while `M` is compiled. `table` is the table of `M`, or its
/// tables.
///
/// # Panics
/// If the events of both cannot be united, so that the build stops.
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

fn converted<M: Model + From<Q>, Q: Model>(found: &FoundEvent<'_>) -> Result<EventRow, Error> {
    let event = M::from(found.read::<Q>()?);
    insert_row(&event, before_others(found))
}

/// The timestamp of a copied cell under `cell_time = "write"`: that of the former cells, but before
/// any write in the current layout, which has to be newer.
fn before_others(found: &FoundEvent<'_>) -> Timestamp {
    let latest = Timestamp::now().as_micros().saturating_sub(STAMPED_BEFORE);
    let newest = found.cells.newest_stamp();
    // An event of a block has no cells.
    let newest = newest.or_else(|| found.time.map(Timestamp::as_micros));
    Timestamp::from_micros(newest.unwrap_or(latest).min(latest))
}
