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
            Some("proto") => self.by_number(&was.payload, &now.payload),
            _ => self.by_place(&was.payload, &now.payload),
        }
    }

    /// JSON stores the names of the fields.
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

    /// Postcard and protocol buffers store fields by position.
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

    /// A message of a `.proto` stores the numbers of the fields.
    fn by_number(&mut self, was: &[LockedField], now: &[LockedField]) {
        for old in was {
            let Some(new) = now.iter().find(|new| new.tag == old.tag) else {
                self.field_gone(old);
                continue;
            };
            if old.name != new.name {
                self.same_number(old, new, was.iter().any(|one| one.name == new.name));
            }
            if !reads_as(old, new) {
                let meaning = "its stored values are of another form: they are errors, or read as others; give the new form a `tag` of its own";
                let both = (old.form.clone(), new.form.clone());
                self.push(
                    Class::StoredBytes,
                    Subject::Field(new.name.clone()),
                    both,
                    meaning,
                );
            } else if old.form != new.form {
                let meaning =
                    "stored values read as before; code from before may not read the new ones";
                let both = (old.form.clone(), new.form.clone());
                self.push(
                    Class::Reads,
                    Subject::Field(new.name.clone()),
                    both,
                    meaning,
                );
            }
        }
        let is_new = |new: &&LockedField| was.iter().all(|old| old.tag != new.tag);
        for new in now.iter().filter(is_new) {
            self.field_added(new);
        }
    }

    /// Compares a number that now has another name.
    fn same_number(&mut self, was: &LockedField, now: &LockedField, moved: bool) {
        let both = (Some(was.name.clone()), Some(now.name.clone()));
        let subject = Subject::Field(now.name.clone());
        let (class, meaning) = match moved {
            true => (
                Class::StoredBytes,
                "the field had another number: stored values are read as those of another field; keep the numbers by `tag`",
            ),
            false => (
                Class::Reads,
                "fields are stored by their numbers: stored values of the one are read as the other's",
            ),
        };
        self.push(class, subject, both, meaning);
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
                let meaning = "stored events read as before; code from before cannot read new ones without it";
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

/// Whether values stored in one form of a message read as equal values in another.
fn reads_as(was: &LockedField, now: &LockedField) -> bool {
    let split = |field: &LockedField| {
        let form = field.form.clone().unwrap_or_default();
        let (label, name) = form.rsplit_once(' ').unwrap_or(("", &form));
        (label.to_owned(), name.to_owned())
    };
    let ((was_label, was), (now_label, now)) = (split(was), split(now));
    let is_wider = matches!(
        (&*was, &*now),
        ("int32", "int64") | ("uint32", "uint64") | ("string", "bytes")
    );
    // Otherwise a value left out as 0 would be absent, or an absent value 0.
    was_label == now_label && (was == now || is_wider)
}
