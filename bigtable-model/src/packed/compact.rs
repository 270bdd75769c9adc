//! Changes the form of a row but not its events: a pure function of the row that was read, and its
//! guarded write.

use std::collections::{BTreeMap, HashSet};

use bigtable_pack::{Block, PackError};
use bytes::Bytes;
use bytestring::ByteString;

use crate::Error;
use crate::backend::Backend;
use crate::data::{Cell, CellRef, Mutation, Row, RowBatch, RowRef};
use crate::model::{
    BLOCK, EventRow, EventTimes, Held, ModelSchema, PACKED, PackedCells as Cells,
    PackedKind as Kind, Schema, described_event, or_stored, stamp_after, unpacked,
};
use crate::send::limits::MUTATIONS_PER_REQUEST;
use crate::send::{Claim, contended, read_all};
use crate::value::ValueError;

/// The bytes of a timestamp.
const STAMP: usize = 8;

/// How often a job tries a row that others write to; the next run tries again.
const ATTEMPTS: usize = 4;

/// How often an insert tries such a row.
const INSERT_ATTEMPTS: usize = 16;

/// Families and qualifiers.
type Places<'r> = HashSet<(&'r str, &'r [u8])>;

/// The desired form of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Work {
    /// All events in blocks.
    Pack,
    /// All events in separate cells.
    Unpack,
}

/// The outcome for a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Rewritten {
    /// Whether it had another form.
    pub(crate) changed: bool,
    /// Whether others wrote to it at each attempt, so that it is unchanged or half done.
    pub(crate) contended: bool,
    /// The number of times with an event, or with a part of one.
    pub(crate) events: u64,
    /// Its cells before and after, and their bytes: qualifiers, timestamps and values.
    pub(crate) cells: (u64, u64),
    pub(crate) bytes: (u64, u64),
}

/// One step of a rewrite.
#[derive(Debug)]
struct Step {
    mutations: Vec<Mutation>,
    /// Whether it is the last step.
    is_last: bool,
    /// The number of times with an event, or with a part of one.
    events: usize,
}

/// Changes the form of a row, in as many guarded steps as its cells need. After each step the row
/// has the same events.
///
/// # Errors
/// [`Error::BadCell`] for a block that cannot be read or would not be read back unchanged,
/// [`Error::Backend`] for requests.
pub(crate) async fn rewrite(
    backend: &dyn Backend,
    schema: &Schema,
    key: &Bytes,
    work: Work,
) -> Result<Rewritten, Error> {
    let mut done = Rewritten::default();
    let mut failed = 0;
    while failed < ATTEMPTS {
        let Some(claim) = Claim::set(backend, schema, key, false).await? else {
            return Ok(done);
        };
        let Some(row) = read_all(backend, schema, key).await? else {
            return Ok(done);
        };
        let size = size_of(&row);
        if !done.changed {
            (done.cells.0, done.bytes.0) = size;
        }
        (done.cells.1, done.bytes.1) = size;
        let Some((step, after)) = step(schema, row, work, &[])? else {
            return Ok(done);
        };
        done.events = u64::try_from(step.events).unwrap_or(u64::MAX);
        if !claim.change(backend, schema, key, step.mutations).await? {
            failed += 1;
            continue;
        }
        done.changed = true;
        (done.cells.1, done.bytes.1) = size_of(&after);
        if step.is_last {
            return Ok(done);
        }
    }
    done.contended = true;
    Ok(done)
}

/// Leaves nothing of deleted events in the blocks of a row, and no row if it has no others. A row
/// without blocks stays as it is.
///
/// # Errors
/// Those of [`rewrite`], and [`Error::Backend`] if others wrote to the row at each attempt. A table
/// by period that is gone has no such row.
pub(crate) async fn without_deleted(
    backend: &dyn Backend,
    schema: &Schema,
    key: &Bytes,
) -> Result<(), Error> {
    for _ in 0..INSERT_ATTEMPTS / ATTEMPTS {
        let row = match read_all(backend, schema, key).await {
            Err(Error::MissingTable { .. }) => return Ok(()),
            row => row?,
        };
        let Some(row) = row else { return Ok(()) };
        let is_left = |cell: &Cell| cell.family == PACKED;
        let is_block = |cell: &Cell| is_left(cell) && cell.qualifier.first() == Some(&BLOCK);
        if !row.cells.iter().any(is_block) && !row.cells.iter().all(is_left) {
            return Ok(());
        }
        if !rewrite(backend, schema, key, Work::Pack).await?.contended {
            return Ok(());
        }
    }
    Err(contended(schema, "row", (key, None), INSERT_ATTEMPTS))
}

