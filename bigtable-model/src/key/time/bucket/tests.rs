#![allow(clippy::panic, clippy::unwrap_used, reason = "a failing test panics")]

use proptest::prelude::*;

use super::*;
use crate::Timestamp;
use crate::key::{CalendarField, CalendarFormat, CalendarItem, SegmentError, TimeUnit};

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

/// A format from its text, with the directives that labels and offsets may have.
fn format(text: &str) -> CalendarFormat {
    let mut items = Vec::new();
    let mut rest = text.chars();
    while let Some(part) = rest.next() {
        if part != '%' {
            items.push(CalendarItem::Literal(part.to_string().into()));
            continue;
        }
        let mut letter = rest.next().unwrap();
        let unpadded = letter == '-';
        if unpadded {
            letter = rest.next().unwrap();
        }
        let field = match letter {
            'Y' => CalendarField::Year,
            'm' => CalendarField::Month,
            'd' => CalendarField::Day,
            'j' => CalendarField::DayOfYear,
            'H' => CalendarField::Hour,
            'M' => CalendarField::Minute,
            'G' => CalendarField::IsoYear,
            'V' => CalendarField::IsoWeek,
            other => panic!("{other}"),
        };
        items.push(match unpadded {
            true => CalendarItem::Unpadded(field),
            false => CalendarItem::Field(field),
        });
    }
    CalendarFormat {
        items: items.into(),
    }
}

fn bucket(span: BucketSpan, label: BucketLabel) -> Bucket {
    let bucket = Bucket {
        span,
        zone: None,
        label,
        grid_micros: 1,
        truncate: false,
    };
    assert_eq!(bucket.refusal(), None);
    bucket
}

fn by_format(span: BucketSpan, text: &str) -> Bucket {
    bucket(span, BucketLabel::Calendar(format(text)))
}

fn in_zone(zone: &'static str, bucket: Bucket) -> Bucket {
    Bucket {
        zone: Some(zone.into()),
        ..bucket
    }
}

fn label(bucket: &Bucket, time: &str) -> String {
    let mut label = Vec::new();
    bucket.encode(at(time), &mut label).unwrap();
    assert_eq!(bucket.decode(&label), bucket.start_of(at(time)));
    String::from_utf8(label).unwrap()
}

#[test]
fn labels_by_format() {
    let time = "2021-01-03T23:59:59.999999Z";
    for (span, text, expected) in [
        (BucketSpan::Minute, "%Y%m%d%H%M", "202101032359"),
        (BucketSpan::Hour, "%Y%m%dT%H", "20210103T23"),
        (BucketSpan::Day, "%Y%m%d", "20210103"),
        (BucketSpan::Day, "%Y-%j", "2021-003"),
        (BucketSpan::Day, "%Y-%-m-%-d", "2021-1-3"),
        // That Sunday is in the last week of the previous year.
        (BucketSpan::Week, "%G-W%V", "2020-W53"),
        (BucketSpan::Week, "%Y%m%d", "20201228"),
        (BucketSpan::Month, "%Y%m%d", "20210101"),
        (BucketSpan::Year, "%Y", "2021"),
        (
            BucketSpan::Every {
                micros: 6 * 3_600_000_000,
            },
            "%Y%m%d%H",
            "2021010318",
        ),
    ] {
        assert_eq!(label(&by_format(span, text), time), expected, "{text}");
    }
}

