//! Random models in every layout, and events whose times crowd at the edges of their buckets.

use bytes::Bytes;
use proptest::prelude::*;

use crate::Timestamp;
use crate::key::time::bucket::{Bucket, BucketLabel, BucketSpan, Offset};
use crate::key::{
    CalendarField, CalendarFormat, CalendarItem, HotSeries, KeyLayout, Salt, SaltHash, Segment,
    SegmentFormat, SegmentKind, SegmentRole, SegmentValue, TimeUnit,
};
use crate::model::{CellTime, ColumnKind, ColumnSchema, Layout, ModelSchema, Presence};

use CalendarField::{Day, Hour, Minute, Month, Year};

/// An event as data: the values of the key's segments, and of the columns.
pub(crate) type Event = (Vec<SegmentValue>, Vec<Option<Bytes>>);

/// 2026-10-25T00:00:00Z, when daylight saving ends in Berlin.
const BASE: i64 = 1_792_886_400_000_000;
const DAY: i64 = 86_400_000_000;

pub(super) fn calendar(fields: &[CalendarField]) -> CalendarFormat {
    let items: Vec<_> = fields.iter().copied().map(CalendarItem::Field).collect();
    CalendarFormat {
        items: items.into(),
    }
}

/// The days of a month without leading zeros.
pub(super) fn day_of_month() -> CalendarFormat {
    CalendarFormat {
        items: vec![CalendarItem::Unpadded(Day)].into(),
    }
}

fn label(span: BucketSpan, choice: u8) -> BucketLabel {
    let start = |reverse| BucketLabel::Start {
        unit: TimeUnit::Seconds,
        width: 10,
        reverse,
    };
    match (span, choice) {
        (BucketSpan::Endless, _) => BucketLabel::Absent,
        (BucketSpan::Month, 0) => BucketLabel::Calendar(calendar(&[Year, Month])),
        (BucketSpan::Day, 0) => BucketLabel::Calendar(calendar(&[Year, Month, Day])),
        (BucketSpan::Hour, 0) => BucketLabel::Calendar(calendar(&[Year, Month, Day, Hour])),
        (BucketSpan::Every { .. }, _) => start(choice == 1),
        (_, 0 | 1) => BucketLabel::BinaryStart {
            unit: TimeUnit::Seconds,
            reverse: choice == 1,
        },
        (BucketSpan::Hour, 2 | 3) => BucketLabel::Units {
            micros: 100_000_000,
            origin: Timestamp::from_micros(0),
            width: 9,
            reverse: choice == 3,
        },
        (_, 2) => start(false),
        _ => BucketLabel::Counted {
            origin: Timestamp::from_micros(0),
            before: "n".into(),
            after: "".into(),
            width: 0,
        },
    }
}

fn span() -> impl Strategy<Value = BucketSpan> {
    prop_oneof![
        Just(BucketSpan::Hour),
        Just(BucketSpan::Day),
        Just(BucketSpan::Week),
        Just(BucketSpan::Month),
        Just(BucketSpan::Every {
            micros: 900_000_000
        }),
        Just(BucketSpan::Endless),
    ]
}

fn bucket(unit: TimeUnit) -> impl Strategy<Value = Bucket> {
    (span(), any::<bool>(), 0..4_u8, any::<bool>()).prop_map(
        move |(span, zoned, choice, truncate)| {
            let zoned =
                zoned && matches!(span, BucketSpan::Day | BucketSpan::Week | BucketSpan::Month);
            Bucket {
                span,
                zone: zoned.then(|| "Europe/Berlin".into()),
                label: label(span, choice),
                grid_micros: unit.micros(),
                truncate,
            }
        },
    )
}

