//! Changes of stored forms.

use std::borrow::Cow;
use std::fmt;

/// The effect of a change on stored rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Class {
    /// Stored rows cannot be read as before or are not found, or new rows are silently written
    /// beside them.
    StoredBytes,
    /// The file lacks the model: no form is locked yet.
    NotLocked,
    /// Stored rows are read differently, as the change says, but none is lost.
    Reads,
}

impl Class {
    /// Whether [`check`](super::check) refuses it.
    #[must_use]
    pub fn is_refused(self) -> bool {
        self != Self::Reads
    }
}

/// `refused` or `allowed`.
impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::StoredBytes => "refused",
            Self::NotLocked => "not locked",
            Self::Reads => "allowed",
        })
    }
}

/// The part of a model that changed.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Subject {
    /// The model as a whole, which is new or gone.
    Whole,
    /// The former layout, whose rows are also read.
    Former,
    /// When its rows may be packed.
    Packed,
    /// The table.
    Table,
    /// The literal prefix of the key.
    Prefix,
    /// The separator of the key.
    Separator,
    /// The number and order of the key's segments.
    Segments,
    /// A segment of the key, by its name.
    Segment(String),
    /// The salt.
    Salt,
    /// The bucket of the key.
    Bucket,
    /// The periods of the tables.
    Periods,
    /// The layout, and in layout `columns` the form of qualifiers.
    Layout,
    /// The timestamp of cells.
    CellTime,
    /// What marks an event.
    Presence,
    /// The columns of a family that a map collects.
    Map(String),
    /// A family, by its name.
    Family(String),
    /// A column, as `family:qualifier`.
    Column(String),
    /// A field of serialised events, by its name.
    Field(String),
    /// A roll-up, by the name of its model.
    Rollup(String),
    /// The description of the model for programs without the struct.
    Described,
    /// The row of a fixed event.
    Golden,
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = match self {
            Self::Segment(name) => return write!(f, "segment {name}"),
            Self::Family(name) => return write!(f, "family {name}"),
            Self::Column(name) => return write!(f, "column {name}"),
            Self::Field(name) => return write!(f, "field {name}"),
            Self::Rollup(name) => return write!(f, "roll-up {name}"),
            Self::Map(family) => return write!(f, "map of {family}"),
            Self::Whole => "model",
            Self::Former => "former layout",
            Self::Packed => "pack",
            Self::Table => "table",
            Self::Prefix => "prefix",
            Self::Separator => "separator",
            Self::Segments => "segments",
            Self::Salt => "salt",
            Self::Bucket => "bucket",
            Self::Periods => "periods",
            Self::Layout => "layout",
            Self::CellTime => "cell time",
            Self::Presence => "presence",
            Self::Described => "description",
            Self::Golden => "golden row",
        };
        f.write_str(word)
    }
}

/// One change of a stored form, and its meaning for stored rows. Its `Display` is one line.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Change {
    /// The model's name.
    pub model: String,
    /// What changed.
    pub subject: Subject,
    /// Its effect on stored rows.
    pub class: Class,
    /// The value in the lock file; `None` if it lacks the part.
    pub was: Option<String>,
    /// The value in the model; `None` if it lacks the part.
    pub now: Option<String>,
    /// What it means for stored rows, and what to do.
    pub meaning: Cow<'static, str>,
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            model,
            subject,
            class,
            was,
            now,
            meaning,
        } = self;
        write!(f, "{class}: {model}, {subject}")?;
        match (was, now) {
            (Some(was), Some(now)) => write!(f, " was `{was}` and is `{now}`")?,
            (Some(was), None) => write!(f, " was `{was}` and is gone")?,
            (None, Some(now)) => write!(f, " is new: `{now}`")?,
            (None, None) => {}
        }
        write!(f, ": {meaning}")
    }
}
