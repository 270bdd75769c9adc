//! Converts a row with blocks to the row without packing.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use bigtable_pack::{Block, Column, PackError, Values};

use super::block::{At, Cells, names, names_of};
use super::names::{Kind, PACKED, hides};
use crate::data::{BuiltPart, CellRef, RowBatch, RowBuilder, RowRef};
use crate::model::blocks::cellular::Cellular;
use crate::model::{
    EventTimes, ModelSchema, TimeIn, column_name, described_event, shown, stamp_of,
};
use crate::value::ValueError;
use crate::{Error, Timestamp};

/// The maximum size of a row's cells, or of its decoded blocks, in bytes.
const MOST_BYTES: usize = 1 << 30;

/// The size of a time and of a number, in bytes.
const NUMBER: usize = 8;

/// The approximate memory of a cell besides its bytes.
const CELL: usize = 64;

/// The wanted columns of blocks, by family.
pub(crate) type Columns = BTreeMap<String, BTreeSet<String>>;

/// Whether a column of a block is one of these.
fn is_among(columns: &Columns, name: &[u8]) -> bool {
    names_of(name).is_some_and(|(family, name)| {
        let mut names = columns.get(family).into_iter().flatten();
        names.any(|one| one.as_bytes() == name)
    })
}

/// The content of a row with blocks.
pub(crate) struct Stored<'r> {
    row: RowRef<'r>,
    start: Timestamp,
    /// The blocks with their names.
    blocks: Vec<(&'r [u8], Block)>,
    /// The lists that hide events of blocks, by the events' times.
    hidden: HashMap<i64, Vec<&'r [u8]>>,
    /// Whether there are cells of events, or cells that the model does not know.
    has_cells: bool,
    /// The size of the decoded blocks in bytes.
    bytes: usize,
}

impl<'r> Stored<'r> {
    /// The blocks of a row, with the wanted columns or all, and the row's other content; `None` if
    /// the row has no block.
    ///
    /// # Errors
    /// [`Error::BadCell`] for a block that cannot be read, [`Error::ForeignKey`] if the key is not
    /// the model's.
    pub(crate) fn read(
        schema: &ModelSchema,
        row: RowRef<'r>,
        wanted: Option<&Columns>,
    ) -> Result<Option<Self>, Error> {
        let mut stored = Self {
            row,
            start: Timestamp::default(),
            blocks: Vec::new(),
            hidden: HashMap::new(),
            has_cells: false,
            bytes: 0,
        };
        for cell in row.cells() {
            match Kind::of(cell) {
                Some(Kind::Block) => stored.add(schema, cell, wanted)?,
                Some(Kind::Hidden(time, column)) => {
                    stored.hidden.entry(time).or_default().push(column);
                }
                Some(Kind::Guard) => {}
                None if cell.family() == PACKED || stored.has_cells => {}
                None => stored.has_cells = !schema.has_of_row(cell.family(), cell.qualifier()),
            }
        }
        if stored.blocks.is_empty() {
            return Ok(None);
        }
        stored.start = schema.time_of_row(row.key())?.unwrap_or_default();
        Ok(Some(stored))
    }

    fn add(
        &mut self,
        schema: &ModelSchema,
        cell: CellRef<'r>,
        wanted: Option<&Columns>,
    ) -> Result<(), Error> {
        let name = cell.qualifier();
        if self.blocks.iter().all(|(known, _)| *known != name) {
            let block = Block::decode_some(cell.value(), |column| {
                wanted.is_none_or(|wanted| is_among(wanted, column))
            });
            let block = block.and_then(|block| {
                self.bytes = self.bytes.saturating_add(size_of(&block));
                match self.bytes > MOST_BYTES {
                    true => Err(PackError::Malformed("more bytes than a row holds")),
                    false => Ok(block),
                }
            });
            let block = block.map_err(|error| refused(schema, self.row.key(), name, &error))?;
            self.blocks.push((name, block));
        }
        Ok(())
    }

    /// When the row's bucket begins.
    pub(crate) fn start(&self) -> Timestamp {
        self.start
    }