/// Inserts events into a row in one change, after which all of its events are in blocks.
///
/// # Errors
/// Those of [`rewrite`], and [`Error::Backend`] if others wrote to the row at each attempt.
pub(crate) async fn merge(
    backend: &dyn Backend,
    schema: &Schema,
    key: &Bytes,
    events: &[EventRow],
) -> Result<(), Error> {
    for _ in 0..INSERT_ATTEMPTS {
        let Some(claim) = Claim::set(backend, schema, key, true).await? else {
            break;
        };
        let row = read_all(backend, schema, key).await?;
        let row = row.unwrap_or_else(|| Row {
            key: key.clone(),
            cells: Vec::new(),
        });
        let Some((step, _)) = step(schema, row, Work::Pack, events)? else {
            return Ok(());
        };
        // Too many cells are packed first, in steps that change no event.
        if !step.is_last {
            rewrite(backend, schema, key, Work::Pack).await?;
        } else if claim.change(backend, schema, key, step.mutations).await? {
            return Ok(());
        }
    }
    Err(contended(schema, "row", (key, None), INSERT_ATTEMPTS))
}

/// The cells of a row and their bytes.
fn size_of(row: &Row) -> (u64, u64) {
    let of_cell = |cell: &Cell| cell.qualifier.len() + cell.value.len() + STAMP;
    let bytes = row.cells.iter().map(of_cell).sum::<usize>();
    let number = |count: usize| u64::try_from(count).unwrap_or(u64::MAX);
    (number(row.cells.len()), number(bytes))
}

/// The next step towards a form, with some events inserted, and the row after it; `None` if the row
/// has the form.
fn step(
    schema: &ModelSchema,
    row: Row,
    work: Work,
    inserted: &[EventRow],
) -> Result<Option<(Step, Row)>, Error> {
    let refused = |error: &dyn std::fmt::Display| Error::BadCell {
        table: schema.table.to_string(),
        key: described_event(schema, &row.key, None),
        column: PACKED.to_owned(),
        source: ValueError::refused("a packed block", error),
    };
    let start = schema.time_of_row(&row.key)?.unwrap_or_default();
    let stored = RowBatch::from(row.clone());
    let stored = stored.row(0).unwrap_or_default();
    let inserted = last_of_row(schema, inserted);
    let wanted = RowBatch::from(applied(row.clone(), inserted.iter().copied()));
    let wanted = wanted.row(0).unwrap_or_default();
    let whole = unpacked(schema, wanted, &EventTimes::All)?;
    let events = or_stored(whole.as_ref(), wanted);
    let Some(cells) = Cells::new(schema, start) else {
        return Ok(None);
    };
    let is_left = |cell: CellRef<'_>| cell.family() == PACKED;
    let step = if stored.cells().chain(events.cells()).all(is_left) {
        // A row whose events were all deleted is deleted with the cells that hid them.
        Some(Step {
            mutations: vec![Mutation::DeleteFromRow],
            is_last: true,
            events: 0,
        })
    } else {
        match work {
            Work::Pack => {
                let several = several(schema, wanted);
                let step = packed(cells, stored, events, &inserted, &several);
                step.map_err(|error| refused(&error))?
            }
            Work::Unpack => in_cells(cells, stored, events),
        }
    };
    let Some(step) = step else {
        return Ok(None);
    };
    if !inserted.is_empty() && !step.is_last {
        return Ok(Some((step, row)));
    }
    let after = applied(row.clone(), &step.mutations);
    let of_after = RowBatch::from(after.clone());
    let of_after = of_after.row(0).unwrap_or_default();
    let whole = unpacked(schema, of_after, &EventTimes::All)?;
    match all(or_stored(whole.as_ref(), of_after)) == all(events) {
        true => Ok(Some((step, after))),
        false => Err(refused(&"the row does not come back")),
    }
}

/// The cells of a row, without what packing adds.
fn all(row: RowRef<'_>) -> BTreeMap<(&str, &[u8], i64), &[u8]> {
    let own = row.cells().filter(|cell| cell.family() != PACKED);
    own.map(|cell| {
        let place = (cell.family(), cell.qualifier(), cell.timestamp_micros());
        (place, cell.value())
    })
    .collect()
}

