//! Execution of plans.

use std::ops::Range;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use futures::{FutureExt as _, TryFutureExt as _};

use super::check::KeyCheck;
use super::keys_first::KeysFirst;
use super::merge::Merge;
use super::reading::Reads;
use super::scan::{Reader, ScanEvents};
use super::seek::Seeking;
use super::sources::{self, Rows};
use super::start::Missing;
use crate::Error;
use crate::backend::Backend;
use crate::data::RowFilter;
use crate::error::MAX_KEYS_FIRST;
use crate::model::{EventReader, Holds, RowEvents, Schema};
use crate::query::{BadRows, ByServer, EventTimes, Expiry, Order, Plan};

/// Runs a plan: its events, in the plan's order, up to its limit. [`QueryEvents::next`] makes each
/// of them; events that it refuses do not count towards the limit.
///
/// Nothing is sent before the first poll; then the scans run in parallel. At most one batch of rows
/// of each scan is held. Reads in flight are cancelled at the limit, after an error of the backend
/// and when this is dropped. If a row is one event, every scan sends the limit to the server.
///
/// # Errors
/// [`Error::Query`] for a plan with other segments than the schema.
pub(crate) fn events(
    backend: &dyn Backend,
    schema: &Schema,
    plan: Plan,
    bad_rows: &BadRows,
) -> Result<QueryEvents, Error> {
    let reader = EventReader::judging(schema).of_values();
    run(backend, schema, plan, bad_rows, reader)
}

/// The same for callers that also read the cells of the events.
///
/// # Errors
/// Those of [`events`].
pub(crate) fn events_in_cells(
    backend: &dyn Backend,
    schema: &Schema,
    plan: Plan,
    bad_rows: &BadRows,
) -> Result<QueryEvents, Error> {
    let reader = EventReader::judging(schema);
    run(backend, schema, plan, bad_rows, reader)
}

