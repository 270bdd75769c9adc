//! Outcomes of writes of many events.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use futures::stream;
use serde::Serialize;

use super::bulk::{Bulk, Ready, Tally};
use crate::backend::Backend;
use crate::model::{EventRow, FamilyRule, Model, ModelSchema, Schema, described_event};
use crate::{Error, Timestamp};

pub(crate) type OnProgress<'a> = Box<dyn FnMut(InsertProgress) + Send + 'a>;

/// The progress of a write of many events.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct InsertProgress {
    /// Events that are written.
    pub written: u64,
    /// Events that were refused, by the model or by the backend.
    pub failed: u64,
    /// Events that no query finds; see [`InsertOutcome::expired`].
    pub expired: u64,
}

/// The outcome of [`BackendExt::insert_many`](crate::BackendExt::insert_many) or of
/// [`Inserts`](crate::Inserts).
#[derive(Debug, Default)]
#[must_use = "it tells which events were not written"]
pub struct InsertOutcome {
    written: u64,
    failed: Vec<FailedInsert>,
    expired: u64,
}

/// What [`BackendExt::insert`](crate::BackendExt::insert) did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Written {
    /// Whether no query finds the event although it is stored, since it is older than the model's
    /// own `gc(max_age = ...)`.
    pub expired: bool,
}

/// An event that was not written.
#[derive(Debug)]
pub struct FailedInsert {
    /// Its position among the events.
    pub index: usize,
    /// Why; the error names the event by its key and time.
    pub error: Error,
}

/// Writes rows in bulk, each with a number that identifies it; returns those that failed.
pub(crate) async fn write_rows(
    backend: &dyn Backend,
    schema: &Schema,
    rows: Vec<(usize, EventRow)>,
    requests: usize,
) -> Vec<FailedInsert> {
    let (numbers, rows): (Vec<_>, Vec<_>) = rows.into_iter().unzip();
    let entries = stream::iter(rows.into_iter().map(|row| Ok(Some(row))));
    let bulk = Bulk::new(backend, schema, Inserted::default()).requests_in_flight(requests);
    let mut failed = bulk.run(entries, Ready).await.outcome.failed;
    for one in &mut failed {
        one.index = numbers.get(one.index).copied().unwrap_or(one.index);
    }
    failed
}

impl InsertOutcome {
    /// How many events were written.
    #[must_use]
    pub fn written(&self) -> u64 {
        self.written
    }

    /// The events that were not written, in order.
    #[must_use]
    pub fn failed(&self) -> &[FailedInsert] {
        &self.failed
    }

    /// How many events, written or failed, are older than the model's own `gc(max_age = ...)`: no
    /// query finds them. [`refuse_expired`](crate::Inserts::refuse_expired) turns them into
    /// failures.
    #[must_use]
    pub fn expired(&self) -> u64 {
        self.expired
    }

    /// The number written, or the first failure.
    ///
    /// # Errors
    /// The error of the first event that was not written.
    pub fn into_result(self) -> Result<u64, Error> {
        match self.failed.into_iter().next() {
            Some(failed) => Err(failed.error),
            None => Ok(self.written),
        }
    }
}

impl Written {
    /// The outcome of a write of an event now.
    pub(crate) fn of<M: Model>(backend: &dyn Backend, event: &M) -> Self {
        Self {
            expired: rule_against(backend, event).is_some(),
        }
    }
}

/// The model's own rule by which an event has expired.
fn rule_against<M: Model>(backend: &dyn Backend, event: &M) -> Option<&'static FamilyRule> {
    // Without a rule the clock is not read.
    let schema: &'static ModelSchema = M::SCHEMA;
    (!schema.gc_rules.is_empty())
        .then(|| backend.expiry_time())
        .and_then(|now| schema.rule_against(event.time(), now))
}

/// The ages of events that are written.
#[derive(Debug)]
pub(crate) struct Ages<'a> {
    /// The backend whose time decides.
    pub(crate) backend: &'a dyn Backend,
    /// Whether events that have expired are refused.
    pub(crate) refused: bool,
    /// How many have expired, if they are not refused.
    pub(crate) expired: Expired,
}

/// How many events have expired. They are counted when entries are made, and the tally reports
/// them.
pub(crate) type Expired = Arc<AtomicU64>;

impl Ages<'_> {
    /// Counts the event if it has expired, or refuses it.
    pub(crate) fn check<M: Model>(&self, event: &M) -> Result<(), Error> {
        let Some(rule) = rule_against(self.backend, event) else {
            return Ok(());
        };
        if !self.refused {
            self.expired.fetch_add(1, Relaxed);
            return Ok(());
        }
        let mut key = Vec::new();
        if event.encode_key(&mut key).is_err() {
            // The write itself fails with the reason.
            return Ok(());
        }
        Err(Error::Expired {
            table: M::SCHEMA.table.to_string(),
            key: described_event(M::SCHEMA, &key, event.time()),
            family: rule.family.to_string(),
            rule: rule.rule.to_string(),
        })
    }
}

/// Timestamps of writes, which never decrease, even if the clock does: the last write to a cell
/// stays the newest. The clock is not read if cells have the event's time.
#[derive(Debug)]
pub(crate) struct Stamps {
    last: Timestamp,
    needed: bool,
}

impl Stamps {
    pub(crate) fn new(schemas: &[&Schema]) -> Self {
        let mut schemas = schemas.iter();
        Self {
            last: Timestamp::UNIX_EPOCH,
            needed: schemas.any(|schema| schema.is_stamped_by_clock()),
        }
    }

    pub(crate) fn next(&mut self) -> Timestamp {
        if self.needed {
            self.last = self.last.max(Timestamp::now());
        }
        self.last
    }
}

/// Counts inserts.
#[derive(Default)]
pub(crate) struct Inserted<'a> {
    pub(crate) outcome: InsertOutcome,
    pub(crate) expired: Expired,
    pub(crate) progress: Option<OnProgress<'a>>,
}

impl Inserted<'_> {
    /// The outcome, with the failures in the order of the events.
    pub(crate) fn finish(self) -> InsertOutcome {
        let mut outcome = self.outcome;
        outcome.expired = self.expired.load(Relaxed);
        outcome.failed.sort_by_key(|failed| failed.index);
        outcome
    }
}

impl Tally for Inserted<'_> {
    fn count(&mut self, index: usize, outcome: Result<(), Error>) {
        match outcome {
            Ok(()) => self.outcome.written += 1,
            Err(error) => self.outcome.failed.push(FailedInsert { index, error }),
        }
    }

    fn report(&mut self) {
        if let Some(report) = &mut self.progress {
            report(InsertProgress {
                written: self.outcome.written,
                failed: u64::try_from(self.outcome.failed.len()).unwrap_or(u64::MAX),
                expired: self.expired.load(Relaxed),
            });
        }
    }
}
