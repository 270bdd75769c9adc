#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    reason = "a test may panic"
)]

mod buckets;
mod cells;
mod execute;
mod explain;
mod hot;
mod makers;
mod natural;
mod newest;
mod oracle;
mod pages;
mod periods;
mod planner;
mod probe;
mod rows;
mod series;
mod sql;

use std::borrow::Cow;
use std::ops::Bound;

use super::{Order, SegmentSelection, Selection};
use crate::Timestamp;
use crate::key::{
    KeyLayout, Segment, SegmentFormat, SegmentKind, SegmentRole, SegmentValue, TimeUnit,
};
use crate::model::{CellTime, ColumnKind, ColumnSchema, Layout, ModelSchema, Presence};

fn segment(name: &'static str, kind: SegmentKind, format: SegmentFormat) -> Segment {
    Segment {
        name: name.into(),
        role: SegmentRole::Identifier,
        kind,
        format,
    }
}

fn padded(name: &'static str, width: u16) -> Segment {
    segment(
        name,
        SegmentKind::String,
        SegmentFormat::Padded { width, pad: b' ' },
    )
}

fn time(reverse: bool) -> Segment {
    Segment {
        name: "at".into(),
        role: SegmentRole::Time,
        kind: SegmentKind::Time,
        format: SegmentFormat::Ticks {
            unit: TimeUnit::Millis,
            width: 13,
            reverse,
            truncate: false,
        },
    }
}

fn column(family: &'static str, name: &'static str) -> ColumnSchema {
    ColumnSchema {
        field: name.into(),
        family: family.into(),
        qualifier: name.into(),
        codec: "text".into(),
        optional: name != "BID",
        copy_of: (name == "EXCHANGE").then_some(0),
        kind: ColumnKind::Plain,
        aliases: Default::default(),
        sensitive: false,
    }
}

fn schema(prefix: &'static str, segments: Vec<Segment>) -> ModelSchema {
    ModelSchema {
        model: "Quote".into(),
        table: "QUOTE".into(),
        key: KeyLayout {
            prefix: prefix.into(),
            separator: "#".into(),
            enclosed: false,
            segments: segments.into(),
        },
        layout: Layout::Row,
        columns: Cow::Owned(vec![
            column("MD", "BID"),
            column("MD", "ASK"),
            column("MD", "EXCHANGE"),
            column("X-1", "a.b"),
        ]),
        map_families: Cow::Borrowed(&[]),
        presence: Presence::Column(0),
        cell_time: CellTime::Event,
        gc_rules: Vec::new().into(),
        append_only: false,
        pack_after_micros: None,
        rollups: std::borrow::Cow::Borrowed(&[]),
        former: None,
    }
}

/// `{exchange:<6}#{symbol:<5}#{at:013ms}`
fn quotes() -> ModelSchema {
    quotes_with(time(false))
}

fn quotes_with(time: Segment) -> ModelSchema {
    schema("", vec![padded("exchange", 6), padded("symbol", 5), time])
}

fn text(text: &str) -> SegmentValue {
    SegmentValue::String(text.into())
}

fn texts(values: &[&str]) -> SegmentSelection {
    SegmentSelection::Values(values.iter().map(|value| text(value)).collect())
}

fn at(millis: i64) -> SegmentValue {
    SegmentValue::Time(Timestamp::from_millis(millis))
}

fn times(start: i64, end: i64) -> SegmentSelection {
    SegmentSelection::Range(Bound::Included(at(start)), Bound::Excluded(at(end)))
}

fn select(segments: impl Into<Vec<SegmentSelection>>) -> Selection {
    Selection {
        segments: segments.into(),
        ..Selection::default()
    }
}

fn by_time(selection: Selection) -> Selection {
    Selection {
        order: Order::Time,
        ..selection
    }
}
