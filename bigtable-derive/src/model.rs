//! Checked models: what [`check`](crate::check) returns and [`emit`](crate::emit) takes. No value
//! here can be emitted wrongly.

mod gc;
mod kind;
mod layout;
mod layouts;
mod rollup;
mod time;

pub(crate) use gc::{FamilyRule, GcRule};
pub(crate) use kind::{Absent, Aggregate, ColumnKind};
pub(crate) use layout::{
    Bucket, HotSeries, Label, Layout, Offset, Payload, PayloadField, PayloadFormat, PeriodTables,
    Salt, Span, Table, Volume,
};
pub(crate) use layouts::Kind;
pub(crate) use rollup::{RolledBy, RolledField, RolledFrom, RolledRole, Rollup, RollupLevel};
use syn::{Attribute, Generics, Ident, Path, Type, Visibility};
pub(crate) use time::{FormatItem, Unit};

/// A model.
pub(crate) struct Model {
    pub(crate) ident: Ident,
    pub(crate) visibility: Visibility,
    pub(crate) generics: Generics,
    /// The runtime crate.
    pub(crate) krate: Path,
    pub(crate) table: Table,
    pub(crate) prefix: String,
    pub(crate) separator: String,
    pub(crate) encoding: Encoding,
    /// Whether the separator is also in front of the key and at its end.
    pub(crate) enclosed: bool,
    pub(crate) layout: Layout,
    /// The key's segments in order, one at least unless a mistake was reported.
    pub(crate) segments: Vec<Segment>,
    /// The identifier in front of the key that must not be a time, by its place.
    pub(crate) timeless: Option<usize>,
    pub(crate) salt: Option<Salt>,
    /// The columns in the order of the fields; with a payload, only the copies of key segments.
    pub(crate) columns: Vec<Column>,
    /// The column that holds all other fields, if events are serialised.
    pub(crate) payload: Option<Payload>,
    pub(crate) maps: Vec<MapColumn>,
    pub(crate) skipped: Vec<Ident>,
    pub(crate) marker: Option<Marker>,
    pub(crate) cell_time: CellTime,
    /// Whether its events are neither changed nor deleted.
    pub(crate) append_only: bool,
    /// How long after the end of its bucket a row may be packed, in microseconds.
    pub(crate) pack_after: Option<i64>,
    /// The models that hold copies of its events.
    pub(crate) mirrors: Vec<Path>,
    /// The models that hold its roll-ups.
    pub(crate) rollups: Vec<Path>,
    /// The model with which its events were stored before.
    pub(crate) former: Option<Path>,
    pub(crate) volume: Option<Volume>,
    /// The families that have a garbage-collection rule, one each.
    pub(crate) gc_rules: Vec<FamilyRule>,
}

/// How segments are written and joined.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Encoding {
    /// In the ways of this library.
    Own,
    /// So that Bigtable splits them at the separator.
    Delimited,
    /// In Bigtable's ordered code.
    OrderedCode,
}

/// A key segment.
pub(crate) struct Segment {
    pub(crate) ident: Ident,
    /// The query's method.
    pub(crate) setter: Ident,
    pub(crate) ty: Type,
    pub(crate) docs: Vec<Attribute>,
    pub(crate) role: Role,
    pub(crate) options: SegmentOptions,
}

/// The role of a segment in the series.
pub(crate) enum Role {
    Identifier,
    /// The event's time, in the key itself.
    Time,
    /// The event's time, whose bucket is in the key.
    Bucket(Bucket),
    /// Distinguishes events at the same time.
    TieBreaker,
}

/// How a segment is written; the runtime checks whether its type can be.
#[derive(Default)]
pub(crate) struct SegmentOptions {
    pub(crate) width: Option<u16>,
    pub(crate) pad: Option<u8>,
    pub(crate) binary: bool,
    pub(crate) escape: bool,
    pub(crate) unit: Option<Unit>,
    pub(crate) format: Option<Vec<FormatItem>>,
    /// How far the clock of the format is ahead of UTC.
    pub(crate) offset_seconds: i32,
    pub(crate) reverse: bool,
    pub(crate) truncate: bool,
}

impl SegmentOptions {
    /// The offset of the format's clock, as in `zone = "-07:00"`; none is UTC.
    pub(crate) fn zone(&self) -> Option<String> {
        let sign = match self.offset_seconds {
            0 => return None,
            ..0 => '-',
            _ => '+',
        };
        let minutes = self.offset_seconds.unsigned_abs() / 60;
        Some(format!("{sign}{:02}:{:02}", minutes / 60, minutes % 60))
    }
}

/// A column with a declared qualifier.
pub(crate) struct Column {
    pub(crate) ident: Ident,
    /// The update's method.
    pub(crate) setter: Ident,
    pub(crate) ty: Type,
    pub(crate) docs: Vec<Attribute>,
    pub(crate) family: String,
    pub(crate) qualifier: String,
    pub(crate) codec: Codec,
    pub(crate) kind: ColumnKind,
    pub(crate) absent: Absent,
    /// Its former qualifiers.
    pub(crate) aliases: Vec<String>,
    /// Whether it marks an event.
    pub(crate) presence: bool,
    /// Whether its values are kept out of errors and of the output of tools.
    pub(crate) sensitive: bool,
    /// The segment whose value it repeats.
    pub(crate) segment: Option<usize>,
}

