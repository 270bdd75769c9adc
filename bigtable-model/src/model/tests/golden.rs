//! The exact mutations of each layout, and values that cannot be stored.

use super::meters::{
    AT, AT_MICROS, DAY_MICROS, cell, chain, column, day, lines, meters, meters_in, minutes,
    two_columns, values, write, written,
};
use super::strategies::{calendar, day_of_month};
use crate::key::time::bucket::{Bucket, BucketLabel, BucketSpan, Offset};
use crate::key::{
    CalendarField::{Month, Year},
    TimeUnit,
};
use crate::model::Schema;
use crate::model::stored::delete_event;
use crate::model::{CellTime, Layout, ModelSchema, Presence};

#[test]
fn a_row_is_an_event() {
    let schema = meters(Layout::Row, two_columns());
    assert_eq!(
        written(&schema, AT, &[Some("1.5"), None]),
        [
            "a7#202604010015",
            &format!("+ m:kwh @{AT_MICROS} 1.5"),
            "- m:volts 0..0"
        ]
    );
    let deleted = delete_event(&schema, &values(AT), &[]).unwrap().unwrap();
    assert_eq!(lines(&deleted), ["a7#202604010015", "DeleteFromRow"]);
}

#[test]
fn cells_have_the_events_time() {
    let schema = meters(Layout::Cells, two_columns());
    let end = AT_MICROS + 1_000;
    assert_eq!(
        written(&schema, AT, &[Some("1.5"), None]),
        [
            "a7#20260401",
            &format!("+ m:kwh @{AT_MICROS} 1.5"),
            &format!("- m:volts {AT_MICROS}..{end}"),
        ]
    );
    let deleted = delete_event(&schema, &values(AT), &[]).unwrap().unwrap();
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
        ..meters(Layout::Cells, columns).to_schema()
    };
    let named = ModelSchema {
        layout: minutes(true),
        ..cells.clone()
    };
    let end = AT_MICROS + 1_000;
    assert_eq!(
        written(&Schema::from(cells), AT, &[None]),
        [
            "a7#20260401",
            &format!("+ m:EVENT @{AT_MICROS} "),
            &format!("- m:kwh {AT_MICROS}..{end}"),
        ]
    );
    assert_eq!(
        written(&Schema::from(named), AT, &[None]),
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
        written(&schema, AT, &[Some("1.5"), None]),
        [
            "a7#20260401",
            &format!("+ m:kwh:0015 @{AT_MICROS} 1.5"),
            "- m:volts:0015 0..0"
        ]
    );
    let schema = meters(minutes(false), vec![column("kwh", false, None)]);
    assert_eq!(
        written(&schema, AT, &[Some("1.5")]),
        ["a7#20260401", &format!("+ m:0015 @{AT_MICROS} 1.5")]
    );
    let deleted = delete_event(&schema, &values(AT), &[]).unwrap().unwrap();
    assert_eq!(lines(&deleted), ["a7#20260401", "- m:0015 0..0"]);
}

#[test]
fn the_clock_stamps_columns_whose_cell_time_is_the_write() {
    let schema = ModelSchema {
        cell_time: CellTime::Write,
        ..meters(minutes(false), vec![column("kwh", false, None)]).to_schema()
    };
    assert_eq!(
        written(&Schema::from(schema), AT, &[Some("1.5")]),
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
        written(&schema, "2026-04-01T00:00:00Z", &[Some("1.5")]),
        ["a7#202604", &format!("+ m:1 @{DAY_MICROS} 1.5")]
    );
}

#[test]
fn values_are_qualifiers() {
    let schema = meters(Layout::Qualifiers, vec![column("kwh", false, None)]);
    assert_eq!(
        written(&schema, AT, &[Some("1.5")]),
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
    let deleted = delete_event(&schema, &values(AT), &cells).unwrap().unwrap();
    assert_eq!(
        lines(&deleted),
        [
            "a7#20260401",
            &format!("- m:1.5 {AT_MICROS}..{end}"),
            &format!("- m:2 {AT_MICROS}..{end}"),
        ]
    );
    assert_eq!(delete_event(&schema, &values(AT), &[]).unwrap(), None);
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
        written(&cells, AT, &[Some("1.5"), None]),
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
        written(&named, AT, &[Some("1.5"), Some("230")]),
        [
            "a7#20260401",
            &format!("+ m:kwh:0015 @{AT_MICROS} 1.5"),
            &format!("+ m:volts:0015 @{AT_MICROS} 230"),
            &of_row,
            &format!("+ m:time:0015 @{AT_MICROS} 1775002500"),
        ]
    );
    let deleted = delete_event(&named, &values(AT), &[]).unwrap().unwrap();
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
        refused(&cells, "2026-04-01T00:15:01Z", &[Some("1"), None]),
        "table meters: meter=a7 at=2026-04-01T00:15:01Z is refused: segment `at` of the row key is refused: 2026-04-01T00:15:01Z is not a whole minute: declare `truncate` to round down"
    );
    assert!(refused(&cells, early, &[Some("1"), None]).contains("1969-12-31"));
    let columns = vec![column("kwh", false, None)];
    let qualifiers = meters(Layout::Qualifiers, columns);
    assert_eq!(
        refused(&qualifiers, AT, &[Some("")]),
        "table meters: column m:kwh of meter=a7 at=2026-04-01T00:15:00Z is refused: the value cannot be written as a qualifier: it takes 1 to 16384 bytes, not 0"
    );
    assert_eq!(
        refused(&qualifiers, AT, &[None]),
        "table meters: column m:kwh of meter=a7 at=2026-04-01T00:15:00Z is refused: the value cannot be written as a qualifier: it cannot be absent"
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
        chain(&write(&cells, early, &[Some("1"), None]).unwrap_err()),
        "table meters: meter=a7 at=1969-12-31T23:45:00Z is refused: segment `at` of the row key is refused: 1969-12-31T23:45:00Z is outside the segment's range, the timestamps of cells, which begin with 1970"
    );
    let columns = meters_in(bucket, minutes(true), two_columns());
    let lines = written(&columns, early, &[Some("1"), None]);
    assert_eq!(lines[1..], ["+ m:kwh:2345 @0 1", "- m:volts:2345 0..0"]);
}
