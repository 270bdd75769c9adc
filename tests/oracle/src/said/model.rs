//! A model in plain terms: which values name an event, how the key holds them, and where the event
//! is stored.

use crate::calendar::{self, Fine, Span, Zone};
use crate::value::Value;

#[derive(Debug, Clone)]
pub struct Model {
    pub prefix: &'static str,
    pub separator: &'static str,
    /// Whether the separator also encloses the key.
    pub enclosed: bool,
    /// The parts of the key, in order.
    pub parts: Vec<Part>,
    pub layout: Layout,
    pub columns: Vec<Column>,
    /// Whether an empty cell marks an event; if not, the first column does.
    pub marker: bool,
    /// Whether all columns are in one cell, so that none can be read, compared or changed
    /// separately.
    pub serialized: bool,
    /// Whether cells have the time of the write.
    pub write_time: bool,
    pub periods: Option<Periods>,
}

#[derive(Debug, Clone)]
pub enum Part {
    Name(Identifier),
    Time(When),
    /// A shard's number, computed from the parts at these places.
    Salt {
        shards: u64,
        of: Vec<usize>,
        hot: Option<Hot>,
    },
}

/// The series whose rows are in several shards; those of all others are in one.
#[derive(Debug, Clone)]
pub struct Hot {
    /// The place of the name whose values are hot.
    pub place: usize,
    /// Its values, each with the number of the shards.
    pub values: Vec<(Value, u64)>,
}

impl Hot {
    /// How many shards the rows with a value are in.
    pub fn shards_of(&self, value: &Value) -> u64 {
        let found = self.values.iter().find(|(one, _)| one == value);
        found.map_or(1, |(_, shards)| *shards)
    }
}

#[derive(Debug, Clone)]
pub struct Identifier {
    pub name: &'static str,
    pub form: Form,
    /// Whether it only distinguishes events at the same time, and is not part of the series' name.
    pub tie: bool,
    /// The values from which events and questions are drawn.
    pub pool: Vec<Value>,
}

/// The kind of an identifier's values, and how they are written.
#[derive(Debug, Clone, PartialEq)]
pub enum Form {
    Padded {
        width: usize,
        pad: char,
    },
    Variable,
    Escaped,
    /// Bytes as they are, last in the key.
    Rest,
    Hex {
        len: usize,
    },
    Raw {
        len: usize,
    },
    Digits {
        bits: u32,
        width: usize,
    },
    BigEndian {
        bits: u32,
    },
    SignedDigits {
        bits: u32,
        width: usize,
    },
    SignedBigEndian {
        bits: u32,
    },
    Single,
    Double,
    Bool {
        binary: bool,
    },
    Char {
        binary: bool,
    },
    Uuid {
        binary: bool,
    },
    Time(Stamp),
    /// In ordered code, like the forms below.
    CodedText {
        escape: bool,
        last: bool,
    },
    CodedUnsigned {
        bits: u32,
    },
    CodedSigned {
        bits: u32,
    },
    CodedBytes {
        len: usize,
    },
    CodedUuid,
}

/// The form of a time in a key.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Stamp {
    Ticks {
        /// Microseconds.
        unit: i64,
        width: usize,
        reverse: bool,
        truncate: bool,
    },
    Binary {
        unit: i64,
        reverse: bool,
        truncate: bool,
    },
    Fields {
        format: &'static str,
        /// Microseconds that its clock is ahead of UTC.
        ahead: i64,
        truncate: bool,
    },
    /// In ordered code.
    Coded { unit: i64, truncate: bool },
}

/// Where in the key an event's time is.
#[derive(Debug, Clone)]
pub enum When {
    Stamp(Stamp),
    Bucket(Bucket),
}