fn run(
    backend: &dyn Backend,
    schema: &Schema,
    plan: Plan,
    bad_rows: &BadRows,
    found: EventReader,
) -> Result<QueryEvents, Error> {
    // If some of a row's events are left out, the newest of the others may lie outside its newest
    // cells.
    let newest = match schema.holds() {
        Holds::Newest => plan.newest,
        _ => plan.newest.filter(|_| !bad_rows.are_skipped()),
    };
    // If the rules keep no more versions than requested, rows come whole.
    let kept = plan.expiry.as_ref().and_then(|_| schema.versions_kept());
    let newest = newest.filter(|newest| kept.is_none_or(|kept| u64::from(*newest) < kept));
    // In layout `latest` the rows do not show the times.
    let exact = schema.holds() == Holds::One || plan.times == EventTimes::All;
    let condition = plan.condition.as_ref();
    let exact = exact && condition.is_none_or(|one| one.by_server == ByServer::Events);
    let united = schema.is_united();
    let limited = schema.has_one_event_a_row() && exact && plan.segments.is_empty() && !united;
    let check = KeyCheck::new(schema, &plan.segments)?;
    let backend = backend.handle();
    let unexpired = |filter| Expiry::before(plan.expiry.as_ref(), schema, &*backend, filter);
    let whole = unexpired(plan.filter)?;
    let keys_first = match plan.keys_first {
        true => Some(KeysFirst {
            backend: backend.clone(),
            schema: schema.clone(),
            filter: unexpired(None)?,
            times: plan.times.clone(),
            reversed: plan.reversed,
            most: MAX_KEYS_FIRST,
        }),
        false => None,
    };
    let condition = plan.condition.map(|one| one.test);
    let expiry = Expiry::at(plan.expiry.as_ref(), schema, &*backend);
    let found = found.without_expired(expiry).of_columns(plan.packed);
    let found = Arc::new(found);
    let reader = |check| Reader {
        schema: schema.clone(),
        events: found.clone(),
        times: plan.times.clone(),
        condition: condition.clone(),
        check,
        after: plan.after.clone(),
        order: plan.order,
        descending: plan.descending,
        newest,
        bad_rows: bad_rows.clone(),
        united,
    };
    let mut others = Vec::new();
    for (source, asked) in schema.sources().zip(plan.sources) {
        let check = KeyCheck::new(schema, &asked.segments)?;
        let expiry = plan.expiry.as_ref();
        let rows = sources::scans(&*backend, schema, &source, asked, expiry, bad_rows)?;
        others.push((Arc::new(reader(check)), rows));
    }
    let reader = Arc::new(reader(check));
    // In order of time each scan reads the event at the position itself again.
    let skipped = u64::from(reader.after.is_some() && reader.order == Order::Time);
    let filter = with_newest(whole.as_ref(), newest);
    let full_scan = plan.full_scan;
    let missing = Missing::of(schema);
    let (seeks, segments) = (plan.seeks, plan.segments);
    let scans = plan.scans.into_iter().map(|scan| {
        let mut parts = scan.parts;
        parts.retain(|part| full_scan || !part.is_all());
        let (parts, ahead) = match keys_first.clone() {
            Some(keys_first) => {
                let ordered = keys_first.in_order(parts);
                (
                    Vec::new(),
                    Some(ordered.map_ok(|parts| (parts, None)).boxed()),
                )
            }
            None if seeks == 0 => (parts, None),
            None => {
                let seeking = Seeking {
                    backend: backend.clone(),
                    schema: schema.clone(),
                    segments: segments.clone(),
                    parts: parts.into(),
                    reversed: plan.reversed,
                    left: seeks,
                    missing: missing.clone(),
                };
                (Vec::new(), Some(seeking.next().boxed()))
            }
        };
        let reads = Reads {
            backend: backend.clone(),
            table: String::new(),
            filter: filter.clone(),
            whole: whole.clone(),
            reversed: plan.reversed,
            limited,
            skipped,
            parts: parts.into_iter(),
            ahead,
            rest: None,
            reading: None,
            missing: missing.clone(),
        };
        ScanEvents::new(reader.clone(), Rows::Own(Box::new(reads)), plan.limit)
    });
    let mut scans: Vec<ScanEvents> = scans.collect();
    let mut sources = vec![0; scans.len()];
    for ((reader, rows), source) in others.into_iter().zip(1..) {
        sources.resize(sources.len() + rows.len(), source);
        let scan = |rows| ScanEvents::new(reader.clone(), rows, None);
        scans.extend(rows.into_iter().map(scan));
    }
    let running = match scans.len() {
        0 => Running::Nothing,
        _ if united => {
            let merge = Merge::new(plan.order, plan.descending, plan.limit, scans);
            Running::Several(Box::new(merge.of_union(sources)))
        }
        1 => scans
            .pop()
            .map_or(Running::Nothing, |scan| Running::One(Box::new(scan))),
        _ => {
            let merge = Merge::new(plan.order, plan.descending, plan.limit, scans);
            Running::Several(Box::new(merge))
        }
    };
    Ok(QueryEvents {
        running,
        refused: false,
        missing,
    })
}

/// The events of a plan for callers of [`QueryEvents::advance`].
pub(crate) fn found_events(
    backend: &dyn Backend,
    schema: &Schema,
    plan: Plan,
) -> Result<QueryEvents, Error> {
    events_in_cells(backend, schema, plan, &BadRows::fail())
}

/// The filter, followed by a limit on the cells of each column.
fn with_newest(filter: Option<&RowFilter>, newest: Option<u32>) -> Option<RowFilter> {
    let cells = newest.and_then(|newest| i32::try_from(newest).ok());
    let newest = cells.map(RowFilter::CellsPerColumnLimit);
    match (filter, newest) {
        (Some(RowFilter::Chain(chain)), Some(newest)) => {
            RowFilter::chain(chain.iter().cloned().chain([newest]))
        }
        (filter, newest) => RowFilter::chain(filter.cloned().into_iter().chain(newest)),
    }
}

/// The events of a running plan; it borrows nothing. See [`events`].
///
/// It does not know what is made of an event, so it is compiled once for all models: each step
/// takes what reads the next one.
#[derive(Debug)]
pub(crate) struct QueryEvents {
    running: Running,
    /// Whether the current event was refused when it was read.
    refused: bool,
    missing: Option<Arc<Missing>>,
}

