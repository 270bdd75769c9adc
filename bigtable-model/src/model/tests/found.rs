//! Events in rows that hold more than the model wrote, and reads of one event.

use bytes::Bytes;

use super::meters::{AT, AT_MICROS, cell, column, meters, minutes, two_columns, values};
use crate::Error;
use crate::data::{Cell, Row};
use crate::model::stored::read_event;
use crate::model::{EventReader, Layout, RowEvents, Schema};
use crate::query::EventTimes;

fn found(schema: &Schema, cells: Vec<Cell>) -> Vec<String> {
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
            &named,
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
                // No event: the presence column is missing.
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
            &cells,
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
    let error = EventReader::new(&schema)
        .load(row, &EventTimes::All, &mut events)
        .unwrap_err();
    assert!(matches!(error, Error::ForeignKey { .. }), "{error:?}");
    assert!(events.is_empty());
}

#[test]
fn one_event_is_read_by_a_filter() {
    let filter = |layout, columns| {
        let (request, times) = read_event(&meters(layout, columns), &values(AT)).unwrap();
        format!("{:?} {times:?}", request.filter.unwrap())
    };
    let time = format!("In([{}])", crate::Timestamp::from_micros(AT_MICROS));
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
