//! Formats made at run time: every accepted format distinguishes buckets, and sorts if it says so.

#![allow(clippy::unwrap_used, reason = "a failing test panics")]

use proptest::prelude::*;

use super::*;
use crate::Timestamp;
use crate::key::{CalendarField, CalendarFormat, CalendarItem};

const DAY: i64 = 86_400_000_000;

fn format() -> impl Strategy<Value = CalendarFormat> {
    let fields = vec![
        CalendarField::Year,
        CalendarField::Month,
        CalendarField::IsoYear,
        CalendarField::IsoWeek,
        CalendarField::Day,
        CalendarField::DayOfYear,
        CalendarField::Hour,
        CalendarField::Minute,
        CalendarField::Second,
    ];
    let some = prop::sample::subsequence(fields, 1..7);
    // Mostly from coarse to fine, as people write them.
    let some = prop_oneof![3 => some.clone(), 1 => some.prop_shuffle()];
    let text = prop_oneof![3 => Just(""), 1 => Just("-"), 1 => Just("T"), 1 => Just("0")];
    (
        some,
        prop::collection::vec((text, prop::bool::weighted(0.1)), 7),
    )
        .prop_map(|(fields, around)| {
            let mut items = Vec::new();
            for (field, (text, unpadded)) in fields.into_iter().zip(around) {
                items.push(match unpadded {
                    true => CalendarItem::Unpadded(field),
                    false => CalendarItem::Field(field),
                });
                if !text.is_empty() {
                    items.push(CalendarItem::Literal(text.into()));
                }
            }
            CalendarFormat {
                items: items.into(),
            }
        })
}

fn bucket() -> impl Strategy<Value = Bucket> {
    let span = prop::sample::select(vec![
        BucketSpan::Minute,
        BucketSpan::Hour,
        BucketSpan::Day,
        BucketSpan::Week,
        BucketSpan::Month,
        BucketSpan::Year,
        BucketSpan::Every { micros: DAY / 4 },
        BucketSpan::Every { micros: 3 * DAY },
    ]);
    let zones = [
        None,
        Some("Europe/Berlin"),
        Some("Pacific/Apia"),
        Some("America/Sao_Paulo"),
    ];
    (span, prop::sample::select(zones.to_vec()), format()).prop_filter_map(
        "refused",
        |(span, zone, format)| {
            let bucket = Bucket {
                span,
                zone: zone.map(Into::into),
                label: BucketLabel::Calendar(format),
                grid_micros: 1,
                truncate: false,
            };
            bucket.refusal().is_none().then_some(bucket)
        },
    )
}

/// Times around the ends of years and months, where calendars differ, and some in between.
fn times() -> impl Strategy<Value = Vec<Timestamp>> {
    let year =
        (1973..2099_i64).prop_map(|year| crate::key::time::civil::Civil::of_year(year).micros());
    let near = prop_oneof![
        -10 * DAY..10 * DAY,
        -400 * DAY..400 * DAY,
        -2 * 3_600_000_000..2 * 3_600_000_000_i64
    ];
    (year, prop::collection::vec(near, 2..12)).prop_map(|(year, near)| {
        near.into_iter()
            .map(|near| Timestamp::from_micros(year + near))
            .collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { max_local_rejects: 10_000_000, cases: 1_000, ..ProptestConfig::default() })]

    #[test]
    fn labels_tell_buckets_apart_and_sort(bucket in bucket(), mut times in times()) {
        times.sort_unstable();
        let label = |time: Timestamp| {
            let mut label = Vec::new();
            let start = bucket.start_of(time).unwrap();
            bucket.encode_start(start, &mut label).unwrap();
            prop_assert_eq!(bucket.decode(&label), Ok(start));
            Ok((start, label))
        };
        let labels = times.into_iter().map(label).collect::<Result<Vec<_>, TestCaseError>>()?;
        for ((start, label), (next, other)) in labels.iter().zip(labels.iter().skip(1)) {
            prop_assert_eq!(start == next, label == other);
            prop_assert!(!bucket.sorts() || label <= other, "{} before {}", label.escape_ascii(), other.escape_ascii());
        }
    }

    #[test]
    fn offsets_tell_times_apart_and_sort(
        span in prop::sample::select(vec![BucketSpan::Minute, BucketSpan::Hour, BucketSpan::Day, BucketSpan::Month, BucketSpan::Year, BucketSpan::Every { micros: DAY / 4 }]),
        grid in prop::sample::select(vec![1_000_000, 60_000_000, 3_600_000_000, DAY]),
        format in format(),
        mut times in times(),
    ) {
        let bucket = Bucket {
            span,
            zone: None,
            label: BucketLabel::Start { unit: crate::key::TimeUnit::Seconds, width: 10, reverse: false },
            grid_micros: grid,
            truncate: true,
        };
        let offset = Offset::Calendar(format);
        if bucket.refusal().is_some() || offset.refusal(&bucket).is_some() {
            return Ok(());
        }
        times.sort_unstable();
        let offset_of = |time: Timestamp| {
            let time = bucket.stored_time(time).unwrap();
            let start = bucket.start_of(time).unwrap();
            let mut bytes = Vec::new();
            offset.encode(&bucket, time, &mut bytes).unwrap();
            prop_assert_eq!(offset.decode(&bucket, start, &bytes), Some(time));
            Ok((start, time, bytes))
        };
        let offsets = times.into_iter().map(offset_of).collect::<Result<Vec<_>, TestCaseError>>()?;
        for ((start, time, bytes), (next, other, others)) in offsets.iter().zip(offsets.iter().skip(1)) {
            if start == next {
                prop_assert_eq!(time == other, bytes == others);
                prop_assert!(!offset.sorts() || bytes <= others, "{} before {}", bytes.escape_ascii(), others.escape_ascii());
            }
        }
    }
}
