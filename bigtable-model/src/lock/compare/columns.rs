//! Columns, what marks an event, and the columns named at run time.

use std::collections::BTreeMap;

use super::Differences;
use crate::lock::change::{Class, Subject};
use crate::lock::{Locked, LockedColumn, LockedMap};

type Columns = BTreeMap<String, LockedColumn>;

impl Differences<'_> {
    /// An event that a stored row has must have the cell that marks it today.
    pub(super) fn presence(&mut self, was: &Locked, now: &Locked) {
        if was.presence == now.presence {
            return;
        }
        let both = (Some(was.presence.clone()), Some(now.presence.clone()));
        let is_required = |name: &str| was.columns.get(name).is_some_and(|one| !one.optional);
        let by_column = |one: &Locked| one.presence.strip_prefix("column ").map(str::to_owned);
        let (class, meaning) = match (by_column(was), by_column(now)) {
            (_, Some(name)) if is_required(&name) => (
                Class::Reads,
                "every stored event has the column that marks it now; name it with `presence` to make it independent of the order of fields",
            ),
            (_, None) => (
                Class::StoredBytes,
                "stored events lack the marker and are not seen any more",
            ),
            _ => (
                Class::StoredBytes,
                "stored events that lack the column are not seen any more: keep the former one by `presence` on its field",
            ),
        };
        self.push(class, Subject::Presence, both, meaning);
    }

    pub(super) fn columns(&mut self, was: &Locked, now: &Locked) {
        for (name, old) in &was.columns {
            match now.columns.get(name) {
                Some(new) => self.column(name, old, new),
                None => self.gone(name, old),
            }
        }
        let is_new = |name: &&String| !was.columns.contains_key(*name);
        for name in now.columns.keys().filter(is_new) {
            self.added(name, &now.columns);
        }
    }

    fn gone(&mut self, name: &str, was: &LockedColumn) {
        let both = (Some(was.form.clone()), None);
        let subject = Subject::Column(name.to_owned());
        match was.copy_of {
            Some(_) => {
                let meaning = "it repeats a part of the key, which is read from there";
                self.push(Class::Reads, subject, both, meaning);
            }
            None => {
                let meaning = "its stored values are not read any more; if it has another name now, give that one `alias`";
                self.push(Class::StoredBytes, subject, both, meaning);
            }
        }
    }

    fn added(&mut self, name: &str, columns: &Columns) {
        let Some(new) = columns.get(name) else { return };
        let both = (None, Some(new.form.clone()));
        let subject = Subject::Column(name.to_owned());
        match new.optional || new.copy_of.is_some() {
            true => {
                let meaning = "stored rows lack it and read without it, or with its default";
                self.push(Class::Reads, subject, both, meaning);
            }
            false => {
                let meaning = "stored rows lack it and are errors or no events: make it an `Option`, or give it a `default`";
                self.push(Class::StoredBytes, subject, both, meaning);
            }
        }
    }

    fn column(&mut self, name: &str, was: &LockedColumn, now: &LockedColumn) {
        let subject = || Subject::Column(name.to_owned());
        let forms = (Some(was.form.clone()), Some(now.form.clone()));
        if was.copy_of != now.copy_of {
            let meaning = "what the column holds is written from another field";
            self.push(Class::StoredBytes, subject(), forms, meaning);
        } else if was.form != now.form {
            let meaning =
                "stored values are bytes of the former form: they are errors, or read as others";
            self.push(Class::StoredBytes, subject(), forms, meaning);
        } else {
            self.values(name, &was.values, &now.values);
        }
        if was.kind != now.kind {
            let word = |kind: &Option<String>| kind.clone().unwrap_or_else(|| "plain".to_owned());
            let both = (Some(word(&was.kind)), Some(word(&now.kind)));
            let is_aggregate = |kind: &Option<String>| {
                kind.as_deref()
                    .is_some_and(|kind| !matches!(kind, "counter" | "append"))
            };
            let (class, meaning) = match is_aggregate(&was.kind) || is_aggregate(&now.kind) {
                true => (
                    Class::StoredBytes,
                    "cells of aggregates stand in families of their own",
                ),
                false => (
                    Class::Reads,
                    "stored values read as before; only how they may be changed differs",
                ),
            };
            self.push(class, subject(), both, meaning);
        }
        let word = |optional: bool| if optional { "optional" } else { "required" };
        let both = (
            Some(word(was.optional).to_owned()),
            Some(word(now.optional).to_owned()),
        );
        match (was.optional, now.optional) {
            (true, false) => {
                let meaning = "stored rows that lack it are errors: give it a `default`";
                self.push(Class::StoredBytes, subject(), both, meaning);
            }
            (false, true) => {
                let meaning =
                    "stored rows read as before; code from before can't read new rows without it";
                self.push(Class::Reads, subject(), both, meaning);
            }
            _ => {}
        }
    }

    /// The bytes of fixed values: what the codec read once it has to read still.
    fn values(&mut self, name: &str, was: &[String], now: &[String]) {
        let subject = Subject::Column(name.to_owned());
        let both = (Some(was.join(" ")), Some(now.join(" ")));
        if was.iter().any(|value| !now.contains(value)) {
            let meaning = "stored values are written otherwise now, or can't be read: by these bytes of fixed values";
            self.push(Class::StoredBytes, subject, both, meaning);
        } else if was.len() < now.len() {
            let meaning =
                "stored values read as before; the new ones are beyond what the former type reads";
            self.push(Class::Reads, subject, both, meaning);
        }
    }

    pub(super) fn map(&mut self, was: Option<&LockedMap>, now: Option<&LockedMap>) {
        let words =
            |map: Option<&LockedMap>| map.map(|one| format!("{}: {}", one.family, one.form));
        let both = (words(was), words(now));
        let (class, meaning) = match (was, now) {
            (Some(a), Some(b)) if a == b => return,
            (None, None) => return,
            (None, Some(_)) => (
                Class::Reads,
                "other columns of the family are read now, and an insert deletes them",
            ),
            (Some(_), None) => (
                Class::StoredBytes,
                "stored run-time columns are not read any more",
            ),
            (Some(_), Some(_)) => (
                Class::StoredBytes,
                "stored run-time columns are not read, or as others",
            ),
        };
        self.push(class, Subject::Map, both, meaning);
    }
}