#[test]
fn labels_by_count_and_by_start() {
    let weeks = |width| {
        bucket(
            BucketSpan::Week,
            BucketLabel::Counted {
                origin: at("2021-03-05T00:00:00Z"),
                before: "week".into(),
                after: "".into(),
                width,
            },
        )
    };
    assert_eq!(label(&weeks(0), "2021-03-01T00:00:00Z"), "week1");
    assert_eq!(label(&weeks(0), "2021-05-05T12:00:00Z"), "week10");
    assert_eq!(label(&weeks(3), "2021-05-05T12:00:00Z"), "week010");
    assert!(!weeks(0).sorts() && weeks(3).sorts());
    let before = weeks(0).encode(at("2021-02-28T23:59:59Z"), &mut Vec::new());
    assert!(
        before
            .unwrap_err()
            .to_string()
            .contains("before the first bucket")
    );
    assert!(weeks(0).decode(b"week0").is_err());
    assert!(weeks(0).decode(b"week01").is_err());
    assert!(weeks(0).decode(b"week99999999999999999").is_err());

    let start = |reverse| {
        let label = BucketLabel::Start {
            unit: TimeUnit::Seconds,
            width: 10,
            reverse,
        };
        bucket(BucketSpan::Hour, label)
    };
    assert_eq!(label(&start(false), "1970-01-01T01:30:00Z"), "0000003600");
    assert_eq!(label(&start(true), "1970-01-01T01:30:00Z"), "9999996399");
    let binary = BucketLabel::BinaryStart {
        unit: TimeUnit::Millis,
        reverse: false,
    };
    let days = bucket(BucketSpan::Day, binary);
    let mut bytes = Vec::new();
    days.encode(at("1969-12-31T01:00:00Z"), &mut bytes).unwrap();
    assert_eq!(days.decode(&bytes).unwrap(), at("1969-12-31T00:00:00Z"));
}

#[test]
fn days_follow_the_clock_of_their_zone() {
    let days = in_zone("Europe/Berlin", by_format(BucketSpan::Day, "%Y%m%d"));
    let lengths = |first: &str| {
        let start = days.start_of(at(first)).unwrap();
        let next = days.next(start).unwrap();
        (start, (next.as_seconds() - start.as_seconds()) / 3_600)
    };
    assert_eq!(
        lengths("2024-03-31T12:00:00Z"),
        (at("2024-03-30T23:00:00Z"), 23)
    );
    assert_eq!(
        lengths("2024-10-27T12:00:00Z"),
        (at("2024-10-26T22:00:00Z"), 25)
    );
    assert_eq!(
        lengths("2024-06-01T12:00:00Z"),
        (at("2024-05-31T22:00:00Z"), 24)
    );
    assert_eq!(label(&days, "2024-10-26T22:00:00Z"), "20241027");
    assert_eq!(label(&days, "2024-10-27T22:59:59.999Z"), "20241027");
    assert_eq!(label(&days, "2024-10-27T23:00:00Z"), "20241028");
}

/// Samoa had no 30 December 2011.
#[test]
fn days_that_zones_leave_out() {
    let samoa = in_zone("Pacific/Apia", by_format(BucketSpan::Day, "%Y%m%d"));
    let last = samoa.start_of(at("2011-12-30T09:59:59Z")).unwrap();
    assert_eq!(label(&samoa, "2011-12-30T09:59:59Z"), "20111229");
    assert_eq!(label(&samoa, "2011-12-30T10:00:00Z"), "20111231");
    assert_eq!(samoa.next(last).unwrap(), at("2011-12-30T10:00:00Z"));
    assert!(samoa.decode(b"20111230").is_err());
}

#[test]
fn a_bucket_that_begins_before_the_year_1_is_refused() {
    let first = Timestamp::from_micros(-62_135_596_800_000_000);
    let label = BucketLabel::BinaryStart {
        unit: TimeUnit::Seconds,
        reverse: false,
    };
    let day = Timestamp::from_micros(first.as_micros() + 86_400_000_000);
    let every = BucketSpan::Every {
        micros: 7 * 3_600_000_000,
    };
    for bucket in [
        in_zone("Asia/Beirut", bucket(BucketSpan::Week, label.clone())),
        bucket(every, label),
    ] {
        assert!(bucket.encode(first, &mut Vec::new()).is_err());
        let later = Timestamp::from_micros(day.as_micros() + 7 * 86_400_000_000);
        let mut label = Vec::new();
        bucket.encode(later, &mut label).unwrap();
        assert_eq!(bucket.decode(&label), bucket.start_of(later));
    }
}

