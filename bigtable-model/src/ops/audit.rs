//! A sample of a live table, against its model and Bigtable's advice.

use std::cmp::Reverse;
use std::fmt;
use std::ops::Bound;

use bytes::Bytes;
use futures::TryStreamExt as _;

use crate::Error;
use crate::backend::{Backend, Method};
use crate::data::{ReadRows, Row, RowRange, RowSet, prefix_end};
use crate::error::in_words;
use crate::model::{EventReader, EventTimes, ModelSchema, RowEvents, Schema, TableName};
use crate::send::{at_table, lacks_table, list_tables};

/// How many rows of a table are read, and from how many places.
const ROWS: usize = 1_000;
const PLACES: usize = 20;
/// How many findings are listed, and how many of the largest rows.
const LISTED: usize = 1_000;
const LARGEST: usize = 10;
/// The maximum sizes of a row and of a cell that Bigtable advises.
const MOST_BYTES_OF_A_ROW: u64 = 100_000_000;
const MOST_BYTES_OF_A_CELL: u64 = 10_000_000;

/// The findings in a sample of a model's live tables, from
/// [`BackendExt::audit`](crate::BackendExt::audit). Its `Display` says them in words.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Audit {
    /// The tables that were sampled, in order.
    pub tables: Vec<String>,
    /// The rows that were read.
    pub rows: u64,
    /// The events in them.
    pub events: u64,
    /// How many findings there are of each kind.
    pub counts: AuditCounts,
    /// The first 1,000 of them.
    pub findings: Vec<Finding>,
    /// The ten largest rows, the largest first.
    pub largest: Vec<LargeRow>,
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
    /// Rows over 100 MB.
    pub wide_rows: u64,
    /// Cells over 10 MB.
    pub large_cells: u64,
}

/// A row with a problem.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Finding {
    /// The table's ID.
    pub table: String,
    /// The key's bytes.
    pub key: Bytes,
    /// The problem in words, which name the row.
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

/// Samples the tables of a model.
pub(super) async fn audit<B: Backend + ?Sized>(
    backend: &B,
    schema: &Schema,
) -> Result<Audit, Error> {
    let mut auditor = Auditor {
        schema: schema.clone(),
        // What deleted events leave while they have other sources is no row without an event.
        reader: EventReader::judging(schema),
        events: RowEvents::default(),
        audit: Audit {
            tables: tables(backend, schema).await?,
            ..Audit::default()
        },
    };
    for table in auditor.audit.tables.clone() {
        auditor.table(backend, &table).await?;
    }
    Ok(auditor.audit)
}

/// The model's table, or those of its periods that there are.
async fn tables<B: Backend + ?Sized>(
    backend: &B,
    schema: &ModelSchema,
) -> Result<Vec<String>, Error> {
    Ok(match &schema.table {
        TableName::Fixed(table) => vec![table.to_string()],
        TableName::ByPeriod(periods) => {
            let mut tables = list_tables(backend, schema).await?;
            tables.retain(|table| periods.parse(table).is_some());
            tables.sort_unstable();
            tables
        }
    })
}

struct Auditor {
    schema: Schema,
    reader: EventReader,
    events: RowEvents,
    audit: Audit,
}

impl Auditor {
    /// Reads some rows from each of some places, as far apart as the table can be cut.
    async fn table<B: Backend + ?Sized>(&mut self, db: &B, table: &str) -> Result<(), Error> {
        let may_lack = self.schema.table.by_period().is_some();
        let (first, end) = self.keys();
        let samples = match db.sample_row_keys(table).await {
            Ok(samples) => samples,
            Err(status) if may_lack && lacks_table(&status) => return Ok(()),
            Err(status) => return Err(at_table(table, Method::SampleRowKeys, status)),
        };
        let inside = samples.into_iter().map(|sample| sample.key);
        let inside = inside.filter(|key| *key > first && end.as_ref().is_none_or(|end| key < end));
        let mut cuts: Vec<Bytes> = [first.clone()].into_iter().chain(inside).collect();
        cuts.sort_unstable();
        cuts.dedup();
        let step = cuts.len().div_ceil(PLACES);
        let places: Vec<_> = cuts.into_iter().step_by(step.max(1)).collect();
        let each = ROWS.div_ceil(places.len().max(1));
        let ends = places.iter().skip(1).cloned().map(Some).chain([end]);
        for (from, to) in places.iter().zip(ends) {
            self.place(db, table, from, to, each).await?;
        }
        Ok(())
    }

    /// The first key that the model has, and the first after all of its keys.
    fn keys(&self) -> (Bytes, Option<Bytes>) {
        let key = &self.schema.key;
        let prefix = key.beginning();
        let end = match prefix.is_empty() {
            true => None,
            false => prefix_end(&prefix).map(Bytes::from),
        };
        (prefix.into(), end)
    }

