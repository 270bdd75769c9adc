//! The cells that a write adds to a row that may be packed.

use super::{Change, EventWriter, Place};
use crate::model::Presence;
use crate::model::layout::Target;
use crate::model::packed::names::hidden_cell;

impl EventWriter {
    /// Adds the guard, and a cell that hides columns of the event in a block if the write leaves
    /// nothing in their place; returns their timestamp. A written cell itself hides the one that it
    /// replaces.
    pub(super) fn guard(&mut self, target: &Target) -> i64 {
        let time = target.time_in_row.unwrap_or_default();
        let deleted = self.deleted();
        if !deleted.is_empty() {
            // A whole event is deleted with all columns, even those that only other programs know.
            let columns = match self.is_delete() {
                true => Vec::new(),
                false => self.names(&deleted),
            };
            let (name, list) = hidden_cell(time, &columns);
            let start = self.bytes.len();
            self.bytes.extend(name);
            let middle = self.bytes.len();
            self.bytes.extend(list);
            let value = middle..self.bytes.len();
            self.changes
                .push(Change::Set(Place::Hidden(start..middle), value));
        }
        let bucket = self.schema.key.bucket();
        if bucket.is_some_and(|bucket| bucket.zone.is_some()) {
            // Two versions of the time zone database may differ about the end of a bucket.
            self.changes.push(Change::Delete(Place::Guard));
        }
        self.changes.push(Change::Set(Place::Guard, 0..0));
        let start = bucket.and_then(|bucket| bucket.start_of(time).ok());
        self.schema.packed_stamp(start.unwrap_or_default())
    }

    /// The changes that leave a column, or a former name of one, without a cell.
    fn deleted(&self) -> Vec<usize> {
        let changes = self.changes.iter().enumerate();
        let last = |at: usize, place: &Place| {
            let mut later = self.changes.iter().skip(at + 1);
            later.all(|change| change.place() != place)
        };
        let deletes = changes.filter(|(at, change)| match change {
            Change::Delete(place) => !place.is_of_row(&self.schema) && last(*at, place),
            _ => false,
        });
        deletes.map(|(at, _)| at).collect()
    }

    /// Family and name of the columns of some changes.
    fn names(&self, changes: &[usize]) -> Vec<(&str, &[u8])> {
        let places = changes.iter().filter_map(|at| self.changes.get(*at));
        let names = places.filter_map(|change| match change.place() {
            Place::Map(map, name) => {
                let family = self.schema.map_families.get(*map)?;
                Some((&**family, self.bytes.get(name.clone())?))
            }
            place => {
                let (family, name) = place.declared(&self.schema)?;
                Some((&**family, name.as_bytes()))
            }
        });
        names.collect()
    }

    /// Whether all of an event is deleted.
    fn is_delete(&self) -> bool {
        let deletes = |place: &Place| {
            let mut changes = self.changes.iter();
            changes.any(|one| matches!(one, Change::Delete(of) if of == place))
        };
        let mut changes = self.changes.iter();
        let is_marked = matches!(self.schema.presence, Presence::Marker { .. });
        let of_event = |index: &usize| !Place::Column(*index).is_of_row(&self.schema);
        let mut columns = (0..self.schema.columns.len()).filter(of_event);
        changes.all(|change| matches!(change, Change::Delete(_)))
            && (!is_marked || deletes(&Place::Marker))
            && columns.all(|index| deletes(&Place::Column(index)))
    }
}
