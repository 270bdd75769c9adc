//! The model as the library takes it.

use super::calendar::{SECOND, Span};
use super::maps::Named as _;
use super::model::{
    Bucket, Codec, Column, Form, Hot, Kind, Label, Layout, Model, Offset, Part, Periods, Stamp,
    When,
};
use super::value::Value;
use super::written;
use crate::Timestamp;
use crate::data::AggregateKind;
use crate::key::time::bucket::{self, BucketLabel, BucketSpan};
use crate::key::{
    CalendarField, CalendarFormat, CalendarItem, HotSeries, KeyLayout, OwnHash, Salt, SaltFunction,
    SaltHash, Segment, SegmentFormat, SegmentKind, SegmentRole, SegmentValue, TimeUnit,
};
use crate::model::{
    self, CellTime, ColumnKind, ColumnSchema, ModelSchema, PeriodTables, Presence, TableName,
};

/// A model as the library takes it.
pub(super) trait Stated {
    /// The schema.
    ///
    /// # Panics
    /// If the library refuses the model: the documents allow all that are drawn.
    fn schema(&self) -> ModelSchema;
}

impl Stated for Model {
    fn schema(&self) -> ModelSchema {
        let segments = self.parts.iter().map(|part| segment(self, part));
        let key = KeyLayout {
            prefix: self.prefix.into(),
            separator: self.separator.into(),
            enclosed: self.enclosed,
            segments: segments.collect(),
        };
        assert_eq!(key.check(), Ok(()), "{self:?}");
        let layout = layout(&self.layout);
        if let (model::Layout::Columns { offset, .. }, Some(bucket)) = (&layout, key.bucket()) {
            assert_eq!(offset.refusal(bucket), None, "{self:?}");
        }
        let columns = self.columns.iter().enumerate();
        let columns = columns.filter(|(_, one)| !one.in_map);
        let columns = columns.map(|(at, one)| column(one, at > 0 || self.marker));
        ModelSchema {
            model: "Quote".into(),
            table: table_name(self, &key),
            key,
            layout,
            columns: columns.collect(),
            map_families: self.map_families().into_iter().map(Into::into).collect(),
            presence: match self.marker {
                true => Presence::Marker {
                    family: "MD".into(),
                    qualifier: "EVENT".into(),
                },
                false => Presence::Column(0),
            },
            cell_time: match self.write_time {
                true => CellTime::Write,
                false => CellTime::Event,
            },
            gc_rules: Vec::new().into(),
            append_only: false,
            pack_after_micros: None,
            rollups: std::borrow::Cow::Borrowed(&[]),
            former: None,
        }
    }
}

fn table_name(model: &Model, key: &KeyLayout) -> TableName {
    let Some(periods) = &model.periods else {
        return TableName::Fixed("QUOTE".into());
    };
    let Periods {
        format: fields,
        span: of,
        zone,
        after,
    } = periods;
    let tables = PeriodTables {
        before: "QUOTE_".into(),
        field: "at".into(),
        periods: bucket::Bucket {
            span: span(*of),
            zone: zone.map(Into::into),
            label: BucketLabel::Calendar(format(fields)),
            grid_micros: 1,
            truncate: false,
        },
        after: (*after).into(),
    };
    assert_eq!(tables.refusal(key), None, "{model:?}");
    TableName::ByPeriod(tables)
}

/// A hash of the program.
struct Fnv1a;

impl SaltFunction for Fnv1a {
    const NAME: &'static str = "fnv1a";

    fn hash(bytes: &[u8]) -> u64 {
        written::fnv1a(bytes)
    }
}

fn hot_series(model: &Model, of: &[usize], hot: &Hot) -> HotSeries {
    let is_of_series = |place: &usize| matches!(&model.parts[*place], Part::Name(one) if !one.tie);
    let Part::Name(identifier) = &model.parts[hot.place] else {
        panic!("{hot:?} is of no name");
    };
    let values = hot.values.iter().map(|(value, shards)| {
        let bytes = written::of_value(&identifier.form, value, model.separator);
        let text = String::from_utf8(bytes).unwrap();
        (text.into(), u16::try_from(*shards).unwrap())
    });
    let mut values: Vec<_> = values.collect();
    values.sort();
    HotSeries {
        segment: hot.place,
        series: of.iter().copied().filter(is_of_series).collect(),
        values: values.into(),
    }
}

