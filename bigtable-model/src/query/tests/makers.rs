//! Segments of buckets and salts.

use super::*;
use crate::key::time::bucket::{Bucket, BucketLabel, BucketSpan};
use crate::key::{CalendarField, CalendarFormat, CalendarItem, Salt, SaltHash};

pub(super) const DAY: i64 = 86_400_000;
/// Milliseconds at midnight of 2020-01-01.
pub(super) const JAN_1: i64 = 1_577_836_800_000;

pub(super) fn calendar(fields: &[CalendarField]) -> CalendarFormat {
    let items = fields.iter().map(|field| CalendarItem::Field(*field));
    CalendarFormat {
        items: items.collect(),
    }
}

pub(super) fn bucket(span: BucketSpan, label: BucketLabel) -> Segment {
    Segment {
        name: "at".into(),
        role: SegmentRole::Bucket,
        kind: SegmentKind::Time,
        format: SegmentFormat::Bucket(Bucket {
            span,
            zone: None,
            label,
            grid_micros: 1_000,
            truncate: false,
        }),
    }
}

/// `{at:%Y%m%d}`
pub(super) fn day() -> Segment {
    use CalendarField::{Day, Month, Year};
    let label = BucketLabel::Calendar(calendar(&[Year, Month, Day]));
    bucket(BucketSpan::Day, label)
}

/// Days from 2020-01-01 on: `day1`, `day2`.
pub(super) fn counted() -> Segment {
    let label = BucketLabel::Counted {
        origin: Timestamp::from_millis(JAN_1),
        before: "day".into(),
        after: "".into(),
        width: 0,
    };
    bucket(BucketSpan::Day, label)
}

pub(super) fn endless() -> Segment {
    bucket(BucketSpan::Endless, BucketLabel::Absent)
}

pub(super) fn salt(shards: u16, of: &[usize]) -> Segment {
    Segment {
        name: "salt".into(),
        role: SegmentRole::Salt,
        kind: SegmentKind::Unsigned { bits: 16 },
        format: SegmentFormat::Salt(Salt {
            shards,
            first: 0,
            of: of.to_vec().into(),
            hash: SaltHash::Xxh64,
            hot: None,
        }),
    }
}

pub(super) fn name(name: &'static str) -> Segment {
    segment(name, SegmentKind::String, SegmentFormat::Variable)
}

pub(super) fn cells(segments: Vec<Segment>) -> ModelSchema {
    ModelSchema {
        layout: Layout::Cells,
        ..schema("", segments)
    }
}