#[derive(Debug)]
enum Running {
    /// No row can match.
    Nothing,
    /// One scan, which is already in order.
    One(Box<ScanEvents>),
    /// Scans that are merged.
    Several(Box<Merge>),
}

impl QueryEvents {
    /// The events of a plan with nothing left to read.
    pub(in crate::query) fn nothing() -> Self {
        Self {
            running: Running::Nothing,
            refused: false,
            missing: None,
        }
    }

    /// Moves to the next event that `read` makes something of, and returns that; `None` at the end.
    /// An error of the backend is the last item, other errors are about one row.
    pub(crate) fn poll_next<E>(
        &mut self,
        read: impl Fn(&RowEvents, usize) -> Result<E, Error>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<E, Error>>> {
        self.refused = false;
        loop {
            match ready!(self.poll_found(context)) {
                Some(Ok(())) => {}
                Some(Err(error)) => return Poll::Ready(Some(Err(error))),
                None => return Poll::Ready(None),
            }
            let Some((row, index)) = self.current() else {
                return Poll::Ready(None);
            };
            match read(row, index) {
                Ok(event) => {
                    self.count();
                    return Poll::Ready(Some(Ok(event)));
                }
                Err(error) => {
                    if let Err(error) = self.judge(error) {
                        self.refused = true;
                        return Poll::Ready(Some(Err(error)));
                    }
                }
            }
        }
    }

    /// Moves to the next event that is to be read.
    fn poll_found(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<(), Error>>> {
        match &mut self.running {
            Running::Nothing => Poll::Ready(None),
            Running::One(scan) => scan.poll_next(context),
            Running::Several(merge) => merge.poll_next(context),
        }
    }

    /// Counts the current event, which is a result.
    #[inline]
    fn count(&mut self) {
        match &mut self.running {
            Running::Nothing => {}
            Running::One(scan) => scan.count(1),
            Running::Several(merge) => merge.count(),
        }
    }

    /// Leaves out the current event, which is bad, or returns its error.
    #[cold]
    fn judge(&self, error: Error) -> Result<(), Error> {
        match &self.running {
            Running::Nothing => Err(error),
            Running::One(scan) => scan.judge(error),
            Running::Several(merge) => merge.judge(error),
        }
    }

    /// Takes up to `most` events that follow the current one in its row, or all of a row of blocks,
    /// if `add` takes all of them. If scans are merged there is no such run.
    pub(crate) fn take_run(
        &mut self,
        most: usize,
        add: impl FnOnce(&RowEvents, Range<usize>) -> bool,
    ) {
        if let Running::One(scan) = &mut self.running {
            scan.take_run(most, add);
        }
    }

    /// Awaits [`poll_next`](QueryEvents::poll_next).
    pub(crate) async fn next<E>(
        &mut self,
        read: impl Fn(&RowEvents, usize) -> Result<E, Error>,
    ) -> Option<Result<E, Error>> {
        std::future::poll_fn(|context| self.poll_next(&read, context)).await
    }

    /// Moves to the next event, which [`current`](QueryEvents::current) returns undecoded: only its
    /// existence is checked.
    pub(crate) async fn advance(&mut self) -> Option<Result<(), Error>> {
        self.next(RowEvents::check_place).await
    }

    /// The row of the current event, and its index in the row.
    pub(crate) fn current(&self) -> Option<(&RowEvents, usize)> {
        match &self.running {
            Running::Nothing => None,
            Running::One(scan) => Some(scan.current()),
            Running::Several(merge) => merge.current(),
        }
    }

    /// The row and the index of the event whose error was returned last; `None` if the error is
    /// about a whole row.
    pub(in crate::query) fn refused(&self) -> Option<(&RowEvents, usize)> {
        self.current().filter(|_| self.refused)
    }

    /// The tables found missing so far, if tables are by period.
    pub(crate) fn missing_tables(&self) -> Vec<String> {
        let missing = self.missing.as_ref();
        missing.map_or_else(Vec::new, |missing| missing.tables())
    }
}