fn segment(model: &Model, part: &Part) -> Segment {
    let (name, role, (kind, format)) = match part {
        Part::Name(one) => {
            let role = match one.tie {
                true => SegmentRole::TieBreaker,
                false => SegmentRole::Identifier,
            };
            (one.name, role, form(&one.form))
        }
        Part::Time(When::Stamp(one)) => ("at", SegmentRole::Time, stamp(*one)),
        Part::Time(When::Bucket(one)) => {
            let format = SegmentFormat::Bucket(of_bucket(one));
            ("at", SegmentRole::Bucket, (SegmentKind::Time, format))
        }
        Part::Salt { shards, of, hot } => {
            let salt = Salt {
                shards: u16::try_from(*shards).unwrap(),
                first: 0,
                of: of.clone().into(),
                hash: match *shards {
                    written::OWN_SHARDS => SaltHash::Own(OwnHash::of::<Fnv1a>()),
                    _ => SaltHash::Xxh64,
                },
                hot: hot.as_ref().map(|hot| hot_series(model, of, hot)),
            };
            let kind = SegmentKind::Unsigned { bits: 16 };
            ("salt", SegmentRole::Salt, (kind, SegmentFormat::Salt(salt)))
        }
    };
    Segment {
        name: name.into(),
        role,
        kind,
        format,
    }
}

fn form(form: &Form) -> (SegmentKind, SegmentFormat) {
    let small = |number: usize| u16::try_from(number).unwrap();
    let bytes = |bits: u32| u16::try_from(bits / 8).unwrap();
    let unsigned = |bits: u32| SegmentKind::Unsigned { bits: bits as u16 };
    let signed = |bits: u32| SegmentKind::Signed { bits: bits as u16 };
    match *form {
        Form::Padded { width, pad } => {
            let (width, pad) = (small(width), pad as u8);
            (SegmentKind::String, SegmentFormat::Padded { width, pad })
        }
        Form::Variable => (SegmentKind::String, SegmentFormat::Variable),
        Form::Escaped => (SegmentKind::String, SegmentFormat::Escaped),
        Form::Rest => (SegmentKind::Bytes, SegmentFormat::Rest),
        Form::Hex { len } => {
            let len = small(len);
            (SegmentKind::ByteArray { len }, SegmentFormat::Hex { len })
        }
        Form::Raw { len } => {
            let len = small(len);
            (SegmentKind::ByteArray { len }, SegmentFormat::Raw { len })
        }
        Form::Digits { bits, width } => {
            let width = small(width);
            (unsigned(bits), SegmentFormat::Digits { width })
        }
        Form::BigEndian { bits } => {
            let len = bytes(bits);
            (unsigned(bits), SegmentFormat::BigEndian { len })
        }
        Form::SignedDigits { bits, width } => {
            let width = small(width);
            (signed(bits), SegmentFormat::SignedDigits { width })
        }
        Form::SignedBigEndian { bits } => {
            let len = bytes(bits);
            (signed(bits), SegmentFormat::SignedBigEndian { len })
        }
        Form::Single => (
            SegmentKind::Float { bits: 32 },
            SegmentFormat::FloatBits { len: 4 },
        ),
        Form::Double => (
            SegmentKind::Float { bits: 64 },
            SegmentFormat::FloatBits { len: 8 },
        ),
        Form::Bool { binary } => (SegmentKind::Bool, SegmentFormat::Bool { binary }),
        Form::Char { binary: false } => (SegmentKind::Char, SegmentFormat::Char),
        Form::Char { binary: true } => (SegmentKind::Char, SegmentFormat::BigEndian { len: 4 }),
        Form::Uuid { binary: false } => (SegmentKind::Uuid, SegmentFormat::Uuid),
        Form::Uuid { binary: true } => (SegmentKind::Uuid, SegmentFormat::Raw { len: 16 }),
        Form::Time(one) => stamp(one),
        Form::CodedText { escape, last } => (
            SegmentKind::String,
            SegmentFormat::CodedText { escape, last },
        ),
        Form::CodedUnsigned { bits } => (unsigned(bits), SegmentFormat::CodedInt),
        Form::CodedSigned { bits } => (signed(bits), SegmentFormat::CodedInt),
        Form::CodedBytes { len } => {
            let len = small(len);
            (
                SegmentKind::ByteArray { len },
                SegmentFormat::CodedBytes { len },
            )
        }
        Form::CodedUuid => (SegmentKind::Uuid, SegmentFormat::CodedBytes { len: 16 }),
    }
}

