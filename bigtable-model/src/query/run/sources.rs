//! The rows that a scan reads: the model's own, or the events of another source as rows of the
//! model.

use std::fmt;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::Bytes;

use super::execute::{QueryEvents, events};
use super::reading::{Reading, Reads};
use crate::backend::Backend;
use crate::data::{Row, RowBatch};
use crate::model::{RowEvents, Schema, Source, written};
use crate::query::{BadRows, Expiry, Order, Plan, SourcePlan};
use crate::{Error, Timestamp};

/// The rows of a scan.
#[derive(Debug)]
pub(in crate::query) enum Rows {
    /// The model's own rows.
    Own(Box<Reads>),
    /// One row for each event of another source, in the order of the plan.
    Other(Converted),
}

/// Events of another source, each converted to a row of the model.
pub(in crate::query) struct Converted {
    events: Box<QueryEvents>,
    row: ToRow,
    table: String,
}

impl Rows {
    /// Ends the scan and cancels reads in flight.
    pub(in crate::query) fn stop(&mut self) {
        match self {
            Self::Own(reads) => reads.stop(),
            Self::Other(other) => *other.events = QueryEvents::nothing(),
        }
    }

    /// The next rows, if `missing` events are still wanted.
    pub(in crate::query) fn poll_batch(
        &mut self,
        missing: Option<u64>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<RowBatch, Error>>> {
        match self {
            Self::Own(reads) => reads.poll_batch(missing, context),
            Self::Other(other) => {
                let row = ready!(other.poll_row(context));
                Poll::Ready(row.map(|row| row.map(RowBatch::from)))
            }
        }
    }

    /// The table of the current row.
    pub(in crate::query) fn table(&self) -> &str {
        match self {
            Self::Own(reads) => &reads.table,
            Self::Other(other) => &other.table,
        }
    }

    /// Whether the error is about a missing table that counts as empty; then the table is recorded.
    #[cold]
    pub(in crate::query) fn is_missing(&self, error: &Error) -> bool {
        match self {
            Self::Own(reads) => reads.is_missing(error),
            Self::Other(_) => false,
        }
    }

    /// Whether rows follow the error, since it is about one event.
    pub(in crate::query) fn goes_on_after(&self, error: &Error) -> bool {
        matches!(self, Self::Other(_))
            && !matches!(error, Error::Backend { .. } | Error::Query { .. })
    }

    /// Reads one row with all cells that the filter lets through. Converted rows already have all
    /// of theirs.
    pub(in crate::query) fn whole(&self, key: Bytes) -> Option<Reading> {
        match self {
            Self::Own(reads) => Some(reads.whole(key)),
            Self::Other(_) => None,
        }
    }
}

impl Converted {
    fn poll_row(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<Row, Error>>> {
        loop {
            let row = |events: &RowEvents, index| self.row.of(events, index);
            match ready!(self.events.poll_next(row, context)) {
                Some(Ok(Some(row))) => return Poll::Ready(Some(Ok(row))),
                Some(Ok(None)) => {}
                Some(Err(error)) => return Poll::Ready(Some(Err(error))),
                None => return Poll::Ready(None),
            }
        }
    }
}

/// The scans of another source: in order of time one for each of the source's scans, in order of
/// keys a single one.
pub(super) fn scans(
    backend: &dyn Backend,
    own: &Schema,
    source: &Arc<dyn Source>,
    SourcePlan { plan, whole, .. }: SourcePlan,
    expiry: Option<&Expiry>,
    bad_rows: &BadRows,
) -> Result<Vec<Rows>, Error> {
    let expiry = expiry.map(|expiry| expiry.time(backend));
    let table = plan.table.clone();
    let plans = match plan.order {
        Order::Time => one_by_one(plan),
        Order::Key | Order::Any => vec![plan],
    };
    let scans = plans.into_iter().map(|plan| {
        let row = ToRow {
            own: own.clone(),
            source: source.clone(),
            whole,
            expiry,
        };
        let events = events(backend, source.schema(), plan, bad_rows)?;
        Ok(Rows::Other(Converted {
            events: Box::new(events),
            row,
            table: table.clone(),
        }))
    });
    scans.collect()
}

fn one_by_one(mut plan: Plan) -> Vec<Plan> {
    let scans = std::mem::take(&mut plan.scans).into_iter();
    let plans = scans.map(|scan| Plan {
        scans: vec![scan],
        ..plan.clone()
    });
    plans.collect()
}

/// Makes rows of the model of another source's events.
struct ToRow {
    own: Schema,
    source: Arc<dyn Source>,
    /// Whether the row has all columns, or shows only that the event exists.
    whole: bool,
    /// The time of the model's rules.
    expiry: Option<Timestamp>,
}

impl ToRow {
    /// The row that the model would have for an event; `None` if one of its rules would have
    /// deleted it.
    fn of(&self, events: &RowEvents, index: usize) -> Result<Option<Row>, Error> {
        let (own, source) = (&self.own, &self.source);
        let event = match self.whole {
            true => source.insertion(own, events, index)?,
            false => source.mark(own, events, index)?,
        };
        Ok(written(own, event, self.expiry))
    }
}

impl fmt::Debug for Converted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Converted")
            .field("table", &self.table)
            .finish_non_exhaustive()
    }
}
