//! Outcomes of writes of many events.

use futures::stream;
use serde::Serialize;

use super::bulk::{Bulk, Ready, Tally};
use crate::backend::Backend;
use crate::model::{EventRow, ModelSchema, Schema};
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
}

/// The outcome of [`BackendExt::insert_many`](crate::BackendExt::insert_many) or of
/// [`Inserts`](crate::Inserts).
#[derive(Debug, Default)]
#[must_use = "it tells which events were not written"]
pub struct InsertOutcome {
    written: u64,
    failed: Vec<FailedInsert>,
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
pub(crate) async fn write_rows<B: Backend + ?Sized>(
    backend: &B,
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
    /// With the failures in the order of the events.
    pub(crate) fn sorted(mut self) -> Self {
        self.failed.sort_by_key(|failed| failed.index);
        self
    }

    fn progress(&self) -> InsertProgress {
        InsertProgress {
            written: self.written,
            failed: u64::try_from(self.failed.len()).unwrap_or(u64::MAX),
        }
    }

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

/// Timestamps of writes, which never decrease, whatever the clock does: of two writes to a cell,
/// the last stays the newest. The clock is not read if cells have the event's time.
#[derive(Debug)]
pub(crate) struct Stamps {
    last: Timestamp,
    needed: bool,
}

impl Stamps {
    pub(crate) fn new<'a>(schemas: impl IntoIterator<Item = &'a ModelSchema>) -> Self {
        let mut schemas = schemas.into_iter();
        Self {
            last: Timestamp::UNIX_EPOCH,
            needed: schemas.any(ModelSchema::is_stamped_by_clock),
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
    pub(crate) progress: Option<OnProgress<'a>>,
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
            report(self.outcome.progress());
        }
    }
}
