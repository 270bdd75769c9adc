//! Checks live tables against their model and Bigtable's advice.

mod judge;
mod places;
mod report;
mod shares;

use std::fmt;
use std::future::IntoFuture;
use std::ops::Bound;
use std::sync::Arc;

use bytes::Bytes;
use futures::TryStreamExt as _;
use futures::future::BoxFuture;

use self::judge::{Auditor, Weight};
use self::places::{Alphabet, Strata};
use self::report::ROWS_OF_A_PLACE;
pub use self::report::{Audit, AuditCounts, Finding, LargeRow, SeriesShare};
use crate::Error;
use crate::backend::{Backend, Method};
use crate::data::{ReadRows, RowRange, RowSet};
use crate::model::{ModelSchema, RowEvents, Schema};
use crate::send::{at_table, lacks_table, tables_of};

/// How many rows of a large table are read.
const ROWS: usize = 1_000;
/// Tables of at most this many bytes are read as a whole.
const SMALL: u64 = 64_000_000;

/// An audit, which reads when it is awaited; see [`BackendExt::audit`](super::BackendExt::audit).
#[must_use = "nothing is read before it is awaited"]
pub struct AuditJob<'a> {
    backend: Arc<dyn Backend>,
    schema: Schema,
    read: Read,
    rows: usize,
    is_full: bool,
    progress: Box<dyn FnMut(&Audit) + Send + 'a>,
}

/// Reads an event as a query does.
type Read = Box<dyn Fn(&RowEvents, usize) -> Result<(), Error> + Send + Sync>;

impl<'a> AuditJob<'a> {
    /// `read` reads an event of the model.
    pub(crate) fn new(backend: Arc<dyn Backend>, schema: &Schema, read: Read) -> Self {
        Self {
            backend,
            schema: schema.clone(),
            read,
            rows: ROWS,
            is_full: false,
            progress: Box::new(|_| ()),
        }
    }

    /// Reads all rows of the model, however many there are.
    pub fn full(mut self) -> Self {
        self.is_full = true;
        self
    }

    /// About how many rows of a large table are read; 1,000 by default.
    pub fn rows(mut self, rows: usize) -> Self {
        self.rows = rows;
        self
    }

    /// Calls `progress` with what is known so far, after every 1,000 rows.
    pub fn on_progress(mut self, progress: impl FnMut(&Audit) + Send + 'a) -> Self {
        self.progress = Box::new(progress);
        self
    }
}

impl fmt::Debug for AuditJob<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("AuditJob");
        shown.field("rows", &self.rows);
        shown.field("is_full", &self.is_full);
        shown.finish_non_exhaustive()
    }
}

impl<'a> IntoFuture for AuditJob<'a> {
    type Output = Result<Audit, Error>;
    type IntoFuture = BoxFuture<'a, Result<Audit, Error>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move {
            let (schema, now) = (&self.schema, self.backend.expiry_time());
            let mut auditor = Auditor::new(schema, now, &*self.read, self.progress);
            for table in tables_of(&*self.backend, schema).await? {
                let reading = Reading {
                    db: &*self.backend,
                    table: &table,
                    schema,
                };
                auditor.begin(&table);
                let sampled = if self.is_full { None } else { Some(self.rows) };
                if !reading.read(&mut auditor, sampled).await? {
                    auditor.audit.is_whole = false;
                }
                auditor.end_table();
            }
            Ok(auditor.audit)
        })
    }
}

/// The reading of one table.
struct Reading<'a> {
    db: &'a dyn Backend,
    table: &'a str,
    schema: &'a ModelSchema,
}