fn stamp(stamp: Stamp) -> (SegmentKind, SegmentFormat) {
    let format = match stamp {
        Stamp::Ticks {
            unit,
            width,
            reverse,
            truncate,
        } => SegmentFormat::Ticks {
            unit: of_unit(unit),
            width: u16::try_from(width).unwrap(),
            reverse,
            truncate,
        },
        Stamp::Binary {
            unit,
            reverse,
            truncate,
        } => SegmentFormat::BinaryTicks {
            unit: of_unit(unit),
            reverse,
            truncate,
        },
        Stamp::Fields {
            format: fields,
            ahead,
            truncate,
        } => SegmentFormat::Calendar {
            format: format(fields),
            truncate,
            offset_seconds: i32::try_from(ahead / SECOND).unwrap(),
        },
        Stamp::Coded { unit, truncate } => SegmentFormat::CodedTicks {
            unit: of_unit(unit),
            truncate,
        },
    };
    (SegmentKind::Time, format)
}

fn of_unit(micros: i64) -> TimeUnit {
    match micros {
        SECOND => TimeUnit::Seconds,
        1_000 => TimeUnit::Millis,
        _ => TimeUnit::Micros,
    }
}

fn span(span: Span) -> BucketSpan {
    match span {
        Span::Minute => BucketSpan::Minute,
        Span::Hour => BucketSpan::Hour,
        Span::Day => BucketSpan::Day,
        Span::Week => BucketSpan::Week,
        Span::Month => BucketSpan::Month,
        Span::Year => BucketSpan::Year,
        Span::Every(micros) => BucketSpan::Every { micros },
        Span::Endless => BucketSpan::Endless,
    }
}

fn of_bucket(bucket: &Bucket) -> bucket::Bucket {
    let label = match &bucket.label {
        Label::Fields { format: fields, .. } => BucketLabel::Calendar(format(fields)),
        Label::Start {
            unit,
            width,
            reverse,
        } => BucketLabel::Start {
            unit: of_unit(*unit),
            width: u16::try_from(*width).unwrap(),
            reverse: *reverse,
        },
        Label::BinaryStart { unit, reverse } => BucketLabel::BinaryStart {
            unit: of_unit(*unit),
            reverse: *reverse,
        },
        Label::Counted {
            origin,
            before,
            after,
            width,
        } => BucketLabel::Counted {
            origin: Timestamp::from_micros(*origin),
            before: (*before).into(),
            after: (*after).into(),
            width: u16::try_from(*width).unwrap(),
        },
        Label::Absent => BucketLabel::Absent,
    };
    bucket::Bucket {
        span: span(bucket.span),
        zone: bucket.zone.map(Into::into),
        label,
        grid_micros: bucket.grid,
        truncate: bucket.truncate,
    }
}

/// The items of a format of `strftime`.
fn format(text: &str) -> CalendarFormat {
    let mut items = Vec::new();
    let mut rest = text;
    while let Some(one) = rest.chars().next() {
        if one != '%' {
            let literal = rest.split('%').next().unwrap();
            items.push(CalendarItem::Literal(literal.to_owned().into()));
            rest = &rest[literal.len()..];
            continue;
        }
        let unpadded = rest.as_bytes()[1] == b'-';
        let from = 1 + usize::from(unpadded);
        let len = 1 + usize::from(rest.as_bytes()[from].is_ascii_digit());
        let field = field(&rest[from..from + len]);
        items.push(match unpadded {
            true => CalendarItem::Unpadded(field),
            false => CalendarItem::Field(field),
        });
        rest = &rest[from + len..];
    }
    CalendarFormat {
        items: items.into(),
    }
}

