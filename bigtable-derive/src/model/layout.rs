//! Buckets, salts and layouts; the names of variants are those of the runtime's types.

use syn::{Ident, Path, Type};

use super::kind::Absent;
use super::layouts::Kind;
use super::time::{FormatItem, Unit};

/// Where an event's time and its fields go.
pub(crate) struct Layout {
    pub(crate) kind: Kind,
    pub(crate) offset: Option<Offset>,
    /// Whether the column's name comes before the offset.
    pub(crate) named: bool,
}

/// Where rows are stored.
pub(crate) enum Table {
    /// In one table, with this ID.
    Fixed(String),
    ByPeriod(PeriodTables),
}

/// Tables that each hold the events of one period.
pub(crate) struct PeriodTables {
    pub(crate) before: String,
    /// The field of the event's time.
    pub(crate) field: String,
    pub(crate) items: Vec<FormatItem>,
    pub(crate) span: Span,
    pub(crate) zone: Option<String>,
    pub(crate) after: String,
}

/// A span of time that shares a row.
pub(crate) struct Bucket {
    pub(crate) span: Span,
    pub(crate) zone: Option<String>,
    pub(crate) label: Label,
    pub(crate) grid_micros: i64,
    pub(crate) truncate: bool,
}

/// How long a bucket is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Span {
    Minute,
    Hour,
    Day,
    Week,
    Month,
    Year,
    Every(i64),
    Endless,
}

/// How a bucket is written in the key.
pub(crate) enum Label {
    Calendar(Vec<FormatItem>),
    Start {
        unit: Unit,
        width: u16,
        reverse: bool,
    },
    BinaryStart {
        unit: Unit,
        reverse: bool,
    },
    Units {
        micros: i64,
        origin_micros: i64,
        width: u16,
        reverse: bool,
    },
    Counted {
        origin_micros: i64,
        before: String,
        after: String,
        width: u16,
    },
    Absent,
}

/// How the place inside the bucket is written.
pub(crate) enum Offset {
    Ticks {
        unit: Unit,
        width: u16,
        reverse: bool,
    },
    Calendar(Vec<FormatItem>),
}

/// The shard's number in the key.
pub(crate) struct Salt {
    pub(crate) shards: u16,
    /// The first shard's number.
    pub(crate) first: u16,
    /// The segments that are hashed, ascending; without the salt.
    pub(crate) of: Vec<usize>,
    /// A hash function of the program.
    pub(crate) hash: Option<Path>,
    /// The series whose rows are spread.
    pub(crate) hot: Option<HotSeries>,
    /// The segment that it comes before.
    pub(crate) place: usize,
}

/// The series whose rows a salt spreads.
pub(crate) struct HotSeries {
    /// The segment of the hot values, without the salt.
    pub(crate) segment: usize,
    /// The identifiers that the salt hashes, ascending; without the salt.
    pub(crate) series: Vec<usize>,
    /// The values as keys contain them, ascending, each with the number of its shards.
    pub(crate) values: Vec<(String, u16)>,
}

/// The one column that holds the fields of an event.
pub(crate) struct Payload {
    pub(crate) family: String,
    pub(crate) qualifier: String,
    pub(crate) format: PayloadFormat,
    pub(crate) fields: Vec<PayloadField>,
}

/// What serialises events.
pub(crate) enum PayloadFormat {
    Json,
    /// The message of a natural `.proto`.
    Proto,
    Postcard,
    /// A codec of the whole struct.
    Own(Path),
}

/// A field inside a payload.
pub(crate) struct PayloadField {
    pub(crate) ident: Ident,
    pub(crate) ty: Type,
    /// Its name in the payload.
    pub(crate) name: String,
    /// Its number, which no other field has.
    pub(crate) number: u32,
    pub(crate) absent: Absent,
}

/// What a row is expected to hold, or a day of a series if a row is one event.
pub(crate) struct Volume {
    /// The microseconds between the events of a series.
    pub(crate) every: u64,
    /// The events of the longest bucket, or of a day; `None` if a row has no end.
    pub(crate) events: Option<u64>,
    pub(crate) cells: u64,
    pub(crate) bytes: u64,
    /// Whether a row is an event.
    pub(crate) of_day: bool,
    /// The bytes of an event, and of the names of its cells.
    pub(crate) size: u64,
    pub(crate) names: u64,
}

impl Payload {
    /// Whether a codec of the program writes the whole struct.
    pub(crate) fn is_own(&self) -> bool {
        matches!(self.format, PayloadFormat::Own(_))
    }
}

impl Span {
    /// Whether each span of this length lies in one of the other, in the same time zone; the same
    /// rule as in the runtime's `BucketSpan`.
    pub(crate) fn lies_in(self, other: Self) -> bool {
        let day = 86_400_000_000;
        if self == other {
            return true;
        }
        match (self.even_micros(), other.even_micros()) {
            (Some(micros), Some(longer)) => longer % micros == 0,
            // Weeks begin on Mondays, months and years with some day.
            (Some(micros), None) => day % micros == 0,
            (None, _) => self == Self::Month && other == Self::Year,
        }
    }

    /// The microseconds of spans of equal length, one of which begins with 1970.
    fn even_micros(self) -> Option<i64> {
        match self {
            Self::Every(micros) => Some(micros),
            Self::Minute | Self::Hour | Self::Day => self.longest_micros(0),
            Self::Week | Self::Month | Self::Year | Self::Endless => None,
        }
    }

    /// The microseconds of the longest one; `None` for a span without an end. `more` is how much
    /// longer than 24 hours the longest day of a time zone is.
    pub(crate) fn longest_micros(self, more: i64) -> Option<i64> {
        let day = 86_400_000_000;
        Some(match self {
            Self::Minute => 60_000_000,
            Self::Hour => 3_600_000_000,
            Self::Day => day + more,
            Self::Week => 7 * day + more,
            Self::Month => 31 * day + more,
            Self::Year => 366 * day + more,
            Self::Every(micros) => micros,
            Self::Endless => return None,
        })
    }
}

impl Unit {
    /// Microseconds in one unit.
    pub(crate) fn micros(self) -> i64 {
        match self {
            Self::Seconds => 1_000_000,
            Self::Millis => 1_000,
            Self::Micros => 1,
        }
    }

    /// The number of digits of a present-day time.
    pub(crate) fn digits(self) -> u16 {
        match self {
            Self::Seconds => 10,
            Self::Millis => 13,
            Self::Micros => 16,
        }
    }

    /// As attributes write it.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Seconds => "s",
            Self::Millis => "ms",
            Self::Micros => "us",
        }
    }
}