impl Reading<'_> {
    /// Reads all rows, or a sample of about so many if the table is large; `false` if it was a
    /// sample.
    async fn read(&self, auditor: &mut Auditor<'_>, sample: Option<usize>) -> Result<bool, Error> {
        let may_lack = self.schema.table.by_period().is_some();
        let range = self.schema.rows();
        let samples = match self.db.sample_row_keys(self.table).await {
            Ok(samples) => samples,
            Err(status) if may_lack && lacks_table(&status) => return Ok(true),
            Err(status) => return Err(at_table(self.table, Method::SampleRowKeys, status)),
        };
        let strata = Strata::of(&samples, &range);
        let most = sample.map(|_| 2 * SMALL);
        if sample.is_none() || strata.bytes() <= SMALL {
            // Some servers do not say how large a table is.
            let last = self.whole(auditor, &range, most).await?;
            let Some(last) = last else {
                return Ok(true);
            };
            let rest = RowRange {
                start: Bound::Excluded(last),
                ..range
            };
            self.sample(auditor, Strata::of(&samples, &rest), sample.unwrap_or(ROWS))
                .await?;
            return Ok(false);
        }
        self.sample(auditor, strata, sample.unwrap_or(ROWS)).await?;
        Ok(false)
    }

    /// Reads the rows of a range. It stops after `most` bytes, and then returns the last key.
    async fn whole(
        &self,
        auditor: &mut Auditor<'_>,
        range: &RowRange,
        most: Option<u64>,
    ) -> Result<Option<Bytes>, Error> {
        let mut rows = self.rows(range.clone(), 0, false);
        let mut bytes = 0;
        while let Some(row) = rows
            .try_next()
            .await
            .map_err(|status| self.failed(status))?
        {
            let key = row.key.clone();
            bytes += auditor.row(row, Weight::Bytes);
            if most.is_some_and(|most| bytes > most) {
                return Ok(Some(key));
            }
        }
        Ok(None)
    }

    /// Reads a few rows at each of many random places; the more bytes a part has, the more places.
    async fn sample(
        &self,
        auditor: &mut Auditor<'_>,
        strata: Strata,
        rows: usize,
    ) -> Result<(), Error> {
        let range = strata.range().clone();
        let mut alphabet = Alphabet::default();
        strata.edges().for_each(|key| alphabet.learn(key));
        let first = self.one(range.clone(), false).await?;
        // Not every server reads backwards; then only the edges show which bytes keys have.
        let last = self.one(range.clone(), true).await.unwrap_or_default();
        first
            .iter()
            .chain(&last)
            .for_each(|key| alphabet.learn(key));
        let (Some(first), last) = (first, last) else {
            return Ok(());
        };
        let mut random = fastrand::Rng::with_seed(0);
        for _ in 0..rows.div_ceil(ROWS_OF_A_PLACE) {
            let (low, high) = strata.draw(&mut random, &first, last.as_ref());
            let from = RowRange {
                start: Bound::Included(alphabet.random(&mut random, low, high).into()),
                end: range.end.clone(),
            };
            let mut found = self.rows(from, ROWS_OF_A_PLACE, false);
            while let Some(row) = found
                .try_next()
                .await
                .map_err(|status| self.failed(status))?
            {
                alphabet.learn(&row.key);
                auditor.row(row, Weight::Place);
            }
        }
        Ok(())
    }

    /// The first or the last key of a range.
    async fn one(&self, range: RowRange, is_last: bool) -> Result<Option<Bytes>, Error> {
        let mut rows = self.rows(range, 1, is_last);
        let row = rows
            .try_next()
            .await
            .map_err(|status| self.failed(status))?;
        Ok(row.map(|row| row.key))
    }

    fn rows(&self, range: RowRange, most: usize, reversed: bool) -> crate::backend::Rows {
        let request = ReadRows {
            table: self.table.to_owned(),
            rows: RowSet::range(range),
            rows_limit: i64::try_from(most).unwrap_or(i64::MAX),
            reversed,
            ..ReadRows::default()
        };
        self.db.read_rows(request).rows()
    }

    fn failed(&self, status: crate::backend::Status) -> Error {
        at_table(self.table, Method::ReadRows, status)
    }
}
