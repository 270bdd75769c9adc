//! Corrects copies from their events.

use std::collections::HashMap;

use futures::StreamExt as _;
use futures::future::{BoxFuture, join_all};

use super::TableRepair;
use super::lookup::{Found, Sought, find, next_batch};
use super::remove::deletion;
use super::report::{RepairReport, count};
use super::{Mirror, MirrorOf};
use crate::backend::Backend;
use crate::data::{Mutation, RowMutations};
use crate::model::{EventRow, Holds, Model, ModelKey as _, ModelSchema, insert_mutations};
use crate::model::{Newest, Rank};
use crate::query::{BadRows, EventStream, Order, Query, QueryState, Selection};
use crate::send::limits::REQUESTS_IN_FLIGHT;
use crate::send::write_rows;
use crate::{Error, Timestamp};

impl<M: Model, S: QueryState<M>> Query<M, S, M> {
    pub(crate) async fn repair(&self, backend: &dyn Backend) -> Result<RepairReport, Error> {
        const {
            assert!(
                !M::MIRRORS.is_empty(),
                "there is nothing to repair: the model has no `mirror(...)`"
            );
        }
        let tables = M::MIRRORS.iter().map(Mirror::schema);
        let mut report = RepairReport {
            tables: tables.map(TableRepair::new).collect(),
            ..RepairReport::default()
        };
        let mut newest: Vec<_> = M::MIRRORS.iter().map(|_| Newest::default()).collect();
        let selection = newest_first::<M>(self.selection());
        let events: EventStream<M, S::Order> =
            EventStream::of(backend, &selection, &BadRows::fail());
        let mut events = events.fuse();
        loop {
            let batch = next_batch(&mut events, |error| report.unreadable(error)).await?;
            if batch.is_empty() {
                return Ok(report);
            }
            compare(backend, &batch, &mut newest, &mut report).await;
        }
    }
}

/// The selection with the newest events of a series first, if that changes only their order and
/// they may share a copy: then a wrong copy is written once, and a right one never.
fn newest_first<M: Model>(selection: Selection) -> Selection {
    let mut tables = M::MIRRORS.iter().map(Mirror::schema);
    let one_of_many = tables.any(|one| one.holds_the_newest() || one.key.time_segment().is_none());
    let time = M::SCHEMA.key.time_segment();
    let Some((_, time)) = time.filter(|_| one_of_many && selection.limit.is_none()) else {
        return selection;
    };
    Selection {
        descending: match selection.order {
            Order::Time => true,
            Order::Key => !time.format.is_reversed(),
            Order::Any => selection.descending,
        },
        ..selection
    }
}

/// Compares events with their copies in all tables at once.
async fn compare<M: Model>(
    backend: &dyn Backend,
    events: &[M],
    newest: &mut [Newest],
    report: &mut RepairReport,
) {
    report.events += count(events.len());
    let mirrors = M::MIRRORS.iter().zip(newest);
    let repairs = mirrors.map(|(mirror, newest)| (mirror.repair)(backend, events, newest));
    let repairs = join_all(repairs).await;
    for (table, repair) in report.tables.iter_mut().zip(repairs) {
        table.add(repair);
    }
}

/// The copy that should be stored.
struct Wanted {
    sought: Sought,
    row: RowMutations,
    /// The rank of its event.
    event: Rank,
    /// Whether it has its event's time, so that no event at another time shares it.
    is_timed: bool,
}

impl Wanted {
    fn new<S: Model, C: MirrorOf<S>>(event: &S, copy: &C, now: Timestamp) -> Result<Self, Error> {
        let event = Rank::of(event, now)?;
        Ok(Self {
            sought: Sought::new::<C>(&copy.key())?,
            row: insert_mutations(copy, now)?,
            is_timed: C::SCHEMA.stored_time(copy.time()) == event.time,
            event,
        })
    }

    /// Among copies with the same key and time, the last in this order is kept.
    fn order(&self) -> (Option<Timestamp>, &Rank) {
        (self.sought.time, &self.event)
    }
}

/// Corrects the copies of some events in one table.
pub(super) fn batch<'a, S: Model, C: MirrorOf<S>>(
    backend: &'a dyn Backend,
    events: &'a [S],
    newest: &'a mut Newest,
) -> BoxFuture<'a, TableRepair> {
    Box::pin(async move {
        // Both sides of the comparison use the same time.
        let now = Timestamp::now();
        let mut repair = TableRepair::new(C::SCHEMA);
        let at = (now, backend.expiry_time());
        let wanted = wanted::<S, C>(events, at, newest, &mut repair);
        repair.checked += count(wanted.len());
        let sought: Vec<&Sought> = wanted.iter().map(|wanted| &wanted.sought).collect();
        let found = match find::<C>(backend, &sought).await {
            Ok(found) => found,
            Err(error) => {
                repair.failed(wanted.len(), error);
                return repair;
            }
        };
        let compared = wanted.into_iter().zip(found).enumerate();
        let wrong = compared.filter(|(_, (wanted, found))| !is_right::<S, C>(wanted, found, now));
        let wrong = wrong.map(|(at, (wanted, found))| {
            let time = wanted.sought.time;
            let row = mended(wanted, found, now);
            (at, EventRow { row, time })
        });
        let wrong: Vec<_> = wrong.collect();
        let written = wrong.len();
        let failed = write_rows(backend, C::SCHEMA, wrong, REQUESTS_IN_FLIGHT).await;
        repair.written += count(written - failed.len());
        for failed in failed {
            repair.failed(1, failed.error);
        }
        repair
    })
}

