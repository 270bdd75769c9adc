//! What a query reads, compared with what it needs.

use std::collections::HashSet;
use std::fmt;
use std::ops::AddAssign;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;

use crate::backend::observed::{ObservedBackend, Observer};
use crate::backend::{Backend, ReadCounts};
use crate::data::{CellRef, ReadRows, RowBatch};
use crate::model::RowEvents;

/// What a query read, from [`BackendExt::cost`](crate::BackendExt::cost), so that a test can assert
/// that no query reads more than twice what it needs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Cost {
    /// The events of the answer.
    pub events: u64,
    /// The scans of its plan, which run side by side.
    pub scans: u64,
    /// The reads that were sent, including those that look for series.
    pub requests: u64,
    /// The row ranges and single keys in them. A read of a whole table has one.
    pub ranges: u64,
    /// What the server scanned to answer, if the backend counts it: the memory backend does, a
    /// connection does not.
    pub scanned: Option<Amount>,
    /// What was sent to the client.
    pub sent: Amount,
    /// The cells of the events in the answer, including their markers, and their rows.
    pub wanted: Amount,
}

/// An amount of rows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Amount {
    /// The rows. A row that is read twice counts twice, except in [`Cost::wanted`].
    pub rows: u64,
    /// Their cells.
    pub cells: u64,
    /// Their bytes, uncompressed: the key of each row, and for each cell its qualifier, its value
    /// and 8 for its timestamp.
    pub bytes: u64,
}

impl Cost {
    /// How many cells are scanned for each that is wanted, or how many are sent if the number
    /// scanned is not known. Infinite if cells are read but none is wanted, 1 if none is read.
    #[must_use]
    pub fn read_for_wanted(&self) -> f64 {
        let read = self.scanned.unwrap_or(self.sent).cells;
        match (read, self.wanted.cells) {
            (0, _) => 1.0,
            (read, wanted) => in_float(read) / in_float(wanted),
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "a ratio of counts")]
fn in_float(count: u64) -> f64 {
    count as f64
}

impl AddAssign<&Cost> for Cost {
    /// Adds another query's cost. The amount scanned is known only if both know theirs.
    fn add_assign(&mut self, other: &Self) {
        let is_first = self.requests == 0;
        self.events += other.events;
        self.scans += other.scans;
        self.requests += other.requests;
        self.ranges += other.ranges;
        self.sent += other.sent;
        self.wanted += other.wanted;
        self.scanned = match (self.scanned, other.scanned) {
            (None, scanned) if is_first => scanned,
            (scanned, None) if other.requests == 0 => scanned,
            (Some(one), Some(other)) => {
                let mut sum = one;
                sum += other;
                Some(sum)
            }
            _ => None,
        };
    }
}

impl AddAssign for Amount {
    fn add_assign(&mut self, other: Self) {
        self.rows += other.rows;
        self.cells += other.cells;
        self.bytes += other.bytes;
    }
}

impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { rows, cells, bytes } = self;
        write!(f, "{rows} rows, {cells} cells, {bytes} bytes")
    }
}

impl fmt::Display for Cost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            events,
            scans,
            requests,
            ranges,
            ..
        } = self;
        writeln!(
            f,
            "{events} events by {scans} scans, {requests} requests, {ranges} row ranges"
        )?;
        match &self.scanned {
            Some(scanned) => writeln!(f, "scanned: {scanned}")?,
            None => f.write_str("scanned: not counted by this backend\n")?,
        }
        writeln!(f, "sent: {}", self.sent)?;
        write!(f, "wanted: {}", self.wanted)
    }
}

/// Counts what a query reads and how much of that is wanted.
#[derive(Debug, Default)]
pub(super) struct Tally {
    seen: Arc<Seen>,
    wanted: Wanted,
    events: u64,
}

impl Tally {
    /// The backend whose reads are counted.
    pub(super) fn watch(&self, backend: &dyn Backend) -> ObservedBackend {
        ObservedBackend::new(backend.handle(), self.seen.clone())
    }

    /// Counts an event of the answer, with its row.
    pub(super) fn add(&mut self, row: Option<(&RowEvents, usize)>) {
        self.events += 1;
        if let Some((row, index)) = row {
            self.wanted.add(row, index);
        }
    }

    /// The counts, once no read runs any more: a read that a limit ended reports what it scanned
    /// when it is dropped.
    pub(super) fn cost(&self, scans: usize) -> Cost {
        Cost {
            events: self.events,
            scans: number(scans),
            wanted: self.wanted.amount(),
            ..self.seen.cost()
        }
    }
}

fn number(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}

/// The size of a cell; see [`Amount::bytes`].
fn weight(cell: &CellRef<'_>) -> u64 {
    number(cell.qualifier().len() + cell.value().len() + size_of::<i64>())
}

/// The reads of a query.
#[derive(Debug, Default)]
struct Seen {
    requests: AtomicU64,
    ranges: AtomicU64,
    counted: AtomicU64,
    scanned: Counter,
    sent: Counter,
}

#[derive(Debug, Default)]
struct Counter {
    rows: AtomicU64,
    cells: AtomicU64,
    bytes: AtomicU64,
}

impl Counter {
    fn add(&self, Amount { rows, cells, bytes }: Amount) {
        self.rows.fetch_add(rows, Ordering::Relaxed);
        self.cells.fetch_add(cells, Ordering::Relaxed);
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    fn amount(&self) -> Amount {
        Amount {
            rows: self.rows.load(Ordering::Relaxed),
            cells: self.cells.load(Ordering::Relaxed),
            bytes: self.bytes.load(Ordering::Relaxed),
        }
    }
}

impl Seen {
    fn cost(&self) -> Cost {
        let requests = self.requests.load(Ordering::Relaxed);
        let counted = self.counted.load(Ordering::Relaxed);
        Cost {
            requests,
            ranges: self.ranges.load(Ordering::Relaxed),
            scanned: (counted == requests).then(|| self.scanned.amount()),
            sent: self.sent.amount(),
            ..Cost::default()
        }
    }
}

impl Observer for Seen {
    fn asks(&self, request: &ReadRows) {
        let ranges = number(request.rows.keys.len() + request.rows.ranges.len());
        self.requests.fetch_add(1, Ordering::Relaxed);
        self.ranges.fetch_add(ranges.max(1), Ordering::Relaxed);
    }

    fn reads(&self, _: &str, rows: &RowBatch) {
        for row in rows.rows() {
            let cells = row.cells();
            self.sent.add(Amount {
                rows: 1,
                cells: number(cells.len()),
                bytes: number(row.key().len()) + cells.map(|cell| weight(&cell)).sum::<u64>(),
            });
        }
    }

    fn scanned(&self, _: &str, counts: &ReadCounts) {
        self.counted.fetch_add(1, Ordering::Relaxed);
        self.scanned.add(Amount {
            rows: counts.rows(),
            cells: counts.cells(),
            bytes: counts.bytes(),
        });
    }
}

/// The rows and cells of the events in an answer.
#[derive(Debug, Default)]
struct Wanted {
    rows: HashSet<Bytes>,
    cells: u64,
    bytes: u64,
}

impl Wanted {
    fn add(&mut self, row: &RowEvents, index: usize) {
        let (cells, bytes) = row.size(index, weight);
        self.cells += cells;
        self.bytes += bytes;
        if !self.rows.contains(row.key()) {
            let key = row.shared_key();
            self.bytes += number(key.len());
            self.rows.insert(key);
        }
    }

    fn amount(&self) -> Amount {
        Amount {
            rows: number(self.rows.len()),
            cells: self.cells,
            bytes: self.bytes,
        }
    }
}