/// What writes a column's values.
pub(crate) enum Codec {
    Native,
    Text,
    Json,
    Own(Path),
}

/// A map of the columns that a family gets at run time.
pub(crate) struct MapColumn {
    pub(crate) ident: Ident,
    /// The update's method.
    pub(crate) setter: Ident,
    pub(crate) ty: Type,
    pub(crate) docs: Vec<Attribute>,
    pub(crate) family: String,
    pub(crate) codec: Codec,
}

/// The cell that marks an event of a model whose columns may all be absent.
pub(crate) struct Marker {
    pub(crate) family: String,
    pub(crate) qualifier: String,
}

/// The timestamp of written cells.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum CellTime {
    Event,
    Write,
}

impl Model {
    /// The segment that is the event's time.
    pub(crate) fn time(&self) -> Option<usize> {
        self.segments.iter().position(Segment::is_time)
    }

    /// The bucket, in layouts that have one.
    pub(crate) fn bucket(&self) -> Option<&Bucket> {
        self.segments.iter().find_map(Segment::bucket)
    }

    /// The index of a column in the schema, where a payload comes before the columns.
    pub(crate) fn column_index(&self, column: usize) -> usize {
        column + usize::from(self.payload.is_some())
    }

    /// Whether a column belongs to the event and not to its row: of the copies of key segments,
    /// only those of the time do.
    pub(crate) fn is_of_event(&self, column: &Column) -> bool {
        let segment = column.segment.and_then(|index| self.segments.get(index));
        self.bucket().is_none() || segment.is_none_or(Segment::is_time)
    }

    /// The column that is declared to mark an event, by its place.
    pub(crate) fn presence(&self) -> Option<usize> {
        self.columns.iter().position(|column| column.presence)
    }

    /// Whether keys are compared as bytes, which their segments alone do not order.
    pub(crate) fn sorts_by_bytes(&self) -> bool {
        self.salt.is_some() || self.bucket().is_some()
    }

    /// Whether nothing follows a segment in the key, not even a separator.
    pub(crate) fn is_last(&self, segment: usize) -> bool {
        let salt_after = self.salt.as_ref().is_some_and(|salt| salt.place > segment);
        let after = self.segments.get(segment + 1..).unwrap_or_default();
        !self.enclosed && !salt_after && after.iter().all(Segment::is_absent)
    }

    /// The place of a segment in the key, where the salt has a place too.
    pub(crate) fn physical(&self, segment: usize) -> usize {
        let after_salt = self.salt.as_ref().is_some_and(|salt| salt.place <= segment);
        segment + usize::from(after_salt)
    }

    /// A type made for the model: its name with something after it, at the struct's name.
    pub(crate) fn type_name(&self, suffix: &str) -> Ident {
        quote::format_ident!(
            "{}{suffix}",
            self.ident,
            span = proc_macro2::Span::call_site().located_at(self.ident.span())
        )
    }
}

impl Segment {
    /// Whether it is the event's time or its bucket.
    pub(crate) fn is_time(&self) -> bool {
        matches!(self.role, Role::Time | Role::Bucket(_))
    }

    /// Whether it is a part of the series' name.
    pub(crate) fn is_identifier(&self) -> bool {
        matches!(self.role, Role::Identifier)
    }

    /// The bucket that it is.
    pub(crate) fn bucket(&self) -> Option<&Bucket> {
        match &self.role {
            Role::Bucket(bucket) => Some(bucket),
            Role::Identifier | Role::Time | Role::TieBreaker => None,
        }
    }

    /// Whether nothing of it is in the key.
    pub(crate) fn is_absent(&self) -> bool {
        let bucket = self.bucket();
        bucket.is_some_and(|bucket| bucket.span == Span::Endless)
    }
}

impl Column {
    /// Whether it repeats a key segment as text, which is written from the key and never read.
    pub(crate) fn is_segment_text(&self) -> bool {
        self.segment.is_some() && matches!(self.codec, Codec::Text)
    }
}

/// A projection.
pub(crate) struct Projection {
    pub(crate) ident: Ident,
    pub(crate) generics: Generics,
    pub(crate) krate: Path,
    pub(crate) model: Path,
    pub(crate) fields: Vec<ProjectedField>,
}

/// A field of a projection.
pub(crate) struct ProjectedField {
    pub(crate) ident: Ident,
    pub(crate) ty: Type,
    /// The model's map and the name of its column, for a column that is named at run time.
    pub(crate) entry: Option<(Ident, String)>,
}

/// A key segment's type.
pub(crate) struct SegmentType {
    pub(crate) ident: Ident,
    pub(crate) generics: Generics,
    pub(crate) krate: Path,
    pub(crate) shape: SegmentShape,
}

/// What the type looks like.
pub(crate) enum SegmentShape {
    /// A struct around one other segment type; without a name, a tuple struct.
    Newtype(Option<Ident>, Box<Type>),
    /// An enum: variants and their names in keys.
    Enum(Vec<(Ident, String)>),
    /// Neither, which was reported.
    Refused,
}
