use std::error::Error as _;
use std::ops::Bound;

use super::*;
use crate::QueryError;
use crate::data::{RowFilter, RowRange, RowSet};
use crate::key::MAX_KEY_BYTES;
use crate::query::{EventTimes, Part, Plan, Scan, plan};

const START: i64 = 1_426_535_612_000;
const END: i64 = 1_426_535_613_000;

fn in_quote(rows: RowSet) -> Part {
    let table = "QUOTE".to_owned();
    Part { table, rows }
}

/// The scans as text: keys in quotes, ranges in brackets.
fn scans(plan: &Plan) -> Vec<Vec<String>> {
    let text = |scan: &Scan| {
        let keys = scan.parts[0].keys.iter();
        let keys = keys.map(|key| key.escape_ascii().to_string());
        keys.chain(scan.parts[0].ranges.iter().map(ToString::to_string))
            .collect()
    };
    plan.scans.iter().map(text).collect()
}

fn planned(selection: &Selection) -> Vec<Vec<String>> {
    scans(&plan(&quotes(), selection).unwrap())
}

fn refused(schema: &ModelSchema, selection: &Selection) -> QueryError {
    let error = plan(schema, selection).unwrap_err();
    error
        .source()
        .unwrap()
        .downcast_ref::<QueryError>()
        .unwrap()
        .clone()
}

#[test]
fn one_series_and_a_span_of_time_is_one_range() {
    let selection = by_time(select([
        texts(&["NASDAQ"]),
        texts(&["ZXZZT"]),
        times(START, END),
    ]));
    let range = RowRange::half_open("NASDAQ#ZXZZT#1426535612000", "NASDAQ#ZXZZT#1426535613000");
    assert_eq!(
        plan(&quotes(), &selection).unwrap(),
        Plan {
            table: "QUOTE".into(),
            scans: vec![Scan {
                parts: vec![in_quote(RowSet::range(range))],
            }],
            filter: Some(RowFilter::CellsPerColumnLimit(1)),
            newest: None,
            order: Order::Time,
            descending: false,
            reversed: false,
            limit: None,
            full_scan: false,
            keys_first: false,
            seeks: 0,
            times: EventTimes::All,
            segments: Vec::new(),
            condition: None,
            packed: None,
            expiry: None,
            after: None,
            sources: Vec::new(),
            reasons: Vec::new(),
        }
    );
}

#[test]
fn sets_are_crossed_sorted_and_without_duplicates() {
    let selection = select([
        texts(&["NYSE12", "NASDAQ", "NYSE12"]),
        texts(&["ZXZZT", "AAPL1"]),
    ]);
    assert_eq!(
        planned(&selection),
        [[
            r#"["NASDAQ#AAPL1#", "NASDAQ#AAPL1$")"#,
            r#"["NASDAQ#ZXZZT#", "NASDAQ#ZXZZT$")"#,
            r#"["NYSE12#AAPL1#", "NYSE12#AAPL1$")"#,
            r#"["NYSE12#ZXZZT#", "NYSE12#ZXZZT$")"#,
        ]]
    );
}

#[test]
fn values_everywhere_are_row_keys() {
    let times = SegmentSelection::Values(vec![at(END), at(START)]);
    let selection = select([texts(&["NASDAQ"]), texts(&["ZXZZT"]), times]);
    let keys = ["NASDAQ#ZXZZT#1426535612000", "NASDAQ#ZXZZT#1426535613000"];
    assert_eq!(planned(&selection), [keys]);
    assert_eq!(planned(&by_time(selection)), [keys]);
}

