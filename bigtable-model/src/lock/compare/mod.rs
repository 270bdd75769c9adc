//! Compares two stored forms part by part.

mod columns;
mod payload;

use std::collections::BTreeMap;
use std::fmt::Display;

use super::change::{Change, Class, Subject};
use super::{Locked, LockedBucket, LockedSalt, LockedSegment};

/// The differences between a model's locked and current stored forms. Names of fields are not
/// stored, so they do not count.
pub(super) fn differences(model: &str, was: &Locked, now: &Locked) -> Vec<Change> {
    let mut found = Differences {
        model,
        changes: Vec::new(),
    };
    found.former(was, now);
    found.packed(was, now);
    found.place(was, now);
    found.key(was, now);
    found.bucket(Subject::Bucket, was.bucket.as_ref(), now.bucket.as_ref());
    found.bucket(Subject::Periods, was.periods.as_ref(), now.periods.as_ref());
    found.layout(was, now);
    found.families(&was.families, &now.families);
    found.presence(was, now);
    found.columns(was, now);
    found.maps(&was.maps, &now.maps);
    found.payload(was, now);
    found.rollups(&was.rollups, &now.rollups);
    found.changes
}

/// Collects the changes of a model.
struct Differences<'m> {
    model: &'m str,
    changes: Vec<Change>,
}

