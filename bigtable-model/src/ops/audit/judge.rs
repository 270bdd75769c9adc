//! Judges rows one by one.

use std::cmp::Reverse;
use std::collections::HashSet;

use bytes::Bytes;

use super::report::{Audit, Finding, LargeRow, SeriesShare};
use super::shares::Shares;
use crate::data::{Cell, Row, RowBatch};
use crate::error::in_words;
use crate::key::SegmentRole;
use crate::model::{EventReader, EventTimes, PACKED, PackedKind, RowEvents, Schema};
use crate::{Error, Timestamp};

/// How many findings are listed, and how many of the largest rows and series.
const LISTED: usize = 1_000;
const LARGEST: usize = 10;
/// The maximum sizes of a row and of a cell that Bigtable advises.
const MOST_BYTES_OF_A_ROW: u64 = 100_000_000;
const MOST_BYTES_OF_A_CELL: u64 = 10_000_000;
/// A table with fewer rows is not checked for uneven series.
const ENOUGH_ROWS: u64 = 100;
/// A series is uneven if its share is at least this, and so many times an even share.
const UNEVEN: f64 = 0.5;
const UNEVEN_TO_OTHERS: f64 = 1.5;
/// How often progress is reported, in rows.
const REPORTED: u64 = 1_000;

type Check<'a> = &'a (dyn Fn(&RowEvents, usize) -> Result<(), Error> + Send + Sync);

/// How much a row counts in the shares of series.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Weight {
    /// Its bytes, if all rows are read.
    Bytes,
    /// As much as any other row, since places are drawn by their bytes.
    Place,
}

/// Judges rows.
pub(super) struct Auditor<'a> {
    schema: Schema,
    now: Timestamp,
    reader: EventReader,
    events: RowEvents,
    read: Check<'a>,
    progress: Box<dyn FnMut(&Audit) + Send + 'a>,
    table: String,
    shares: Shares,
    rows_of_table: u64,
    /// The rows of a sample that were judged.
    seen: HashSet<Bytes>,
    pub(super) audit: Audit,
}

impl<'a> Auditor<'a> {
    pub(super) fn new(
        schema: &Schema,
        now: Timestamp,
        read: Check<'a>,
        progress: Box<dyn FnMut(&Audit) + Send + 'a>,
    ) -> Self {
        Self {
            schema: schema.clone(),
            now,
            // A row with only tombstones is no finding while events have other sources.
            reader: EventReader::judging(schema),
            events: RowEvents::default(),
            read,
            progress,
            table: String::new(),
            shares: Shares::default(),
            rows_of_table: 0,
            seen: HashSet::new(),
            audit: Audit {
                is_whole: true,
                ..Audit::default()
            },
        }
    }

    pub(super) fn begin(&mut self, table: &str) {
        table.clone_into(&mut self.table);
        self.audit.tables.push(table.to_owned());
        self.shares = Shares::default();
        self.rows_of_table = 0;
        self.seen.clear();
    }

    /// Judges a row, and returns its bytes.
    pub(super) fn row(&mut self, row: Row, weight: Weight) -> u64 {
        let bytes = size(&row);
        if weight == Weight::Place && !self.seen.insert(row.key.clone()) {
            return bytes;
        }
        self.audit.rows += 1;
        self.rows_of_table += 1;
        let key = row.key.clone();
        self.sizes(&row, bytes);
        self.packing(&row);
        if let Some(series) = self.series(&key) {
            #[expect(clippy::cast_precision_loss, reason = "a share")]
            let weight = match weight {
                Weight::Bytes => bytes as f64,
                Weight::Place => 1.0,
            };
            self.shares.add(series, weight);
        }
        self.judge(row, &key);
        if self.audit.rows.is_multiple_of(REPORTED) {
            (self.progress)(&self.audit);
        }
        bytes
    }

    /// Counts a row that is packed, or that a job has to pack.
    fn packing(&mut self, row: &Row) {
        if !self.schema.is_packed() {
            return;
        }
        let row = RowBatch::from(row.clone());
        let row = row.row(0).unwrap_or_default();
        let mut cells = row.cells();
        let has_blocks = cells.any(|cell| PackedKind::of(cell) == Some(PackedKind::Block));
        self.audit.rows_with_blocks += u64::from(has_blocks);
        let start = self.schema.time_of_row(row.key());
        // A key that is not the model's is reported as a finding.
        let start = start.ok().flatten();
        let settled = start.and_then(|start| self.schema.settled_at(start));
        let has_settled = settled.is_some_and(|settled| settled <= self.now);
        let to_pack = has_settled && self.schema.has_to_pack(row, start.unwrap_or_default());
        self.audit.rows_to_pack += u64::from(to_pack);
    }