    async fn place<B: Backend + ?Sized>(
        &mut self,
        db: &B,
        table: &str,
        from: &Bytes,
        to: Option<Bytes>,
        most: usize,
    ) -> Result<(), Error> {
        let range = RowRange {
            start: match from.is_empty() {
                true => Bound::Unbounded,
                false => Bound::Included(from.clone()),
            },
            end: to.map_or(Bound::Unbounded, Bound::Excluded),
        };
        let mut rows = db
            .read_rows(ReadRows {
                table: table.to_owned(),
                rows: RowSet::range(range),
                filter: None,
                rows_limit: i64::try_from(most).unwrap_or(i64::MAX),
                ..ReadRows::default()
            })
            .rows();
        let failed = |source| at_table(table, Method::ReadRows, source);
        while let Some(row) = rows.try_next().await.map_err(failed)? {
            self.row(table, row);
        }
        Ok(())
    }

    fn row(&mut self, table: &str, row: Row) {
        self.audit.rows += 1;
        let key = row.key.clone();
        self.sizes(table, &row);
        let judged = self.schema.key.decode(&key).map(drop);
        let judged = judged.map_err(|source| Error::ForeignKey {
            table: table.to_owned(),
            key: key.clone(),
            source,
        });
        let loaded =
            judged.and_then(|()| self.reader.load(row, &EventTimes::All, &mut self.events));
        if let Err(error) = loaded {
            self.audit.counts.foreign_keys += 1;
            self.find(table, &key, in_words(&error.in_table(table)));
            return;
        }
        let found = self.events.events();
        self.audit.events += u64::try_from(found).unwrap_or(u64::MAX);
        let strays = (0..self.events.len()).map(|index| self.events.check_place(index));
        let strays: Vec<Error> = strays.filter_map(Result::err).collect();
        if found == 0 && self.events.is_empty() {
            self.audit.counts.without_presence += 1;
            let (family, qualifier) = self.schema.presence_column().unwrap_or_default();
            let row = self.schema.key.describe(&key);
            let what = format!("{row} has no column {family}:{qualifier}, and so it is no event");
            self.find(table, &key, what);
        }
        for stray in strays {
            self.audit.counts.foreign_cells += 1;
            self.find(table, &key, in_words(&stray.in_table(table)));
        }
    }

    /// Takes note of what the row and its cells weigh.
    fn sizes(&mut self, table: &str, row: &Row) {
        let schema = self.schema.clone();
        let described = || schema.key.describe(&row.key).to_string();
        let of_cells = row.cells.iter().map(|cell| {
            let bytes = cell.family.len() + cell.qualifier.len() + cell.value.len();
            u64::try_from(bytes).unwrap_or(u64::MAX)
        });
        let own = u64::try_from(row.key.len()).unwrap_or(u64::MAX);
        let bytes = of_cells.clone().sum::<u64>().saturating_add(own);
        let large = of_cells
            .filter(|bytes| *bytes > MOST_BYTES_OF_A_CELL)
            .count();
        let smallest = self.audit.largest.last().map(|row| row.bytes);
        if self.audit.largest.len() < LARGEST || smallest < Some(bytes) {
            let cells = u64::try_from(row.cells.len()).unwrap_or(u64::MAX);
            let large = LargeRow {
                table: table.to_owned(),
                row: described(),
                bytes,
                cells,
            };
            self.audit.largest.push(large);
            self.audit.largest.sort_by_key(|row| Reverse(row.bytes));
            self.audit.largest.truncate(LARGEST);
        }
        if large > 0 {
            let what = format!("{} has {large} cells over the advised 10 MB", described());
            self.audit.counts.large_cells += u64::try_from(large).unwrap_or(u64::MAX);
            self.find(table, &row.key, what);
        }
        if bytes > MOST_BYTES_OF_A_ROW {
            let what = format!("{} has {bytes} bytes, over the advised 100 MB", described());
            self.audit.counts.wide_rows += 1;
            self.find(table, &row.key, what);
        }
    }

    fn find(&mut self, table: &str, key: &Bytes, what: String) {
        if self.audit.findings.len() < LISTED {
            self.audit.findings.push(Finding {
                table: table.to_owned(),
                key: key.clone(),
                what,
            });
        }
    }
}

impl Audit {
    /// Whether nothing was found that the model or Bigtable's advice is against.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.counts == AuditCounts::default()
    }
}

impl fmt::Display for Audit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let AuditCounts {
            foreign_keys,
            foreign_cells,
            without_presence,
            wide_rows,
            large_cells,
        } = self.counts;
        writeln!(
            f,
            "{}: {} rows with {} events",
            self.tables.join(", "),
            self.rows,
            self.events
        )?;
        write!(
            f,
            "{foreign_keys} keys that are not the model's, {foreign_cells} times cells that are no \
             event's, {without_presence} rows that are no event, {wide_rows} rows over 100 MB, \
             {large_cells} cells over 10 MB"
        )?;
        for Finding { what, .. } in &self.findings {
            write!(f, "\n  {what}")?;
        }
        for row in &self.largest {
            let LargeRow {
                row, bytes, cells, ..
            } = row;
            write!(f, "\nlargest: {row}, {bytes} bytes in {cells} cells")?;
        }
        Ok(())
    }
}
