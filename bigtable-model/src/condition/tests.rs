#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests"
)]

use std::ops::Bound;

use bytes::Bytes;
use proptest::prelude::*;

use super::ColumnId::Declared;
use super::{ColumnId, ColumnTest, Condition, ConditionError, fits, predicate};
use crate::data::RowFilter;
use crate::model::{EventPlace, Layout, Model, ModelSchema};
use crate::query::plan;
use crate::{Error, MemoryBackend, Timestamp};

#[derive(Debug, Clone, PartialEq, bigtable_derive::Model)]
#[bigtable(table = "QUOTE", family = "MD", crate = crate)]
struct Quote {
    #[bigtable(key)]
    symbol: String,
    #[bigtable(time, unit = "s")]
    at: Timestamp,
    #[bigtable(column = "BID", text)]
    bid: f64,
    size: Option<u32>,
    venue: Option<String>,
}

fn schema(layout: Layout) -> ModelSchema {
    ModelSchema {
        layout,
        ..Quote::SCHEMA.to_schema()
    }
}

fn filter(condition: Condition<Quote>) -> RowFilter {
    predicate(Quote::SCHEMA, &EventPlace::Row, condition.test())
}

fn column(qualifier: &'static str) -> RowFilter {
    RowFilter::QualifierRange {
        family: "MD".into(),
        start: Bound::Included(qualifier.into()),
        end: Bound::Included(qualifier.into()),
    }
}

fn value(value: &'static [u8]) -> RowFilter {
    RowFilter::ValueRange {
        start: Bound::Included(Bytes::from_static(value)),
        end: Bound::Included(Bytes::from_static(value)),
    }
}

const NEWEST: RowFilter = RowFilter::CellsPerColumnLimit(1);
const STAMPS: RowFilter = RowFilter::TimestampRange {
    start_micros: 5_000,
    end_micros: 6_000,
};

fn bid_is(text: &'static str) -> RowFilter {
    RowFilter::Chain(vec![column("BID"), NEWEST, value(text.as_bytes())])
}

#[test]
fn a_value_is_compared_in_the_newest_cell_of_its_column() {
    let bid = Quote::FIELDS.bid;
    assert_eq!(filter(bid.equals(600.55)), bid_is("600.55"));
    assert_eq!(
        filter(bid.is_present()),
        RowFilter::Chain(vec![column("BID"), NEWEST])
    );
    assert_eq!(
        filter(bid.one_of([1.5, 2.0])),
        RowFilter::Chain(vec![
            column("BID"),
            NEWEST,
            RowFilter::Interleave(vec![value(b"1.5"), value(b"2")]),
        ])
    );
    assert_eq!(filter(bid.one_of([0.0; 0])), RowFilter::BlockAll);
    assert_eq!(filter(Condition::exists()), filter(bid.is_present()));
}

#[test]
fn ranges_go_by_the_stored_bytes() {
    let size = Quote::FIELDS.size.within(100..200);
    let expected = RowFilter::ValueRange {
        start: Bound::Included(100_i64.to_be_bytes().to_vec().into()),
        end: Bound::Excluded(200_i64.to_be_bytes().to_vec().into()),
    };
    assert_eq!(
        filter(size),
        RowFilter::Chain(vec![column("size"), NEWEST, expected])
    );
    let venue = Quote::FIELDS.venue.within("A"..);
    let expected = RowFilter::ValueRange {
        start: Bound::Included("A".into()),
        end: Bound::Unbounded,
    };
    assert_eq!(
        filter(venue),
        RowFilter::Chain(vec![column("venue"), NEWEST, expected])
    );
    assert_eq!(filter(Quote::FIELDS.size.within(7..7)), RowFilter::BlockAll);
}