/// The copies that should exist: the newest event's copy for each key and time, or in layout
/// `latest` the newest copy of each series. It leaves out copies of events older than one in an
/// earlier batch, and copies that a rule of their table would delete at once.
fn wanted<S: Model, C: MirrorOf<S>>(
    events: &[S],
    (now, expiry): (Timestamp, Timestamp),
    newest: &mut Newest,
    repair: &mut TableRepair,
) -> Vec<Wanted> {
    let mut wanted: Vec<Wanted> = Vec::with_capacity(events.len());
    let mut places = HashMap::new();
    for event in events {
        let Some(copy) = C::mirror_of(event) else {
            continue;
        };
        let one = match Wanted::new(event, &copy, now) {
            Ok(one) => one,
            Err(error) => {
                repair.failed(1, error);
                continue;
            }
        };
        if has_expired(C::SCHEMA, &one.row, expiry) {
            continue;
        }
        // A row may hold several events with one key and time.
        let values_tell_apart = C::SCHEMA.in_layout().value_is_qualifier();
        if !values_tell_apart && !newest.take(&one.sought, &one.event, one.is_timed) {
            continue;
        }
        let key = one.sought.key.clone();
        let identity = match C::SCHEMA.holds() {
            Holds::Newest => (key, None, 0),
            _ if values_tell_apart => (key, one.sought.time, wanted.len()),
            _ => (key, one.sought.time, 0),
        };
        let place = *places.entry(identity).or_insert(wanted.len());
        match wanted.get_mut(place) {
            Some(known) if known.order() <= one.order() => *known = one,
            Some(_) => {}
            None => wanted.push(one),
        }
    }
    wanted
}

/// Whether the cell that marks an event is too old for its family's rule as soon as it is written.
fn has_expired(schema: &ModelSchema, row: &RowMutations, now: Timestamp) -> bool {
    let Some((marks, _)) = schema.presence_column().filter(|_| schema.expires()) else {
        return false;
    };
    row.mutations.iter().any(|mutation| match mutation {
        Mutation::SetCell {
            family,
            timestamp_micros,
            ..
        } if *family == *marks && !schema.is_written_once(mutation) => {
            schema.is_too_old(family, *timestamp_micros, now)
        }
        _ => false,
    })
}

/// Whether the right copy was found, or one known to belong to a newer event.
fn is_right<S: Model, C: MirrorOf<S>>(wanted: &Wanted, found: &[Found<C>], now: Timestamp) -> bool {
    found.iter().any(|found| {
        let same = |copy| insert_mutations(copy, now).is_ok_and(|row| are_same(&row, &wanted.row));
        let of_newer = |copy: &C| {
            let source = C::source_key(copy).filter(|_| !wanted.is_timed);
            source.is_some_and(|source| S::SCHEMA.stored_time(source.time()) > wanted.event.time)
        };
        found.time > wanted.sought.time
            || (found.event.as_ref()).is_ok_and(|copy| same(copy) || of_newer(copy))
    })
}

/// The write that replaces the found cells with the copy. An insert suffices, except for run-time
/// columns in a row of several events: it does not know which ones an event at the same time had.
fn mended<C: Model>(wanted: Wanted, found: Vec<Found<C>>, now: Timestamp) -> RowMutations {
    let Wanted {
        sought, mut row, ..
    } = wanted;
    if !C::SCHEMA.deletes_what_it_reads() {
        return row;
    }
    let same_time = found.into_iter().filter(|found| found.time == sought.time);
    let deletions = same_time.filter_map(|found| deletion(&found.event.ok()?, now).ok()?);
    let mut mutations: Vec<_> = deletions.flat_map(|one| one.row.mutations).collect();
    mutations.append(&mut row.mutations);
    row.mutations = mutations;
    row
}

/// Whether two events write the same cells, with their run-time columns in any order.
pub(super) fn are_same(one: &RowMutations, other: &RowMutations) -> bool {
    let in_order = |row: &RowMutations| {
        let mut mutations = row.mutations.clone();
        mutations.sort_by(|one, other| column(one).cmp(&column(other)));
        mutations
    };
    one == other || one.key == other.key && in_order(one) == in_order(other)
}

/// The column that a mutation changes.
fn column(mutation: &Mutation) -> Option<(&str, &[u8])> {
    match mutation {
        Mutation::SetCell {
            family, qualifier, ..
        }
        | Mutation::DeleteFromColumn {
            family, qualifier, ..
        } => Some((family, qualifier)),
        _ => None,
    }
}