/// An offset that the bucket can have; the bucket's grid becomes the offset's.
fn offset(bucket: &mut Bucket, calendar_fields: bool, reverse: bool) -> Offset {
    let fields = match (bucket.span, &bucket.zone) {
        (BucketSpan::Day, None) => Some((calendar(&[Hour, Minute]), 60_000_000)),
        (BucketSpan::Month, None) => Some((day_of_month(), DAY)),
        _ => None,
    };
    let offset = match fields.filter(|_| calendar_fields) {
        Some((format, grid)) => {
            bucket.grid_micros = grid;
            Offset::Calendar(format)
        }
        None => Offset::Ticks {
            unit: match bucket.grid_micros {
                1 => TimeUnit::Micros,
                1_000 => TimeUnit::Millis,
                _ => TimeUnit::Seconds,
            },
            width: 18,
            reverse,
        },
    };
    assert_eq!(offset.refusal(bucket), None);
    offset
}

fn segment(
    name: &'static str,
    role: SegmentRole,
    kind: SegmentKind,
    format: SegmentFormat,
) -> Segment {
    Segment {
        name: name.into(),
        role,
        kind,
        format,
    }
}

/// In most keys of which the salt, which will be at a place, hashes an identifier and more, some
/// series are hot.
fn hot(segments: &[Segment], salt: usize, of: &[usize], shards: u16) -> Option<HotSeries> {
    let identifiers = of.iter().copied().filter(|place| {
        let before = place - usize::from(*place > salt);
        segments[before].role == SegmentRole::Identifier
    });
    let series: Vec<usize> = identifiers.collect();
    let first = *series.first().filter(|_| !shards.is_multiple_of(3))?;
    let value = match &*segments[first - usize::from(first > salt)].name {
        "b" => "a  ",
        _ => "a",
    };
    (series.len() < of.len()).then(|| HotSeries {
        segment: first,
        values: vec![(value.into(), 2 + shards % (shards - 1))].into(),
        series: series.into(),
    })
}

/// Identifiers, the time among them, and a salt anywhere.
fn key(time: Segment) -> impl Strategy<Value = KeyLayout> {
    let place = (0..3_usize, any::<prop::sample::Index>());
    let salt = prop::option::of((2..12_u16, any::<prop::sample::Index>(), any::<[bool; 3]>()));
    (place, salt).prop_map(move |((identifiers, place), salt)| {
        // Every key has at least one segment.
        let identifiers = identifiers.max(time.is_absent().into());
        let mut segments: Vec<_> = [
            ("a", SegmentFormat::Variable),
            (
                "b",
                SegmentFormat::Padded {
                    width: 3,
                    pad: b' ',
                },
            ),
        ]
        .into_iter()
        .take(identifiers)
        .map(|(name, format)| segment(name, SegmentRole::Identifier, SegmentKind::String, format))
        .collect();
        segments.insert(place.index(segments.len() + 1), time.clone());
        if let Some((shards, place, chosen)) = salt
            && segments.iter().any(|one| !one.is_absent())
        {
            let at = place.index(segments.len() + 1);
            // Segments that are not in the key are not hashed.
            let stands = |one: &usize| !segments[*one].is_absent();
            let mut of: Vec<_> = (0..segments.len()).filter(stands).collect();
            if of.iter().any(|one| chosen[*one]) {
                of.retain(|one| chosen[*one]);
            }
            let of: Vec<_> = of
                .into_iter()
                .map(|one| one + usize::from(one >= at))
                .collect();
            let hash = SaltHash::Xxh64;
            let salt = Salt {
                shards,
                first: shards % 2,
                hot: hot(&segments, at, &of, shards),
                of: of.into(),
                hash,
            };
            let kind = SegmentKind::Unsigned { bits: 16 };
            segments.insert(
                at,
                segment("salt", SegmentRole::Salt, kind, SegmentFormat::Salt(salt)),
            );
        }
        let key = KeyLayout {
            prefix: "P".into(),
            separator: "#".into(),
            enclosed: false,
            segments: segments.into(),
        };
        assert_eq!(key.check(), Ok(()));
        key
    })
}