#[test]
fn conditions_are_joined() {
    let bid = |one| Quote::FIELDS.bid.equals(one);
    assert_eq!(
        filter(bid(1.0).or(bid(2.0))),
        RowFilter::Interleave(vec![bid_is("1"), bid_is("2")])
    );
    assert_eq!(
        filter(bid(1.0).and(bid(2.0))),
        RowFilter::Condition {
            predicate: Box::new(bid_is("1")),
            if_true: Some(Box::new(bid_is("2"))),
            if_false: None,
        }
    );
    assert_eq!(
        filter(bid(1.0).negate()),
        RowFilter::Condition {
            predicate: Box::new(bid_is("1")),
            if_true: None,
            if_false: Some(Box::new(RowFilter::PassAll)),
        }
    );
    assert_eq!(bid(1.0).negate().negate(), bid(1.0));
}

#[test]
fn the_cells_of_one_event_are_looked_at_in_every_layout() {
    let test = ColumnTest::OneOf(Declared(0), vec!["1".into()]);
    let stamps = EventPlace::Stamps(5_000, 6_000);
    let value = value(b"1");
    for layout in [Layout::Cells, Layout::Latest] {
        assert_eq!(
            predicate(&schema(layout), &stamps, &test),
            RowFilter::Chain(vec![column("BID"), STAMPS, value.clone()])
        );
    }
    // The value is the qualifier.
    let qualifiers = schema(Layout::Qualifiers);
    assert_eq!(
        predicate(&qualifiers, &stamps, &test),
        RowFilter::Chain(vec![column("1"), STAMPS])
    );
    let any = RowFilter::QualifierRange {
        family: "MD".into(),
        start: Bound::Unbounded,
        end: Bound::Unbounded,
    };
    assert_eq!(
        predicate(&qualifiers, &stamps, &ColumnTest::Present(Declared(0))),
        RowFilter::Chain(vec![any, STAMPS])
    );
    let place = EventPlace::Offset("0015".into());
    for (named, qualifier) in [(true, "BID:0015"), (false, "0015")] {
        let layout = Layout::Columns {
            offset: crate::key::time::bucket::Offset::Ticks {
                unit: crate::key::TimeUnit::Seconds,
                width: 4,
                reverse: false,
            },
            named,
        };
        assert_eq!(
            predicate(&schema(layout), &place, &test),
            RowFilter::Chain(vec![column(qualifier), NEWEST, value.clone()])
        );
    }
}

/// Columns of every sort: in two families, of the row, named at run time, and a marker.
#[derive(Debug, Clone, PartialEq, bigtable_derive::Model)]
#[bigtable(table = "HOST", family = "H", marker = "HOST", crate = crate)]
struct Host {
    #[bigtable(key, column = "NAME")]
    host: String,
    #[bigtable(time)]
    at: Timestamp,
    #[bigtable(column = "a.b")]
    load: Option<u32>,
    #[bigtable(family = "I")]
    io: Option<u32>,
    #[bigtable(columns, family = "R")]
    rest: std::collections::BTreeMap<String, u32>,
}

#[test]
fn any_column_of_the_event_is_looked_for() {
    let named = |family: &str, names: &'static str| {
        vec![
            RowFilter::FamilyRegex(family.into()),
            RowFilter::QualifierRegex(names.into()),
        ]
    };
    let stamped = |mut filters: Vec<RowFilter>| {
        filters.push(STAMPS);
        RowFilter::Chain(filters)
    };
    fn predicate(schema: &ModelSchema, place: &EventPlace) -> RowFilter {
        super::predicate(schema, place, &ColumnTest::AnyColumn)
    }
    // All columns of a family of run-time columns are the model's.
    assert_eq!(
        predicate(Host::SCHEMA, &EventPlace::Row),
        RowFilter::Interleave(vec![
            RowFilter::Chain(named("H", r"HOST|NAME|a\.b")),
            RowFilter::Chain(named("I", "io")),
            RowFilter::FamilyRegex("R".into()),
        ])
    );
    let stamps = EventPlace::Stamps(5_000, 6_000);
    // The name of the host belongs to the row.
    assert_eq!(
        predicate(
            &ModelSchema {
                layout: Layout::Latest,
                ..Host::SCHEMA.to_schema()
            },
            &stamps
        ),
        RowFilter::Interleave(vec![
            stamped(named("H", r"HOST|a\.b")),
            stamped(named("I", "io")),
            stamped(vec![RowFilter::FamilyRegex("R".into())]),
        ])
    );
    assert_eq!(
        predicate(&schema(Layout::Cells), &stamps),
        stamped(named("MD", "BID|size|venue"))
    );
    assert_eq!(
        predicate(&schema(Layout::Qualifiers), &stamps),
        stamped(vec![RowFilter::FamilyRegex("MD".into())])
    );
    let place = EventPlace::Offset("0015".into());
    for (names, qualifiers) in [(true, "BID:0015|size:0015|venue:0015"), (false, "0015")] {
        let layout = Layout::Columns {
            offset: crate::key::time::bucket::Offset::Ticks {
                unit: crate::key::TimeUnit::Seconds,
                width: 4,
                reverse: false,
            },
            named: names,
        };
        assert_eq!(
            predicate(&schema(layout), &place),
            RowFilter::Chain(named("MD", qualifiers))
        );
    }
}

