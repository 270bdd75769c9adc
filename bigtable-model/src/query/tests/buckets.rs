//! Plans of layouts with buckets and salts.

use super::makers::*;
use super::*;
use crate::QueryError;
use crate::data::RowFilter;
use crate::key::CalendarField;
use crate::key::time::bucket::{BucketLabel, BucketSpan, Offset};
use crate::query::{EventTimes, Part, Plan, ReadsMore, plan};

/// Every part's rows as text: keys as they are, ranges in brackets.
pub(super) fn parts(plan: &Plan) -> Vec<Vec<Vec<String>>> {
    let rows = |rows: &Part| {
        let keys = rows.keys.iter();
        let keys = keys.map(|key| key.escape_ascii().to_string());
        keys.chain(rows.ranges.iter().map(ToString::to_string))
            .collect()
    };
    let scans = plan.scans.iter();
    scans
        .map(|scan| scan.parts.iter().map(rows).collect())
        .collect()
}

pub(super) fn planned(schema: &ModelSchema, selection: &Selection) -> Vec<Vec<Vec<String>>> {
    parts(&plan(schema, selection).unwrap())
}

pub(super) fn refused(schema: &ModelSchema, selection: &Selection) -> QueryError {
    match plan(schema, selection) {
        Err(crate::Error::Query { source, .. }) => source,
        other => panic!("{other:?}"),
    }
}

pub(super) fn one(symbol: &str, asked: SegmentSelection) -> Selection {
    by_time(select([texts(&[symbol]), asked]))
}

