//! One scan of a plan while it runs.

use std::fmt;
use std::ops::Bound;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use futures::{Stream, StreamExt};

use crate::Error;
use crate::backend::{Backend, RowStream};
use crate::data::{ReadRows, Row, RowRange, RowSet};

/// Tells whether a row holds an event.
pub(super) type IsEvent = Arc<dyn Fn(&Row) -> bool + Send + Sync>;

/// The rows of one scan that hold events, up to a limit.
///
/// The server counts rows, the query counts events: where rows without one used up a limit, the scan goes on behind
/// the last row. Each further read asks for at least twice as many rows as the one before, so that a long run of such
/// rows takes few reads.
pub(super) struct ScanRows {
    backend: Arc<dyn Backend>,
    /// What is to be read next; none when nothing is left.
    request: Option<ReadRows>,
    /// The read under way.
    reading: Option<Reading>,
    is_event: IsEvent,
    /// How many events are still wanted.
    missing: Option<u64>,
}

/// One read under way.
struct Reading {
    rows: RowStream,
    /// The request without rows that were delivered, once they are taken off.
    request: ReadRows,
    delivered: i64,
    last: Option<Bytes>,
}

impl ScanRows {
    pub(super) fn new(
        backend: Arc<dyn Backend>,
        mut request: ReadRows,
        is_event: IsEvent,
        limit: Option<u64>,
    ) -> Self {
        request.rows_limit = limit.map_or(0, rows_limit);
        Self {
            backend,
            request: (limit != Some(0)).then_some(request),
            reading: None,
            is_event,
            missing: limit,
        }
    }

    /// Ends the scan; a read under way is cancelled.
    fn stop(&mut self) {
        self.request = None;
        self.reading = None;
    }

    /// Takes a row in; whether it is one of the results.
    fn take(&mut self, row: &Row) -> bool {
        if let Some(reading) = &mut self.reading {
            reading.delivered = reading.delivered.saturating_add(1);
            if reading.request.rows_limit > 0 {
                reading.last = Some(row.key.clone());
            }
        }
        if !(self.is_event)(row) {
            return false;
        }
        if let Some(missing) = &mut self.missing {
            *missing = missing.saturating_sub(1);
            if *missing == 0 {
                self.stop();
            }
        }
        true
    }
}

impl Stream for ScanRows {
    type Item = Result<Row, Error>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let scan = self.get_mut();
        loop {
            let reading = match &mut scan.reading {
                Some(reading) => reading,
                None => match scan.request.take() {
                    None => return Poll::Ready(None),
                    Some(request) => scan.reading.insert(Reading::start(&*scan.backend, request)),
                },
            };
            match ready!(reading.rows.poll_next_unpin(context)) {
                Some(Ok(row)) => {
                    if scan.take(&row) {
                        return Poll::Ready(Some(Ok(row)));
                    }
                }
                Some(Err(source)) => {
                    let table = std::mem::take(&mut reading.request.table);
                    scan.stop();
                    return Poll::Ready(Some(Err(Error::Backend {
                        table,
                        method: "ReadRows",
                        key: None,
                        source,
                    })));
                }
                None => {
                    let ended = scan.reading.take();
                    scan.request = ended.and_then(|ended| ended.rest(scan.missing));
                }
            }
        }
    }
}

impl Reading {
    fn start(backend: &dyn Backend, request: ReadRows) -> Self {
        Self {
            rows: backend.read_rows(request.clone()),
            request,
            delivered: 0,
            last: None,
        }
    }

    /// The read that goes on where this one ended, if its limit ended it.
    fn rest(self, missing: Option<u64>) -> Option<ReadRows> {
        let limit = self.request.rows_limit;
        if limit == 0 || self.delivered < limit {
            return None;
        }
        let rows = behind(&self.request.rows, &self.last?, self.request.reversed)?;
        Some(ReadRows {
            rows,
            rows_limit: rows_limit(missing?).max(limit.saturating_mul(2)),
            ..self.request
        })
    }
}

/// A limit as requests have it, where 0 is none.
fn rows_limit(limit: u64) -> i64 {
    i64::try_from(limit).unwrap_or(i64::MAX)
}

/// The rows of a set behind `last` in the order of the read; none when there are none.
fn behind(rows: &RowSet, last: &Bytes, reversed: bool) -> Option<RowSet> {
    // Nothing is before it, and a range that ended there would have no end.
    if reversed && last.is_empty() {
        return None;
    }
    let open = match reversed {
        true => RowRange {
            start: Bound::Unbounded,
            end: Bound::Excluded(last.clone()),
        },
        false => RowRange {
            start: Bound::Excluded(last.clone()),
            end: Bound::Unbounded,
        },
    };
    if rows.is_all() {
        return Some(RowSet::range(open));
    }
    let keys = rows.keys.iter().filter(|key| open.contains(key)).cloned();
    let ranges = rows.ranges.iter().cloned().map(RowRange::normal);
    let ranges = ranges.map(|range| match reversed {
        true => RowRange {
            end: earlier(&range.end, &open.end),
            start: range.start,
        },
        false => RowRange {
            start: later(&range.start, &open.start),
            end: range.end,
        },
    });
    let rest = RowSet {
        keys: keys.collect(),
        ranges: ranges.filter(|range| !range.is_empty()).collect(),
    };
    (!rest.is_all()).then_some(rest)
}

/// The start that leaves out more; `cut` is excluded.
fn later(start: &Bound<Bytes>, cut: &Bound<Bytes>) -> Bound<Bytes> {
    match (start, cut) {
        (Bound::Included(start) | Bound::Excluded(start), Bound::Excluded(key)) if start <= key => {
            cut.clone()
        }
        (Bound::Unbounded, _) => cut.clone(),
        _ => start.clone(),
    }
}

/// The end that leaves out more; `cut` is excluded.
fn earlier(end: &Bound<Bytes>, cut: &Bound<Bytes>) -> Bound<Bytes> {
    match (end, cut) {
        (Bound::Included(end) | Bound::Excluded(end), Bound::Excluded(key)) if end >= key => {
            cut.clone()
        }
        (Bound::Unbounded, _) => cut.clone(),
        _ => end.clone(),
    }
}

impl fmt::Debug for ScanRows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ScanRows")
            .field("request", &self.request)
            .field(
                "reading",
                &self.reading.as_ref().map(|reading| &reading.request),
            )
            .field("missing", &self.missing)
            .finish_non_exhaustive()
    }
}
