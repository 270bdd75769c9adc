//! What a write adds to a row that may be packed.

use std::collections::BTreeSet;

use super::{Change, EventWriter, Place};
use crate::model::Presence;
use crate::model::layout::Target;
use crate::model::packed::names::push_hidden;

impl EventWriter {
    /// Adds what hides the event in a block, where the write leaves nothing in its place, and the
    /// guard; gives their timestamp. The write itself hides what it replaces.
    pub(super) fn guard(&mut self, target: &Target) -> i64 {
        let time = target.time_in_row.unwrap_or_default();
        let deleted = self.deleted();
        let hidden: &[Option<usize>] = match deleted.is_empty() {
            true => &[],
            false if self.is_whole() => &[None],
            false => &deleted.into_iter().map(Some).collect::<Vec<_>>(),
        };
        for change in hidden {
            let start = self.bytes.len();
            let column = change.and_then(|at| self.changes.get(at));
            let column = column.and_then(|one| one.place().declared(&self.schema));
            push_hidden(
                time,
                column.map(|(family, name)| (&**family, &**name)),
                &mut self.bytes,
            );
            let place = Place::Hidden(start..self.bytes.len());
            self.changes.push(Change::Set(place, 0..0));
        }
        self.changes.push(Change::Set(Place::Guard, 0..0));
        let bucket = self.schema.key.bucket();
        let start = bucket.and_then(|bucket| bucket.start_of(time).ok());
        self.schema.packed_stamp(start.unwrap_or_default())
    }

    /// The changes that delete a column, or a former name of one that is not written.
    fn deleted(&self) -> Vec<usize> {
        let written: BTreeSet<usize> =
            self.changes
                .iter()
                .filter_map(|change| match change {
                    Change::Set(Place::Column(index), _)
                    | Change::Share(Place::Column(index), _) => Some(*index),
                    _ => None,
                })
                .collect();
        let deletes = |change: &Change| match change {
            Change::Delete(place) if place.is_of_row(&self.schema) => false,
            Change::Delete(Place::Column(index) | Place::Alias(index, _)) => {
                !written.contains(index)
            }
            Change::Delete(place) => *place == Place::Marker,
            _ => false,
        };
        let changes = self.changes.iter().enumerate();
        let changes = changes.filter(|(_, change)| deletes(change));
        changes.map(|(at, _)| at).collect()
    }

    /// Whether the changes are about all of an event.
    fn is_whole(&self) -> bool {
        let has = |place: &Place| self.changes.iter().any(|change| change.place() == place);
        let marker = match self.schema.presence {
            Presence::Marker { .. } => has(&Place::Marker),
            Presence::Column(_) => true,
        };
        let of_event = |index: &usize| !Place::Column(*index).is_of_row(&self.schema);
        let mut columns = (0..self.schema.columns.len()).filter(of_event);
        marker && columns.all(|index| has(&Place::Column(index)))
    }
}
