//! Rows of a former layout, as they would stand in today's.

use std::fmt;
use std::task::{Context, Poll, ready};

use bytes::Bytes;

use super::execute::{QueryEvents, events};
use super::reading::{Reading, Reads};
use crate::backend::Backend;
use crate::data::{Row, RowBatch};
use crate::model::{Former, RowEvents, Schema, written};
use crate::query::{BadRows, Expiry, FormerPlan, Order, Plan};
use crate::{Error, Timestamp};

/// What a scan reads.
#[derive(Debug)]
pub(in crate::query) enum Rows {
    /// The rows of today's layout.
    Read(Box<Reads>),
    /// One row for each event of the former layout, in the order of the plan.
    Former(FormerRows),
}

/// Events of the former layout, each as the row that today's would have of it.
pub(in crate::query) struct FormerRows {
    events: Box<QueryEvents<Option<Row>>>,
    table: String,
}

impl Rows {
    /// Ends the scan; reads under way are cancelled.
    pub(in crate::query) fn stop(&mut self) {
        match self {
            Self::Read(reads) => reads.stop(),
            Self::Former(former) => *former.events = QueryEvents::nothing(),
        }
    }

    /// The next rows, where `missing` events are still wanted.
    pub(in crate::query) fn poll_batch(
        &mut self,
        missing: Option<u64>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<RowBatch, Error>>> {
        match self {
            Self::Read(reads) => reads.poll_batch(missing, context),
            Self::Former(former) => {
                let row = ready!(former.poll_row(context));
                Poll::Ready(row.map(|row| row.map(RowBatch::from)))
            }
        }
    }

    /// The table of the row at hand.
    pub(in crate::query) fn table(&self) -> &str {
        match self {
            Self::Read(reads) => &reads.table,
            Self::Former(former) => &former.table,
        }
    }

    /// Whether this is the answer of a table that is not there, and that is no error; it is noted.
    #[cold]
    pub(in crate::query) fn is_missing(&self, error: &Error) -> bool {
        match self {
            Self::Read(reads) => reads.is_missing(error),
            Self::Former(_) => false,
        }
    }

    /// Whether rows follow an error: it is of one event.
    pub(in crate::query) fn goes_on_after(&self, error: &Error) -> bool {
        matches!(self, Self::Former(_))
            && !matches!(error, Error::Backend { .. } | Error::Query { .. })
    }

    /// Reads one row with all cells that the filter lets through. Events of a former layout came
    /// with all of theirs.
    pub(in crate::query) fn whole(&self, key: Bytes) -> Option<Reading> {
        match self {
            Self::Read(reads) => Some(reads.whole(key)),
            Self::Former(_) => None,
        }
    }
}

impl FormerRows {
    fn poll_row(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<Row, Error>>> {
        loop {
            match ready!(self.events.poll_next(context)) {
                Some(Ok(Some(row))) => return Poll::Ready(Some(Ok(row))),
                Some(Ok(None)) => {}
                Some(Err(error)) => return Poll::Ready(Some(Err(error))),
                None => return Poll::Ready(None),
            }
        }
    }
}

/// The scans of the former layout: in order of time one for each of its own, in order of keys all
/// of them as one.
pub(super) fn scans(
    backend: &dyn Backend,
    own: &Schema,
    former: Former,
    plan: FormerPlan,
    expiry: Option<&Expiry>,
    bad_rows: &BadRows,
) -> Result<Vec<Rows>, Error> {
    let FormerPlan { plan, whole, .. } = plan;
    let expiry = expiry.map(|expiry| expiry.at.unwrap_or_else(|| backend.expiry_time()));
    let table = plan.table.clone();
    let plans = match plan.order {
        Order::Time => one_by_one(plan),
        Order::Key | Order::Any => vec![plan],
    };
    let scans = plans.into_iter().map(|plan| {
        let own = own.clone();
        let row = move |events: &RowEvents, index| row(&own, former, whole, expiry, events, index);
        let events = events(backend, former.schema, plan, bad_rows, row)?;
        Ok(Rows::Former(FormerRows {
            events: Box::new(events),
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

/// The row that today's layout would have of an event; none where a rule of today's model would
/// have deleted it.
fn row(
    own: &Schema,
    former: Former,
    whole: bool,
    expiry: Option<Timestamp>,
    events: &RowEvents,
    index: usize,
) -> Result<Option<Row>, Error> {
    let event = match whole {
        true => former.insertion(own, events, index)?,
        false => former.mark(own, events, index)?,
    };
    Ok(written(own, event, expiry))
}

impl fmt::Debug for FormerRows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FormerRows")
            .field("table", &self.table)
            .finish_non_exhaustive()
    }
}