    /// The blocks.
    pub(crate) fn blocks(&self) -> impl Iterator<Item = &Block> {
        self.blocks.iter().map(|(_, block)| block)
    }

    /// The blocks, of a row that is read no further.
    pub(crate) fn into_blocks(self) -> Vec<Block> {
        self.blocks.into_iter().map(|(_, block)| block).collect()
    }

    /// Whether the row's events are exactly those of its blocks.
    pub(crate) fn is_alone(&self) -> bool {
        self.hidden.is_empty() && !self.has_cells
    }

    /// The row without packing, with the events of blocks at `times`, except cells that a rule of
    /// the model would have deleted by `expiry`.
    ///
    /// # Errors
    /// [`Error::BadCell`] for a block with values that the model cannot hold.
    pub(crate) fn in_cells(
        self,
        schema: &ModelSchema,
        times: &EventTimes,
        expiry: Option<Timestamp>,
    ) -> Result<Option<RowBatch>, Error> {
        let Some(cells) = Cells::places(schema, self.start) else {
            return Ok(None);
        };
        let mut made = Made {
            schema,
            cells,
            own: HashSet::new(),
            hidden: self.hidden,
            times,
            expiry,
            builder: RowBuilder::default(),
            bytes: 0,
            value: Vec::new(),
        };
        made.add_own(self.row);
        for (name, block) in &self.blocks {
            let added = made.add(block);
            added.map_err(|error| refused(schema, self.row.key(), name, &error))?;
        }
        Ok(Some(made.builder.row(self.row.key())))
    }
}

/// The row without packing; `None` if the row has no block.
///
/// # Errors
/// Those of [`Stored`].
pub(crate) fn unpacked(
    schema: &ModelSchema,
    row: RowRef<'_>,
    times: &EventTimes,
) -> Result<Option<RowBatch>, Error> {
    match Stored::read(schema, row, None)? {
        Some(stored) => stored.in_cells(schema, times, None),
        None => Ok(None),
    }
}

/// The row that [`unpacked`] made, or the stored row if it made none.
pub(crate) fn or_stored<'r>(unpacked: Option<&'r RowBatch>, stored: RowRef<'r>) -> RowRef<'r> {
    unpacked.and_then(|batch| batch.row(0)).unwrap_or(stored)
}

/// The size of a block's times and values in bytes.
fn size_of(block: &Block) -> usize {
    let of_columns = block.columns.iter().map(|column| {
        let values = match &column.values {
            Values::Bools(values) => values.len(),
            Values::Integers(_) | Values::Floats(_) => NUMBER * column.values.len(),
            Values::Bytes(values) => values.iter().map(|one| size_of_val(one) + one.len()).sum(),
        };
        column.present.len() + values
    });
    NUMBER * block.times.len() + of_columns.sum::<usize>()
}

#[cold]
fn refused(schema: &ModelSchema, key: &[u8], name: &[u8], error: &PackError) -> Error {
    Error::BadCell {
        table: schema.table.to_string(),
        key: described_event(schema, key, None),
        column: column_name(PACKED, &shown(name)),
        source: ValueError::refused("a packed block", error),
    }
}

/// The row so far.
struct Made<'s, 'r> {
    schema: &'s ModelSchema,
    cells: Cells<'s>,
    /// Family, qualifier and, if events share columns, timestamp of the row's own cells, which hide
    /// those of blocks.
    own: HashSet<(&'r str, &'r [u8], i64)>,
    hidden: HashMap<i64, Vec<&'r [u8]>>,
    times: &'s EventTimes,
    expiry: Option<Timestamp>,
    builder: RowBuilder,
    bytes: usize,
    value: Vec<u8>,
}