/// The draw for the columns: how many, which may be absent, whether there are copies, and whether
/// cells have the clock's time.
#[derive(Debug, Clone)]
struct Drawn {
    columns: usize,
    optional: [bool; 3],
    copies: bool,
    clock: bool,
    named: bool,
    calendar: bool,
    reverse: bool,
}

fn drawn() -> impl Strategy<Value = Drawn> {
    (1..4_usize, any::<[bool; 3]>(), any::<[bool; 5]>()).prop_map(
        |(columns, optional, [copies, clock, named, calendar, reverse])| Drawn {
            columns,
            optional,
            copies,
            clock,
            named,
            calendar,
            reverse,
        },
    )
}

fn column(
    family: &'static str,
    field: &'static str,
    optional: bool,
    copy_of: Option<usize>,
) -> ColumnSchema {
    ColumnSchema {
        field: field.into(),
        family: family.into(),
        qualifier: field.into(),
        codec: "bytes".into(),
        optional,
        copy_of,
        kind: ColumnKind::Plain,
        aliases: Default::default(),
        sensitive: false,
    }
}

/// Which layout a model has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Row,
    Cells,
    Columns,
    Qualifiers,
    Latest,
}

/// A random model.
pub(crate) fn schema() -> impl Strategy<Value = ModelSchema> {
    let kind = prop_oneof![
        Just(Kind::Row),
        Just(Kind::Cells),
        Just(Kind::Columns),
        Just(Kind::Qualifiers),
        Just(Kind::Latest)
    ];
    let unit = prop_oneof![
        Just(TimeUnit::Seconds),
        Just(TimeUnit::Millis),
        Just(TimeUnit::Micros)
    ];
    (kind, unit).prop_flat_map(|(kind, unit)| {
        let unit = match (kind, unit) {
            (Kind::Cells | Kind::Qualifiers | Kind::Latest, TimeUnit::Micros) => TimeUnit::Millis,
            (_, unit) => unit,
        };
        (bucket(unit), drawn(), any::<bool>()).prop_flat_map(
            move |(mut bucket, drawn, truncate)| {
                let (layout, time) = match kind {
                    Kind::Row => {
                        let (width, reverse) = (19, drawn.reverse);
                        let format = SegmentFormat::Ticks {
                            unit,
                            width,
                            reverse,
                            truncate,
                        };
                        (
                            Layout::Row,
                            segment("at", SegmentRole::Time, SegmentKind::Time, format),
                        )
                    }
                    kind => {
                        let layout = match kind {
                            Kind::Cells => Layout::Cells,
                            Kind::Qualifiers => Layout::Qualifiers,
                            Kind::Latest => Layout::Latest,
                            _ => Layout::Columns {
                                offset: offset(&mut bucket, drawn.calendar, drawn.reverse),
                                named: drawn.named || drawn.columns > 1,
                            },
                        };
                        if kind == Kind::Latest {
                            bucket.span = BucketSpan::Endless;
                            bucket.label = BucketLabel::Absent;
                            bucket.zone = None;
                        }
                        let format = SegmentFormat::Bucket(bucket);
                        (
                            layout,
                            segment("at", SegmentRole::Bucket, SegmentKind::Time, format),
                        )
                    }
                };
                key(time).prop_map(move |key| model(key, layout.clone(), &drawn))
            },
        )
    })
}

