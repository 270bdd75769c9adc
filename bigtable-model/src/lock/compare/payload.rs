//! Fields of events that are serialised into one column.

use super::Differences;
use crate::lock::change::{Class, Subject};
use crate::lock::{Locked, LockedField};

impl Differences<'_> {
    pub(super) fn payload(&mut self, was: &Locked, now: &Locked) {
        let form = |one: &Locked| {
            let mut columns = one.columns.values();
            columns
                .find(|column| column.copy_of.is_none())
                .map(|column| column.form.clone())
        };
        if was.payload.is_empty() && now.payload.is_empty() || form(was) != form(now) {
            return;
        }
        match form(now).as_deref() {
            Some("json") => self.by_name(&was.payload, &now.payload),
            _ => self.by_place(&was.payload, &now.payload),
        }
    }

    /// JSON has the names of the fields.
    fn by_name(&mut self, was: &[LockedField], now: &[LockedField]) {
        for old in was {
            match now.iter().find(|new| new.name == old.name) {
                Some(new) => self.field(old, new),
                None => self.field_gone(old),
            }
        }
        let is_new = |new: &&LockedField| was.iter().all(|old| old.name != new.name);
        for new in now.iter().filter(is_new) {
            self.field_added(new);
        }
        let kept = |fields: &[LockedField], others: &[LockedField]| -> Vec<String> {
            let names = fields.iter().map(|one| one.name.clone());
            names
                .filter(|name| others.iter().any(|one| one.name == *name))
                .collect()
        };
        let (before, after) = (kept(was, now), kept(now, was));
        if before != after {
            let both = (Some(before.join(", ")), Some(after.join(", ")));
            let meaning =
                "stored events read as before; new ones have their fields in another order";
            self.push(
                Class::Reads,
                Subject::Column("of the event".to_owned()),
                both,
                meaning,
            );
        }
    }

    /// Postcard and protocol buffers have the places of the fields.
    fn by_place(&mut self, was: &[LockedField], now: &[LockedField]) {
        for (place, old) in was.iter().enumerate() {
            let Some(new) = now.get(place) else {
                self.field_gone(old);
                continue;
            };
            let moved = was.iter().any(|one| one.name == new.name);
            if old.name == new.name {
                self.field(old, new);
            } else if moved || old.value != new.value {
                let both = (Some(old.name.clone()), Some(new.name.clone()));
                let meaning = "fields are stored by their places: stored values are read as those of another field, or are errors";
                self.push(
                    Class::StoredBytes,
                    Subject::Field(new.name.clone()),
                    both,
                    meaning,
                );
            } else {
                let both = (Some(old.name.clone()), Some(new.name.clone()));
                let meaning = "fields are stored by their places: stored values of the one are read as the other's";
                self.push(
                    Class::Reads,
                    Subject::Field(new.name.clone()),
                    both,
                    meaning,
                );
                self.field(old, new);
            }
        }
        for new in now.iter().skip(was.len()) {
            self.field_added(new);
        }
    }

    fn field(&mut self, was: &LockedField, now: &LockedField) {
        let subject = || Subject::Field(now.name.clone());
        if was.value != now.value {
            let both = (was.value.clone(), now.value.clone());
            let meaning =
                "its stored values are written otherwise: they are errors, or read as others";
            self.push(Class::StoredBytes, subject(), both, meaning);
        }
        let word = |optional: bool| Some(if optional { "optional" } else { "required" }.to_owned());
        let both = (word(was.optional), word(now.optional));
        match (was.optional, now.optional) {
            (true, false) => {
                let meaning = "stored events that lack it are errors: give it a `default`";
                self.push(Class::StoredBytes, subject(), both, meaning);
            }
            (false, true) => {
                let meaning =
                    "stored events read as before; code from before can't read new ones without it";
                self.push(Class::Reads, subject(), both, meaning);
            }
            _ => {}
        }
    }

    fn field_gone(&mut self, was: &LockedField) {
        let both = (Some("a field".to_owned()), None);
        let meaning = "its stored values are not read any more, or the event is an error";
        self.push(
            Class::StoredBytes,
            Subject::Field(was.name.clone()),
            both,
            meaning,
        );
    }

    fn field_added(&mut self, now: &LockedField) {
        let both = (
            None,
            Some(if now.optional { "optional" } else { "required" }.to_owned()),
        );
        let subject = Subject::Field(now.name.clone());
        match now.optional {
            true => {
                let meaning = "stored events lack it and read without it, or with its default";
                self.push(Class::Reads, subject, both, meaning);
            }
            false => {
                let meaning = "stored events lack it and are errors: make it an `Option`, or give it a `default`";
                self.push(Class::StoredBytes, subject, both, meaning);
            }
        }
    }
}