impl<'r> Made<'_, 'r> {
    fn stamp(&self, timestamp_micros: i64) -> i64 {
        match self.schema.has_columns_of_its_own() {
            true => 0,
            false => timestamp_micros,
        }
    }

    /// Adds the row's own cells.
    fn add_own(&mut self, row: RowRef<'r>) {
        for cell in row.cells().filter(|cell| cell.family() != PACKED) {
            let stamp = self.stamp(cell.timestamp_micros());
            self.own.insert((cell.family(), cell.qualifier(), stamp));
            let family = self.builder.family(cell.family());
            let qualifier = self.builder.part(cell.qualifier());
            let value = self.builder.part(cell.value());
            self.builder
                .cell(family, qualifier, cell.timestamp_micros(), value);
            self.bytes += cell.qualifier().len() + cell.value().len();
        }
    }

    /// Adds the cells of a block, the newest of each column first.
    fn add(&mut self, block: &Block) -> Result<(), PackError> {
        let cells = block.columns.iter().map(|column| column.values.len());
        self.builder.reserve(cells.sum());
        let offsets = matches!(self.schema.in_layout().time_in(), TimeIn::Qualifier(_));
        let places = block.times.iter().map(|time| {
            let time = Timestamp::from_micros(*time);
            match self.times.contain(time) {
                false => Ok(None),
                true => match self.cells.at(time) {
                    Some(at) => Ok(Some(at)),
                    None => Err(PackError::Malformed(
                        "a time that the model has no place for",
                    )),
                },
            }
        });
        let places: Vec<Option<At>> = places.collect::<Result<_, _>>()?;
        for column in &block.columns {
            self.add_column(block, column, &places, offsets)?;
        }
        Ok(())
    }

    fn add_column(
        &mut self,
        block: &Block,
        column: &Column,
        places: &[Option<At>],
        offsets: bool,
    ) -> Result<(), PackError> {
        let (family, name) = names(column).ok_or(PackError::Malformed("a column's name"))?;
        let of_name = self.builder.family(family);
        let shared = self.builder.part(name);
        let packed_name = column.name.get(1..).unwrap_or_default();
        let mut values = Cellular::of(column);
        let mut found: Vec<(BuiltPart, i64, BuiltPart)> = Vec::with_capacity(column.values.len());
        let kept = self.first_kept(family, &block.times);
        let events = block.times.iter().zip(places).zip(&column.present);
        let events = events.enumerate().filter(|(_, (_, present))| **present);
        for (index, ((time, place), _)) in events {
            self.value.clear();
            values.next(&mut self.value);
            let Some(at) = place else { continue };
            if index < kept || self.is_hidden(*time, packed_name) {
                continue;
            }
            let qualifier = match offsets {
                true => {
                    let qualifier = self.schema.in_layout().qualifier(name, &at.offset);
                    if self.is_own(family, &qualifier, at) {
                        continue;
                    }
                    self.builder.part(&qualifier)
                }
                false if self.is_own(family, name, at) => continue,
                false => shared,
            };
            let value = self.builder.part(&self.value);
            self.bytes += CELL + name.len() + at.offset.len() + self.value.len();
            if self.bytes > MOST_BYTES {
                return Err(PackError::Malformed("more bytes than a row holds"));
            }
            found.push((qualifier, at.timestamp_micros, value));
        }
        for (qualifier, stamp, value) in found.into_iter().rev() {
            self.builder.cell(of_name, qualifier, stamp, value);
        }
        Ok(())
    }

    /// The index of the first of some times whose cells no rule has deleted.
    fn first_kept(&self, family: &str, times: &[i64]) -> usize {
        let Some(now) = self.expiry else {
            return 0;
        };
        times.partition_point(|time| {
            let stamp = stamp_of(Timestamp::from_micros(*time));
            self.schema.is_too_old(family, stamp, now)
        })
    }

    /// Whether a column of the event at a time was deleted or replaced.
    #[inline]
    fn is_hidden(&self, time: i64, column: &[u8]) -> bool {
        !self.hidden.is_empty()
            && self
                .hidden
                .get(&time)
                .is_some_and(|lists| lists.iter().any(|list| hides(list, column)))
    }

    /// Whether the row has its own cell in this place.
    #[inline]
    fn is_own(&self, family: &str, qualifier: &[u8], at: &At) -> bool {
        let stamp = self.stamp(at.timestamp_micros);
        !self.own.is_empty() && self.own.contains(&(family, qualifier, stamp))
    }
}