#[derive(Debug, Clone)]
pub struct Bucket {
    pub span: Span,
    pub zone: Zone,
    pub label: Label,
    /// The unit of times, in microseconds.
    pub grid: i64,
    pub truncate: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Label {
    Fields {
        format: &'static str,
        sorts: bool,
    },
    Start {
        unit: i64,
        width: usize,
        reverse: bool,
    },
    BinaryStart {
        unit: i64,
        reverse: bool,
    },
    Counted {
        origin: i64,
        before: &'static str,
        after: &'static str,
        /// 0 for as many digits as needed.
        width: usize,
    },
    Absent,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Layout {
    Row,
    Cells,
    Columns { offset: Offset, named: bool },
    Qualifiers,
    Latest,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Offset {
    Ticks {
        unit: i64,
        width: usize,
        reverse: bool,
    },
    Fields(&'static str),
}

#[derive(Debug, Clone)]
pub struct Column {
    pub name: &'static str,
    pub family: &'static str,
    pub codec: Codec,
    pub kind: Kind,
    /// The place of the part that it repeats.
    pub copy_of: Option<usize>,
    /// Whether it is named at run time.
    pub in_map: bool,
}

/// What a column holds and how it is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Codec {
    Signed,
    Unsigned,
    Float,
    Text,
    Bytes,
    Bool,
    Char,
    Micros,
    SignedText,
    FloatText,
    /// A float that every codec holds.
    #[allow(dead_code, reason = "derived models have it")]
    Finite,
    /// Columns named at run time.
    #[allow(dead_code, reason = "derived models have it")]
    Entries,
    Json,
    Postcard,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Plain,
    Counter,
    Append,
    Sum,
    Least,
    Greatest,
}

impl Kind {
    pub fn is_aggregate(self) -> bool {
        matches!(self, Self::Sum | Self::Least | Self::Greatest)
    }
}

/// Tables by period.
#[derive(Debug, Clone)]
pub struct Periods {
    pub format: &'static str,
    pub span: Span,
    pub zone: Zone,
    pub after: &'static str,
}

impl Stamp {
    pub fn truncates(self) -> bool {
        match self {
            Self::Ticks { truncate, .. }
            | Self::Binary { truncate, .. }
            | Self::Fields { truncate, .. }
            | Self::Coded { truncate, .. } => truncate,
        }
    }

    pub fn is_reversed(self) -> bool {
        match self {
            Self::Ticks { reverse, .. } | Self::Binary { reverse, .. } => reverse,
            Self::Fields { .. } | Self::Coded { .. } => false,
        }
    }

    pub fn floor(self, micros: i64) -> i64 {
        match self {
            Self::Ticks { unit, .. } | Self::Binary { unit, .. } | Self::Coded { unit, .. } => {
                micros.saturating_sub(micros.rem_euclid(unit))
            }
            Self::Fields { format, ahead, .. } => {
                let local = calendar::finest(format).floor(micros.saturating_add(ahead));
                local.saturating_sub(ahead)
            }
        }
    }

    /// The maximum number of units in so many digits.
    pub fn most(width: usize) -> i64 {
        let end = 10_i128.pow(width as u32);
        i64::try_from(end - 1).unwrap_or(i64::MAX)
    }
}

impl Bucket {
    pub fn is_endless(&self) -> bool {
        self.span == Span::Endless
    }

    /// Whether the keys of later buckets all sort after, or all before, those of earlier ones.
    pub fn sorts(&self) -> bool {
        match &self.label {
            Label::Fields { sorts, .. } => *sorts,
            Label::Counted { width, .. } => *width > 0,
            Label::Start { .. } | Label::BinaryStart { .. } | Label::Absent => true,
        }
    }

    pub fn is_reversed(&self) -> bool {
        matches!(
            self.label,
            Label::Start { reverse: true, .. } | Label::BinaryStart { reverse: true, .. }
        )
    }

    /// The starts of a time's bucket and of the next.
    pub fn span_of(&self, micros: i64) -> Option<(i64, Option<i64>)> {
        match self.is_endless() {
            true => Some((0, None)),
            false => calendar::span_of(self.span, self.zone, micros),
        }
    }
}

impl Model {
    /// The parts that have values, with their places.
    pub fn valued(&self) -> impl Iterator<Item = (usize, &Part)> {
        let parts = self.parts.iter().enumerate();
        parts.filter(|(_, part)| !matches!(part, Part::Salt { .. }))
    }

    pub fn identifiers(&self) -> impl Iterator<Item = &Identifier> {
        self.parts.iter().filter_map(|part| match part {
            Part::Name(identifier) => Some(identifier),
            _ => None,
        })
    }

    pub fn when(&self) -> &When {
        let mut parts = self.parts.iter();
        let when = parts.find_map(|part| match part {
            Part::Time(when) => Some(when),
            _ => None,
        });
        when.expect("a time")
    }

    pub fn bucket(&self) -> Option<&Bucket> {
        match self.when() {
            When::Bucket(bucket) => Some(bucket),
            When::Stamp(_) => None,
        }
    }

    /// The place of the time among the parts that have values.
    pub fn place_of_time(&self) -> usize {
        let mut valued = self.valued();
        let place = valued.position(|(_, part)| matches!(part, Part::Time(_)));
        place.expect("a time")
    }

    pub fn truncates(&self) -> bool {
        match self.when() {
            When::Stamp(stamp) => stamp.truncates(),
            When::Bucket(bucket) => bucket.truncate,
        }
    }

    /// A time rounded down to the unit of events' times.
    pub fn floor(&self, micros: i64) -> i64 {
        match self.when() {
            When::Stamp(stamp) => stamp.floor(micros),
            When::Bucket(bucket) => micros.saturating_sub(micros.rem_euclid(bucket.grid)),
        }
    }

    /// An identifier's value as stored: times are rounded down.
    pub fn stored(identifier: &Identifier, value: &Value) -> Value {
        match (&identifier.form, value) {
            (Form::Time(stamp), Value::Time(micros)) => Value::Time(stamp.floor(*micros)),
            _ => value.clone(),
        }
    }

    /// The smallest step between times of events.
    pub fn step(&self) -> i64 {
        match self.when() {
            When::Stamp(
                Stamp::Ticks { unit, .. } | Stamp::Binary { unit, .. } | Stamp::Coded { unit, .. },
            ) => *unit,
            When::Stamp(Stamp::Fields { format, .. }) => match calendar::finest(format) {
                Fine::Even(length) => length,
                Fine::Dates(_) => calendar::DAY,
            },
            When::Bucket(bucket) => bucket.grid,
        }
    }

    /// Whether only a read shows which cells a deleted event has.
    pub fn deletes_what_it_reads(&self) -> bool {
        let has_maps = self.columns.iter().any(|column| column.in_map);
        self.keeps_both() || has_maps && self.layout != Layout::Row
    }

    /// Whether two events of one name and time are both kept when their values differ.
    pub fn keeps_both(&self) -> bool {
        self.layout == Layout::Qualifiers
    }

    /// Whether some identifier follows the bytes of a time, so that rows of a series are not
    /// adjacent.
    pub fn has_identifier_after_time(&self) -> bool {
        if self.bucket().is_some_and(Bucket::is_endless) {
            return false;
        }
        let mut after = self.valued().skip(self.place_of_time() + 1);
        after.any(|(_, part)| matches!(part, Part::Name(identifier) if !identifier.tie))
    }

    /// The names of a series: all except tie-breakers.
    pub fn series_of(&self, names: &[Value]) -> Vec<Value> {
        let named = self.identifiers().zip(names);
        let series = named.filter(|(identifier, _)| !identifier.tie);
        series.map(|(_, value)| value.clone()).collect()
    }

    pub fn salt(&self) -> Option<(usize, u64, &[usize])> {
        let mut parts = self.parts.iter().enumerate();
        parts.find_map(|(place, part)| match part {
            Part::Salt { shards, of, .. } => Some((place, *shards, of.as_slice())),
            _ => None,
        })
    }

    /// The hot series, if the salt spreads only some.
    pub fn hot(&self) -> Option<&Hot> {
        self.parts.iter().find_map(|part| match part {
            Part::Salt { hot, .. } => hot.as_ref(),
            _ => None,
        })
    }

    /// The most shards of one series.
    pub fn most_shards(&self) -> u64 {
        match (self.salt(), self.hot()) {
            (None, _) => 1,
            (Some((_, shards, _)), None) => shards,
            (Some(_), Some(hot)) => hot.values.iter().fold(1, |most, (_, one)| most.max(*one)),
        }
    }

    /// The name at a place of the key, among all names.
    pub fn nth_name(&self, place: usize) -> usize {
        let before = self.parts[..place].iter();
        before.filter(|part| matches!(part, Part::Name(_))).count()
    }

    /// Whether nothing stands in the key after a part.
    pub fn is_last(&self, place: usize) -> bool {
        let endless =
            |part: &Part| matches!(part, Part::Time(When::Bucket(bucket)) if bucket.is_endless());
        let mut after = place + 1..self.parts.len();
        !self.enclosed && after.all(|at| endless(&self.parts[at]) || self.is_in_cells(at))
    }

    /// Whether a part is a tie-breaker that rows have in qualifiers, not in their keys.
    pub fn is_in_cells(&self, place: usize) -> bool {
        matches!(self.layout, Layout::Columns { .. })
            && matches!(&self.parts[place], Part::Name(one) if one.tie)
    }

    /// The parts with values that the keys of rows have.
    pub fn in_row_keys(&self) -> impl Iterator<Item = &Part> {
        let parts = self.valued().filter(|(place, _)| !self.is_in_cells(*place));
        parts.map(|(_, part)| part)
    }

    pub fn has_ties_in_cells(&self) -> bool {
        (0..self.parts.len()).any(|place| self.is_in_cells(place))
    }
}
