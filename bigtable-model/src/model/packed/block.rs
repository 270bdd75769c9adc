//! Converts the cells of a row to blocks, and back.

use std::collections::BTreeMap;

use bigtable_pack::{Block, Column, MOST_VALUES, PackError, Values};
use bytes::Bytes;

use super::names::name_of;
use crate::Timestamp;
use crate::data::{CellRef, RowRef};
use crate::key::time::bucket::Bucket;
use crate::model::blocks::cellular::{BOOLS, DOUBLES, INTEGERS, OTHERS, SINGLES};
use crate::model::{ModelSchema, NamedBy, TimeIn};

/// The maximum size of a block in bytes: a larger one becomes two.
const MOST_BYTES: usize = 8 << 20;

/// Where the cells of a row's events are.
pub(crate) struct Cells<'s> {
    schema: &'s ModelSchema,
    bucket: &'s Bucket,
    start: Timestamp,
    /// Family and name of each column of an event.
    columns: Vec<(String, String)>,
    scratch: Vec<u8>,
}

/// The place of a cell within its column.
#[derive(Debug, Default)]
pub(super) struct At {
    pub(super) timestamp_micros: i64,
    /// In layout `columns`.
    pub(super) offset: Vec<u8>,
}

/// The cells of a row's events, by column and time.
#[derive(Debug, Default)]
pub(crate) struct Held<'r> {
    columns: BTreeMap<Vec<u8>, BTreeMap<i64, &'r [u8]>>,
}

impl<'s> Cells<'s> {
    /// For a row whose bucket begins at a time; `None` if the model has no buckets.
    pub(crate) fn new(schema: &'s ModelSchema, start: Timestamp) -> Option<Self> {
        let columns = schema
            .of_event()
            .map(|(family, name)| (family.to_owned(), name.to_owned()));
        Some(Self {
            columns: columns.collect(),
            ..Self::places(schema, start)?
        })
    }

    /// The same, only to ask for places: it finds no cell.
    pub(super) fn places(schema: &'s ModelSchema, start: Timestamp) -> Option<Self> {
        Some(Self {
            schema,
            bucket: schema.key.bucket()?,
            start,
            columns: Vec::new(),
            scratch: Vec::new(),
        })
    }

    /// The model.
    pub(crate) fn schema(&self) -> &'s ModelSchema {
        self.schema
    }

    /// The start of the row's bucket.
    pub(crate) fn start(&self) -> Timestamp {
        self.start
    }

    /// Adds the columns of a block, some of which this program may not know.
    pub(crate) fn add_columns(&mut self, block: &Block) {
        for column in &block.columns {
            let Some((family, name)) = names(column) else {
                continue;
            };
            let Ok(name) = std::str::from_utf8(name) else {
                continue;
            };
            // Cells of maps are found without their names.
            if self.schema.map_of(family, name.as_bytes()).is_some() {
                continue;
            }
            let is_new = |(known, of_known): &(String, String)| known != family || of_known != name;
            if self.columns.iter().all(is_new) {
                self.columns.push((family.to_owned(), name.to_owned()));
            }
        }
    }

    /// Where the cells of the event at a time are; `None` if the row cannot hold it.
    pub(super) fn at(&self, time: Timestamp) -> Option<At> {
        if let TimeIn::Stamp = self.schema.in_layout().time_in() {
            return Some(At {
                timestamp_micros: time.as_micros(),
                offset: Vec::new(),
            });
        }
        let mut offset = Vec::new();
        let layout = self.schema.in_layout();
        let now = Timestamp::default();
        let target = layout.target(self.schema, Some(time), now, &mut offset);
        let target = target.ok()?;
        Some(At {
            timestamp_micros: target.timestamp_micros,
            offset,
        })
    }

    /// The column's name in blocks and the time of a cell, if the cell is exactly as a write of an
    /// event makes it; `None` for other cells, which are not packed.
    pub(crate) fn find(&mut self, cell: CellRef<'_>) -> Option<(Vec<u8>, Timestamp)> {
        let layout = self.schema.in_layout();
        let (name, time) = match layout.time_in() {
            TimeIn::Key => return None,
            TimeIn::Stamp => {
                let mut columns = self.columns.iter();
                let is_known = columns.any(|(family, name)| cell.is_of(family, name.as_bytes()));
                let (family, name) = (cell.family(), cell.qualifier());
                if !is_known && self.schema.map_of(family, name).is_none() {
                    return None;
                }
                (name, cell.time())
            }
            TimeIn::Qualifier(offset) => {
                let (bucket, start) = (self.bucket, self.start);
                let scratch = &mut self.scratch;
                let declared = self.columns.iter().find_map(|(family, name)| {
                    let rest = match layout.named_by() {
                        NamedBy::Family => cell.qualifier(),
                        NamedBy::Prefix | NamedBy::Qualifier => cell
                            .qualifier()
                            .strip_prefix(name.as_bytes())?
                            .strip_prefix(b":")?,
                    };
                    if cell.family() != *family {
                        return None;
                    }
                    let time = offset.time_of_offset(bucket, start, rest, scratch)?;
                    Some((name.as_bytes(), time))
                });
                declared.or_else(|| {
                    let entry = self.schema.entry_of(cell.family(), cell.qualifier())?;
                    let time = offset.time_of_offset(bucket, start, entry.offset, scratch)?;
                    Some((entry.name, time))
                })?
            }
        };
        let end = self.bucket.next(self.start);
        let is_within = self.start <= time && end.is_none_or(|end| time < end);
        let is_on_grid = time.as_micros() % self.bucket.grid_micros.max(1) == 0;
        let at = self.at(time).filter(|_| is_within && is_on_grid)?;
        let is_same = at.timestamp_micros == cell.timestamp_micros()
            && layout.qualifier(name, &at.offset) == cell.qualifier();
        is_same.then(|| (name_of(cell.family(), name), time))
    }
}