/// In Newfoundland 2006-10-29 00:01 became 2006-10-28 23:01: both days are in two pieces.
#[test]
fn days_in_two_pieces_are_refused() {
    let johns = in_zone("America/St_Johns", by_format(BucketSpan::Day, "%Y%m%d"));
    let encode = |bucket: &Bucket, time| bucket.encode(at(time), &mut Vec::new());
    assert_eq!(label(&johns, "2006-10-28T02:29:59Z"), "20061027");
    for time in [
        "2006-10-28T02:30:00Z",
        "2006-10-29T02:29:59Z",
        "2006-10-29T02:30:30Z",
        "2006-10-29T03:00:00Z",
        "2006-10-30T03:29:59Z",
    ] {
        let error = encode(&johns, time).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!(
                "{time} is on a day that is in two pieces in America/St_Johns, where clocks went back over midnight: store such times in a bucket without `zone`"
            )
        );
    }
    assert_eq!(label(&johns, "2006-10-30T03:30:00Z"), "20061030");
    // Existing rows are read, and buckets follow one another.
    let start = johns.decode(b"20061029").unwrap();
    assert_eq!(start, at("2006-10-29T02:30:00Z"));
    assert_eq!(johns.next(start), Some(at("2006-10-30T03:30:00Z")));

    // Both days are in one week and month; in 2009 they were in two months.
    for (span, text) in [(BucketSpan::Week, "%G-W%V"), (BucketSpan::Month, "%Y%m")] {
        let bucket = in_zone("America/St_Johns", by_format(span, text));
        assert_eq!(encode(&bucket, "2006-10-29T03:00:00Z"), Ok(()));
    }
    let months = in_zone("America/St_Johns", by_format(BucketSpan::Month, "%Y%m"));
    assert_eq!(encode(&months, "2009-10-30T12:00:00Z"), Ok(()));
    assert!(encode(&months, "2009-10-31T12:00:00Z").is_err());
    assert!(encode(&months, "2009-11-01T12:00:00Z").is_err());
    assert_eq!(encode(&months, "2009-11-02T12:00:00Z"), Ok(()));
}

#[test]
fn a_zone_that_is_none_is_refused() {
    let days = in_zone("Europe/Berln", by_format(BucketSpan::Day, "%Y%m%d"));
    let error = days.start_of(Timestamp::UNIX_EPOCH).unwrap_err();
    assert_eq!(error.to_string(), "there is no time zone `Europe/Berln`");
}

#[test]
fn offsets() {
    let grid = |grid_micros, bucket| Bucket {
        grid_micros,
        ..bucket
    };
    let day = grid(60_000_000, by_format(BucketSpan::Day, "%Y%m%d"));
    let month = grid(86_400_000_000, by_format(BucketSpan::Month, "%Y%m%d"));
    let ticks = Offset::Ticks {
        unit: TimeUnit::Seconds,
        width: 5,
        reverse: true,
    };
    for (offset, bucket, time, expected) in [
        (
            Offset::Calendar(format("%H%M")),
            &day,
            "2017-07-26T23:45:00Z",
            "2345",
        ),
        (
            Offset::Calendar(format("%-d")),
            &month,
            "2015-03-05T00:00:00Z",
            "5",
        ),
        (ticks, &day, "2017-07-26T00:15:00Z", "99099"),
    ] {
        assert_eq!(offset.refusal(bucket), None);
        let mut bytes = Vec::new();
        offset.encode(bucket, at(time), &mut bytes).unwrap();
        assert_eq!(String::from_utf8_lossy(&bytes), expected);
        let start = bucket.start_of(at(time)).unwrap();
        assert_eq!(offset.decode(bucket, start, &bytes), Some(at(time)));
    }
    let days = Offset::Calendar(format("%-d"));
    for none in ["", "0", "05", "32", "ID", "1x"] {
        let start = at("2015-03-01T00:00:00Z");
        assert_eq!(days.decode(&month, start, none.as_bytes()), None, "{none}");
    }
    let error = days.encode(&month, at("2015-03-05T10:00:00Z"), &mut Vec::new());
    assert!(error.unwrap_err().to_string().contains("not a whole day"));
}

