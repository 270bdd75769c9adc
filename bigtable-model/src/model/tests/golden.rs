//! The exact mutations of each layout, and what becomes of what can't be stored or read.

use std::error::Error as _;

use bytes::Bytes;

use super::strategies::{calendar, day_of_month};
use crate::bucket::{Bucket, BucketLabel, BucketSpan, Offset};
use crate::data::{Cell, Mutation, Row, RowMutations};
use crate::key::{
    CalendarField::{Day, Hour, Minute, Month, Year},
    KeyLayout, Segment, SegmentFormat, SegmentKind, SegmentRole, SegmentValue, TimeUnit,
};
use crate::model::dynamic::{delete_event, read_event, write_event};
use crate::model::{CellTime, ColumnSchema, EventReader, Layout, ModelSchema, Presence, RowEvents};
use crate::query::EventTimes;
use crate::{Error, Timestamp};

const NOW: Timestamp = Timestamp::from_millis(1_700_000_000_123);

fn day() -> Bucket {
    Bucket {
        span: BucketSpan::Day,
        zone: None,
        label: BucketLabel::Calendar(calendar(&[Year, Month, Day])),
        grid_micros: 60_000_000,
        truncate: false,
    }
}

fn column(name: &'static str, optional: bool, copy_of: Option<usize>) -> ColumnSchema {
    ColumnSchema {
        field: name.into(),
        family: "m".into(),
        qualifier: name.into(),
        codec: "bytes".into(),
        optional,
        copy_of,
    }
}

/// A model of meters by day: `meter#20260401`, with the meter's name as a column.
fn meters(layout: Layout, columns: Vec<ColumnSchema>) -> &'static ModelSchema {
    meters_in(day(), layout, columns)
}

fn meters_in(bucket: Bucket, layout: Layout, columns: Vec<ColumnSchema>) -> &'static ModelSchema {
    let segment = |name: &'static str, role, kind, format| Segment {
        name: name.into(),
        role,
        kind,
        format,
    };
    let (role, format) = match layout {
        Layout::Row => {
            let format = calendar(&[Year, Month, Day, Hour, Minute]);
            let truncate = false;
            (
                SegmentRole::Time,
                SegmentFormat::Calendar { format, truncate },
            )
        }
        _ => (SegmentRole::Bucket, SegmentFormat::Bucket(bucket)),
    };
    let meter = segment(
        "meter",
        SegmentRole::Identifier,
        SegmentKind::String,
        SegmentFormat::Variable,
    );
    let key = KeyLayout {
        prefix: "".into(),
        separator: "#".into(),
        segments: vec![meter, segment("at", role, SegmentKind::Time, format)].into(),
    };
    Box::leak(Box::new(ModelSchema {
        model: "Meter".into(),
        table: "meters".into(),
        key,
        layout,
        presence: Presence::Column(0),
        columns: columns.into(),
        map_family: None,
        cell_time: CellTime::Event,
    }))
}

fn two_columns() -> Vec<ColumnSchema> {
    vec![column("kwh", false, None), column("volts", true, None)]
}

fn minutes(named: bool) -> Layout {
    let offset = Offset::Calendar(calendar(&[Hour, Minute]));
    Layout::Columns { offset, named }
}

fn values(time: &str) -> Vec<SegmentValue> {
    vec![
        SegmentValue::String("a7".to_owned()),
        SegmentValue::Time(time.parse().unwrap()),
    ]
}

/// One line a mutation: `+` writes a cell, `-` deletes.
fn lines(row: &RowMutations) -> Vec<String> {
    let text = |bytes: &Bytes| bytes.escape_ascii().to_string();
    let line = |mutation: &Mutation| match mutation {
        Mutation::SetCell {
            family,
            qualifier,
            timestamp_micros,
            value,
        } => format!(
            "+ {family}:{} @{timestamp_micros} {}",
            text(qualifier),
            text(value)
        ),
        Mutation::DeleteFromColumn {
            family,
            qualifier,
            start_micros,
            end_micros,
        } => format!(
            "- {family}:{} {start_micros}..{end_micros}",
            text(qualifier)
        ),
        other => format!("{other:?}"),
    };
    let key = text(&row.key);
    std::iter::once(key)
        .chain(row.mutations.iter().map(line))
        .collect()
}