impl<'r> Held<'r> {
    /// The cells of a row that can be packed, by column. If several cells have the same place, the
    /// first stays.
    pub(crate) fn of(
        cells: &mut Cells<'_>,
        row: RowRef<'r>,
        is_one: impl Fn(&CellRef<'_>) -> bool,
    ) -> Self {
        let mut held = Self::default();
        for cell in row.cells().filter(is_one) {
            if let Some((name, time)) = cells.find(cell) {
                let column = held.columns.entry(name).or_default();
                let place = column.entry(time.as_micros());
                place.or_insert_with(|| cell.value());
            }
        }
        held
    }

    /// The times of all events, ascending.
    pub(crate) fn times(&self) -> Vec<i64> {
        let all = self.columns.values().flat_map(BTreeMap::keys).copied();
        let mut times: Vec<i64> = all.collect();
        times.sort_unstable();
        times.dedup();
        times
    }

    /// The blocks of the events at some times, each with the time of its first event: as few as the
    /// maximum size allows.
    pub(crate) fn blocks(&self, times: &[i64]) -> Result<Vec<(i64, Bytes)>, PackError> {
        let Some(&first) = times.first() else {
            return Ok(Vec::new());
        };
        let last = times.last().copied().unwrap_or(first);
        let columns = self.columns.iter();
        let columns = columns.filter(|(_, cells)| cells.range(first..=last).next().is_some());
        let columns: Vec<_> = columns.collect();
        // More places than a block takes are not even collected: of many columns named at run time,
        // each event may have few.
        if times.len() > 1 && times.len().saturating_mul(columns.len() + 1) > MOST_VALUES {
            return self.halves(times);
        }
        let columns = columns.into_iter().map(|(name, cells)| {
            let values = times.iter().map(|time| cells.get(time).copied());
            column(name, &values.collect::<Vec<_>>())
        });
        let mut columns: Vec<Column> = columns.collect();
        columns.sort_by(|one, other| one.name.cmp(&other.name));
        let block = Block {
            times: times.to_vec(),
            columns,
        };
        let encoded = block.encode();
        match encoded {
            Ok(bytes) if bytes.len() <= MOST_BYTES || times.len() == 1 => {
                Ok(vec![(first, bytes.into())])
            }
            Err(error) if times.len() == 1 => Err(error),
            _ => self.halves(times),
        }
    }

    /// The blocks of the first half of some times, and those of the second.
    fn halves(&self, times: &[i64]) -> Result<Vec<(i64, Bytes)>, PackError> {
        let (one, other) = times.split_at(times.len() / 2);
        let mut blocks = self.blocks(one)?;
        blocks.extend(self.blocks(other)?);
        Ok(blocks)
    }
}

/// Family and name of a column, from its name in a block.
pub(in crate::model) fn names(column: &Column) -> Option<(&str, &[u8])> {
    names_of(&column.name)
}

pub(super) fn names_of(name: &[u8]) -> Option<(&str, &[u8])> {
    let name = name.get(1..)?;
    let colon = name.iter().position(|byte| *byte == b':')?;
    let (family, rest) = name.split_at_checked(colon)?;
    Some((std::str::from_utf8(family).ok()?, rest.get(1..)?))
}

/// A column of a block, with values typed by the form of their bytes.
fn column(name: &[u8], values: &[Option<&[u8]>]) -> Column {
    let present = values.iter().map(Option::is_some).collect();
    let held: Vec<&[u8]> = values.iter().copied().flatten().collect();
    let (kind, values) = typed(&held);
    Column {
        name: [&[kind], name].concat().into(),
        present,
        values,
    }
}

/// The values as numbers, if all of them are exactly numbers of one kind.
fn typed(held: &[&[u8]]) -> (u8, Values) {
    if let Some(longs) = all::<8>(held) {
        let doubles = longs.iter().map(|bytes| f64::from_be_bytes(*bytes));
        let doubles: Vec<f64> = doubles.collect();
        // Small and negative integers do not look like usual floats.
        if doubles.iter().all(|one| one.is_normal() || *one == 0.0) {
            return (DOUBLES, Values::Floats(doubles));
        }
        let integers = longs.into_iter().map(i64::from_be_bytes);
        return (INTEGERS, Values::Integers(integers.collect()));
    }
    if let Some(singles) = all::<4>(held) {
        let singles: Vec<f32> = singles.into_iter().map(f32::from_be_bytes).collect();
        if singles.iter().all(|one| one.is_normal() || *one == 0.0) {
            let widened = singles.into_iter().map(f64::from);
            return (SINGLES, Values::Floats(widened.collect()));
        }
    }
    if held.iter().all(|bytes| matches!(bytes, [0 | 1])) {
        let bools = held.iter().map(|bytes| *bytes == [1]);
        return (BOOLS, Values::Bools(bools.collect()));
    }
    let others = held.iter().map(|bytes| Bytes::copy_from_slice(bytes));
    (OTHERS, Values::Bytes(others.collect()))
}

/// The values, if all have length `N`.
fn all<const N: usize>(held: &[&[u8]]) -> Option<Vec<[u8; N]>> {
    held.iter().map(|bytes| (*bytes).try_into().ok()).collect()
}