/// In a zone that changes its clocks, which the derive refuses, no two times have the same offset.
#[test]
fn an_offset_that_clocks_show_twice_is_of_one_time() {
    let bucket = Bucket {
        zone: Some("Europe/Berlin".into()),
        grid_micros: 60_000_000,
        ..by_format(BucketSpan::Day, "%Y%m%d")
    };
    let offset = Offset::Calendar(format("%H%M"));
    let midnight = at("2024-10-26T22:00:00Z");
    let mut seen = std::collections::BTreeSet::new();
    let mut refused = 0;
    for minute in 0..25 * 60 {
        let time = Timestamp::from_seconds(midnight.as_seconds() + minute * 60);
        let mut bytes = Vec::new();
        match offset.encode(&bucket, time, &mut bytes) {
            Ok(()) => {
                assert_eq!(offset.decode(&bucket, midnight, &bytes), Some(time));
                assert!(seen.insert(bytes), "{time}");
            }
            Err(error) => {
                assert!(error.to_string().contains("turned back"), "{error}");
                refused += 1;
            }
        }
    }
    assert_eq!((seen.len(), refused), (24 * 60, 60));
}

#[test]
fn what_does_not_tell_times_apart_is_refused() {
    let label = |span, text| {
        Bucket {
            span,
            zone: None,
            label: BucketLabel::Calendar(format(text)),
            grid_micros: 1,
            truncate: false,
        }
        .refusal()
    };
    for (span, text) in [
        (BucketSpan::Day, "%Y%m"),
        (BucketSpan::Day, "%Y%d"),
        (BucketSpan::Week, "%Y-W%V"),
        (BucketSpan::Month, "%m"),
        (BucketSpan::Hour, "%Y%m%d"),
        (
            BucketSpan::Every {
                micros: 900_000_000,
            },
            "%Y%m%d%H",
        ),
        (BucketSpan::Day, "%Y%-m%d"),
        // The first week of 2019 began in December 2018, and 1 January 2021 was in week 53.
        (BucketSpan::Week, "%G%m%V"),
        (BucketSpan::Week, "%G-W%V-%Y%m%d"),
        (BucketSpan::Day, "%Y%V%j"),
        (BucketSpan::Day, "%Y%m%d%V"),
        (BucketSpan::Month, "%G%Y%m"),
    ] {
        assert!(label(span, text).is_some(), "{text}");
    }
    for text in ["%G%m%V", "%Y%V%j", "%V%G", "%d%m%Y", "%Y%-m%-d"] {
        let bucket = Bucket {
            label: BucketLabel::Calendar(format(text)),
            ..by_format(BucketSpan::Day, "%Y%m%d")
        };
        assert!(!bucket.sorts(), "{text}");
    }
    let days = by_format(BucketSpan::Day, "%Y%m%d");
    let offset = |grid_micros, text| {
        let bucket = Bucket {
            grid_micros,
            ..days.clone()
        };
        Offset::Calendar(format(text)).refusal(&bucket)
    };
    assert!(offset(60_000_000, "%H").is_some());
    assert!(offset(60_000_000, "%M").is_some());
    assert!(offset(1_000, "%H%M").is_some());
    assert!(offset(60_000_000, "%H:%M").is_none());
    assert!(offset(60_000_000, "%V%H:%M").is_some());
    assert!(offset(60_000_000, "%G%H:%M").is_some());
    let short = in_zone("Europe/Berlin", by_format(BucketSpan::Hour, "%Y%m%d%H"));
    assert!(short.refusal().is_some());
}

