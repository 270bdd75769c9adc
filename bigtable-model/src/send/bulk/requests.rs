//! Rows that are ready to be sent: marks and buckets of roll-ups, and what becomes of the events of
//! a former layout.

use std::borrow::Cow;
use std::collections::BTreeMap;

use futures::{StreamExt as _, stream};

use super::batch::has_room;
use super::outcome_of;
use crate::backend::{Backend, EntryOutcome};
use crate::data::{EntryBatch, RowOnce};
use crate::send::limits::REQUESTS_IN_FLIGHT;

/// Rows of one table that are sent together, and their positions among all rows.
#[derive(Default)]
struct Request {
    entries: EntryBatch,
    places: Vec<usize>,
}

/// Writes rows, each to its table, in requests of which several are in flight; returns the outcome
/// of each, in order. They may be written in any order.
pub(crate) async fn write_ready<'t, R: Into<RowOnce>>(
    backend: &dyn Backend,
    rows: impl IntoIterator<Item = (impl Into<Cow<'t, str>>, R)>,
) -> Vec<EntryOutcome> {
    let mut open: BTreeMap<Cow<'t, str>, Request> = BTreeMap::new();
    let mut full = Vec::new();
    for (place, (table, row)) in rows.into_iter().enumerate() {
        let (table, row) = (table.into(), row.into());
        let request = open.entry(table.clone()).or_default();
        let size = (row.row.wire_bytes(), row.row.mutations.len());
        if !has_room(&request.entries, None, size) {
            full.push((table, std::mem::take(request)));
        }
        request.entries.push_once(&row);
        request.places.push(place);
    }
    full.extend(open);
    let sent = full.into_iter().map(|(table, request)| async move {
        let Request { entries, places } = request;
        (backend.mutate_rows(&table, entries.into()).await, places)
    });
    let sent: Vec<_> = sent.collect();
    let mut outcomes = BTreeMap::new();
    let mut answers = stream::iter(sent).buffer_unordered(REQUESTS_IN_FLIGHT);
    while let Some((answer, places)) = answers.next().await {
        let places = places.into_iter().enumerate();
        outcomes.extend(places.map(|(index, place)| (place, outcome_of(&answer, index))));
    }
    outcomes.into_values().collect()
}
