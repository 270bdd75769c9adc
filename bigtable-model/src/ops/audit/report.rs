//! Findings, sizes and shares, as data and in words.

use std::fmt;

use bytes::Bytes;

/// How many adjacent rows a sample reads at each place.
pub(super) const ROWS_OF_A_PLACE: usize = 5;

/// The findings in a model's live tables, from [`BackendExt::audit`](crate::BackendExt::audit). Its
/// `Display` puts them into words.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Audit {
    /// The tables that were audited, in order.
    pub tables: Vec<String>,
    /// The rows that were read.
    pub rows: u64,
    /// Whether these are all rows of the model, and not a sample.
    pub is_whole: bool,
    /// The events in them.
    pub events: u64,
    /// The rows with blocks, if the model's rows are [packed](crate::packed).
    pub rows_with_blocks: u64,
    /// Rows that have settled but have events outside blocks: the work left to a job.
    pub rows_to_pack: u64,
    /// How many findings there are of each kind.
    pub counts: AuditCounts,
    /// The first 1,000 of them.
    pub findings: Vec<Finding>,
    /// The ten largest rows, the largest first.
    pub largest: Vec<LargeRow>,
    /// The ten series with most bytes, the largest first. In a sample they are estimates.
    pub series: Vec<SeriesShare>,
}

/// How many findings there are of each kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct AuditCounts {
    /// Rows whose key is not the model's.
    pub foreign_keys: u64,
    /// Cells, or groups of cells, that cannot belong to an event.
    pub foreign_cells: u64,
    /// Rows without the column that marks an event.
    pub without_presence: u64,
    /// Events that a query cannot read, such as those with a value that its codec refuses.
    pub unreadable_events: u64,
    /// Rows over 100 MB.
    pub wide_rows: u64,
    /// Cells over 10 MB.
    pub large_cells: u64,
    /// Tables in which one series has at least half of the bytes, and much more than the others.
    pub uneven_tables: u64,
}

/// A row, or a table, with a problem.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Finding {
    /// The table's ID.
    pub table: String,
    /// The key's bytes; empty if it is a problem of the table.
    pub key: Bytes,
    /// The problem in words, with the row's name.
    pub what: String,
}

/// A row and its size.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct LargeRow {
    /// The table's ID.
    pub table: String,
    /// The key in decoded form.
    pub row: String,
    /// The bytes of its keys, qualifiers and values.
    pub bytes: u64,
    /// Its cells, all versions of them.
    pub cells: u64,
}

/// A series and its share of the table.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct SeriesShare {
    /// The table's ID.
    pub table: String,
    /// The identifiers of the series with their values.
    pub series: String,
    /// The share of the table's bytes, from 0 to 1.
    pub share: f64,
}

impl Audit {
    /// Whether the tables agree with the model and with Bigtable's advice.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.counts == AuditCounts::default()
    }

    /// With 95 % certainty, at most this share of all rows has a problem of a kind that was not
    /// found. 0 if all rows were read.
    #[must_use]
    pub fn may_be_missed(&self) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "a share")]
        match self.is_whole {
            true => 0.0,
            // Adjacent rows are one draw.
            false => {
                let draws = self.rows as f64 / ROWS_OF_A_PLACE as f64;
                (3.0 / draws.max(3.0)).min(1.0)
            }
        }
    }
}

impl fmt::Display for Audit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let AuditCounts {
            foreign_keys,
            foreign_cells,
            without_presence,
            unreadable_events,
            wide_rows,
            large_cells,
            uneven_tables,
        } = self.counts;
        let (tables, rows, events) = (self.tables.join(", "), self.rows, self.events);
        match self.is_whole {
            true => writeln!(f, "{tables}: all {rows} rows with {events} events")?,
            false => writeln!(
                f,
                "{tables}: a sample of {rows} rows with {events} events; what is in {:.1} % of all \
                 rows may be missed",
                100.0 * self.may_be_missed()
            )?,
        }
        write!(
            f,
            "keys of no event of the model: {foreign_keys}, times with cells of no event: \
             {foreign_cells}, rows without an event: {without_presence}, events that cannot be \
             read: {unreadable_events}, rows over 100 MB: {wide_rows}, cells over 10 MB: \
             {large_cells}, tables of one large series: {uneven_tables}"
        )?;
        let (with_blocks, to_pack) = (self.rows_with_blocks, self.rows_to_pack);
        if with_blocks + to_pack > 0 {
            write!(
                f,
                "\nrows with blocks: {with_blocks}, settled rows to pack: {to_pack}"
            )?;
        }
        for Finding { what, .. } in &self.findings {
            write!(f, "\n  {what}")?;
        }
        for row in &self.largest {
            let LargeRow {
                row, bytes, cells, ..
            } = row;
            write!(f, "\nlargest: {row}, {bytes} bytes in {cells} cells")?;
        }
        for one in &self.series {
            write!(f, "\nseries: {}, {:.1} %", one.series, 100.0 * one.share)?;
        }
        Ok(())
    }
}
