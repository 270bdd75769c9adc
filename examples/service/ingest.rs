//! Parses the body of a request into rows and writes them.

use axum::http::StatusCode;
use bigtable_model::backend::batcher::{Batcher, Outcome};
use bigtable_model::data::RowMutations;
use bigtable_model::model::insert_mutations;
use bigtable_model::{Error, Model as _, Status, Timestamp};
use serde_json::value::RawValue;

use crate::answer::{Fault, Refusal, status};
use crate::reading::Reading;

/// The rows of a body, which is a reading or an array of readings. It fails if any of them cannot
/// be stored.
pub(crate) fn rows(body: &[u8]) -> Result<Vec<RowMutations>, Refusal> {
    let now = Timestamp::now();
    let (mut rows, mut faults) = (Vec::new(), Vec::new());
    for (index, text) in elements(body)?.into_iter().enumerate() {
        match row(text, now) {
            Ok(row) => rows.push(row),
            Err(fault) => faults.push(fault.at(index)),
        }
    }
    match faults.is_empty() {
        true => Ok(rows),
        false => Err(Refusal::new(StatusCode::UNPROCESSABLE_ENTITY, faults)),
    }
}

/// Parses each element by itself, to report the errors of all.
fn elements(body: &[u8]) -> Result<Vec<&RawValue>, Refusal> {
    let elements = match body.trim_ascii_start().first() {
        Some(b'[') => serde_json::from_slice(body),
        _ => serde_json::from_slice(body).map(|one| vec![one]),
    };
    elements.map_err(|error| {
        let fault = Fault::new(format!("the body is no JSON: {error}"));
        Refusal::new(StatusCode::BAD_REQUEST, vec![fault])
    })
}

fn row(text: &RawValue, now: Timestamp) -> Result<RowMutations, Fault> {
    let reading: Reading = serde_json::from_str(text.get())
        .map_err(|error| Fault::new(format!("this is no reading: {error}")))?;
    insert_mutations(&reading, now).map_err(|error| Fault::from(&error))
}

/// A row that the batcher has accepted, by its key.
type Taken = (Vec<u8>, Outcome);

/// Passes the rows to the batcher, and waits until all are written. While the batcher is full, it
/// waits.
pub(crate) async fn write(batcher: &Batcher, rows: Vec<RowMutations>) -> Result<usize, Refusal> {
    let mut taken = Vec::with_capacity(rows.len());
    let mut refused = None;
    for row in rows {
        let key = row.key.to_vec();
        match batcher.add(row).await {
            Ok(outcome) => taken.push((key, outcome)),
            Err(status) => {
                refused = Some((taken.len(), key, status));
                break;
            }
        }
    }
    let mut report = Report::default();
    report.settle(taken).await;
    if let Some((index, key, status)) = refused {
        report.fail(index, &key, status);
    }
    report.end()
}

/// The outcome of the rows.
#[derive(Debug, Default)]
struct Report {
    written: usize,
    /// The worst failure's status.
    status: Option<StatusCode>,
    faults: Vec<Fault>,
}

impl Report {
    async fn settle(&mut self, taken: Vec<Taken>) {
        for (index, (key, outcome)) in taken.into_iter().enumerate() {
            match outcome.await {
                Ok(()) => self.written += 1,
                Err(status) => self.fail(index, &key, status),
            }
        }
    }

    fn fail(&mut self, index: usize, key: &[u8], source: Status) {
        let error = Error::Backend {
            table: Reading::SCHEMA.table.to_string(),
            method: "MutateRows",
            key: Some(Reading::SCHEMA.key.describe(key).to_string()),
            source,
        };
        // A permanent failure takes precedence over a transient one.
        self.status = match self.status {
            Some(known) if known != StatusCode::SERVICE_UNAVAILABLE => Some(known),
            _ => Some(status(&error)),
        };
        self.faults.push(Fault::from(&error).at(index));
    }

    fn end(self) -> Result<usize, Refusal> {
        match self.status {
            None => Ok(self.written),
            Some(status) => Err(Refusal {
                written: Some(self.written),
                ..Refusal::new(status, self.faults)
            }),
        }
    }
}