#[test]
fn a_span_of_time_is_one_range_of_buckets() {
    let schema = cells(vec![name("symbol"), day()]);
    let selection = one("A", times(JAN_1 + 5, JAN_1 + 2 * DAY));
    let plan = plan(&schema, &selection).unwrap();
    assert_eq!(parts(&plan), [[[r#"["A#20200101", "A#20200102\x00")"#]]]);
    let (start, end) = (JAN_1 + 5, JAN_1 + 2 * DAY);
    let times = EventTimes::Between(
        Some(Timestamp::from_millis(start)),
        Some(Timestamp::from_millis(end)),
    );
    assert_eq!(plan.times, times);
    assert_eq!(
        plan.filter,
        Some(RowFilter::TimestampRange {
            start_micros: start * 1_000,
            end_micros: end * 1_000
        })
    );
}

#[test]
fn one_bucket_that_is_last_is_a_row_key() {
    let schema = cells(vec![name("symbol"), day()]);
    let within = one("A", times(JAN_1, JAN_1 + DAY));
    assert_eq!(planned(&schema, &within), [[["A#20200101"]]]);
    let at = one(
        "A",
        SegmentSelection::Values(vec![at(JAN_1 + 7), at(JAN_1 + 8)]),
    );
    let plan = plan(&schema, &at).unwrap();
    assert_eq!(parts(&plan), [[["A#20200101"]]]);
    let both = [7, 8].map(|millis| Timestamp::from_millis(JAN_1 + millis));
    assert_eq!(plan.times, EventTimes::In(both.into()));
}

#[test]
fn a_bucket_is_listed_where_identifiers_follow() {
    let schema = cells(vec![day(), name("symbol")]);
    let span = || times(JAN_1, JAN_1 + DAY + 1);
    let selection = by_time(select([span(), texts(&["B", "A"])]));
    assert_eq!(
        planned(&schema, &selection),
        [
            [["20200101#A", "20200102#A"]],
            [["20200101#B", "20200102#B"]],
        ]
    );
    let any = select([span()]);
    assert_eq!(planned(&schema, &any), [[[r#"["20200101", "20200102$")"#]]]);
    let open = by_time(select([
        SegmentSelection::Range(Bound::Included(at(JAN_1)), Bound::Unbounded),
        texts(&["A"]),
    ]));
    assert!(
        matches!(refused(&schema, &open), QueryError::OpenTime { segment, .. } if segment == "at")
    );
}

#[test]
fn labels_that_do_not_sort_are_read_in_runs_that_ascend() {
    let schema = cells(vec![name("symbol"), counted()]);
    let span = || times(JAN_1 + 7 * DAY, JAN_1 + 12 * DAY);
    let mut selection = one("A", span());
    let runs = [
        vec!["A#day8", "A#day9"],
        vec!["A#day10", "A#day11", "A#day12"],
    ];
    let plan = plan(&schema, &selection).unwrap();
    assert_eq!(parts(&plan)[0], runs);
    assert!(!plan.reversed);
    selection.descending = true;
    let [late, early] = [runs[1].clone(), runs[0].clone()];
    assert_eq!(planned(&schema, &selection), [[late, early]]);
    selection.order = Order::Key;
    selection.descending = false;
    assert_eq!(
        planned(&schema, &selection),
        [[["A#day10", "A#day11", "A#day12", "A#day8", "A#day9"]]]
    );
}

#[test]
fn keys_whose_labels_do_not_sort_are_read_first_for_order_of_time() {
    let schema = cells(vec![name("symbol"), counted()]);
    let open = SegmentSelection::Range(Bound::Included(at(JAN_1)), Bound::Unbounded);
    let mut selection = one("A", open);
    for selection in [&selection, &by_time(select([texts(&["A"])]))] {
        let plan = plan(&schema, selection).unwrap();
        let segment = "at".to_owned();
        assert_eq!(parts(&plan), [[[r#"["A#", "A$")"#]]]);
        assert_eq!(plan.reasons, [ReadsMore::KeysFirst { segment }]);
        assert!(plan.keys_first);
    }
    selection.order = Order::Key;
    let plan = plan(&schema, &selection).unwrap();
    assert!(!plan.keys_first);
    assert_eq!(parts(&plan), [[[r#"["A#", "A$")"#]]]);
    let segment = "at".to_owned();
    assert_eq!(plan.reasons, [ReadsMore::UnsortedLabels { segment }]);
    assert_eq!(
        plan.times,
        EventTimes::Between(Some(Timestamp::from_millis(JAN_1)), None)
    );
}

#[test]
fn a_salt_is_computed_from_what_is_asked() {
    let schema = cells(vec![salt(8, &[1]), name("symbol"), day()]);
    let shard = |symbol: &str| {
        let (_, salt) = schema.key.salt().unwrap();
        salt.shard("#", [symbol.as_bytes()])
    };
    for symbol in ["A", "B", "C"] {
        let shard = shard(symbol);
        assert_eq!(
            planned(&schema, &one(symbol, times(JAN_1, JAN_1 + DAY))),
            [[[format!("{shard}#{symbol}#20200101")]]]
        );
        assert_eq!(
            planned(&schema, &by_time(select([texts(&[symbol])]))),
            [[[format!("[\"{shard}#{symbol}#\", \"{shard}#{symbol}$\")")]]]
        );
    }
    let open = select([SegmentSelection::Prefix("AB".into())]);
    let plan = plan(&schema, &open).unwrap();
    assert_eq!(plan.reasons, [ReadsMore::EveryShard { shards: 8 }]);
    let ranges = parts(&plan).concat().concat();
    assert_eq!(ranges.len(), 8);
    assert_eq!(ranges[3], r#"["3#AB", "3#AC")"#);
}

#[test]
fn a_salt_of_the_bucket_is_known_for_few_buckets_and_read_whole_for_many() {
    let schema = cells(vec![salt(4, &[1, 2]), name("symbol"), day()]);
    let (_, of_both) = schema.key.salt().unwrap();
    let key = |day: &str| {
        let shard = of_both.shard("#", [b"A".as_slice(), day.as_bytes()]);
        format!("{shard}#A#{day}")
    };
    let mut few = one("A", times(JAN_1, JAN_1 + 3 * DAY));
    few.order = Order::Key;
    let mut keys = ["20200101", "20200102", "20200103"].map(key);
    keys.sort();
    assert_eq!(planned(&schema, &few), [[keys]]);
    let many = one("A", times(JAN_1, JAN_1 + 30 * DAY));
    let plan = plan(&schema, &many).unwrap();
    assert_eq!(plan.scans.len(), 4, "one scan a shard of the series");
    assert_eq!(
        parts(&plan)[2],
        [[r#"["2#A#20200101", "2#A#20200130\x00")"#]]
    );
    assert_eq!(plan.reasons, [ReadsMore::EveryShard { shards: 4 }]);
}

#[test]
fn a_salt_counts_scans() {
    let schema = cells(vec![salt(4, &[1, 2]), name("symbol"), day()]);
    let mut selection = by_time(select([texts(&["A", "B"])]));
    assert_eq!(plan(&schema, &selection).unwrap().scans.len(), 8);
    selection.max_scans = 7;
    assert_eq!(
        refused(&schema, &selection),
        QueryError::TooManyScans {
            scans: 8,
            max_scans: 7
        }
    );
    selection.order = Order::Key;
    assert_eq!(plan(&schema, &selection).unwrap().scans.len(), 1);
    selection.order = Order::Any;
    assert_eq!(plan(&schema, &selection).unwrap().scans.len(), 4);
}

#[test]
fn a_salt_after_everything_asked_is_not_looked_for() {
    let schema = cells(vec![name("symbol"), salt(4, &[0]), day()]);
    let plan_of = |selection| planned(&schema, &selection);
    assert_eq!(plan_of(select([texts(&["A"])])), [[[r#"["A#", "A$")"#]]]);
    let (_, salt) = schema.key.salt().unwrap();
    let shard = salt.shard("#", [b"A".as_slice()]);
    assert_eq!(
        plan_of(one("A", times(JAN_1, JAN_1 + DAY))),
        [[[format!("A#{shard}#20200101")]]]
    );
}

#[test]
fn all_times_in_one_row_are_one_row_key() {
    let schema = cells(vec![name("symbol"), endless()]);
    let selection = one("A", times(JAN_1, JAN_1 + 9 * DAY));
    assert_eq!(planned(&schema, &selection), [[["A"]]]);
    assert_eq!(
        planned(&schema, &by_time(select([texts(&["A"])]))),
        [[["A"]]]
    );
    assert!(matches!(
        refused(&schema, &select([])),
        QueryError::FullScan { .. }
    ));
}

#[test]
fn shards_alone_are_the_whole_table() {
    let schema = cells(vec![salt(4, &[1]), name("symbol"), day()]);
    assert!(matches!(
        refused(&schema, &select([])),
        QueryError::FullScan { segment } if segment == "symbol"
    ));
    let mut all = select([]);
    all.full_scan = true;
    assert!(plan(&schema, &all).unwrap().full_scan);
}

#[test]
fn shards_of_one_series_are_the_whole_table_too() {
    let schema = cells(vec![salt(4, &[1]), day()]);
    let refusal = QueryError::FullScan {
        segment: "at".into(),
    };
    assert_eq!(refused(&schema, &by_time(select([]))), refusal);
    let scan = Selection {
        full_scan: true,
        ..by_time(select([]))
    };
    assert_eq!(plan(&schema, &scan).unwrap().scans.len(), 4);
}

#[test]
fn shards_that_are_counted_from_one_are_all_read() {
    let mut salt = salt(3, &[1]);
    if let SegmentFormat::Salt(salt) = &mut salt.format {
        salt.first = 1;
    }
    let schema = cells(vec![salt, day()]);
    let span = select([times(JAN_1, JAN_1 + 10 * DAY)]);
    let scans = planned(&schema, &by_time(span));
    let text = format!("{scans:?}");
    assert_eq!(scans.len(), 3);
    for shard in 1..=3 {
        assert!(text.contains(&format!("{shard}#2020")), "{text}");
    }
    assert!(!text.contains("\"0#"), "{text}");
}

#[test]
fn what_stands_after_buckets_of_any_time_takes_a_scan_of_the_whole_table() {
    let schema = cells(vec![name("symbol"), day(), name("venue")]);
    let any = SegmentSelection::Range(Bound::Unbounded, Bound::Unbounded);
    let mut selection = select([texts(&["A"]), any, texts(&["X"])]);
    assert!(matches!(
        refused(&schema, &selection),
        QueryError::OpenTime { segment, .. } if segment == "at"
    ));
    selection.full_scan = true;
    let plan = plan(&schema, &selection).unwrap();
    assert_eq!(parts(&plan), [[[r#"["A#", "A$")"#]]]);
    assert!(matches!(&plan.reasons[..], [ReadsMore::Compared { .. }]));
}

/// The week in which the year 1 begins in Berlin is older and has no rows, but later weeks do.
#[test]
fn times_before_all_buckets_leave_out_none_of_them() {
    let mut at = bucket(
        BucketSpan::Week,
        BucketLabel::BinaryStart {
            unit: TimeUnit::Seconds,
            reverse: false,
        },
    );
    if let SegmentFormat::Bucket(bucket) = &mut at.format {
        bucket.zone = Some("Europe/Berlin".into());
    }
    let schema = cells(vec![at, name("symbol")]);
    let until = |end: i64| {
        let start = Bound::Included(SegmentValue::Time(Timestamp::MIN));
        let end = Bound::Excluded(SegmentValue::Time(Timestamp::from_micros(end)));
        select([SegmentSelection::Range(start, end), texts(&["A"])])
    };
    let year_1 = -62_135_596_800_000_000;
    let week = 7 * 86_400_000_000;
    assert!(planned(&schema, &until(year_1)).is_empty());
    for weeks in [2, 3, 10] {
        let keys = planned(&schema, &until(year_1 + weeks * week));
        let keys = keys.iter().flatten().flatten().count();
        assert_eq!(i64::try_from(keys).unwrap(), weeks, "{weeks} weeks");
    }
}

#[test]
fn a_bucket_without_a_time_on_the_grid_is_not_read() {
    let seconds = [
        CalendarField::Year,
        CalendarField::Month,
        CalendarField::Day,
        CalendarField::Hour,
        CalendarField::Minute,
        CalendarField::Second,
    ];
    let every = BucketSpan::Every { micros: 90_000_000 };
    let mut at = bucket(every, BucketLabel::Calendar(calendar(&seconds)));
    if let SegmentFormat::Bucket(bucket) = &mut at.format {
        bucket.grid_micros = 60_000_000;
    }
    // Buckets begin at 00:00:00 and at 00:01:30; only the second holds 00:02:00.
    let minutes = |minutes: i64| JAN_1 + minutes * 60_000;
    let last = cells(vec![name("symbol"), at.clone()]);
    let range = times(minutes(0), minutes(2));
    assert_eq!(
        planned(&last, &one("A", range.clone())),
        [[["A#20200101000000"]]]
    );
    let after = cells(vec![at, name("symbol")]);
    let selection = select([range, texts(&["A"])]);
    assert_eq!(planned(&after, &selection), [[["20200101000000#A"]]]);
}

#[test]
fn a_full_scan_compares_what_no_range_narrows() {
    let schema = cells(vec![name("exchange"), name("symbol"), day()]);
    let open = SegmentSelection::Range(Bound::Unbounded, Bound::Unbounded);
    let mut selection = select([open, texts(&["A.B", "C"])]);
    assert!(matches!(
        refused(&schema, &selection),
        QueryError::Closed { .. }
    ));
    selection.full_scan = true;
    let plan = plan(&schema, &selection).unwrap();
    assert!(plan.full_scan);
    let pattern = RowFilter::RowKeyRegex(r"\C*#(?:A\.B|C)#\C*".into());
    assert_eq!(plan.filter, Some(pattern));
    assert_eq!(plan.segments, selection.segments);
    let segments = vec!["symbol".to_owned()];
    assert_eq!(plan.reasons, [ReadsMore::Compared { segments }]);
}

#[test]
fn too_many_combinations_are_refused_and_many_are_cut_into_requests() {
    let schema = cells(vec![day(), name("symbol")]);
    let names: Vec<String> = (0..500).map(|at| format!("symbol-{at:03}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let of_days = |days| select([times(JAN_1, JAN_1 + days * DAY), texts(&names)]);
    assert_eq!(
        refused(&schema, &of_days(201)),
        QueryError::TooManyCombinations {
            combinations: 100_500
        }
    );
    let plan = plan(&schema, &of_days(200)).unwrap();
    let [scan] = plan.scans.as_slice() else {
        panic!("{}", plan.scans.len())
    };
    let keys: Vec<_> = scan.parts.iter().flat_map(|rows| &rows.keys).collect();
    assert_eq!(keys.len(), 100_000);
    assert!(keys.is_sorted());
    assert!(scan.parts.len() > 1);
    for rows in &scan.parts {
        let bytes: usize = rows.keys.iter().map(|key| key.len() + 6).sum();
        assert!(bytes <= 256 << 10);
    }
}

#[test]
fn the_newest_of_cells_are_so_many_of_each_column() {
    let schema = cells(vec![name("symbol"), day()]);
    let mut selection = by_time(select([texts(&["A"])]));
    selection.limit = Some(10);
    assert_eq!(plan(&schema, &selection).unwrap().newest, None);
    selection.descending = true;
    assert_eq!(plan(&schema, &selection).unwrap().newest, Some(10));
    let two = SegmentSelection::Values(vec![at(JAN_1), at(JAN_1 + 5)]);
    selection.segments.push(two);
    assert_eq!(
        plan(&schema, &selection).unwrap().newest,
        None,
        "cells between the two would count"
    );
}

#[test]
fn times_in_one_bucket_are_a_range_of_qualifiers() {
    use CalendarField::{Hour, Minute};
    let offset = Offset::Calendar(calendar(&[Hour, Minute]));
    let mut day = day();
    if let SegmentFormat::Bucket(bucket) = &mut day.format {
        bucket.grid_micros = 60_000_000;
    }
    let schema = ModelSchema {
        layout: Layout::Columns {
            offset,
            named: true,
        },
        ..schema("", vec![name("symbol"), day])
    };
    let minute = 60_000;
    let mut selection = one("A", times(JAN_1 + 15 * minute, JAN_1 + 90 * minute));
    selection.columns = Some(vec![1]);
    let range = |column: &str| RowFilter::QualifierRange {
        family: "MD".into(),
        start: Bound::Included(format!("{column}:0015").into()),
        end: Bound::Included(format!("{column}:0129").into()),
    };
    assert_eq!(
        plan(&schema, &selection).unwrap().filter,
        Some(RowFilter::Chain(vec![
            RowFilter::Interleave(vec![range("ASK"), range("BID")]),
            RowFilter::CellsPerColumnLimit(1),
        ]))
    );
    selection.segments[1] = times(JAN_1 + 15 * minute, JAN_1 + DAY + minute);
    assert_eq!(
        plan(&schema, &selection).unwrap().filter,
        Some(RowFilter::Chain(vec![
            RowFilter::FamilyRegex("MD".into()),
            RowFilter::QualifierRegex(r"ASK:\C*|BID:\C*".into()),
            RowFilter::TimestampRange {
                start_micros: (JAN_1 + 15 * minute) * 1_000,
                end_micros: (JAN_1 + DAY + minute) * 1_000
            },
            RowFilter::CellsPerColumnLimit(1),
        ]))
    );
}