#[test]
fn a_filter_has_its_limits() {
    let values = |count: usize| (0..count).map(|number| format!("{number:0100}"));
    let condition = |count| Quote::FIELDS.venue.one_of(values(count));
    assert_eq!(fits(&filter(condition(50))), Ok(()));
    let refused = fits(&filter(condition(1_000)));
    assert!(matches!(refused, Err(ConditionError::TooLarge { bytes }) if bytes > 100_000));
    let mut deep = Quote::FIELDS.bid.is_present().negate();
    for one in 0..30_u32 {
        let size = Quote::FIELDS.size.equals(one);
        deep = match one % 2 {
            0 => deep.or(size),
            _ => deep.and(size),
        };
    }
    assert_eq!(fits(&filter(deep)), Err(ConditionError::TooDeep));
    // Many in one list are not deep.
    let mut wide = Quote::FIELDS.bid.is_present();
    for one in 0..100_u32 {
        wide = wide.and(Quote::FIELDS.size.equals(one).negate());
    }
    assert_eq!(fits(&filter(wide)), Ok(()));
}

#[test]
fn conditions_in_words() {
    let size = Quote::FIELDS
        .size
        .is_present()
        .or(Quote::FIELDS.size.is_absent());
    let all = Quote::FIELDS.bid.equals(600.55).and(size);
    assert_eq!(
        all.to_string(),
        "MD:BID = \"600.55\" and (MD:size is present or MD:size is absent)"
    );
    assert_eq!(
        Condition::<Quote>::exists().negate().to_string(),
        "the event is not there"
    );
    let any = Condition::<Quote>::any_column();
    assert_eq!(any.to_string(), "the event has any column");
    assert_eq!(any.negate().to_string(), "the event has no column");
    assert_eq!(
        Quote::FIELDS
            .venue
            .one_of(["a", "b"].map(str::to_owned))
            .negate()
            .to_string(),
        "not (MD:venue is one of \"a\", \"b\")"
    );
}

#[test]
fn none_is_an_absent_column() {
    assert_eq!(
        Quote::FIELDS.size.equals(None),
        Quote::FIELDS.size.is_absent()
    );
    let either = Quote::FIELDS.size.one_of([Some(1), None]);
    let size = Quote::FIELDS.size;
    assert_eq!(either, size.equals(1_u32).or(size.is_absent()));
}

#[test]
fn a_condition_is_data() {
    let condition = Quote::FIELDS
        .size
        .within(5..)
        .and(Quote::FIELDS.bid.is_absent());
    let json = serde_json::to_string(condition.test()).unwrap();
    let back: ColumnTest = serde_json::from_str(&json).unwrap();
    assert_eq!(&back, condition.test());
}

#[derive(Debug, Clone, PartialEq, bigtable_derive::Model)]
#[bigtable(table = "COUNT", family = "C", crate = crate)]
struct Count {
    #[bigtable(key)]
    path: String,
    #[bigtable(counter)]
    views: i64,
    big: Option<u64>,
}

