//! Columns, event markers, and the columns named at run time.

use std::collections::{BTreeMap, BTreeSet};

use super::Differences;
use crate::lock::change::{Class, Subject};
use crate::lock::{Locked, LockedColumn, LockedMap};

type Columns = BTreeMap<String, LockedColumn>;
type Maps = BTreeMap<String, LockedMap>;

impl Differences<'_> {
    /// Stored events must have the cell that marks an event now.
    pub(super) fn presence(&mut self, was: &Locked, now: &Locked) {
        if was.presence == now.presence {
            return;
        }
        let both = (Some(was.presence.clone()), Some(now.presence.clone()));
        let by_alias = was.presence.strip_prefix("column ").is_some_and(|name| {
            let today = renamed(name, &now.columns);
            today.is_some_and(|(today, _)| now.presence == format!("column {today}"))
        });
        if by_alias {
            // The change of the column reports it.
            return;
        }
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
                None => match renamed(name, &now.columns) {
                    Some((today, new)) => self.renamed(name, old, today, new),
                    None => self.gone(name, old),
                },
            }
        }
        // A column with its former name as an alias was already reported under that name.
        let is_new = |(name, new): &(&String, &LockedColumn)| {
            let former = |alias: &String| was.columns.contains_key(&in_family_of(name, alias));
            !was.columns.contains_key(*name) && !new.aliases.iter().any(former)
        };
        for (name, _) in now.columns.iter().filter(is_new) {
            self.added(name, &now.columns);
        }
    }

    fn renamed(&mut self, name: &str, was: &LockedColumn, today: &str, now: &LockedColumn) {
        let both = (Some(name.to_owned()), Some(today.to_owned()));
        let meaning = "stored values are read by the former name; code from before does not read the new one, unless it has that as an alias";
        self.push(
            Class::Reads,
            Subject::Column(today.to_owned()),
            both,
            meaning,
        );
        let mut was = was.clone();
        was.aliases
            .extend(name.split_once(':').map(|(_, name)| name.to_owned()));
        self.column(today, &was, now);
    }

    /// Names that stored rows may still have.
    fn aliases(&mut self, name: &str, was: &LockedColumn, now: &LockedColumn) {
        let is_known =
            |alias: &String| now.aliases.contains(alias) || in_family_of(name, alias) == *name;
        let both = (Some(was.aliases.join(", ")), Some(now.aliases.join(", ")));
        let subject = Subject::Column(name.to_owned());
        if !was.aliases.iter().all(is_known) {
            let meaning = "values that were not written again since the name changed are not read any more: keep the `alias` until all are";
            self.push(Class::StoredBytes, subject, both, meaning);
        } else if now.aliases.len() > was.aliases.len()
            && was.aliases.iter().all(|one| now.aliases.contains(one))
        {
            let meaning = "what rows hold by these names too is read as the column";
            self.push(Class::Reads, subject, both, meaning);
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
        } else if was.form != now.form && now.copy_of.is_some() {
            let meaning = "it repeats a part of the key, which is read from there";
            self.push(Class::Reads, subject(), forms, meaning);
        } else if was.form != now.form {
            let meaning =
                "stored values are bytes of the former form: they are errors, or read as others";
            self.push(Class::StoredBytes, subject(), forms, meaning);
        } else {
            self.values(name, &was.values, &now.values);
        }
        self.aliases(name, was, now);
        if was.kind != now.kind {
            let word = |kind: &Option<String>| kind.clone().unwrap_or_else(|| "plain".to_owned());
            let both = (Some(word(&was.kind)), Some(word(&now.kind)));
            let is_aggregate = |kind: &Option<String>| {
                kind.as_deref()
                    .is_some_and(|kind| !matches!(kind, "counter" | "append" | "version"))
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
                    "stored rows read as before; code from before cannot read new rows without it";
                self.push(Class::Reads, subject(), both, meaning);
            }
            _ => {}
        }
    }

    /// Compares the bytes of fixed values: the codec must still read what it read before.
    fn values(&mut self, name: &str, was: &[String], now: &[String]) {
        let subject = Subject::Column(name.to_owned());
        let both = (Some(was.join(" ")), Some(now.join(" ")));
        if was.iter().any(|value| !now.contains(value)) {
            let meaning = "stored values are written otherwise now, or cannot be read: by these bytes of fixed values";
            self.push(Class::StoredBytes, subject, both, meaning);
        } else if was.len() < now.len() {
            let meaning =
                "stored values read as before; the new ones are beyond what the former type reads";
            self.push(Class::Reads, subject, both, meaning);
        }
    }

    pub(super) fn maps(&mut self, was: &Maps, now: &Maps) {
        let families: BTreeSet<_> = was.keys().chain(now.keys()).collect();
        for family in families {
            self.map(family, was.get(family), now.get(family));
        }
    }

    fn map(&mut self, family: &str, was: Option<&LockedMap>, now: Option<&LockedMap>) {
        let (class, meaning) = match (was, now) {
            (None, Some(_)) => (
                Class::Reads,
                "other columns of the family are read now, and an insert deletes them where a row is one event",
            ),
            (Some(_), None) => (
                Class::StoredBytes,
                "stored run-time columns are not read any more",
            ),
            (Some(was), Some(now)) if was != now => (
                Class::StoredBytes,
                "stored run-time columns are not read, or as others",
            ),
            _ => return,
        };
        let words = |map: Option<&LockedMap>| map.map(|one| one.form.clone());
        let both = (words(was), words(now));
        self.push(class, Subject::Map(family.to_owned()), both, meaning);
    }
}

/// The column that has a former column's name as an alias.
fn renamed<'c>(name: &str, columns: &'c Columns) -> Option<(&'c String, &'c LockedColumn)> {
    columns.iter().find(|(today, column)| {
        let mut aliases = column.aliases.iter();
        aliases.any(|alias| in_family_of(today, alias) == name)
    })
}

/// A name in the family of a column.
fn in_family_of(column: &str, name: &str) -> String {
    let family = column.split_once(':').map_or("", |(family, _)| family);
    format!("{family}:{name}")
}
