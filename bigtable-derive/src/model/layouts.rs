//! The layouts. Everything that the derive knows about each is here; other code asks.

/// A layout's name.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Row,
    Cells,
    Columns,
    Qualifiers,
    Latest,
}

/// All layouts, with the facts about each.
const LAYOUTS: [(Kind, Facts); 5] = [
    (
        Kind::Row,
        Facts {
            word: "row",
            variant: "Row",
            events: Events::One,
            time: Time::Key,
            value: Value::InCells,
        },
    ),
    (
        Kind::Cells,
        Facts {
            word: "cells",
            variant: "Cells",
            events: Events::OfBucket,
            time: Time::Cell,
            value: Value::InCells,
        },
    ),
    (
        Kind::Columns,
        Facts {
            word: "columns",
            variant: "Columns",
            events: Events::OfBucket,
            time: Time::Qualifier,
            value: Value::InCells,
        },
    ),
    (
        Kind::Qualifiers,
        Facts {
            word: "qualifiers",
            variant: "Qualifiers",
            events: Events::OfBucket,
            time: Time::Cell,
            value: Value::InQualifier,
        },
    ),
    (
        Kind::Latest,
        Facts {
            word: "latest",
            variant: "Latest",
            events: Events::Newest,
            time: Time::Cell,
            value: Value::InCells,
        },
    ),
];

struct Facts {
    /// As attributes write it.
    word: &'static str,
    /// As the runtime calls it.
    variant: &'static str,
    events: Events,
    time: Time,
    value: Value,
}

/// The events that a row holds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Events {
    One,
    OfBucket,
    Newest,
}

/// What holds an event's time.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Time {
    Key,
    /// The timestamps of its cells.
    Cell,
    /// An offset in its cells' qualifiers.
    Qualifier,
}

/// What holds an event's values.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Value {
    InCells,
    /// An event has one value, which is a qualifier.
    InQualifier,
}

impl Kind {
    /// The layout that attributes write with this word.
    pub(crate) fn of_word(word: &str) -> Option<Self> {
        Self::all().find(|kind| kind.word() == word)
    }

    pub(crate) fn all() -> impl Iterator<Item = Self> + Clone {
        LAYOUTS.iter().map(|(kind, _)| *kind)
    }

    fn facts(self) -> &'static Facts {
        let [(_, first), ..] = &LAYOUTS;
        let own = LAYOUTS.iter().find(|(kind, _)| *kind == self);
        own.map_or(first, |(_, facts)| facts)
    }

    /// As attributes write it.
    pub(crate) fn word(self) -> &'static str {
        self.facts().word
    }

    /// As the runtime calls it.
    pub(crate) fn variant(self) -> &'static str {
        self.facts().variant
    }

    /// Whether the key has a bucket in place of the time. If a row holds the newest event, the
    /// bucket is all of time, and nothing of it is in the key.
    pub(crate) fn has_bucket(self) -> bool {
        self.facts().events != Events::One
    }

    /// Whether a row holds the events of a bucket.
    pub(crate) fn has_many(self) -> bool {
        self.facts().events == Events::OfBucket
    }

    /// Whether an event takes the place of the one before it.
    pub(crate) fn keeps_newest(self) -> bool {
        self.facts().events == Events::Newest
    }

    /// Whether each event has a value in a cell of its own, at a place that only the event
    /// determines.
    pub(crate) fn has_places(self) -> bool {
        !self.keeps_newest() && !self.is_in_qualifier()
    }

    /// Whether the time of an event is the timestamp of its cells, and is nowhere else.
    pub(crate) fn is_cell_time(self) -> bool {
        self.facts().time == Time::Cell
    }

    /// Whether qualifiers hold the time.
    pub(crate) fn has_offset(self) -> bool {
        self.facts().time == Time::Qualifier
    }

    /// Whether an event has one value, which is the qualifier of a cell without a value.
    pub(crate) fn is_in_qualifier(self) -> bool {
        self.facts().value == Value::InQualifier
    }

    /// The layout to use in place of this one, whose times are not the cells' timestamps.
    pub(crate) fn finer(self) -> &'static str {
        match self.keeps_newest() {
            true => Self::Row.word(),
            false => Self::Columns.word(),
        }
    }
}