fn written(
    schema: &'static ModelSchema,
    time: &str,
    columns: &[Option<&'static str>],
) -> Vec<String> {
    lines(&write(schema, time, columns).unwrap())
}

fn write(
    schema: &'static ModelSchema,
    time: &str,
    columns: &[Option<&'static str>],
) -> Result<RowMutations, Error> {
    let columns: Vec<_> = columns.iter().map(|one| one.map(Bytes::from)).collect();
    write_event(schema, &values(time), &columns, NOW)
}

/// The error with what it comes from.
fn chain(error: &Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        text += &format!(": {error}");
        source = error.source();
    }
    text
}

const AT: &str = "2026-04-01T00:15:00Z";
const AT_MICROS: i64 = 1_775_002_500_000_000;
const DAY_MICROS: i64 = 1_775_001_600_000_000;

#[test]
fn a_row_is_an_event() {
    let schema = meters(Layout::Row, two_columns());
    assert_eq!(
        written(schema, AT, &[Some("1.5"), None]),
        [
            "a7#202604010015",
            &format!("+ m:kwh @{AT_MICROS} 1.5"),
            "- m:volts 0..0"
        ]
    );
    let deleted = delete_event(schema, &values(AT), &[]).unwrap().unwrap();
    assert_eq!(lines(&deleted), ["a7#202604010015", "DeleteFromRow"]);
}

#[test]
fn cells_have_the_events_time() {
    let schema = meters(Layout::Cells, two_columns());
    let end = AT_MICROS + 1_000;
    assert_eq!(
        written(schema, AT, &[Some("1.5"), None]),
        [
            "a7#20260401",
            &format!("+ m:kwh @{AT_MICROS} 1.5"),
            &format!("- m:volts {AT_MICROS}..{end}"),
        ]
    );
    let deleted = delete_event(schema, &values(AT), &[]).unwrap().unwrap();
    assert_eq!(
        lines(&deleted),
        [
            "a7#20260401",
            &format!("- m:kwh {AT_MICROS}..{end}"),
            &format!("- m:volts {AT_MICROS}..{end}"),
        ]
    );
}

#[test]
fn a_marker_is_written_beside_the_columns() {
    let columns = vec![column("kwh", true, None)];
    let marker = Presence::Marker {
        family: "m".into(),
        qualifier: "EVENT".into(),
    };
    let cells = ModelSchema {
        presence: marker,
        ..meters(Layout::Cells, columns).clone()
    };
    let named = ModelSchema {
        layout: minutes(true),
        ..cells.clone()
    };
    let end = AT_MICROS + 1_000;
    assert_eq!(
        written(Box::leak(Box::new(cells)), AT, &[None]),
        [
            "a7#20260401",
            &format!("+ m:EVENT @{AT_MICROS} "),
            &format!("- m:kwh {AT_MICROS}..{end}"),
        ]
    );
    assert_eq!(
        written(Box::leak(Box::new(named)), AT, &[None]),
        [
            "a7#20260401",
            &format!("+ m:EVENT:0015 @{AT_MICROS} "),
            "- m:kwh:0015 0..0",
        ]
    );
}

#[test]
fn columns_are_named_by_the_offset() {
    let schema = meters(minutes(true), two_columns());
    assert_eq!(
        written(schema, AT, &[Some("1.5"), None]),
        [
            "a7#20260401",
            &format!("+ m:kwh:0015 @{AT_MICROS} 1.5"),
            "- m:volts:0015 0..0"
        ]
    );
    let schema = meters(minutes(false), vec![column("kwh", false, None)]);
    assert_eq!(
        written(schema, AT, &[Some("1.5")]),
        ["a7#20260401", &format!("+ m:0015 @{AT_MICROS} 1.5")]
    );
    let deleted = delete_event(schema, &values(AT), &[]).unwrap().unwrap();
    assert_eq!(lines(&deleted), ["a7#20260401", "- m:0015 0..0"]);
}

#[test]
fn the_clock_stamps_columns_whose_cell_time_is_the_write() {
    let schema = ModelSchema {
        cell_time: CellTime::Write,
        ..meters(minutes(false), vec![column("kwh", false, None)]).clone()
    };
    assert_eq!(
        written(Box::leak(Box::new(schema)), AT, &[Some("1.5")]),
        ["a7#20260401", "+ m:0015 @1700000000123000 1.5"]
    );
}

#[test]
fn a_month_of_days_without_zeros() {
    let bucket = Bucket {
        span: BucketSpan::Month,
        label: BucketLabel::Calendar(calendar(&[Year, Month])),
        grid_micros: 86_400_000_000,
        ..day()
    };
    let offset = Offset::Calendar(day_of_month());
    let layout = Layout::Columns {
        offset,
        named: false,
    };
    let schema = meters_in(bucket, layout, vec![column("kwh", false, None)]);
    assert_eq!(
        written(schema, "2026-04-01T00:00:00Z", &[Some("1.5")]),
        ["a7#202604", &format!("+ m:1 @{DAY_MICROS} 1.5")]
    );
}

#[test]
fn values_are_qualifiers() {
    let schema = meters(Layout::Qualifiers, vec![column("kwh", false, None)]);
    assert_eq!(
        written(schema, AT, &[Some("1.5")]),
        ["a7#20260401", &format!("+ m:1.5 @{AT_MICROS} ")]
    );
    let cell =
        |qualifier: &'static str, timestamp_micros| cell("m", qualifier, timestamp_micros, "");
    let cells = [
        cell("1.5", AT_MICROS),
        cell("2", AT_MICROS),
        cell("3", AT_MICROS + 60_000_000),
    ];
    let end = AT_MICROS + 1_000;
    let deleted = delete_event(schema, &values(AT), &cells).unwrap().unwrap();
    assert_eq!(
        lines(&deleted),
        [
            "a7#20260401",
            &format!("- m:1.5 {AT_MICROS}..{end}"),
            &format!("- m:2 {AT_MICROS}..{end}"),
        ]
    );
    assert_eq!(delete_event(schema, &values(AT), &[]).unwrap(), None);
}

#[test]
fn copies_of_identifiers_belong_to_the_row() {
    let mut columns = two_columns();
    columns.push(column("meter", false, Some(0)));
    columns.push(column("time", false, Some(1)));
    let of_row = format!("+ m:meter @{DAY_MICROS} a7");
    let cells = meters(Layout::Cells, columns.clone());
    let end = AT_MICROS + 1_000;
    assert_eq!(
        written(cells, AT, &[Some("1.5"), None]),
        [
            "a7#20260401",
            &format!("+ m:kwh @{AT_MICROS} 1.5"),
            &format!("- m:volts {AT_MICROS}..{end}"),
            &of_row,
            &format!("+ m:time @{AT_MICROS} 1775002500"),
        ]
    );
    let named = meters(minutes(true), columns);
    assert_eq!(
        written(named, AT, &[Some("1.5"), Some("230")]),
        [
            "a7#20260401",
            &format!("+ m:kwh:0015 @{AT_MICROS} 1.5"),
            &format!("+ m:volts:0015 @{AT_MICROS} 230"),
            &of_row,
            &format!("+ m:time:0015 @{AT_MICROS} 1775002500"),
        ]
    );
    let deleted = delete_event(named, &values(AT), &[]).unwrap().unwrap();
    assert_eq!(
        lines(&deleted),
        [
            "a7#20260401",
            "- m:kwh:0015 0..0",
            "- m:volts:0015 0..0",
            "- m:time:0015 0..0"
        ]
    );
}

#[test]
fn what_a_layout_can_not_hold_is_refused() {
    let refused = |schema, time, columns: &[Option<&'static str>]| {
        chain(&write(schema, time, columns).unwrap_err())
    };
    let cells = meters(Layout::Cells, two_columns());
    let early = "1969-12-31T23:45:00Z";
    assert_eq!(
        refused(cells, "2026-04-01T00:15:01Z", &[Some("1"), None]),
        "table meters: the values make no row key: segment `at` of the row key is refused: 2026-04-01T00:15:01Z is not a whole minute: declare `truncate` to round down"
    );
    assert!(refused(cells, early, &[Some("1"), None]).contains("1969-12-31"));
    let columns = vec![column("kwh", false, None)];
    let qualifiers = meters(Layout::Qualifiers, columns);
    assert_eq!(
        refused(qualifiers, AT, &[Some("")]),
        "table meters: column m:kwh of meter=a7 at=2026-04-01T00:15:00Z is refused: the value can't be written as a qualifier: it takes 1 to 16384 bytes, not 0"
    );
    assert_eq!(
        refused(qualifiers, AT, &[None]),
        "table meters: column m:kwh of meter=a7 at=2026-04-01T00:15:00Z is refused: the value can't be written as a qualifier: it can't be absent"
    );
}

#[test]
fn times_before_1970_are_no_cell_timestamps() {
    let bucket = Bucket {
        label: BucketLabel::BinaryStart {
            unit: TimeUnit::Seconds,
            reverse: false,
        },
        ..day()
    };
    let early = "1969-12-31T23:45:00Z";
    let cells = meters_in(bucket.clone(), Layout::Cells, two_columns());
    assert_eq!(
        chain(&write(cells, early, &[Some("1"), None]).unwrap_err()),
        "table meters: the values make no row key: segment `at` of the row key is refused: 1969-12-31T23:45:00Z is outside what the segment holds, the timestamps of cells, which begin with 1970"
    );
    let columns = meters_in(bucket, minutes(true), two_columns());
    let lines = written(columns, early, &[Some("1"), None]);
    assert_eq!(lines[1..], ["+ m:kwh:2345 @0 1", "- m:volts:2345 0..0"]);
}

fn cell(
    family: &'static str,
    qualifier: &'static str,
    timestamp_micros: i64,
    value: &'static str,
) -> Cell {
    Cell {
        family: family.into(),
        qualifier: Bytes::from_static(qualifier.as_bytes()),
        timestamp_micros,
        value: Bytes::from_static(value.as_bytes()),
        labels: Vec::new(),
    }
}

fn found(schema: &'static ModelSchema, cells: Vec<Cell>) -> Vec<String> {
    let row = Row {
        key: Bytes::from_static(b"a7#20260401"),
        cells,
    };
    let mut events = RowEvents::default();
    let reader = EventReader::new(schema);
    reader.load(row, &EventTimes::All, &mut events).unwrap();
    let event = |index| {
        let time = events.time(index).unwrap().unwrap();
        let (_, columns) = events.values(index).unwrap();
        let columns = columns.iter().map(|one| match one {
            Some(bytes) => bytes.escape_ascii().to_string(),
            None => "-".to_owned(),
        });
        format!("{time} {}", columns.collect::<Vec<_>>().join(" "))
    };
    (0..events.len()).map(event).collect()
}

#[test]
fn cells_that_are_no_events_are_left_alone() {
    let named = meters(minutes(true), two_columns());
    let at = AT_MICROS;
    assert_eq!(
        found(
            named,
            vec![
                cell("m", "kwh", at, "?"),
                cell("m", "kwh:", at, "?"),
                cell("m", "kwh:0015", at + 1_000, "newest"),
                cell("m", "kwh:0015", at, "older"),
                cell("m", "kwh:0030", at, "2"),
                cell("m", "kwh:15", at, "?"),
                cell("m", "kwh:2460", at, "?"),
                cell("m", "other:0015", at, "?"),
                cell("m", "volts:0030", at, "230"),
                // No event: the column that every event has is not there.
                cell("m", "volts:0045", at, "231"),
                cell("other", "kwh:0100", at, "?"),
            ]
        ),
        [
            "2026-04-01T00:15:00Z newest -",
            "2026-04-01T00:30:00Z 2 230"
        ]
    );
    let cells = meters(Layout::Cells, two_columns());
    assert_eq!(
        found(
            cells,
            vec![
                // Of the next day, off the grid, of this day, of the day before.
                cell("m", "kwh", at + 86_400_000_000, "?"),
                cell("m", "kwh", at + 1_000, "?"),
                cell("m", "kwh", at, "1"),
                cell("m", "kwh", at - 900_000_000, "0"),
                cell("m", "kwh", at - 960_000_000, "?"),
                cell("m", "volts", at - 900_000_000, "230"),
            ]
        ),
        ["2026-04-01T00:00:00Z 0 230", "2026-04-01T00:15:00Z 1 -"]
    );
}

#[test]
fn a_key_that_is_not_the_models_is_an_error() {
    let schema = meters(Layout::Cells, two_columns());
    let row = Row {
        key: Bytes::from_static(b"a7#day"),
        cells: vec![cell("m", "kwh", AT_MICROS, "1")],
    };
    let mut events = RowEvents::default();
    let error = EventReader::new(schema)
        .load(row, &EventTimes::All, &mut events)
        .unwrap_err();
    assert!(matches!(error, Error::ForeignKey { .. }), "{error:?}");
    assert!(events.is_empty());
}

#[test]
fn one_event_is_read_by_a_filter() {
    let filter = |layout, columns| {
        let (request, times) = read_event(meters(layout, columns), &values(AT)).unwrap();
        format!("{:?} {times:?}", request.filter.unwrap())
    };
    let time = format!("In([Timestamp({AT_MICROS})])");
    assert_eq!(
        filter(Layout::Row, two_columns()),
        "CellsPerColumnLimit(1) All"
    );
    assert_eq!(
        filter(Layout::Cells, two_columns()),
        format!(
            "TimestampRange {{ start_micros: {AT_MICROS}, end_micros: {} }} {time}",
            AT_MICROS + 1_000
        )
    );
    let range = |name: &str| {
        format!(
            "QualifierRange {{ family: \"m\", start: Included(b\"{name}\"), end: Included(b\"{name}\") }}"
        )
    };
    assert_eq!(
        filter(minutes(true), two_columns()),
        format!(
            "Chain([Interleave([{}, {}]), CellsPerColumnLimit(1)]) {time}",
            range("kwh:0015"),
            range("volts:0015")
        )
    );
    let one = vec![column("kwh", false, None), column("meter", false, Some(0))];
    assert_eq!(
        filter(minutes(false), one),
        format!("Chain([{}, CellsPerColumnLimit(1)]) {time}", range("0015"))
    );
}