#[test]
fn a_value_that_the_column_cannot_hold_is_told_when_it_is_used() {
    let views = Count::FIELDS.views.equals(7);
    let expected = ColumnTest::OneOf(
        Declared(0),
        vec![Bytes::copy_from_slice(&7_i64.to_be_bytes())],
    );
    assert_eq!(views.test(), &expected);
    let query = Count::query()
        .path("a")
        .events()
        .matching(Count::FIELDS.big.equals(u64::MAX));
    let Err(Error::Query { source, .. }) = query.plan() else {
        panic!("it is refused");
    };
    let crate::QueryError::Condition(ConditionError::Value { column, .. }) = source else {
        panic!("{source:?}");
    };
    assert_eq!(column, "C:big");
}

#[test]
fn columns_that_are_not_the_models_are_refused() {
    let selection = |column| crate::query::Selection {
        condition: Some(ColumnTest::Present(Declared(column))),
        full_scan: true,
        ..Default::default()
    };
    assert!(plan(Quote::SCHEMA, &selection(2)).is_ok());
    assert!(plan(Quote::SCHEMA, &selection(3)).is_err());
}

fn declared() -> impl Strategy<Value = ColumnId> {
    (0..3_usize).prop_map(Declared)
}

fn drawn() -> impl Strategy<Value = ColumnTest> {
    let value = || (0..4_u8).prop_map(|value| Bytes::from(vec![value]));
    let leaf = prop_oneof![
        Just(ColumnTest::Exists),
        Just(ColumnTest::AnyColumn),
        declared().prop_map(ColumnTest::Present),
        (declared(), prop::collection::vec(value(), 0..3))
            .prop_map(|(column, values)| ColumnTest::OneOf(column, values)),
        (declared(), value(), value()).prop_map(|(column, start, end)| ColumnTest::Within(
            column,
            Bound::Included(start),
            Bound::Excluded(end)
        )),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(ColumnTest::All),
            prop::collection::vec(inner.clone(), 0..4).prop_map(ColumnTest::Any),
            inner.prop_map(ColumnTest::negate),
        ]
    })
}

/// The same condition with a separate test for each column.
fn spelled_out(test: &ColumnTest) -> ColumnTest {
    let all = |tests: &[ColumnTest]| tests.iter().map(spelled_out).collect();
    match test {
        ColumnTest::AnyColumn => {
            ColumnTest::Any((0..3).map(Declared).map(ColumnTest::Present).collect())
        }
        ColumnTest::All(tests) => ColumnTest::All(all(tests)),
        ColumnTest::Any(tests) => ColumnTest::Any(all(tests)),
        ColumnTest::Not(test) => ColumnTest::Not(Box::new(spelled_out(test))),
        other => other.clone(),
    }
}

proptest! {
    /// The server's result of the filter agrees with the condition on the event's values.
    #[test]
    fn the_server_says_what_the_condition_says(
        test in drawn(),
        values in prop::collection::vec(prop::option::of(0..4_u8), 3),
    ) {
        use crate::backend::Backend as _;
        use crate::ops::BackendExt as _;
        use super::CheckedWrite;
        use crate::data::{Mutation, RowMutations};

        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let matched: bool = runtime.block_on(async {
            let db = MemoryBackend::new();
            db.ensure_tables::<Quote>().await.unwrap();
            let names = ["BID", "size", "venue"];
            let set: Vec<_> = names.iter().zip(&values).filter_map(|(name, value)| {
                Some(Mutation::SetCell {
                    family: "MD".into(),
                    qualifier: Bytes::from_static(name.as_bytes()),
                    timestamp_micros: 0,
                    value: vec![(*value)?].into(),
                })
            }).collect();
            if !set.is_empty() {
                db.mutate_row("QUOTE", RowMutations { key: "r".into(), mutations: set }).await.unwrap();
            }
            let row = RowMutations { key: "r".into(), mutations: vec![Mutation::DeleteFromRow] };
            let write = CheckedWrite::new(Quote::SCHEMA, &test, &EventPlace::Row, "QUOTE".into(), row).unwrap();
            db.check_and_mutate_row(write.request).await.unwrap() == write.applied_when
        });
        let values: Vec<_> = values.iter().map(|one| one.map(|one| Bytes::from(vec![one]))).collect();
        let value = |column: &ColumnId| values.get(column.declared()?)?.as_deref();
        prop_assert_eq!(matched, spelled_out(&test).holds(values[0].is_some(), &value));
    }
}