impl Differences<'_> {
    fn push(
        &mut self,
        class: Class,
        subject: Subject,
        (was, now): (Option<String>, Option<String>),
        meaning: &'static str,
    ) {
        self.changes.push(Change {
            model: self.model.to_owned(),
            subject,
            class,
            was,
            now,
            meaning: meaning.into(),
        });
    }

    /// Compares a part on which stored rows depend.
    fn stored<T: PartialEq + Display>(
        &mut self,
        subject: Subject,
        was: &T,
        now: &T,
        meaning: &'static str,
    ) {
        if was != now {
            let both = (Some(was.to_string()), Some(now.to_string()));
            self.push(Class::StoredBytes, subject, both, meaning);
        }
    }

    fn former(&mut self, was: &Locked, now: &Locked) {
        let both = (was.was.clone(), now.was.clone());
        match &both {
            (was, now) if was == now => {}
            (None, Some(_)) => {
                let meaning = "its rows are read beside those of today's layout";
                self.push(Class::Reads, Subject::Former, both, meaning);
            }
            _ => {
                let meaning = "events that only the former layout has are not found: once `former::finish` proves that there are none, rewrite the file";
                self.push(Class::StoredBytes, Subject::Former, both, meaning);
            }
        }
    }

    fn packed(&mut self, was: &Locked, now: &Locked) {
        let both = (was.packed.clone(), now.packed.clone());
        let (class, meaning) = match &both {
            (was, now) if was == now => return,
            (None, _) => (
                Class::Reads,
                "programs from before do not find the events of packed rows: let all that read the table have this change before a `PackJob` runs",
            ),
            (_, None) => (
                Class::StoredBytes,
                "the events of packed rows are not found: unpack the rows with a `PackJob` while `pack` stands, then rewrite the file",
            ),
            _ => (
                Class::Reads,
                "rows are packed at another time; what is stored is read as before",
            ),
        };
        self.push(class, Subject::Packed, both, meaning);
    }

    fn place(&mut self, was: &Locked, now: &Locked) {
        self.stored(
            Subject::Table,
            &unnamed(&was.table),
            &unnamed(&now.table),
            "stored rows stay in the former table, where they are not looked for",
        );
        let meaning = "stored rows have other keys and are not found";
        self.stored(Subject::Prefix, &was.prefix, &now.prefix, meaning);
        self.stored(Subject::Separator, &joint(was), &joint(now), meaning);
    }

    fn key(&mut self, was: &Locked, now: &Locked) {
        if was.segments.len() != now.segments.len() || is_reordered(&was.segments, &now.segments) {
            let both = (Some(was.key.clone()), Some(now.key.clone()));
            let meaning = "stored rows or qualifiers have other segments: events are not found, or are errors";
            self.push(Class::StoredBytes, Subject::Segments, both, meaning);
            return;
        }
        for (was, now) in was.segments.iter().zip(&now.segments) {
            self.segment(was, now);
        }
        let salts = (was.salt.as_ref(), now.salt.as_ref());
        if let (Some(a), Some(b)) = salts
            && a != b
        {
            let is_as_hot = (a.hot_segment, &a.hot) == (b.hot_segment, &b.hot);
            let meaning = match is_as_hot {
                true => {
                    "stored rows are in other shards and are not found, and writing one again makes a second"
                }
                false => {
                    "stored rows are in other shards and are not found, and writing one again makes a second: give the model another table and name the former one in `was(...)`, which reads both"
                }
            };
            self.push(
                Class::StoredBytes,
                Subject::Salt,
                (Some(salt_in_words(a)), Some(salt_in_words(b))),
                meaning,
            );
        }
    }

    fn segment(&mut self, was: &LockedSegment, now: &LockedSegment) {
        let subject = || Subject::Segment(now.name.clone());
        let words = |one: &LockedSegment| format!("{} {}, {}", one.role, one.kind, one.format);
        let both = (Some(words(was)), Some(words(now)));
        if (&was.role, &was.format) != (&now.role, &now.format) {
            let meaning = "stored rows have other keys: they are not found, or are errors";
            self.push(Class::StoredBytes, subject(), both, meaning);
        } else if was.kind != now.kind {
            match widens(&was.kind, &now.kind) {
                true => {
                    let meaning =
                        "keys read as before; values that the former type could not hold are new";
                    self.push(Class::Reads, subject(), both, meaning);
                }
                false => {
                    let meaning = "keys that the new type cannot hold are errors";
                    self.push(Class::StoredBytes, subject(), both, meaning);
                }
            }
        }
        self.names(was, now);
        if was.truncate != now.truncate {
            let flags = (
                Some(was.truncate.to_string()),
                Some(now.truncate.to_string()),
            );
            let meaning =
                "stored rows read as before; only what is written of inexact times differs";
            self.push(Class::Reads, subject(), flags, meaning);
        }
    }

    /// Compares the values of a type with a fixed set of names.
    fn names(&mut self, was: &LockedSegment, now: &LockedSegment) {
        let joined = |names: &[String]| (!names.is_empty()).then(|| names.join(", "));
        let both = (joined(&was.names), joined(&now.names));
        let keeps = was.names.iter().all(|name| now.names.contains(name));
        let subject = Subject::Segment(now.name.clone());
        match (was.names.is_empty(), now.names.is_empty()) {
            // Their order does not matter, since keys contain names.
            (false, false) if keeps && was.names.len() == now.names.len() => {}
            (true, true) => {}
            (false, true) => {
                let meaning = "keys read as before; any text is a value now";
                self.push(Class::Reads, subject, both, meaning);
            }
            (false, false) if keeps => {
                let meaning = "keys read as before; code from before does not read the new names";
                self.push(Class::Reads, subject, both, meaning);
            }
            _ => {
                let meaning = "keys with a name that the type has no more are errors; `name = \"...\"` on a variant keeps its name in keys";
                self.push(Class::StoredBytes, subject, both, meaning);
            }
        }
    }

    fn bucket(&mut self, subject: Subject, was: Option<&LockedBucket>, now: Option<&LockedBucket>) {
        let (Some(was), Some(now)) = (was, now) else {
            // A new or removed bucket is another segment, and a new or removed period another
            // table.
            return;
        };
        let words = |one: &LockedBucket| {
            let origin = one.origin.as_deref().map(|at| format!(" from {at}"));
            let zone = one.zone.as_deref().map(|zone| format!(" in {zone}"));
            let (origin, zone) = (origin.unwrap_or_default(), zone.unwrap_or_default());
            Some(format!("{}, {}{origin}{zone}", one.span, one.label))
        };
        let both = (words(was), words(now));
        if both.0 != both.1 {
            let meaning =
                "stored events are in other rows or tables: they are not found, or are errors";
            self.push(Class::StoredBytes, subject.clone(), both, meaning);
        } else if was.edges != now.edges {
            let database = |one: &LockedBucket| one.zone_database.clone();
            let both = (database(was), database(now));
            let meaning = "the database of time zones moved edges of buckets: events near them are in other rows and are not found";
            self.push(Class::StoredBytes, subject.clone(), both, meaning);
        }
        if was.grid_micros != now.grid_micros {
            let micros = |one: &LockedBucket| Some(format!("{} us", one.grid_micros));
            let both = (micros(was), micros(now));
            match now.grid_micros > 0 && was.grid_micros % now.grid_micros == 0 {
                true => {
                    let meaning = "events read as before, and may have finer times";
                    self.push(Class::Reads, subject.clone(), both, meaning);
                }
                false => {
                    let meaning =
                        "events at times that are no whole multiple of the new unit are errors";
                    self.push(Class::StoredBytes, subject.clone(), both, meaning);
                }
            }
        }
        if was.truncate != now.truncate {
            let flags = (
                Some(was.truncate.to_string()),
                Some(now.truncate.to_string()),
            );
            let meaning =
                "stored events read as before; only what is written of inexact times differs";
            self.push(Class::Reads, subject, flags, meaning);
        }
    }

    fn layout(&mut self, was: &Locked, now: &Locked) {
        let words = |one: &Locked| match &one.qualifiers {
            Some(qualifiers) => format!("{} {qualifiers}", one.layout),
            None => one.layout.clone(),
        };
        let meaning = "stored cells mean something else: events are not found, or are others";
        self.stored(Subject::Layout, &words(was), &words(now), meaning);
        if was.cell_time != now.cell_time {
            let both = (Some(was.cell_time.clone()), Some(now.cell_time.clone()));
            let meaning = "a correction may not be seen: the stored value wins where its cell has the later of the two times";
            self.push(Class::StoredBytes, Subject::CellTime, both, meaning);
        }
    }

    /// Compares roll-ups, whose rows do not show the length of their bucket.
    fn rollups(&mut self, was: &BTreeMap<String, String>, now: &BTreeMap<String, String>) {
        for name in was
            .keys()
            .chain(now.keys().filter(|name| !was.contains_key(*name)))
        {
            let both = (was.get(name).cloned(), now.get(name).cloned());
            let is_added = |words: &Option<String>| {
                words
                    .as_ref()
                    .is_some_and(|words| words.starts_with("added"))
            };
            let (class, meaning) = match &both {
                (was, now) if was == now => continue,
                (_, None) => (Class::Reads, "nothing is read from its tables: delete them"),
                (None, now) if is_added(now) => (
                    Class::Reads,
                    "earlier events are missing: `recount` adds them",
                ),
                (None, _) => (
                    Class::Reads,
                    "earlier events are missing: `mark_events` marks them",
                ),
                (Some(was), Some(now)) if now.starts_with(&format!("{was}, ")) => (
                    Class::Reads,
                    "earlier events are missing in the longer buckets: `recount` adds them, `mark_events` marks those that a job computes",
                ),
                (was, now) if is_added(was) || is_added(now) => (
                    Class::StoredBytes,
                    "stored buckets are taken for buckets of these lengths: give the roll-up other tables and `recount`",
                ),
                _ => (
                    Class::Reads,
                    "stored buckets may be of other lengths: `mark_events` has a job compute them",
                ),
            };
            self.push(class, Subject::Rollup(name.clone()), both, meaning);
        }
    }

    fn families(&mut self, was: &BTreeMap<String, String>, now: &BTreeMap<String, String>) {
        for (name, was) in was {
            let Some(now) = now.get(name).filter(|now| *now != was) else {
                // The columns of a family report that it is gone.
                continue;
            };
            let both = (Some(was.clone()), Some(now.clone()));
            let subject = Subject::Family(name.clone());
            let aggregates = |text: &str| text.split_once(", ").map(|(kind, _)| kind.to_owned());
            match aggregates(was) == aggregates(now) {
                true => {
                    let meaning = "the table keeps its rule until it is changed there; `table_diff` tells whether that deletes cells";
                    self.push(Class::Reads, subject, both, meaning);
                }
                false => {
                    let meaning = "a family is of one kind for ever: use another family";
                    self.push(Class::StoredBytes, subject, both, meaning);
                }
            }
        }
    }
}

