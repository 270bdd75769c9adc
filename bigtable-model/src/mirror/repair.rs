//! Making copies right again from their events.

use std::collections::HashMap;

use futures::StreamExt as _;
use futures::future::{BoxFuture, join_all};

use super::lookup::{Found, Sought, find};
use super::remove::deletion;
use super::report::{RepairReport, TableRepair, count};
use super::{Mirror, MirrorOf};
use crate::backend::{Backend, REQUESTS_IN_FLIGHT, write_rows};
use crate::data::{Mutation, RowMutations};
use crate::model::{Layout, Model, insert_mutations};
use crate::query::{Query, QueryState};
use crate::{Error, Timestamp};

/// How many events are compared with their copies at a time.
const BATCH: usize = 500;

impl<M: Model, S: QueryState<M>> Query<M, S, M> {
    /// Makes the copies of the query's events right again in the tables of all mirrors: reads what these hold, and writes the copies that
    /// are missing or differ. It can be repeated, and run while events are written; of an event that is replaced by one with the same key
    /// and time while it is compared, the copy may be the earlier one until the next repair.
    ///
    /// 500 events are held at a time. A copy that can't be read or written is counted in the report, and the others go on. What a table holds
    /// beside the copies of these events is left alone; see [`delete_strays`](crate::BackendExt::delete_strays).
    ///
    /// A model without mirrors does not compile here.
    ///
    /// # Errors
    /// [`Error::Query`] for a query that can't be planned, [`Error::Backend`] when the events can't be read.
    pub async fn repair(&self, backend: &dyn Backend) -> Result<RepairReport, Error> {
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
        let mut events = self.stream(backend);
        let mut batch: Vec<M> = Vec::with_capacity(BATCH);
        loop {
            let next = events.next().await;
            let ended = next.is_none();
            match next {
                Some(Ok(event)) => batch.push(event),
                Some(Err(error @ (Error::Backend { .. } | Error::Query { .. }))) => {
                    return Err(error);
                }
                Some(Err(error)) => report.unreadable(error),
                None => {}
            }
            if batch.len() == BATCH || ended && !batch.is_empty() {
                compare(backend, &batch, &mut report).await;
                batch.clear();
            }
            if ended {
                return Ok(report);
            }
        }
    }
}

/// Compares events with their copies in all tables at once.
async fn compare<M: Model>(backend: &dyn Backend, events: &[M], report: &mut RepairReport) {
    report.events += count(events.len());
    let mirrors = M::MIRRORS.iter();
    let repairs = mirrors.map(|mirror| (mirror.repair)(backend, events));
    let repairs = join_all(repairs).await;
    for (table, repair) in report.tables.iter_mut().zip(repairs) {
        table.add(repair);
    }
}

/// A copy as it should be.
struct Wanted {
    sought: Sought,
    row: RowMutations,
}

/// Makes the copies of some events in one table right.
pub(super) fn batch<'a, S: Model, C: MirrorOf<S>>(
    backend: &'a dyn Backend,
    events: &'a [S],
) -> BoxFuture<'a, TableRepair> {
    Box::pin(async move {
        // One time for both sides of the comparison.
        let now = Timestamp::now();
        let mut repair = TableRepair::new(C::SCHEMA);
        let wanted = wanted::<S, C>(events, now, &mut repair);
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
        let wrong = compared.filter(|(_, (wanted, found))| !is_right(wanted, found, now));
        let wrong = wrong.map(|(at, (wanted, found))| (at, mended(wanted, found, now)));
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

/// The copies that there should be, of each identity the last one; in layout `latest` of each series the newest.
fn wanted<S: Model, C: MirrorOf<S>>(
    events: &[S],
    now: Timestamp,
    repair: &mut TableRepair,
) -> Vec<Wanted> {
    let mut wanted: Vec<Wanted> = Vec::with_capacity(events.len());
    let mut places = HashMap::new();
    for copy in events.iter().filter_map(C::mirror_of) {
        let one = match (Sought::new::<C>(&copy.key()), insert_mutations(&copy, now)) {
            (Ok(sought), Ok(row)) => Wanted { sought, row },
            (Err(error), _) | (_, Err(error)) => {
                repair.failed(1, error);
                continue;
            }
        };
        let row = one.sought.row.clone();
        let identity = match C::SCHEMA.layout {
            Layout::Latest => (row, None, 0),
            // A row may hold several of one time.
            Layout::Qualifiers => (row, one.sought.time, wanted.len()),
            _ => (row, one.sought.time, 0),
        };
        let place = *places.entry(identity).or_insert(wanted.len());
        match wanted.get_mut(place) {
            Some(known) if known.sought.time <= one.sought.time => *known = one,
            Some(_) => {}
            None => wanted.push(one),
        }
    }
    wanted
}

/// Whether what was found is the copy as it should be, or in layout `latest` a later one.
fn is_right<C: Model>(wanted: &Wanted, found: &[Found<C>], now: Timestamp) -> bool {
    found.iter().any(|found| {
        let same = || match &found.event {
            Ok(event) => insert_mutations(event, now).is_ok_and(|row| are_same(&row, &wanted.row)),
            Err(_) => false,
        };
        found.time > wanted.sought.time || same()
    })
}

/// What puts a copy in the place of what was found. An insert does that by itself, but for the run-time columns of layout `latest`: it does
/// not know which ones an event of the same time had.
fn mended<C: Model>(wanted: Wanted, found: Vec<Found<C>>, now: Timestamp) -> RowMutations {
    let Wanted { sought, mut row } = wanted;
    if C::SCHEMA.layout != Layout::Latest {
        return row;
    }
    let same_time = found.into_iter().filter(|found| found.time == sought.time);
    let deletions = same_time.filter_map(|found| deletion(&found.event.ok()?, now).ok()?);
    let mut mutations: Vec<_> = deletions.flat_map(|one| one.row.mutations).collect();
    mutations.append(&mut row.mutations);
    row.mutations = mutations;
    row
}

/// Whether two events write the same, in whatever order their run-time columns come.
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
