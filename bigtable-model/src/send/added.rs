//! Roll-ups that the server adds: after events are written, their amounts are added to the rows of
//! their buckets.
//!
//! The event comes first, so nothing is added without its event: a write that is refused or breaks
//! off has added nothing and can be repeated. Events of a request that share a bucket are added as
//! one entry, with a token computed from the events if the backend keeps tokens.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use bytes::Bytes;
use xxhash_rust::xxh64::Xxh64;

use super::bulk::write_ready;
use crate::backend::{Backend, Status};
use crate::data::{AggregateKind, Idempotency, Mutation, RowMutations, RowOnce};
use crate::error::{NotAdded, PendingAdd};
use crate::model::{ColumnKind, EventAdds, ModelSchema, RolledUp, Schema, described_event};
use crate::{Error, Timestamp};

/// The additions for the events of some rows.
#[derive(Debug, Default)]
pub(super) struct Added<'s> {
    /// In the order of the roll-ups.
    events: Vec<(&'s RolledUp, Vec<EventAdds>)>,
    /// The keys of the rows, in their order.
    keys: Vec<Bytes>,
}

/// The additions to one bucket.
struct Bucket<'s> {
    rolled: &'s RolledUp,
    mutations: Vec<Mutation>,
    /// The hash of the events, in order.
    token: [Xxh64; 2],
    /// The rows of the events.
    places: BTreeSet<usize>,
}

impl<'s> Added<'s> {
    /// The additions for the events of rows that are about to be written.
    pub(super) fn of(schema: &'s Schema, rows: &[RowMutations]) -> Result<Self, Error> {
        let added = schema
            .rollups
            .iter()
            .filter_map(|rolled| Some((rolled, rolled.adds?)));
        let events = added.map(|(rolled, adds)| Ok((rolled, (adds.0)(rows)?)));
        let events: Vec<_> = events.collect::<Result<_, Error>>()?;
        let keys = match events.as_slice() {
            [] => Vec::new(),
            _ => rows.iter().map(|row| row.key.clone()).collect(),
        };
        Ok(Self { events, keys })
    }

    /// Sends the additions for the rows that were written. Returns those that may be missing, by
    /// row.
    pub(super) async fn send(
        self,
        backend: &dyn Backend,
        schema: &ModelSchema,
        is_written: impl Fn(usize) -> bool,
    ) -> BTreeMap<usize, NotAdded> {
        let mut missing: BTreeMap<usize, NotAdded> = BTreeMap::new();
        if self.events.is_empty() {
            return missing;
        }
        let once = backend.capabilities().tokens;
        let now = Timestamp::now();
        let (places, adds): (Vec<_>, Vec<_>) = self
            .buckets(is_written)
            .into_iter()
            .map(|((table, key), bucket)| bucket.add(table, key, once.then_some(now)))
            .unzip();
        for (at, source) in send(backend, &adds).await {
            let (Some(places), Some(add)) = (places.get(at), adds.get(at)) else {
                continue;
            };
            for place in places {
                let of_event = missing.entry(*place).or_insert_with(|| NotAdded {
                    table: schema.table.to_string(),
                    key: self.described(schema, *place),
                    adds: Vec::new(),
                    source: source.clone(),
                });
                of_event.adds.push(Arc::clone(add));
            }
        }
        missing
    }

    /// The additions to each bucket, by table and row.
    fn buckets(
        &self,
        is_written: impl Fn(usize) -> bool,
    ) -> BTreeMap<(&'s str, Bytes), Bucket<'s>> {
        let mut buckets = BTreeMap::new();
        for (rolled, events) in &self.events {
            for event in events.iter().filter(|event| is_written(event.place)) {
                for (level, row) in rolled.levels().iter().zip(&event.buckets) {
                    let place = (rolled.table(level), row.key.clone());
                    let bucket = buckets.entry(place).or_insert_with(|| Bucket::of(rolled));
                    bucket.take(event, self.keys.get(event.place), &row.mutations);
                }
            }
        }
        buckets
    }

    /// The event of a row, or the first of several.
    fn described(&self, schema: &ModelSchema, place: usize) -> String {
        let mut events = self.events.iter().flat_map(|(_, events)| events);
        let event = events.find(|event| event.place == place);
        let key = self.keys.get(place).map(Bytes::as_ref).unwrap_or_default();
        described_event(schema, key, event.map(|event| event.time))
    }
}

impl<'s> Bucket<'s> {
    fn of(rolled: &'s RolledUp) -> Self {
        Self {
            rolled,
            mutations: Vec::new(),
            token: [0, 1].map(Xxh64::new),
            places: BTreeSet::new(),
        }
    }

