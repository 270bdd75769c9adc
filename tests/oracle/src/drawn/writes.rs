//! Writes: why they are refused, and what they leave.

use std::collections::BTreeSet;

use crate::event::{Cell, Event};
use crate::model::Model;
use crate::question::Test;
use crate::rules::Refused;
use crate::store::{Change, Identity, Store};
use crate::value::Value;

/// A write. Names and time are as given, not rounded.
#[derive(Debug, Clone)]
pub struct Write {
    pub names: Vec<Value>,
    pub time: i64,
    pub action: Action,
    /// The condition, if there is one.
    pub test: Option<Test>,
}

#[derive(Debug, Clone)]
pub enum Action {
    Insert(Vec<Option<Cell>>),
    Update(Vec<(usize, Change)>),
    Delete,
}

impl Write {
    /// Whether the documents do not say which event a condition is compared with, since several
    /// have this identity.
    pub fn is_undecided(&self, model: &Model, store: &Store) -> bool {
        self.test.is_some() && store.count(&self.identity(model)) > 1
    }

    pub fn refused(&self, model: &Model) -> BTreeSet<Refused> {
        let none = vec![None; model.columns.len()];
        match &self.action {
            Action::Insert(cells) => model.refuses(&self.names, self.time, cells),
            Action::Update(changes) => {
                let mut cells = none;
                for (column, change) in changes {
                    if let Change::Set(cell) = change {
                        cells[*column] = Some(cell.clone());
                    }
                }
                let mut refused = model.refuses(&self.names, self.time, &cells);
                // Copies are not written.
                refused.remove(&Refused::Column("copy"));
                refused
            }
            Action::Delete => model.refuses_key(&self.names, self.time),
        }
    }

    /// Names and time as they are stored.
    pub fn identity(&self, model: &Model) -> Identity {
        let names = model.identifiers().zip(&self.names);
        let names = names.map(|(identifier, value)| Model::stored(identifier, value));
        (names.collect(), model.floor(self.time))
    }

    pub fn apply(&self, model: &Model, store: &mut Store) {
        let identity = self.identity(model);
        match &self.action {
            Action::Insert(cells) => {
                let (names, time) = identity;
                let event = Event {
                    names,
                    time,
                    cells: cells.clone(),
                };
                store.insert(model, &event);
            }
            Action::Update(changes) => store.update(model, &identity, changes),
            Action::Delete => store.delete(&identity),
        }
    }
}