fn field(name: &str) -> CalendarField {
    match name {
        "Y" => CalendarField::Year,
        "m" => CalendarField::Month,
        "d" => CalendarField::Day,
        "j" => CalendarField::DayOfYear,
        "H" => CalendarField::Hour,
        "M" => CalendarField::Minute,
        "S" => CalendarField::Second,
        "3f" => CalendarField::Millisecond,
        "6f" => CalendarField::Microsecond,
        "G" => CalendarField::IsoYear,
        "V" => CalendarField::IsoWeek,
        other => panic!("{other}"),
    }
}

fn layout(layout: &Layout) -> model::Layout {
    match layout {
        Layout::Row => model::Layout::Row,
        Layout::Cells => model::Layout::Cells,
        Layout::Qualifiers => model::Layout::Qualifiers,
        Layout::Latest => model::Layout::Latest,
        Layout::Columns { offset, named } => model::Layout::Columns {
            offset: match offset {
                Offset::Ticks {
                    unit,
                    width,
                    reverse,
                } => bucket::Offset::Ticks {
                    unit: of_unit(*unit),
                    width: u16::try_from(*width).unwrap(),
                    reverse: *reverse,
                },
                Offset::Fields(fields) => bucket::Offset::Calendar(format(fields)),
            },
            named: *named,
        },
    }
}

fn column(column: &Column, optional: bool) -> ColumnSchema {
    ColumnSchema {
        field: column.name.into(),
        family: column.family.into(),
        qualifier: column.name.into(),
        codec: match column.codec {
            Codec::SignedText | Codec::FloatText => "text".into(),
            other => format!("{other:?}").into(),
        },
        optional,
        copy_of: column.copy_of,
        aliases: Default::default(),
        sensitive: false,
        kind: match column.kind {
            Kind::Plain => ColumnKind::Plain,
            Kind::Counter => ColumnKind::Counter,
            Kind::Append => ColumnKind::Append,
            Kind::Sum => ColumnKind::Aggregate(AggregateKind::Sum),
            Kind::Least => ColumnKind::Aggregate(AggregateKind::Min),
            Kind::Greatest => ColumnKind::Aggregate(AggregateKind::Max),
        },
    }
}

pub(super) fn to_segment(value: &Value) -> SegmentValue {
    match value.clone() {
        Value::Text(text) => SegmentValue::String(text),
        Value::Bytes(bytes) => SegmentValue::Bytes(bytes),
        Value::Unsigned(number) => SegmentValue::Unsigned(number),
        Value::Signed(number) => SegmentValue::Signed(number),
        Value::Single(number) => SegmentValue::Float32(number),
        Value::Double(number) => SegmentValue::Float(number),
        Value::Bool(is) => SegmentValue::Bool(is),
        Value::Char(one) => SegmentValue::Char(one),
        Value::Uuid(bytes) => SegmentValue::Uuid(bytes),
        Value::Time(micros) => SegmentValue::Time(Timestamp::from_micros(micros)),
    }
}

pub(super) fn from_segment(value: SegmentValue) -> Value {
    match value {
        SegmentValue::String(text) => Value::Text(text),
        SegmentValue::Bytes(bytes) => Value::Bytes(bytes),
        SegmentValue::Unsigned(number) => Value::Unsigned(number),
        SegmentValue::Signed(number) => Value::Signed(number),
        SegmentValue::Float32(number) => Value::Single(number),
        SegmentValue::Float(number) => Value::Double(number),
        SegmentValue::Bool(is) => Value::Bool(is),
        SegmentValue::Char(one) => Value::Char(one),
        SegmentValue::Uuid(bytes) => Value::Uuid(bytes),
        SegmentValue::Time(time) => Value::Time(time.as_micros()),
    }
}
