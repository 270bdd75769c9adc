//! What writes leave, according to the documents of writes.

use std::collections::BTreeMap;

use crate::event::{Cell, Event};
use crate::model::{Kind, Layout, Model};
use crate::question::Test;
use crate::value::Value;

/// The content of one name and time. It is an event if it has the presence column.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    pub marked: bool,
    pub cells: Vec<Option<Cell>>,
}

/// Names and time of an event.
pub type Identity = (Vec<Value>, i64);

/// All stored entries: one for each identity, and in `qualifiers` one for each value.
#[derive(Debug, Clone, Default)]
pub struct Store {
    pub entries: BTreeMap<Identity, Vec<Entry>>,
}

/// A change to one column.
#[derive(Debug, Clone)]
pub enum Change {
    Set(Cell),
    Clear,
    /// Adds to an aggregate.
    Add(i64),
}

impl Entry {
    fn is_event(&self, model: &Model) -> bool {
        match model.marker {
            true => self.marked,
            false => self.cells[model.value_column()].is_some(),
        }
    }

    fn is_nothing(&self) -> bool {
        !self.marked && self.cells.iter().all(Option::is_none)
    }

    fn change(&mut self, model: &Model, column: usize, change: &Change) {
        let cell = &mut self.cells[column];
        *cell = match (change, cell.take()) {
            // Entries that are not set stay.
            (Change::Set(Cell::Entries(new)), old) => Some(merged(old.as_ref(), new)),
            (Change::Set(new), _) => Some(new.clone()),
            (Change::Clear, _) => None,
            (Change::Add(input), old) => {
                let old = match old {
                    Some(Cell::Signed(old)) => Some(old),
                    None => None,
                    other => panic!("{other:?} is no number"),
                };
                let added = old.map_or(*input, |old| match model.columns[column].kind {
                    Kind::Sum => old.wrapping_add(*input),
                    Kind::Least => old.min(*input),
                    Kind::Greatest => old.max(*input),
                    other => panic!("{other:?} is no aggregate"),
                });
                Some(Cell::Signed(added))
            }
        };
    }
}

/// Entries, with new ones replacing old ones of the same name.
fn merged(old: Option<&Cell>, new: &BTreeMap<String, i64>) -> Cell {
    let mut merged = match old {
        Some(Cell::Entries(old)) => old.clone(),
        _ => BTreeMap::new(),
    };
    merged.extend(new.iter().map(|(name, value)| (name.clone(), *value)));
    Cell::Entries(merged)
}

impl Store {
    /// The events that queries return.
    pub fn events(&self, model: &Model) -> Vec<Event> {
        let stored = self.entries.iter().flat_map(|((names, time), entries)| {
            let events = entries.iter().filter(|entry| entry.is_event(model));
            events.map(|entry| Event {
                names: names.clone(),
                time: *time,
                cells: entry.cells.clone(),
            })
        });
        if model.layout != Layout::Latest {
            return stored.collect();
        }
        // The newest of each series; names and then times ascend.
        let mut newest: Vec<Event> = Vec::new();
        for event in stored {
            match newest.last_mut() {
                Some(last) if last.names == event.names => *last = event,
                _ => newest.push(event),
            }
        }
        newest
    }

    pub fn identities(&self) -> Vec<Identity> {
        self.entries.keys().cloned().collect()
    }

    /// How many entries one identity has.
    pub fn count(&self, identity: &Identity) -> usize {
        self.entries.get(identity).map_or(0, Vec::len)
    }

    pub fn insert(&mut self, model: &Model, event: &Event) {
        let identity = (event.names.clone(), event.time);
        let mut entry = Entry {
            marked: model.marker,
            cells: event.cells.clone(),
        };
        let entries = self.entries.entry(identity).or_default();
        // Run-time columns that it does not name stay, unless the row is the event.
        if let Some(old) = entries.first().filter(|_| model.layout != Layout::Row) {
            for (at, column) in model.columns.iter().enumerate() {
                if column.in_map && entry.cells[at].is_none() {
                    entry.cells[at].clone_from(&old.cells[at]);
                }
            }
        }
        // In `latest`, entries that an event no longer has stay.
        if let (Layout::Latest, Some(old)) = (&model.layout, entries.first()) {
            for (cell, old) in entry.cells.iter_mut().zip(&old.cells) {
                if let Some(Cell::Entries(_)) = old {
                    let none = BTreeMap::new();
                    let new = match cell {
                        Some(Cell::Entries(new)) => &*new,
                        _ => &none,
                    };
                    *cell = Some(merged(old.as_ref(), new));
                }
            }
        }
        if !model.keeps_both() {
            entries.clear();
        }
        entries.retain(|other| *other != entry);
        entries.push(entry);
    }

    /// Changes some columns; in `qualifiers` one event replaces all with the identity.
    pub fn update(&mut self, model: &Model, identity: &Identity, changes: &[(usize, Change)]) {
        let entries = self.entries.entry(identity.clone()).or_default();
        if model.keeps_both() {
            entries.clear();
        }
        if entries.is_empty() {
            entries.push(Entry {
                marked: false,
                cells: vec![None; model.columns.len()],
            });
        }
        for entry in entries.iter_mut() {
            for (column, change) in changes {
                entry.change(model, *column, change);
            }
        }
        entries.retain(|entry| !entry.is_nothing());
    }

    /// Deletes all entries of an identity.
    pub fn delete(&mut self, identity: &Identity) {
        self.entries.remove(identity);
    }

    /// Deletes one event.
    pub fn delete_event(&mut self, event: &Event) {
        let identity = (event.names.clone(), event.time);
        if let Some(entries) = self.entries.get_mut(&identity) {
            entries.retain(|entry| entry.cells != event.cells);
        }
    }

    /// Whether a condition holds for the entry of an identity.
    pub fn holds(&self, model: &Model, identity: &Identity, test: &Test) -> bool {
        let entry = self
            .entries
            .get(identity)
            .and_then(|entries| entries.first());
        match entry {
            Some(entry) => test.holds(entry.is_event(model), &entry.cells),
            None => test.holds(false, &vec![None; model.columns.len()]),
        }
    }
}
