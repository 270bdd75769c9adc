//! Runs plans.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use futures::{Stream, StreamExt};

use super::merge::Merge;
use super::scan::{IsEvent, ScanRows};
use super::{Order, Plan};
use crate::Error;
use crate::backend::Backend;
use crate::data::{ReadRows, Row};
use crate::model::ModelSchema;

/// Runs a plan: its rows that hold events, in the plan's order, up to its limit.
///
/// Nothing is sent before the stream is polled; then the scans run side by side. One row of each scan is held at most.
/// At the limit, after an error and when the stream is dropped, the reads under way are cancelled. A limit goes to the
/// server with every scan; rows for which `is_event` is false do not count.
///
/// The stream yields one error at most and ends with it: [`Error::Backend`] from a read, [`Error::ForeignKey`] for a
/// row whose time can't be read (only where scans are merged).
pub fn rows(
    backend: &dyn Backend,
    schema: &ModelSchema,
    plan: Plan,
    is_event: impl Fn(&Row) -> bool + Send + Sync + 'static,
) -> QueryRows {
    let is_event: IsEvent = Arc::new(is_event);
    let backend = backend.handle();
    let mut scans: Vec<ScanRows> = plan
        .scans
        .into_iter()
        .filter_map(|scan| scan.parts.into_iter().next())
        .filter(|rows| plan.full_scan || !rows.is_all())
        .map(|rows| {
            let request = ReadRows {
                table: plan.table.clone(),
                rows,
                filter: plan.filter.clone(),
                rows_limit: 0,
                reversed: plan.reversed,
            };
            ScanRows::new(backend.clone(), request, is_event.clone(), plan.limit)
        })
        .collect();
    QueryRows(match (plan.order, scans.len()) {
        (_, 0) => Running::Nothing,
        (_, 1) => scans
            .pop()
            .map_or(Running::Nothing, |scan| Running::One(Box::new(scan))),
        (order, _) => Running::Several(Box::new(Merge::new(
            plan.table,
            (order == Order::Time).then(|| schema.key.clone()),
            plan.descending,
            plan.limit,
            scans,
        ))),
    })
}

/// The rows of a plan under way: a stream that borrows nothing. See [`rows`].
#[derive(Debug)]
#[must_use = "nothing is sent before the stream is polled"]
pub struct QueryRows(Running);

#[derive(Debug)]
enum Running {
    /// No row can match.
    Nothing,
    /// One scan is in order as it comes.
    One(Box<ScanRows>),
    /// Scans that are merged.
    Several(Box<Merge>),
}

impl Stream for QueryRows {
    type Item = Result<Row, Error>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        match &mut self.get_mut().0 {
            Running::Nothing => Poll::Ready(None),
            Running::One(scan) => scan.poll_next_unpin(context),
            Running::Several(merge) => merge.poll_next_unpin(context),
        }
    }
}