fn salt_in_words(salt: &LockedSalt) -> String {
    let joined = |words: &mut dyn Iterator<Item = String>| words.collect::<Vec<_>>().join(", ");
    let of = joined(&mut salt.of.iter().map(ToString::to_string));
    let hot = salt.hot_segment.map(|segment| {
        let values = salt.hot.iter();
        let values = joined(&mut values.map(|(value, shards)| format!("{value} = {shards}")));
        format!(", hot by {segment}: {values}")
    });
    format!(
        "{} of {of} from {}, {}{}: {}",
        salt.shards,
        salt.first,
        salt.hash,
        hot.unwrap_or_default(),
        salt.golden.join(", ")
    )
}

/// A template without the name of the field in it, which is not stored.
fn unnamed(table: &str) -> String {
    match (table.find('{'), table.find(':')) {
        (Some(start), Some(end)) if start < end => {
            let (before, after) = (table.get(..=start), table.get(end..));
            format!(
                "{}{}",
                before.unwrap_or_default(),
                after.unwrap_or_default()
            )
        }
        _ => table.to_owned(),
    }
}

/// Whether the same segments are in another order, which their forms alone may not show.
fn is_reordered(was: &[LockedSegment], now: &[LockedSegment]) -> bool {
    let names = |segments: &[LockedSegment]| -> Vec<String> {
        segments.iter().map(|one| one.name.clone()).collect()
    };
    let (was, now) = (names(was), names(now));
    was != now && was.iter().any(|name| now.contains(name)) && {
        let moved = |(at, name): (usize, &String)| {
            now.iter()
                .position(|one| one == name)
                .is_some_and(|to| to != at)
        };
        was.iter().enumerate().any(moved)
    }
}

/// Whether all integers of one kind are also of the other, so that the same text reads as the same
/// value.
fn widens(was: &str, now: &str) -> bool {
    let parse = |kind: &str| -> Option<(char, u16)> {
        let sign = kind
            .chars()
            .next()
            .filter(|sign| matches!(sign, 'u' | 'i' | 'f'))?;
        Some((sign, kind.get(1..)?.parse().ok()?))
    };
    matches!((parse(was), parse(now)), (Some((a, from)), Some((b, to))) if a == b && from <= to)
}

/// The separator between the segments, and whether it also encloses them.
fn joint(of: &Locked) -> String {
    let separator = of.separator.escape_debug();
    match of.enclosed {
        true => format!("{separator}, in front and at the end"),
        false => separator.to_string(),
    }
}