    /// Adds an event's amounts to the bucket. Its token takes all that distinguishes the event, so
    /// a repeated write has the same token, and the write of another event has another.
    fn take(&mut self, event: &EventAdds, key: Option<&Bytes>, mutations: &[Mutation]) {
        self.places.insert(event.place);
        let time = event.time.as_micros().to_be_bytes();
        let key = key.map(Bytes::as_ref).unwrap_or_default();
        for part in [key, &time, &event.name] {
            self.hash(part);
        }
        for one in mutations {
            let mut known = self.mutations.iter_mut();
            let kind = kind(self.rolled.schema(), one);
            if !known.any(|held| join(held, one, kind)) {
                self.mutations.push(one.clone());
            }
        }
    }

    /// Adds a part to the token, with its length, which separates it from the parts around it.
    fn hash(&mut self, part: &[u8]) {
        for token in &mut self.token {
            token.update(&part.len().to_be_bytes());
            token.update(part);
        }
    }

    /// The rows of its events, and the write, which has a token if a start time is given.
    fn add(
        mut self,
        table: &str,
        key: Bytes,
        start_time: Option<Timestamp>,
    ) -> (BTreeSet<usize>, Arc<PendingAdd>) {
        // No other bucket has the same token, however a server scopes tokens.
        self.hash(table.as_bytes());
        self.hash(&key);
        let mutations = self.mutations;
        let token = self.token.map(|one| one.digest().to_be_bytes()).concat();
        let row = RowMutations { key, mutations };
        let add = PendingAdd {
            table: table.to_owned(),
            row: RowOnce {
                row,
                idempotency: start_time.map(|start| Idempotency {
                    token: token.into(),
                    start_time: Some(start),
                }),
            },
        };
        (self.places, Arc::new(add))
    }
}

/// The kind of aggregate to which an addition is made.
fn kind(rollup: &ModelSchema, mutation: &Mutation) -> Option<AggregateKind> {
    let Mutation::AddToCell { family, .. } = mutation else {
        return None;
    };
    let mut columns = rollup.columns.iter().filter(|one| *family == *one.family);
    columns.find_map(|column| match column.kind {
        ColumnKind::Aggregate(kind) => Some(kind),
        _ => None,
    })
}

/// Merges two additions to the same cell into one. All other writes are the same for all events of
/// a bucket.
fn join(held: &mut Mutation, later: &Mutation, kind: Option<AggregateKind>) -> bool {
    let Some(kind) = kind else {
        return held == later;
    };
    let (
        Mutation::AddToCell {
            family,
            qualifier,
            input,
            ..
        },
        Mutation::AddToCell {
            family: later_family,
            qualifier: later_qualifier,
            input: later_input,
            ..
        },
    ) = (held, later)
    else {
        return false;
    };
    let is_same = family == later_family && qualifier == later_qualifier;
    if is_same {
        *input = kind.add(*input, *later_input);
    }
    is_same
}

impl NotAdded {
    /// Repeats the additions that may be missing; nothing is added twice. It can be called for each
    /// event of a request: events that share a bucket share its addition.
    ///
    /// The server accepts it for 15 minutes after the first attempt, and refuses it later.
    ///
    /// # Errors
    /// [`Error::NotAdded`] with the additions that may still be missing: the backend failed again,
    /// the 15 minutes are over, or there are no tokens, and then nothing is sent.
    pub async fn send_again(&self, backend: &dyn Backend) -> Result<(), Error> {
        if !self.has_tokens() {
            return Err(Error::NotAdded(Box::new(self.clone())));
        }
        let failed = send(backend, &self.adds).await;
        let Some((_, source)) = failed.first().cloned() else {
            return Ok(());
        };
        let adds = failed
            .iter()
            .filter_map(|(at, _)| self.adds.get(*at).cloned());
        Err(Error::NotAdded(Box::new(Self {
            adds: adds.collect(),
            source,
            ..self.clone()
        })))
    }
}

/// Sends additions; returns the indexes of those that may have failed, and why.
async fn send(backend: &dyn Backend, adds: &[Arc<PendingAdd>]) -> Vec<(usize, Status)> {
    let rows = adds.iter().map(|add| (&*add.table, add.row.clone()));
    let outcomes = write_ready(backend, rows).await.into_iter().enumerate();
    let failed = outcomes.filter_map(|(at, outcome)| Some((at, outcome.err()?)));
    failed.collect()
}
