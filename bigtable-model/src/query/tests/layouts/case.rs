//! Random layouts, events and queries.

mod periods;

use proptest::prelude::*;
use proptest::sample::Index;

use crate::Timestamp;
use crate::condition::ColumnTest;
use crate::key::time::bucket::{Bucket, BucketLabel, BucketSpan, Offset};
use crate::key::{
    CalendarField, CalendarFormat, CalendarItem, KeyLayout, Salt, SaltHash, Segment, SegmentFormat,
    SegmentKind, SegmentRole, TimeUnit,
};
use crate::model::{CellTime, ColumnKind, ColumnSchema, Layout, ModelSchema, Presence};

const MINUTE: i64 = 60_000_000;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;

/// Where times gather: the end of a year, and clocks set forward and back.
const ANCHORS: [&str; 4] = [
    "2020-12-31T23:00:00Z",
    "2021-03-28T01:00:00Z",
    "2021-10-31T01:00:00Z",
    "1970-01-03T00:00:00Z",
];
const ZONES: [Option<&str>; 3] = [None, Some("Europe/Berlin"), Some("America/New_York")];

/// What is drawn of a layout: each number chooses one of several.
#[derive(Debug, Clone)]
pub(super) struct Drawn {
    layout: usize,
    identifiers: Vec<usize>,
    time_at: usize,
    span: usize,
    label: usize,
    zone: usize,
    offset: usize,
    grid: usize,
    truncate: bool,
    write_time: bool,
    prefix: bool,
    salt: Option<(u16, Vec<bool>, usize)>,
    anchor: usize,
    scale: usize,
    table: usize,
}

pub(super) fn drawn() -> impl Strategy<Value = Drawn> {
    let salt = (
        2..6_u16,
        prop::collection::vec(any::<bool>(), 4),
        0..5_usize,
    );
    let flags = (any::<bool>(), any::<bool>(), any::<bool>());
    (
        (
            0..6_usize,
            prop::collection::vec(0..3_usize, 1..4),
            0..4_usize,
        ),
        (0..8_usize, 0..7_usize, 0..3_usize, 0..4_usize, 0..3_usize),
        flags,
        prop::option::of(salt),
        (0..ANCHORS.len(), 0..5_usize, 0..8_usize),
    )
        .prop_map(
            |(
                (layout, identifiers, time_at),
                (span, label, zone, offset, grid),
                (truncate, write_time, prefix),
                salt,
                (anchor, scale, table),
            )| Drawn {
                time_at: time_at % (identifiers.len() + 1),
                layout,
                identifiers,
                span,
                label,
                zone,
                offset,
                grid,
                truncate,
                write_time,
                prefix,
                salt,
                anchor,
                scale,
                table,
            },
        )
}

impl Drawn {
    /// A time near the anchor; `edge` puts it on an edge of a bucket, or a step before or behind.
    pub(super) fn time(&self, schema: &ModelSchema, at: i64, edge: Option<i64>) -> Timestamp {
        let anchor: Timestamp = ANCHORS[self.anchor].parse().unwrap();
        let spread = [MINUTE, HOUR, DAY, 5 * DAY, 60 * DAY][self.scale];
        let time = Timestamp::from_micros(anchor.as_micros() + at.rem_euclid(2 * spread) - spread);
        let grid = self.grid(schema);
        let bucket = schema.key.bucket().filter(|bucket| !bucket.is_endless());
        let time = match (bucket, edge) {
            (Some(bucket), Some(step)) => {
                let start = bucket.start_of(time).unwrap();
                Timestamp::from_micros(start.as_micros() + step * grid)
            }
            (_, edge) => {
                let whole = time.as_micros() - time.as_micros().rem_euclid(HOUR);
                match edge {
                    Some(step) => Timestamp::from_micros(whole + step * grid),
                    None => time,
                }
            }
        };
        match self.truncate {
            true => time,
            false => {
                let micros = time.as_micros();
                Timestamp::from_micros(micros - micros.rem_euclid(grid))
            }
        }
    }