/// The mutations of inserted events, one after another. Each event writes the columns of the row
/// again, of which only the last write stays.
fn last_of_row<'e>(schema: &ModelSchema, inserted: &'e [EventRow]) -> Vec<&'e Mutation> {
    let mut seen = HashSet::new();
    let all = inserted.iter().flat_map(|one| &one.row.mutations).rev();
    let last = all.filter(|mutation| match mutation {
        Mutation::SetCell {
            family, qualifier, ..
        } if schema.changes_row(mutation) => seen.insert((family, qualifier)),
        _ => true,
    });
    let mut last: Vec<_> = last.collect();
    last.reverse();
    last
}

/// The step that puts the events of a row into blocks, including those that mutations insert;
/// columns with `several` versions stay cells.
fn packed(
    mut cells: Cells<'_>,
    stored: RowRef<'_>,
    events: RowRef<'_>,
    inserted: &[&Mutation],
    several: &Places<'_>,
) -> Result<Option<Step>, PackError> {
    let schema = cells.schema();
    for cell in stored.cells() {
        if Kind::of(cell) == Some(Kind::Block) {
            cells.add_columns(&Block::decode(cell.value())?);
        }
    }
    let is_one = |cell: &CellRef<'_>| !several.contains(&(cell.family(), cell.qualifier()));
    let mut own = Vec::new();
    let (mut hidden, mut old) = (Vec::new(), Vec::new());
    let mut others = Places::new();
    for cell in stored.cells().filter(is_one) {
        match Kind::of(cell) {
            Some(Kind::Block) => old.push(cell),
            Some(Kind::Hidden(..)) => hidden.push(cell),
            _ if cells.find(cell).is_some() => own.push(cell),
            _ => {
                others.insert((cell.family(), cell.qualifier()));
            }
        }
    }
    if own.is_empty() && hidden.is_empty() && inserted.is_empty() {
        return Ok(None);
    }
    let held = Held::of(&mut cells, events, is_one);
    let times = held.times();
    let blocks = held.blocks(&times)?;
    let stamp = schema.packed_stamp(cells.start());
    let in_cells = inserted.iter().filter(|one| match one {
        Mutation::SetCell {
            family, qualifier, ..
        } => several.contains(&(&**family, &**qualifier)) || schema.changes_row(one),
        // The column has a cell that no write of the current model makes.
        Mutation::DeleteFromColumn {
            family, qualifier, ..
        } => others.contains(&(&**family, &**qualifier)) || schema.changes_row(one),
        _ => schema.changes_row(one),
    });
    let mut mutations: Vec<Mutation> = in_cells.map(|one| (*one).clone()).collect();
    let names: Vec<Vec<u8>> = blocks.iter().map(|(first, _)| block_name(*first)).collect();
    // Another time zone database may end the bucket at another time, and give another timestamp.
    let is_replaced = |cell: &CellRef<'_>| {
        cell.timestamp_micros() == stamp && names.iter().any(|name| name == cell.qualifier())
    };
    let gone = old.into_iter().filter(|cell| !is_replaced(cell));
    mutations.extend(gone.map(deletion));
    let new = names.into_iter().zip(blocks);
    mutations.extend(new.map(|(name, (_, value))| Mutation::SetCell {
        family: ByteString::from_static(PACKED),
        qualifier: name.into(),
        timestamp_micros: stamp,
        value,
    }));
    // The cell that hides an event is deleted before the event's own cells, or it would hide the
    // event in the block.
    let left = MUTATIONS_PER_REQUEST.saturating_sub(mutations.len());
    let total = hidden.len() + own.len();
    let all_hidden = hidden.len() <= left;
    mutations.extend(hidden.into_iter().take(left).map(deletion));
    if all_hidden {
        let left = MUTATIONS_PER_REQUEST.saturating_sub(mutations.len());
        mutations.extend(own.into_iter().take(left).map(deletion));
    }
    Ok(Some(Step {
        mutations,
        is_last: total <= left,
        events: times.len(),
    }))
}

