//! The reads of one scan, one after another.

use std::fmt;
use std::ops::Bound;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use futures::future::BoxFuture;
use futures::{FutureExt as _, StreamExt};

use super::seek::Sought;
use super::start::Missing;
use crate::Error;
use crate::backend::{Backend, Method, RowBatches, Status};
use crate::data::{ReadRows, RowBatch, RowFilter, RowSet};
use crate::query::Part;
use crate::query::plan::gather::rows_from;
use crate::send::at_table;

/// The rows of one scan, part by part.
///
/// The server counts rows, but the query counts events: if rows without an event use up a limit,
/// the scan continues after the last row. Each further read asks for at least twice as many rows as
/// the previous one, so a long run of such rows takes few reads.
pub(in crate::query) struct Reads {
    pub(in crate::query) backend: Arc<dyn Backend>,
    /// The table of the current part.
    pub(in crate::query) table: String,
    pub(in crate::query) filter: Option<RowFilter>,
    /// The filter of a row that is read again.
    pub(in crate::query) whole: Option<RowFilter>,
    pub(in crate::query) reversed: bool,
    /// Whether a row is one event, so that a limit is sent to the server.
    pub(in crate::query) limited: bool,
    /// How many of the scan's first events are to be skipped.
    pub(in crate::query) skipped: u64,
    pub(in crate::query) parts: std::vec::IntoIter<Part>,
    /// The task that makes the next parts, if the keys of their rows are read first.
    pub(in crate::query) ahead: Option<BoxFuture<'static, Result<Sought, Error>>>,
    /// The rest of the current part.
    pub(in crate::query) rest: Option<ReadRows>,
    pub(in crate::query) reading: Option<Reading>,
    /// Where missing tables are recorded, if they are not an error.
    pub(in crate::query) missing: Option<Arc<Missing>>,
}

/// One read in flight.
pub(in crate::query) struct Reading {
    batches: RowBatches,
    /// The request, from which delivered rows are removed when needed.
    request: ReadRows,
    delivered: i64,
    last: Option<Bytes>,
}

impl Reads {
    /// Ends the scan and cancels a read in flight.
    pub(in crate::query) fn stop(&mut self) {
        self.parts = Vec::new().into_iter();
        self.ahead = None;
        self.rest = None;
        self.reading = None;
    }

    /// The next rows, if `missing` events are still wanted.
    pub(in crate::query) fn poll_batch(
        &mut self,
        missing: Option<u64>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<RowBatch, Error>>> {
        loop {
            if self.reading.is_none() {
                let next = self.rest.take().or_else(|| self.next_part(missing));
                match (next, &mut self.ahead) {
                    (Some(request), _) => {
                        self.reading = Some(Reading::start(&*self.backend, request));
                    }
                    (None, Some(ahead)) => {
                        let sought = ready!(ahead.as_mut().poll(context));
                        self.ahead = None;
                        match sought {
                            Ok((parts, rest)) => {
                                self.parts = parts.into_iter();
                                self.ahead = rest.map(|rest| rest.next().boxed());
                            }
                            Err(error) => return Poll::Ready(Some(Err(error))),
                        }
                        continue;
                    }
                    (None, None) => return Poll::Ready(None),
                }
            }
            if let Some(reading) = &mut self.reading
                && let Some(batch) = ready!(reading.poll_batch(context))
            {
                match batch {
                    Err(error) if self.is_missing(&error) => {
                        self.reading = None;
                        continue;
                    }
                    batch => return Poll::Ready(Some(batch)),
                }
            }
            let ended = self.reading.take();
            self.rest = ended.and_then(|ended| ended.rest(missing));
        }
    }

    fn next_part(&mut self, missing: Option<u64>) -> Option<ReadRows> {
        let part = self.parts.next()?;
        self.table = part.table;
        let missing = missing.map(|missing| missing.saturating_add(self.skipped));
        Some(ReadRows {
            table: self.table.clone(),
            rows: part.rows,
            filter: self.filter.clone(),
            rows_limit: missing.filter(|_| self.limited).map_or(0, rows_limit),
            reversed: self.reversed,
        })
    }

    /// Whether the error is about a missing table that counts as empty; then the table is recorded.
    #[cold]
    pub(in crate::query) fn is_missing(&self, error: &Error) -> bool {
        match (&self.missing, error) {
            (Some(missing), Error::Backend { source, .. }) => missing.note(&self.table, source),
            _ => false,
        }
    }

    /// Reads one row with all cells that the filter lets through.
    pub(in crate::query) fn whole(&self, key: Bytes) -> Reading {
        let request = ReadRows {
            table: self.table.clone(),
            rows: RowSet::key(key),
            filter: self.whole.clone(),
            rows_limit: 1,
            reversed: self.reversed,
        };
        Reading::start(&*self.backend, request)
    }
}

impl Reading {
    fn start(backend: &dyn Backend, request: ReadRows) -> Self {
        Self {
            batches: backend.read_rows(request.clone()),
            request,
            delivered: 0,
            last: None,
        }
    }

    /// The next rows of this read.
    pub(in crate::query) fn poll_batch(
        &mut self,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<RowBatch, Error>>> {
        let next = ready!(self.batches.poll_next_unpin(context));
        Poll::Ready(next.map(|next| self.took(next)))
    }

    /// Records the rows of a batch.
    fn took(&mut self, batch: Result<RowBatch, Status>) -> Result<RowBatch, Error> {
        match batch {
            Ok(batch) => {
                let rows = i64::try_from(batch.len()).unwrap_or(i64::MAX);
                self.delivered = self.delivered.saturating_add(rows);
                if self.request.rows_limit > 0
                    && let Some(last) = batch.rows().next_back()
                {
                    self.last = Some(last.shared_key());
                }
                Ok(batch)
            }
            Err(source) => Err(at_table(&self.request.table, Method::ReadRows, source)),
        }
    }

    /// The read that continues after this one, if its limit ended it.
    fn rest(self, missing: Option<u64>) -> Option<ReadRows> {
        let limit = self.request.rows_limit;
        if limit == 0 || self.delivered < limit {
            return None;
        }
        let rows = rows_from(
            &self.request.rows,
            Bound::Excluded(self.last?),
            self.request.reversed,
        )?;
        Some(ReadRows {
            rows,
            rows_limit: rows_limit(missing?).max(limit.saturating_mul(2)),
            ..self.request
        })
    }
}

/// A limit for requests, where 0 is no limit.
fn rows_limit(limit: u64) -> i64 {
    i64::try_from(limit).unwrap_or(i64::MAX)
}

impl fmt::Debug for Reads {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reads")
            .field("parts", &self.parts.as_slice())
            .field("rest", &self.rest)
            .field(
                "reading",
                &self.reading.as_ref().map(|reading| &reading.request),
            )
            .finish_non_exhaustive()
    }
}