fn any_bucket() -> impl Strategy<Value = Bucket> {
    let zones = prop::option::of(prop::sample::select(vec![
        "Europe/Berlin",
        "America/New_York",
        "America/St_Johns",
        "America/Havana",
        "Asia/Kathmandu",
        "Australia/Lord_Howe",
        "Pacific/Apia",
    ]));
    let long = prop::sample::select(vec![
        (BucketSpan::Day, "%Y%m%d"),
        (BucketSpan::Day, "%Y-%-m-%-d"),
        (BucketSpan::Week, "%G-W%V"),
        (BucketSpan::Month, "%Y%m"),
        (BucketSpan::Year, "%Y"),
    ]);
    let short = prop::sample::select(vec![
        (BucketSpan::Minute, "%Y%m%d%H%M"),
        (BucketSpan::Hour, "%Y-%jT%H"),
        (
            BucketSpan::Every {
                micros: 900_000_000,
            },
            "%Y%m%d%H%M",
        ),
    ]);
    let counted = BucketLabel::Counted {
        origin: at("1970-01-01T12:00:00Z"),
        before: "n".into(),
        after: "x".into(),
        width: 12,
    };
    prop_oneof![
        4 => (zones.clone(), long.clone()).prop_map(|(zone, (span, text))| Bucket {
            zone: zone.map(Into::into),
            ..by_format(span, text)
        }),
        1 => short.prop_map(|(span, text)| by_format(span, text)),
        1 => (zones, long).prop_map(move |(zone, (span, _))| Bucket {
            zone: zone.map(Into::into),
            ..bucket(span, counted.clone())
        }),
    ]
}

proptest! {
    #[test]
    fn buckets_follow_each_other_without_a_gap(
        bucket in any_bucket(),
        micros in 400_000_000_i64..4_100_000_000,
        ahead in 0_i64..100_000,
    ) {
        let time = Timestamp::from_micros(micros * 1_000_000 + 999_999);
        let start = bucket.start_of(time).unwrap();
        let next = bucket.next(start).unwrap();
        prop_assert!(start <= time && time < next);
        prop_assert!(next.as_micros() - start.as_micros() <= bucket.longest_micros().unwrap());
        prop_assert_eq!(bucket.start_of(start).unwrap(), start);
        prop_assert_eq!(bucket.start_of(next).unwrap(), next);
        let label = |time| {
            let mut label = Vec::new();
            bucket.encode_start(bucket.start_of(time).unwrap(), &mut label).unwrap();
            match bucket.encode(time, &mut Vec::new()) {
                Err(SegmentError::SplitDay { .. }) | Ok(()) => label,
                Err(error) => panic!("{error}"),
            }
        };
        let own = label(time);
        prop_assert_eq!(bucket.decode(&own).unwrap(), start);
        let later = Timestamp::from_micros(time.as_micros() + ahead * 1_000_000);
        let other = label(later);
        prop_assert_eq!(own == other, bucket.start_of(later).unwrap() == start);
        if bucket.sorts() {
            prop_assert!(own <= other);
        }
    }

    #[test]
    fn any_bytes_are_a_label_that_reads_back_or_none(bucket in any_bucket(), bytes in "[-0-9a-zA-Z]{0,14}") {
        if let Ok(start) = bucket.decode(bytes.as_bytes()) {
            let mut again = Vec::new();
            bucket.encode(start, &mut again).unwrap();
            prop_assert_eq!(again, bytes.as_bytes());
        }
    }

    #[test]
    fn offsets_read_back(bucket in any_bucket(), micros in 400_000_000_i64..4_100_000_000, reverse: bool) {
        let time = Timestamp::from_micros(micros * 1_000_000);
        let offset = Offset::Ticks { unit: TimeUnit::Seconds, width: 8, reverse };
        let mut bytes = Vec::new();
        offset.encode(&bucket, time, &mut bytes).unwrap();
        let start = bucket.start_of(time).unwrap();
        prop_assert_eq!(offset.decode(&bucket, start, &bytes), Some(time));
    }
}