    /// What stored times are whole multiples of.
    pub(super) fn grid(&self, schema: &ModelSchema) -> i64 {
        match schema.key.bucket() {
            Some(bucket) => bucket.grid_micros,
            None => TimeUnit::Millis.micros(),
        }
    }

    /// The layout as a value; none when it is refused.
    pub(super) fn schema(&self) -> Option<ModelSchema> {
        let rows = self.layout == 0;
        let mut segments: Vec<Segment> = self
            .identifiers
            .iter()
            .zip(["first", "second", "third"])
            .map(|(kind, name)| identifier(*kind, name))
            .collect();
        let time = if rows {
            self.row_time()
        } else {
            self.bucket()?
        };
        let bucket = match &time.format {
            SegmentFormat::Bucket(bucket) => Some(bucket.clone()),
            _ => None,
        };
        segments.insert(self.time_at, time);
        self.add_salt(&mut segments);
        let layout = match (self.layout, &bucket) {
            (1, _) => Layout::Cells,
            (2, _) => Layout::Qualifiers,
            (5, _) => Layout::Latest,
            (3 | 4, Some(bucket)) => Layout::Columns {
                offset: self.offset(bucket),
                named: self.layout == 3,
            },
            _ => Layout::Row,
        };
        let one = matches!(
            layout,
            Layout::Qualifiers | Layout::Columns { named: false, .. }
        );
        let names: &[&'static str] = if one { &["bid"] } else { &["bid", "ask"] };
        let key = KeyLayout {
            prefix: if self.prefix { "P".into() } else { "".into() },
            separator: "#".into(),
            segments: segments.into(),
        };
        key.check().ok()?;
        Some(ModelSchema {
            model: "Quote".into(),
            table: self.table_name(&key),
            key,
            columns: names.iter().map(|name| column(name)).collect(),
            map_family: None,
            presence: Presence::Column(0),
            cell_time: match (self.write_time, &layout) {
                (true, Layout::Row | Layout::Columns { .. }) => CellTime::Write,
                _ => CellTime::Event,
            },
            layout,
            gc_rules: Vec::new().into(),
        })
    }

    fn row_time(&self) -> Segment {
        let unit = TimeUnit::Millis;
        let (truncate, reverse) = (self.truncate, self.label % 2 == 1);
        let format = match self.span % 2 {
            0 => SegmentFormat::Ticks {
                unit,
                width: 13,
                reverse,
                truncate,
            },
            _ => SegmentFormat::BinaryTicks {
                unit,
                reverse,
                truncate,
            },
        };
        segment("at", SegmentRole::Time, SegmentKind::Time, format)
    }

    fn bucket(&self) -> Option<Segment> {
        use CalendarField::{Day, Hour, IsoWeek, IsoYear, Minute, Month, Year};
        let spans: [(BucketSpan, &[CalendarField]); 8] = [
            (BucketSpan::Minute, &[Year, Month, Day, Hour, Minute]),
            (BucketSpan::Hour, &[Year, Month, Day, Hour]),
            (BucketSpan::Day, &[Year, Month, Day]),
            (BucketSpan::Week, &[IsoYear, IsoWeek]),
            (BucketSpan::Month, &[Year, Month]),
            (BucketSpan::Year, &[Year]),
            (
                BucketSpan::Every {
                    micros: 15 * MINUTE,
                },
                &[Year, Month, Day, Hour, Minute],
            ),
            (BucketSpan::Endless, &[]),
        ];
        let (span, fields) = match self.layout {
            5 => spans[7],
            _ => spans[self.span],
        };
        let label = match self.label {
            _ if span == BucketSpan::Endless => BucketLabel::Absent,
            0 => BucketLabel::Calendar(format(fields, false)),
            // Labels that do not sort: the last field in as many digits as it takes, or the fields backwards.
            1 => BucketLabel::Calendar(format(fields, true)),
            2 => BucketLabel::Calendar(format(
                &fields.iter().rev().copied().collect::<Vec<_>>(),
                false,
            )),
            3 => BucketLabel::Start {
                unit: TimeUnit::Seconds,
                width: 10,
                reverse: self.truncate,
            },
            4 => BucketLabel::BinaryStart {
                unit: TimeUnit::Seconds,
                reverse: self.write_time,
            },
            digits => BucketLabel::Counted {
                origin: ANCHORS[(self.anchor + self.grid % 2) % ANCHORS.len()]
                    .parse()
                    .unwrap(),
                before: "no".into(),
                after: if self.prefix { "x".into() } else { "".into() },
                width: if digits == 5 { 0 } else { 7 },
            },
        };
        let long = matches!(
            span,
            BucketSpan::Day | BucketSpan::Week | BucketSpan::Month | BucketSpan::Year
        );
        let micros = matches!(self.layout, 3 | 4) && self.grid == 2;
        let bucket = Bucket {
            span,
            zone: ZONES[self.zone].filter(|_| long).map(Into::into),
            label,
            grid_micros: match self.grid {
                _ if micros => 1,
                0 => 1_000,
                _ => 1_000_000,
            },
            truncate: self.truncate,
        };
        bucket.refusal().is_none().then(|| {
            let format = SegmentFormat::Bucket(bucket);
            segment("at", SegmentRole::Bucket, SegmentKind::Time, format)
        })
    }

    fn offset(&self, bucket: &Bucket) -> Offset {
        use CalendarField::{Day, Hour, Microsecond, Minute, Month, Second};
        let all = [Month, Day, Hour, Minute, Second, Microsecond];
        let fields = match bucket.span {
            BucketSpan::Year => &all[..],
            BucketSpan::Month => &all[1..],
            BucketSpan::Day | BucketSpan::Every { .. } => &all[2..],
            _ => &all[3..],
        };
        let calendar = match self.offset {
            2 => Some(fields.to_vec()),
            3 => Some(fields.iter().rev().copied().collect()),
            _ => None,
        };
        let calendar = calendar.map(|fields| Offset::Calendar(format(&fields, false)));
        calendar
            .filter(|offset| offset.refusal(bucket).is_none())
            .unwrap_or(Offset::Ticks {
                unit: if bucket.grid_micros == 1 {
                    TimeUnit::Micros
                } else {
                    TimeUnit::Millis
                },
                width: 16,
                reverse: self.offset == 1,
            })
    }

    fn add_salt(&self, segments: &mut Vec<Segment>) {
        let Some((shards, of, at)) = &self.salt else {
            return;
        };
        let at = at % (segments.len() + 1);
        let absent = |segment: &Segment| segment.is_absent();
        let mut of: Vec<usize> = (0..segments.len())
            .filter(|index| of[*index] && !absent(&segments[*index]))
            .collect();
        if of.is_empty() {
            of.push(segments.iter().position(|one| !absent(one)).unwrap());
        }
        let of = of.into_iter().map(|index| index + usize::from(at <= index));
        let salt = Salt {
            shards: *shards,
            of: of.collect(),
            hash: SaltHash::Xxh64,
        };
        let kind = SegmentKind::Unsigned { bits: 16 };
        let format = SegmentFormat::Salt(salt);
        segments.insert(at, segment("salt", SegmentRole::Salt, kind, format));
    }
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

fn identifier(kind: usize, name: &'static str) -> Segment {
    let (kind, format) = match kind {
        0 => (SegmentKind::String, SegmentFormat::Variable),
        1 => (
            SegmentKind::String,
            SegmentFormat::Padded {
                width: 4,
                pad: b' ',
            },
        ),
        _ => (
            SegmentKind::Unsigned { bits: 8 },
            SegmentFormat::Digits { width: 3 },
        ),
    };
    segment(name, SegmentRole::Identifier, kind, format)
}

fn column(name: &'static str) -> ColumnSchema {
    ColumnSchema {
        field: name.into(),
        family: "MD".into(),
        qualifier: name.to_uppercase().into(),
        codec: "bytes".into(),
        optional: name != "bid",
        copy_of: None,
        kind: ColumnKind::Plain,
    }
}

/// Fields with `-` between them, the last without leading zeros if asked for.
fn format(fields: &[CalendarField], unpadded: bool) -> CalendarFormat {
    let mut items = Vec::new();
    for (index, field) in fields.iter().enumerate() {
        if index > 0 {
            items.push(CalendarItem::Literal("-".into()));
        }
        items.push(match unpadded && index + 1 == fields.len() && index > 0 {
            true => CalendarItem::Unpadded(*field),
            false => CalendarItem::Field(*field),
        });
    }
    CalendarFormat {
        items: items.into(),
    }
}

/// An event, as drawn: an index of each identifier's values, a time, and whether it has the second column.
#[derive(Debug, Clone)]
pub(super) struct DrawnEvent {
    pub(super) identifiers: Vec<usize>,
    pub(super) at: i64,
    pub(super) edge: Option<i64>,
    pub(super) ask: bool,
}

pub(super) fn drawn_event() -> impl Strategy<Value = DrawnEvent> {
    (
        prop::collection::vec(0..3_usize, 3),
        any::<i64>(),
        prop::option::of(-1..=1_i64),
        any::<bool>(),
    )
        .prop_map(|(identifiers, at, edge, ask)| DrawnEvent {
            identifiers,
            at,
            edge,
            ask,
        })
}

/// A query, as drawn: how many segments are asked for, and of each how.
#[derive(Debug, Clone)]
pub(super) struct DrawnQuery {
    pub(super) depth: usize,
    pub(super) segments: Vec<DrawnAsk>,
    pub(super) order: usize,
    pub(super) descending: bool,
    pub(super) limit: Option<u64>,
    pub(super) full_scan: bool,
    pub(super) columns: Option<Vec<usize>>,
    pub(super) keys_only: bool,
    pub(super) page: u64,
    pub(super) condition: Option<ColumnTest>,
}

#[derive(Debug, Clone)]
pub(super) struct DrawnAsk {
    /// Values, a range or a prefix.
    pub(super) kind: usize,
    pub(super) values: Vec<usize>,
    pub(super) times: Vec<DrawnTime>,
    pub(super) bounds: (usize, usize),
}

#[derive(Debug, Clone)]
pub(super) struct DrawnTime {
    /// The time of an event, or one of its own.
    pub(super) of_event: Option<Index>,
    pub(super) at: i64,
    pub(super) edge: Option<i64>,
}

fn drawn_time() -> impl Strategy<Value = DrawnTime> {
    (
        prop::option::of(any::<Index>()),
        any::<i64>(),
        prop::option::of(-1..=1_i64),
    )
        .prop_map(|(of_event, at, edge)| DrawnTime { of_event, at, edge })
}

pub(super) fn drawn_query() -> impl Strategy<Value = DrawnQuery> {
    let ask = (
        0..10_usize,
        prop::collection::vec(0..4_usize, 1..4),
        prop::collection::vec(drawn_time(), 2..4),
        (0..3_usize, 0..3_usize),
    )
        .prop_map(|(kind, values, times, bounds)| DrawnAsk {
            kind,
            values,
            times,
            bounds,
        });
    (
        prop_oneof![3 => Just(4), 1 => 0..4_usize],
        prop::collection::vec(ask, 4),
        (0..5_usize, any::<bool>(), prop::option::of(0..6_u64)),
        prop::bool::weighted(0.2),
        prop::option::of(prop::collection::vec(0..1_usize, 0..2)),
        prop::bool::weighted(0.2),
        1..5_u64,
    )
        .prop_map(
            |(depth, segments, (order, descending, limit), full_scan, columns, keys_only, page)| {
                DrawnQuery {
                    depth,
                    segments,
                    order,
                    descending,
                    limit,
                    full_scan,
                    columns,
                    keys_only,
                    page,
                    condition: None,
                }
            },
        )
}