    fn judge(&mut self, row: Row, key: &Bytes) {
        let judged = self.schema.key.decode_row(key).map(drop);
        let judged = judged.map_err(|source| Error::ForeignKey {
            table: self.table.clone(),
            key: key.clone(),
            source,
        });
        // The next job removes what deletes leave of packed rows.
        let is_left = |cell: &Cell| *cell.family == *PACKED;
        let is_empty = !row.cells.is_empty() && row.cells.iter().all(is_left);
        let loaded =
            judged.and_then(|()| self.reader.load(row, &EventTimes::All, &mut self.events));
        if let Err(error) = loaded {
            self.audit.counts.foreign_keys += 1;
            self.find(key, in_words(&error.in_table(&self.table)));
            return;
        }
        let found = self.events.events();
        self.audit.events += u64::try_from(found).unwrap_or(u64::MAX);
        if found == 0 && self.events.is_empty() && !is_empty {
            self.audit.counts.without_presence += 1;
            let (family, qualifier) = self.schema.presence_column().unwrap_or_default();
            let row = self.schema.key.describe(key);
            let what = format!("{row} has no column {family}:{qualifier}, and so it is no event");
            self.find(key, what);
        }
        for index in 0..self.events.len() {
            if let Err(stray) = self.events.check_place(index) {
                self.audit.counts.foreign_cells += 1;
                self.find(key, in_words(&stray.in_table(&self.table)));
            } else if let Err(error) = self.event(index) {
                self.audit.counts.unreadable_events += 1;
                self.find(key, in_words(&error.in_table(&self.table)));
            }
        }
    }

    /// Reads an event as a query does, unless no query finds it.
    fn event(&self, index: usize) -> Result<(), Error> {
        let time = self.events.time(index)?;
        let is_expired = self.schema.rule_against(time, self.now).is_some();
        match self.events.is_event(index) && !is_expired {
            true => (self.read)(&self.events, index),
            false => Ok(()),
        }
    }

    /// The identifiers of a row's series.
    fn series(&self, key: &[u8]) -> Option<String> {
        let values = self.schema.key.decode_row(key).ok()?;
        let named = self.schema.key.valued().zip(values);
        let identifiers = named.filter(|((_, one), _)| one.role == SegmentRole::Identifier);
        let texts: Vec<String> = identifiers
            .map(|((_, segment), value)| format!("{}={value}", segment.name))
            .collect();
        (!texts.is_empty()).then(|| texts.join(" "))
    }

    /// Notes the sizes of the row and its cells.
    fn sizes(&mut self, row: &Row, bytes: u64) {
        let schema = self.schema.clone();
        let described = || schema.key.describe(&row.key).to_string();
        let large = row.cells.iter().filter(|cell| {
            let bytes = cell.family.len() + cell.qualifier.len() + cell.value.len();
            u64::try_from(bytes).unwrap_or(u64::MAX) > MOST_BYTES_OF_A_CELL
        });
        let large = large.count();
        let smallest = self.audit.largest.last().map(|row| row.bytes);
        if self.audit.largest.len() < LARGEST || smallest < Some(bytes) {
            let large = LargeRow {
                table: self.table.clone(),
                row: described(),
                bytes,
                cells: u64::try_from(row.cells.len()).unwrap_or(u64::MAX),
            };
            self.audit.largest.push(large);
            self.audit.largest.sort_by_key(|row| Reverse(row.bytes));
            self.audit.largest.truncate(LARGEST);
        }
        if large > 0 {
            let what = format!("{} has {large} cells over the advised 10 MB", described());
            self.audit.counts.large_cells += u64::try_from(large).unwrap_or(u64::MAX);
            self.find(&row.key, what);
        }
        if bytes > MOST_BYTES_OF_A_ROW {
            let what = format!("{} has {bytes} bytes, over the advised 100 MB", described());
            self.audit.counts.wide_rows += 1;
            self.find(&row.key, what);
        }
    }

    /// Judges the shares of the table's series.
    pub(super) fn end_table(&mut self) {
        let largest = self.shares.largest(LARGEST);
        let series = u32::try_from(self.shares.len()).unwrap_or(u32::MAX);
        let limit = UNEVEN.max(UNEVEN_TO_OTHERS / f64::from(series.max(1)));
        if let Some((name, share)) = largest.first()
            && *share >= limit
            && series > 1
            && self.rows_of_table >= ENOUGH_ROWS
        {
            self.audit.counts.uneven_tables += 1;
            let what = format!(
                "{name} has {:.0} % of {}: its new rows are neighbours, which one node serves; a \
                 salt that hashes its identifiers and the time, or the bucket, spreads them",
                100.0 * share,
                self.table
            );
            self.find(&Bytes::new(), what);
        }
        let shares = largest.into_iter().map(|(series, share)| SeriesShare {
            table: self.table.clone(),
            series,
            share,
        });
        self.audit.series.extend(shares);
        let series = &mut self.audit.series;
        series.sort_by(|one, other| other.share.total_cmp(&one.share));
        series.truncate(LARGEST);
        (self.progress)(&self.audit);
    }

    fn find(&mut self, key: &Bytes, what: String) {
        if self.audit.findings.len() < LISTED {
            self.audit.findings.push(Finding {
                table: self.table.clone(),
                key: key.clone(),
                what,
            });
        }
    }
}

/// The bytes of a row's key, families, qualifiers and values.
fn size(row: &Row) -> u64 {
    let cells = row.cells.iter();
    let of_cells = cells.map(|cell| cell.family.len() + cell.qualifier.len() + cell.value.len());
    u64::try_from(row.key.len() + of_cells.sum::<usize>()).unwrap_or(u64::MAX)
}