#[test]
fn order_of_time_takes_one_scan_for_each_series() {
    let mut selection = by_time(select([
        texts(&["NASDAQ"]),
        texts(&["ZXZZT", "AAPL1", "ZXZZT"]),
    ]));
    let expected = [
        [r#"["NASDAQ#AAPL1#", "NASDAQ#AAPL1$")"#],
        [r#"["NASDAQ#ZXZZT#", "NASDAQ#ZXZZT$")"#],
    ];
    assert_eq!(planned(&selection), expected);
    selection.max_scans = 2;
    assert_eq!(planned(&selection), expected);
    selection.max_scans = 1;
    assert_eq!(
        refused(&quotes(), &selection),
        QueryError::TooManyScans {
            scans: 2,
            max_scans: 1
        }
    );
}

#[test]
fn identifiers_after_the_time_name_series_too() {
    let schema = schema(
        "",
        vec![padded("exchange", 6), time(false), padded("symbol", 5)],
    );
    let times = SegmentSelection::Values(vec![at(START), at(END)]);
    let mut selection = by_time(select([
        texts(&["NASDAQ"]),
        times,
        texts(&["AAPL1", "ZXZZT"]),
    ]));
    assert_eq!(
        scans(&plan(&schema, &selection).unwrap()),
        [
            ["NASDAQ#1426535612000#AAPL1", "NASDAQ#1426535613000#AAPL1"],
            ["NASDAQ#1426535612000#ZXZZT", "NASDAQ#1426535613000#ZXZZT"],
        ]
    );
    selection.segments.pop();
    assert_eq!(
        refused(&schema, &selection),
        QueryError::NoTimeOrder {
            segment: "symbol".into()
        }
    );
}

#[test]
fn order_of_time_needs_identifiers_and_a_time() {
    let open = by_time(select([texts(&["NASDAQ"])]));
    let symbol = QueryError::NoTimeOrder {
        segment: "symbol".into(),
    };
    assert_eq!(refused(&quotes(), &open), symbol);
    let prefix = by_time(select([
        texts(&["NASDAQ"]),
        SegmentSelection::Prefix("Z".into()),
    ]));
    assert_eq!(refused(&quotes(), &prefix), symbol);
    let entity = schema("", vec![padded("exchange", 6)]);
    assert_eq!(
        refused(&entity, &open),
        QueryError::NoTimeOrder {
            segment: "Quote".into()
        }
    );
}

#[test]
fn a_range_of_an_identifier_closes_the_prefix() {
    let range = |start, end| {
        let segments = [texts(&["NASDAQ"]), SegmentSelection::Range(start, end)];
        planned(&select(segments)).concat().concat()
    };
    let (a, b) = (text("AAAAA"), text("BBBBB"));
    assert_eq!(
        range(Bound::Included(a.clone()), Bound::Unbounded),
        r#"["NASDAQ#AAAAA", "NASDAQ$")"#
    );
    let closed = range(Bound::Excluded(a.clone()), Bound::Included(b.clone()));
    let closed_set = plan(
        &quotes(),
        &select([
            texts(&["NASDAQ"]),
            SegmentSelection::Range(Bound::Excluded(a), Bound::Included(b)),
        ]),
    )
    .unwrap()
    .scans
    .remove(0)
    .parts
    .remove(0);
    for (key, within) in [
        ("NASDAQ#AAAAA#1426535612000", false),
        ("NASDAQ#AAAAB#1426535612000", true),
        ("NASDAQ#BBBBB#1426535612000", true),
        ("NASDAQ#BBBBC#1426535612000", false),
        ("NYSE12#BBBBA#1426535612000", false),
    ] {
        assert_eq!(
            closed_set.contains(key.as_bytes()),
            within,
            "{key} in {closed}"
        );
    }
}

#[test]
fn a_prefix_of_text_closes_the_prefix() {
    let begins = |text: &str| SegmentSelection::Prefix(text.into());
    assert_eq!(
        planned(&select([texts(&["NASDAQ"]), begins("ZX")])),
        [[r#"["NASDAQ#ZX", "NASDAQ#ZY")"#]]
    );
    assert_eq!(
        planned(&select([texts(&["NASDAQ"]), begins("")])),
        [[r#"["NASDAQ#", "NASDAQ$")"#]]
    );
    assert_eq!(
        refused(&quotes(), &select([begins("N"), texts(&["ZXZZT"])])),
        QueryError::Closed {
            segment: "symbol".into(),
            closed_by: "exchange".into()
        }
    );
}

#[test]
fn the_whole_table_has_to_be_asked_for() {
    let open = SegmentSelection::Range(Bound::Unbounded, Bound::Unbounded);
    let refusal = QueryError::FullScan {
        segment: "exchange".into(),
    };
    let nothing = [
        select([]),
        select([open.clone()]),
        select([open.clone(), open]),
        select([SegmentSelection::Prefix(String::new())]),
        by_time(select([])),
    ];
    for mut selection in nothing {
        assert_eq!(refused(&quotes(), &selection), refusal);
        if selection.order == Order::Key {
            selection.full_scan = true;
            let plan = plan(&quotes(), &selection).unwrap();
            assert_eq!(
                plan.scans,
                [Scan {
                    parts: vec![in_quote(RowSet::all())],
                }]
            );
            assert!(plan.full_scan);
        }
    }
    let mut narrowed = select([texts(&["NASDAQ"])]);
    narrowed.full_scan = true;
    assert!(!plan(&quotes(), &narrowed).unwrap().full_scan);
}

#[test]
fn a_scan_of_a_prefixed_model_keeps_to_the_prefix() {
    let schema = schema("BATTERY", vec![padded("id", 2), time(false)]);
    assert_eq!(
        refused(&schema, &select([])),
        QueryError::FullScan {
            segment: "id".into()
        }
    );
    let all = Selection {
        full_scan: true,
        ..select([])
    };
    let plan = plan(&schema, &all).unwrap();
    assert_eq!(scans(&plan), [[r#"["BATTERY#", "BATTERY$")"#]]);
    assert!(!plan.full_scan, "other rows of the table are not read");
}

#[test]
fn a_model_of_time_alone_is_one_series() {
    let schema = schema("", vec![time(false)]);
    let plan = plan(&schema, &by_time(select([times(START, END)]))).unwrap();
    assert_eq!(scans(&plan), [[r#"["1426535612000", "1426535613000")"#]]);
}

#[test]
fn a_range_that_takes_in_every_value_narrows_nothing() {
    let schema = schema("", vec![time(false), padded("symbol", 5)]);
    let before_1970 = SegmentSelection::Range(Bound::Included(at(-1)), Bound::Unbounded);
    let mut selection = select([before_1970]);
    assert_eq!(
        refused(&schema, &selection),
        QueryError::FullScan {
            segment: "at".into()
        }
    );
    selection.full_scan = true;
    assert!(plan(&schema, &selection).unwrap().full_scan);
}

#[test]
fn what_is_empty_needs_no_scan() {
    let none = || SegmentSelection::Values(Vec::new());
    let exchange = || texts(&["NASDAQ"]);
    for selection in [
        select([none()]),
        select([none(), texts(&["ZXZZT"])]),
        select([exchange(), none()]),
        select([exchange(), texts(&["ZXZZT"]), times(END, START)]),
        select([exchange(), texts(&["ZXZZT"]), times(START, START)]),
        by_time(select([exchange(), none(), times(START, END)])),
        select([SegmentSelection::Range(
            Bound::Included(text("B")),
            Bound::Excluded(text("A")),
        )]),
    ] {
        let plan = plan(&quotes(), &selection).unwrap();
        assert!(plan.scans.is_empty(), "{selection:?}");
        assert!(!plan.full_scan);
    }
}

#[test]
fn a_time_in_front_that_is_empty_is_no_full_scan() {
    let schema = schema("", vec![time(false)]);
    for (start, end) in [(START, START), (END, START), (-2, -1)] {
        let plan = plan(&schema, &by_time(select([times(start, end)]))).unwrap();
        assert!(plan.scans.is_empty(), "{start}..{end}");
    }
}

#[test]
fn a_wrong_value_is_refused_beside_an_empty_set() {
    let selection = select([
        SegmentSelection::Values(Vec::new()),
        SegmentSelection::Values(vec![SegmentValue::Bool(true)]),
    ]);
    assert!(matches!(
        refused(&quotes(), &selection),
        QueryError::Key(crate::key::KeyError::Segment { segment, .. }) if segment == "symbol"
    ));
    let many = select(vec![texts(&["NASDAQ"]); 4]);
    assert!(matches!(
        refused(&quotes(), &many),
        QueryError::Key(crate::key::KeyError::Count {
            values: 4,
            segments: 3
        })
    ));
}

#[test]
fn values_whose_key_would_be_too_long_have_no_rows() {
    let sensors = schema("", vec![makers::name("sensor"), time(false)]);
    let long = "x".repeat(MAX_KEY_BYTES);
    let asked = |names: &[&str]| {
        let second = SegmentSelection::Values(vec![at(START)]);
        let (range, keys) = (select([texts(names)]), select([texts(names), second]));
        [range, keys].map(|one| plan(&sensors, &one).unwrap().scans)
    };
    assert_eq!(asked(&["attic", &long]), asked(&["attic"]));
    assert_eq!(asked(&[&long]), [[], []]);
}

#[test]
fn scans_run_backwards_for_the_newest_first_unless_the_key_is_reversed() {
    for (order, descending, reverse, reversed) in [
        (Order::Time, false, false, false),
        (Order::Time, true, false, true),
        (Order::Time, false, true, true),
        (Order::Time, true, true, false),
        (Order::Key, false, true, false),
        (Order::Key, true, true, true),
    ] {
        let selection = Selection {
            order,
            descending,
            ..select([texts(&["NASDAQ"]), texts(&["ZXZZT"])])
        };
        let plan = plan(&quotes_with(time(reverse)), &selection).unwrap();
        assert_eq!((plan.reversed, plan.descending), (reversed, descending));
    }
}

#[test]
fn times_stay_in_the_users_terms_when_the_key_is_reversed() {
    let selection = select([texts(&["NASDAQ"]), texts(&["ZXZZT"]), times(START, END)]);
    let plan = plan(&quotes_with(time(true)), &selection).unwrap();
    let key = |millis: i64| format!("NASDAQ#ZXZZT#{:013}", 9_999_999_999_999 - millis);
    let rows = &plan.scans[0].parts[0];
    assert!(rows.contains(key(START).as_bytes()));
    assert!(rows.contains(key(END - 1).as_bytes()));
    assert!(!rows.contains(key(END).as_bytes()));
    assert!(!rows.contains(key(START - 1).as_bytes()));
}

#[test]
fn the_limit_goes_into_the_plan() {
    let selection = Selection {
        limit: Some(10),
        ..select([texts(&["NASDAQ"])])
    };
    assert_eq!(plan(&quotes(), &selection).unwrap().limit, Some(10));
}
