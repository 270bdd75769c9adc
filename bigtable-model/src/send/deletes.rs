//! Deletes of many events.

use std::borrow::Borrow;
use std::collections::BTreeMap;
use std::sync::Arc;

use futures::{Stream, StreamExt as _, stream};

use super::bulk::{Answers, Bulk, Entered, Entry, Ready, Tally};
use super::limits::ROW_READS_IN_FLIGHT;
use super::row::deletion;
use crate::Error;
use crate::backend::Backend;
use crate::model::{EventRow, Model, ModelKey as _, Schema, delete_mutations};

/// The maximum number of failed events that are listed for the deletes of a query.
const MOST_LISTED: usize = 100_000;

/// The outcome of the deletes of [`BackendExt::delete_many`](crate::BackendExt::delete_many) or of
/// [`delete_all`](crate::BackendExt::delete_all).
#[derive(Debug, Default)]
#[must_use = "it tells which events were not deleted"]
pub struct DeleteOutcome {
    deleted: u64,
    not_deleted: u64,
    copies: u64,
    failed: Vec<FailedDelete>,
}

/// A row whose events were not deleted, or a result of a query that could not be read.
#[derive(Debug)]
pub struct FailedDelete {
    /// The row's key in decoded form; `None` if there was nothing to send.
    pub key: Option<String>,
    /// Which deletes of the row failed: positions among the keys, or among the results of the query
    /// (including errors) in the order in which they were read.
    pub events: Vec<usize>,
    /// Why.
    pub error: Error,
}

impl DeleteOutcome {
    /// How many events were deleted. For keys, how many deletes were carried out, whether or not
    /// the event existed.
    #[must_use]
    pub fn deleted(&self) -> u64 {
        self.deleted
    }

    /// How many were not. For a query, each row whose key is not the model's and a failed read
    /// count as one.
    #[must_use]
    pub fn not_deleted(&self) -> u64 {
        self.not_deleted
    }

    /// How many copies of a query's events were deleted from the tables of mirrors, each before its
    /// event. Deletes by keys delete no copies.
    #[must_use]
    pub fn copies(&self) -> u64 {
        self.copies
    }

    pub(crate) fn with_copies(self, copies: u64) -> Self {
        Self { copies, ..self }
    }

    /// The failures, in the order of the events. For a query the list ends once it holds 100,000
    /// events.
    #[must_use]
    pub fn failed(&self) -> &[FailedDelete] {
        &self.failed
    }

    pub(crate) fn into_errors(self) -> impl Iterator<Item = Error> {
        self.failed.into_iter().map(|failed| failed.error)
    }

    /// The number deleted, or the first failure.
    ///
    /// # Errors
    /// The error of the first event that was not deleted.
    pub fn into_result(self) -> Result<u64, Error> {
        match self.failed.into_iter().next() {
            Some(failed) => Err(failed.error),
            None => Ok(self.deleted),
        }
    }
}

/// Sends deletes; lists a limited number of failures.
async fn run(
    backend: &dyn Backend,
    schema: &Schema,
    most_listed: usize,
    entries: impl Stream<Item = Entry>,
) -> DeleteOutcome {
    let tally = Deleted {
        outcome: DeleteOutcome::default(),
        schema: schema.clone(),
        listed: 0,
        most_listed,
    };
    let tally = Bulk::new(backend, schema, tally).run(entries, Ready).await;
    tally.finish()
}

/// Sends the deletes of a query's events.
pub(crate) async fn delete_found(
    backend: &dyn Backend,
    schema: &Schema,
    entries: impl Stream<Item = Entry>,
) -> DeleteOutcome {
    run(backend, schema, MOST_LISTED, entries).await
}

/// Deletes the events with these keys. It owns the backend, since a future that wraps this one is
/// not known to be `Send`.
pub(crate) async fn delete_many<M: Model, K: Borrow<M::Key>>(
    backend: Arc<dyn Backend>,
    keys: impl IntoIterator<Item = K>,
) -> DeleteOutcome {
    let backend = &*backend;
    let deletions = stream::iter(keys).map(|key| async move {
        let key = key.borrow();
        let row = deletion::<M>(backend, key, |cells| delete_mutations::<M>(key, cells)).await?;
        let time = key.time();
        Ok(row.map(|row| EventRow { row, time }))
    });
    let deletions = deletions.buffered(ROW_READS_IN_FLIGHT);
    run(backend, M::SCHEMA, usize::MAX, deletions).await
}

/// Counts deletes.
struct Deleted {
    outcome: DeleteOutcome,
    schema: Schema,
    listed: usize,
    most_listed: usize,
}

impl Deleted {
    /// The outcome, with the failures in the order of the events.
    fn finish(self) -> DeleteOutcome {
        let mut outcome = self.outcome;
        outcome
            .failed
            .sort_by_key(|failed| failed.events.first().copied());
        outcome
    }

    fn failed(&mut self, key: Option<String>, events: Vec<usize>, error: Error) {
        let count = u64::try_from(events.len()).unwrap_or(u64::MAX);
        self.outcome.not_deleted = self.outcome.not_deleted.saturating_add(count);
        if self.listed < self.most_listed {
            self.listed = self.listed.saturating_add(events.len());
            self.outcome
                .failed
                .push(FailedDelete { key, events, error });
        }
    }
}

impl Tally for Deleted {
    fn count(&mut self, index: usize, outcome: Result<(), Error>) {
        match outcome {
            Ok(()) => self.outcome.deleted += 1,
            Err(error) => self.failed(None, vec![index], error),
        }
    }

    fn answered(&mut self, answers: &Answers) {
        let mut failed: BTreeMap<usize, (Vec<usize>, Error)> = BTreeMap::new();
        for &Entered { index, place, .. } in &answers.entries {
            match failed.get_mut(&place) {
                Some((events, _)) => events.push(index),
                None => match answers.row(place, None) {
                    Ok(()) => self.outcome.deleted += 1,
                    // A missing table holds no event, but it cannot hold a tombstone either.
                    Err(Error::MissingTable { .. }) if !self.schema.is_united() => {
                        self.outcome.deleted += 1;
                    }
                    Err(error) => {
                        failed.insert(place, (vec![index], error));
                    }
                },
            }
        }
        for (place, (events, error)) in failed {
            let key = self.schema.key.describe(answers.key(place)).to_string();
            self.failed(Some(key), events, error);
        }
    }
}
