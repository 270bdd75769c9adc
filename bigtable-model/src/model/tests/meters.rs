//! The models of meters that golden tests write and read.

use std::error::Error as _;

use bytes::Bytes;

use super::strategies::calendar;
use crate::data::{Cell, Mutation, RowMutations};
use crate::key::time::bucket::{Bucket, BucketLabel, BucketSpan, Offset};
use crate::key::{
    CalendarField::{Day, Hour, Minute, Month, Year},
    KeyLayout, Segment, SegmentFormat, SegmentKind, SegmentRole, SegmentValue,
};
use crate::model::stored::write_event;
use crate::model::{CellTime, ColumnKind, ColumnSchema, Layout, ModelSchema, Presence, Schema};
use crate::{Error, Timestamp};

const NOW: Timestamp = Timestamp::from_millis(1_700_000_000_123);

pub(super) fn day() -> Bucket {
    Bucket {
        span: BucketSpan::Day,
        zone: None,
        label: BucketLabel::Calendar(calendar(&[Year, Month, Day])),
        grid_micros: 60_000_000,
        truncate: false,
    }
}

pub(super) fn column(name: &'static str, optional: bool, copy_of: Option<usize>) -> ColumnSchema {
    ColumnSchema {
        field: name.into(),
        family: "m".into(),
        qualifier: name.into(),
        codec: "bytes".into(),
        optional,
        copy_of,
        kind: ColumnKind::Plain,
        aliases: Default::default(),
        sensitive: false,
    }
}

/// A model of meters by day: `meter#20260401`, with the meter's name as a column.
pub(super) fn meters(layout: Layout, columns: Vec<ColumnSchema>) -> Schema {
    meters_in(day(), layout, columns)
}

pub(super) fn meters_in(bucket: Bucket, layout: Layout, columns: Vec<ColumnSchema>) -> Schema {
    let segment = |name: &'static str, role, kind, format| Segment {
        name: name.into(),
        role,
        kind,
        format,
    };
    let (role, format) = match layout {
        Layout::Row => {
            let format = calendar(&[Year, Month, Day, Hour, Minute]);
            let format = SegmentFormat::Calendar {
                format,
                truncate: false,
                offset_seconds: 0,
            };
            (SegmentRole::Time, format)
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
        enclosed: false,
        segments: vec![meter, segment("at", role, SegmentKind::Time, format)].into(),
    };
    Schema::from(ModelSchema {
        model: "Meter".into(),
        table: "meters".into(),
        key,
        layout,
        presence: Presence::Column(0),
        columns: columns.into(),
        map_families: Vec::new().into(),
        cell_time: CellTime::Event,
        gc_rules: Vec::new().into(),
        append_only: false,
        pack_after_micros: None,
        rollups: std::borrow::Cow::Borrowed(&[]),
        former: None,
    })
}

pub(super) fn two_columns() -> Vec<ColumnSchema> {
    vec![column("kwh", false, None), column("volts", true, None)]
}

pub(super) fn minutes(named: bool) -> Layout {
    let offset = Offset::Calendar(calendar(&[Hour, Minute]));
    Layout::Columns { offset, named }
}

pub(super) fn values(time: &str) -> Vec<SegmentValue> {
    vec![
        SegmentValue::String("a7".to_owned()),
        SegmentValue::Time(time.parse().unwrap()),
    ]
}

/// One line per mutation: `+` writes a cell, `-` deletes.
pub(super) fn lines(row: &RowMutations) -> Vec<String> {
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

pub(super) fn written(
    schema: &Schema,
    time: &str,
    columns: &[Option<&'static str>],
) -> Vec<String> {
    lines(&write(schema, time, columns).unwrap())
}

pub(super) fn write(
    schema: &Schema,
    time: &str,
    columns: &[Option<&'static str>],
) -> Result<RowMutations, Error> {
    let columns: Vec<_> = columns.iter().map(|one| one.map(Bytes::from)).collect();
    write_event(schema, &values(time), &columns, NOW)
}

/// The error with its sources.
pub(super) fn chain(error: &Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        text += &format!(": {error}");
        source = error.source();
    }
    text
}

pub(super) const AT: &str = "2026-04-01T00:15:00Z";
pub(super) const AT_MICROS: i64 = 1_775_002_500_000_000;
pub(super) const DAY_MICROS: i64 = 1_775_001_600_000_000;

pub(super) fn cell(
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
