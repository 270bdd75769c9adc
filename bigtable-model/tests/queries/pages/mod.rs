//! Pages with writes and deletes between them, in every layout.
//!
//! The expected page is computed from the events' natural values alone: of the events that are
//! stored when it is read, the first ones after the last event of the previous page.

mod case;
mod models;

use bigtable_model::data::{Mutation, RowMutations, TableSchema};
use bigtable_model::model::{Editable, insert_mutations};
use bigtable_model::query::{Page, PageToken};
use bigtable_model::{Backend, BackendExt, Error, MemoryBackend};
use futures::future::BoxFuture;
use proptest::prelude::*;

use self::case::{Action, Ask, Case, Event, Ways, time};

/// A model of readings.
trait Sample: Editable {
    const WAYS: Ways;

    fn of(event: &Event) -> Self;

    fn event(&self) -> Event;

    fn page<'a>(
        ask: &'a Ask,
        size: u64,
        token: Option<&'a PageToken>,
        db: &'a dyn Backend,
    ) -> BoxFuture<'a, Result<Page<Self>, Error>>;
}

/// A backend and its contents.
struct World {
    db: MemoryBackend,
    stored: Vec<Event>,
}

impl World {
    async fn new<R: Sample>(events: &[Event]) -> Self {
        let mut world = Self {
            db: MemoryBackend::new(),
            stored: Vec::new(),
        };
        if R::WAYS.by_period {
            for day in (0..4).filter(|day| *day != case::DAY_WITHOUT_TABLE) {
                world.create_table_of::<R>(day).await;
            }
        } else {
            world.db.ensure_tables::<R>().await.unwrap();
        }
        for event in events {
            world.insert::<R>(event).await;
        }
        world
    }

    async fn create_table_of<R: Sample>(&self, day: i64) {
        let start = time(day * case::SLOTS_A_DAY);
        let families = R::SCHEMA.families().into_iter();
        let schema = TableSchema {
            table: R::SCHEMA.table_of(Some(start)).unwrap().into_owned(),
            families: families
                .map(|family| (family.to_owned(), R::SCHEMA.family_schema(family)))
                .collect(),
            ..TableSchema::default()
        };
        // A table by month is the same for all days.
        let _ = self.db.tables().create(schema, Vec::new()).await;
    }

    async fn insert<R: Sample>(&mut self, event: &Event) {
        if R::WAYS.by_period && event.slot / case::SLOTS_A_DAY == case::DAY_WITHOUT_TABLE {
            return;
        }
        self.db.insert(&R::of(event)).await.unwrap();
        let replaces = |other: &Event| match R::WAYS.values_tell_apart {
            true => other == event,
            false => other.meter == event.meter && other.slot == event.slot,
        };
        self.stored.retain(|other| !replaces(other));
        self.stored.push(event.clone());
    }

    async fn delete<R: Sample>(&mut self, nth: usize) {
        if self.stored.is_empty() {
            return;
        }
        let event = self.stored.swap_remove(nth % self.stored.len());
        let reading = R::of(&event);
        if !R::WAYS.values_tell_apart {
            return self.db.delete::<R>(&reading.key()).await.unwrap();
        }
        // One of the values at a time.
        let written = insert_mutations(&reading, time(0)).unwrap();
        let row = RowMutations {
            key: written.key,
            mutations: written.mutations.into_iter().filter_map(undo).collect(),
        };
        let table = R::SCHEMA.table_of(Some(time(event.slot))).unwrap();
        self.db.mutate_row(&table, row).await.unwrap();
    }

    async fn act<R: Sample>(&mut self, action: &Action) {
        match action {
            Action::Insert(event) => self.insert::<R>(event).await,
            Action::Delete(nth) => self.delete::<R>(*nth).await,
        }
    }

    /// The current results of a query, in its order.
    fn results(&self, ways: Ways, ask: &Ask) -> Vec<Event> {
        let is_newest = |event: &Event| {
            let mut others = self.stored.iter();
            !others.any(|other| other.meter == event.meter && other.slot > event.slot)
        };
        let stored = self.stored.iter();
        let visible = stored.filter(|event| !ways.newest_only || is_newest(event));
        let mut results: Vec<_> = visible.filter(|event| ask.selects(event)).collect();
        results.sort_by(|one, other| ask.compare(ways, one, other));
        results.into_iter().cloned().collect()
    }
}

/// The mutation that deletes the cell of another mutation.
fn undo(mutation: Mutation) -> Option<Mutation> {
    match mutation {
        Mutation::SetCell {
            family,
            qualifier,
            timestamp_micros,
            ..
        } => Some(Mutation::DeleteFromColumn {
            family,
            qualifier,
            start_micros: timestamp_micros,
            end_micros: timestamp_micros + 1_000,
        }),
        _ => None,
    }
}

async fn check<R: Sample>(case: &Case) -> Result<(), TestCaseError> {
    let ask = case.ask.of(R::WAYS);
    let mut world = World::new::<R>(&case.events).await;
    let at_first = world.results(R::WAYS, &ask);
    let mut stood = at_first.clone();
    let mut found: Vec<Event> = Vec::new();
    let mut token: Option<String> = None;
    let mut gaps = case.gaps.iter();
    loop {
        let given: Option<PageToken> = token.as_deref().map(|token| token.parse().unwrap());
        let page = R::page(&ask, case.size, given.as_ref(), &world.db);
        let page = page.await.unwrap();
        let events: Vec<_> = page.events.iter().map(R::event).collect();

        let now = world.results(R::WAYS, &ask);
        let is_after = |event: &&Event| {
            let last = found.last();
            last.is_none_or(|last| ask.compare(R::WAYS, last, event).is_lt())
        };
        let left = ask.limit.map_or(usize::MAX, |limit| {
            usize::try_from(limit).unwrap() - found.len()
        });
        let rest: Vec<_> = now.iter().filter(is_after).take(left).cloned().collect();
        let size = usize::try_from(case.size).unwrap().min(rest.len());
        prop_assert_eq!(&events, &rest[..size], "{:?} of {:?}", ask, now);
        prop_assert_eq!(page.next.is_some(), size < rest.len());
        found.extend(events);

        let Some(next) = page.next else { break };
        token = Some(next.to_string());
        for action in gaps.next().into_iter().flatten() {
            world.act::<R>(action).await;
            let now = world.results(R::WAYS, &ask);
            stood.retain(|event| now.contains(event));
        }
    }
    let limit = usize::try_from(ask.limit.unwrap_or(u64::MAX)).unwrap_or(usize::MAX);
    if found.len() < limit {
        for event in stood {
            let times = found.iter().filter(|one| **one == event).count();
            prop_assert_eq!(times, 1, "{:?} stood all the time: {:?}", event, found);
        }
    }
    Ok(())
}