fn model(key: KeyLayout, layout: Layout, drawn: &Drawn) -> ModelSchema {
    let single = matches!(
        layout,
        Layout::Qualifiers | Layout::Columns { named: false, .. }
    );
    let columns = if single { 1 } else { drawn.columns };
    let mut columns: Vec<_> = [("f", "x"), ("f", "x:y"), ("g", "z")]
        .into_iter()
        .take(columns)
        .zip(drawn.optional)
        .map(|((family, field), optional)| column(family, field, optional && !single, None))
        .collect();
    let presence = match columns.iter().position(|one| !one.optional) {
        Some(index) => Presence::Column(index),
        None => Presence::Marker {
            family: "g".into(),
            qualifier: "MARK".into(),
        },
    };
    if drawn.copies {
        let family = if layout == Layout::Qualifiers {
            "ids"
        } else {
            "f"
        };
        for (at, segment) in key.valued() {
            // A copy of the time is a column of each event.
            if segment.role == SegmentRole::Identifier || !single {
                let field = if segment.name == "a" {
                    "copy-a"
                } else if segment.name == "b" {
                    "copy-b"
                } else {
                    "copy-at"
                };
                columns.push(column(family, field, false, Some(at)));
            }
        }
    }
    let clock = drawn.clock && matches!(layout, Layout::Row | Layout::Columns { .. });
    ModelSchema {
        model: "Random".into(),
        table: "random".into(),
        key,
        layout,
        columns: columns.into(),
        map_families: Vec::new().into(),
        presence,
        cell_time: if clock {
            CellTime::Write
        } else {
            CellTime::Event
        },
        gc_rules: Vec::new().into(),
        append_only: false,
        pack_after_micros: None,
        rollups: std::borrow::Cow::Borrowed(&[]),
        former: None,
    }
}

/// Events of few series and few times, so that many share rows and some have one identity.
pub(crate) fn events(schema: &ModelSchema) -> impl Strategy<Value = Vec<Event>> + use<> {
    let schema = schema.clone();
    let time = (0..3_i64, -3..4_i64, 0..5_u8);
    let column = prop::option::weighted(0.7, prop_oneof!["[a-c]", "[ -~]{1,8}"]);
    let one = (
        ["[ab]", "[ab]{0,2}"],
        time,
        [column.clone(), column.clone(), column],
    );
    prop::collection::vec(one, 1..24).prop_map(move |drawn| {
        drawn
            .into_iter()
            .map(|(names, time, columns)| event(&schema, &names, time, columns))
            .collect()
    })
}

fn event(
    schema: &ModelSchema,
    names: &[String; 2],
    (day, step, scale): (i64, i64, u8),
    mut columns: [Option<String>; 3],
) -> Event {
    let scale = [1, 1_000, 1_000_000, 900_000_000, 3_600_000_000][usize::from(scale)];
    let micros = BASE + day * DAY + step * scale;
    let (grid, truncate) = grid(schema);
    let micros = if truncate {
        micros
    } else {
        micros - micros.rem_euclid(grid)
    };
    let values = schema.key.valued().map(|(_, segment)| match segment.role {
        SegmentRole::Identifier => {
            SegmentValue::String(names[usize::from(segment.name == "b")].clone())
        }
        _ => SegmentValue::Time(Timestamp::from_micros(micros)),
    });
    let columns = schema.columns.iter().enumerate().map(|(index, column)| {
        let drawn = columns
            .get_mut(index)
            .and_then(Option::take)
            .map(Bytes::from);
        match (column.copy_of, column.optional) {
            (Some(_), _) => None,
            (None, true) => drawn,
            (None, false) => Some(drawn.unwrap_or_else(|| Bytes::from_static(b"-"))),
        }
    });
    (values.collect(), columns.collect())
}

fn grid(schema: &ModelSchema) -> (i64, bool) {
    match schema
        .key
        .time_segment()
        .map(|(_, segment)| &segment.format)
    {
        Some(SegmentFormat::Bucket(bucket)) => (bucket.grid_micros, bucket.truncate),
        Some(SegmentFormat::Ticks { unit, truncate, .. }) => (unit.micros(), *truncate),
        _ => (1, false),
    }
}

/// The event as it is read back, with its stored time.
pub(crate) fn stored(schema: &ModelSchema, event: &Event) -> Event {
    let (grid, _) = grid(schema);
    let values = event.0.iter().map(|value| match value {
        SegmentValue::Time(time) => {
            let micros = time.as_micros() - time.as_micros().rem_euclid(grid);
            SegmentValue::Time(Timestamp::from_micros(micros))
        }
        other => other.clone(),
    });
    (values.collect(), event.1.clone())
}