/// The step that puts the events of a row into separate cells.
fn in_cells(mut cells: Cells<'_>, stored: RowRef<'_>, events: RowRef<'_>) -> Option<Step> {
    let of_packing = stored
        .cells()
        .filter(|cell| matches!(Kind::of(*cell), Some(Kind::Block | Kind::Hidden(..))));
    let of_packing: Vec<_> = of_packing.collect();
    if of_packing.is_empty() {
        return None;
    }
    let own = all(stored);
    let missing = events.cells().filter(|cell| {
        let place = (cell.family(), cell.qualifier(), cell.timestamp_micros());
        cell.family() != PACKED && !own.contains_key(&place)
    });
    let missing: Vec<_> = missing.collect();
    let total = missing.len();
    let set = missing.into_iter().take(MUTATIONS_PER_REQUEST).map(|cell| {
        let cell = cell.to_cell();
        Mutation::SetCell {
            family: cell.family,
            qualifier: cell.qualifier,
            timestamp_micros: cell.timestamp_micros,
            value: cell.value,
        }
    });
    let mut mutations: Vec<_> = set.collect();
    let left = MUTATIONS_PER_REQUEST - mutations.len();
    // In a row, blocks come before the cells that hide their events, and they are deleted first
    // here.
    if total <= MUTATIONS_PER_REQUEST && left > 0 {
        mutations.extend(of_packing.iter().take(left).copied().map(deletion));
    }
    Some(Step {
        is_last: total + of_packing.len() <= MUTATIONS_PER_REQUEST,
        mutations,
        events: Held::of(&mut cells, events, |_| true).times().len(),
    })
}

/// The columns with several versions in a row, if a column belongs to one event: they stay
/// unchanged, since packing the newest version would expose the older ones.
fn several<'r>(schema: &ModelSchema, row: RowRef<'r>) -> Places<'r> {
    let mut seen = HashSet::new();
    let mut several = HashSet::new();
    if schema.has_columns_of_its_own() {
        for cell in row.cells().filter(|cell| cell.family() != PACKED) {
            if !seen.insert((cell.family(), cell.qualifier())) {
                several.insert((cell.family(), cell.qualifier()));
            }
        }
    }
    several
}

fn block_name(first: i64) -> Vec<u8> {
    let mut name = vec![BLOCK];
    name.extend(first.to_be_bytes());
    name
}

/// Deletes exactly one cell that was read.
fn deletion(cell: CellRef<'_>) -> Mutation {
    let stamp = cell.timestamp_micros();
    Mutation::DeleteFromColumn {
        family: cell.family().into(),
        qualifier: cell.shared_qualifier(),
        start_micros: stamp,
        end_micros: stamp_after(stamp),
    }
}

/// The row after some mutations.
fn applied<'m>(mut row: Row, mutations: impl IntoIterator<Item = &'m Mutation>) -> Row {
    let mut mutations = mutations.into_iter().peekable();
    if mutations.peek().is_none() {
        return row;
    }
    let mut columns: BTreeMap<(ByteString, Bytes), BTreeMap<i64, Bytes>> = BTreeMap::new();
    for cell in row.cells.drain(..) {
        let column = columns.entry((cell.family, cell.qualifier)).or_default();
        column.insert(cell.timestamp_micros, cell.value);
    }
    for mutation in mutations {
        match mutation {
            Mutation::SetCell {
                family,
                qualifier,
                timestamp_micros,
                value,
            } => {
                let column = columns.entry((family.clone(), qualifier.clone()));
                column.or_default().insert(*timestamp_micros, value.clone());
            }
            Mutation::DeleteFromColumn {
                family,
                qualifier,
                start_micros,
                end_micros,
            } => {
                let end = match *end_micros {
                    0 => i64::MAX,
                    end => end,
                };
                if let Some(column) = columns.get_mut(&(family.clone(), qualifier.clone()))
                    && *start_micros < end
                {
                    let gone = column.range(*start_micros..end).map(|(at, _)| *at);
                    for at in gone.collect::<Vec<_>>() {
                        column.remove(&at);
                    }
                }
            }
            Mutation::DeleteFromRow => columns.clear(),
            // Models with packed rows write no other mutations.
            _ => {}
        }
    }
    let columns = columns
        .into_iter()
        .flat_map(|((family, qualifier), column)| {
            // Newest first.
            column
                .into_iter()
                .rev()
                .map(move |(timestamp_micros, value)| Cell {
                    family: family.clone(),
                    qualifier: qualifier.clone(),
                    timestamp_micros,
                    value,
                    labels: Vec::new(),
                })
        });
    row.cells.extend(columns);
    row
}
