//! Roll-ups that the server adds: after events are written, what they come to is added to the rows
//! of their buckets.
//!
//! The event comes first. A write that is refused or breaks off has added nothing and can be made
//! again; what is added has its event. Of the events of a request that share a bucket the amounts
//! go out as one entry, with a token that is made of the events where the backend keeps tokens.

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

/// What is to be added for the events of some rows.
#[derive(Debug, Default)]
pub(super) struct Added<'s> {
    /// By the places of the roll-ups.
    events: Vec<(&'s RolledUp, Vec<EventAdds>)>,
    /// The keys of the rows, by their places.
    keys: Vec<Bytes>,
}

/// What is added to one bucket.
struct Bucket<'s> {
    rolled: &'s RolledUp,
    mutations: Vec<Mutation>,
    /// Of the events, in their order.
    token: [Xxh64; 2],
    /// The rows of the events.
    places: BTreeSet<usize>,
}

impl<'s> Added<'s> {
    /// What is to be added for the events of rows that are to be written.
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

    /// Adds it for the rows that were written. Gives for each row what may be missing.
    pub(super) async fn send<B: Backend + ?Sized>(
        self,
        backend: &B,
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

    /// What is added to each bucket, by table and row.
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

    /// The event of a row; of several the first.
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

    /// Takes what an event comes to. The event is its key and time, and its
    /// value where that tells events apart: written twice it is the same.
    fn take(&mut self, event: &EventAdds, key: Option<&Bytes>, mutations: &[Mutation]) {
        self.places.insert(event.place);
        let time = event.time.as_micros().to_be_bytes();
        let key = key.map(Bytes::as_ref).unwrap_or_default();
        for part in [key, &time, &event.value] {
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

    /// Takes a part of the token, told apart from what comes before and after it by its length.
    fn hash(&mut self, part: &[u8]) {
        for token in &mut self.token {
            token.update(&part.len().to_be_bytes());
            token.update(part);
        }
    }

    /// The rows of its events, and the write; with a token if there is a time at which it is sent.
    fn add(
        mut self,
        table: &str,
        key: Bytes,
        start_time: Option<Timestamp>,
    ) -> (BTreeSet<usize>, Arc<PendingAdd>) {
        // No other bucket has it, whatever a server tells tokens apart by.
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

/// How the column of an addition is added to.
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

/// Makes one addition of two to the same cell. Whatever else is written is the same for all events
/// of a bucket.
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
    /// Sends again what may be missing; what was added before is not added twice. It can be called
    /// for each event of a request: those that share a bucket share what is sent.
    ///
    /// The server takes it for 15 minutes after the first time, and refuses it later.
    ///
    /// # Errors
    /// [`Error::NotAdded`] with what may still be missing: the backend failed again, the time is
    /// over, or there are no tokens, and then nothing is sent.
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

/// Sends additions; gives the places of those that are not known to be made, and why.
async fn send<B: Backend + ?Sized>(backend: &B, adds: &[Arc<PendingAdd>]) -> Vec<(usize, Status)> {
    let rows = adds.iter().map(|add| (&*add.table, add.row.clone()));
    let outcomes = write_ready(backend, rows).await.into_iter().enumerate();
    let failed = outcomes.filter_map(|(at, outcome)| Some((at, outcome.err()?)));
    failed.collect()
}
