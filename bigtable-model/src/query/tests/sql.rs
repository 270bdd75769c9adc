//! The rows that a query in SQL reads are those that its plan reads: random layouts, rows, queries
//! and conditions, on the memory backend, judged by a reader of SQL that shares no code with the
//! writer.

#[cfg(feature = "json")]
mod fields;
mod judge;
#[cfg(feature = "prost")]
mod messages;
mod unpacked;
#[cfg(feature = "json")]
mod values;

use std::error::Error as _;

use bytes::Bytes;
use futures::TryStreamExt;
use futures::executor::block_on;
use proptest::prelude::*;

use super::oracle::{Case, cases};
use super::*;
use crate::backend::sql::SqlQuery;
use crate::condition::ColumnId::Declared;
use crate::condition::ColumnTest;
use crate::data::{FamilySchema, GcRule, Mutation, ReadRows, Row, RowMutations, TableSchema};
use crate::model::FamilyRule;
use crate::query::{Plan, ReadsMore, SqlRefusal, plan, to_sql};
use crate::{Backend, Error, MemoryBackend};
use judge::Read;

/// The columns of the model that are compared, by their indexes.
const COMPARED: [(usize, &str, &str); 3] = [(0, "MD", "BID"), (1, "MD", "ASK"), (3, "X-1", "a.b")];

/// The newest value of each column and the one before it.
type Columns = [Option<(u8, u8)>; 3];

fn value(of: u8) -> Bytes {
    // Values of several lengths, one of them empty.
    Bytes::from(vec![b'a' + of % 3; usize::from(of % 4)])
}

fn test() -> impl Strategy<Value = ColumnTest> {
    let column = || prop::sample::select(vec![0, 1, 3]).prop_map(Declared);
    let bound = || {
        prop_oneof![
            Just(Bound::Unbounded),
            any::<u8>().prop_map(|of| Bound::Included(value(of))),
            any::<u8>().prop_map(|of| Bound::Excluded(value(of))),
        ]
    };
    let values = prop::collection::vec(any::<u8>().prop_map(value), 0..3);
    let leaf = prop_oneof![
        Just(ColumnTest::Exists),
        Just(ColumnTest::AnyColumn),
        column().prop_map(ColumnTest::Present),
        (column(), values).prop_map(|(column, values)| ColumnTest::OneOf(column, values)),
        (column(), bound(), bound())
            .prop_map(|(column, start, end)| ColumnTest::Within(column, start, end)),
    ];
    leaf.prop_recursive(3, 8, 3, |inner| {
        let tests = prop::collection::vec(inner.clone(), 0..3);
        prop_oneof![
            tests.clone().prop_map(ColumnTest::All),
            tests.prop_map(ColumnTest::Any),
            inner.prop_map(|test| ColumnTest::Not(Box::new(test))),
        ]
    })
}

#[derive(Debug, Clone)]
struct Asked {
    condition: Option<ColumnTest>,
    order: Order,
    descending: bool,
    limit: Option<u64>,
}

fn asked() -> impl Strategy<Value = Asked> {
    let order = prop::sample::select(vec![Order::Key, Order::Time, Order::Any]);
    let limit = prop::option::weighted(0.3, 0..4_u64);
    (prop::option::of(test()), order, any::<bool>(), limit).prop_map(
        |(condition, order, descending, limit)| Asked {
            condition,
            order,
            descending,
            // Without an order, any of them may come first.
            limit: limit.filter(|_| order != Order::Any),
        },
    )
}

async fn stored(case: &Case, columns: &[Columns]) -> MemoryBackend {
    let db = MemoryBackend::new();
    let families = ["MD", "X-1"].map(|name| (name.to_owned(), FamilySchema::default()));
    let table = TableSchema {
        table: "QUOTE".to_owned(),
        families: families.into(),
        ..TableSchema::default()
    };
    db.tables().create(table, Vec::new()).await.unwrap();
    for ((key, ..), columns) in case.keys().into_iter().zip(columns.iter().cycle()) {
        let cells = COMPARED.iter().zip(columns);
        let cells = cells.filter_map(|(column, values)| Some((column, (*values)?)));
        let mutations = cells.flat_map(|((_, family, qualifier), (newest, older))| {
            let cell = |timestamp_micros, of| Mutation::SetCell {
                family: (*family).into(),
                qualifier: (*qualifier).into(),
                timestamp_micros,
                value: value(of),
            };
            [cell(2_000, newest), cell(1_000, older)]
        });
        let mutations: Vec<_> = mutations.collect();
        let row = RowMutations {
            key: key.into(),
            mutations,
        };
        if !row.mutations.is_empty() {
            db.mutate_row("QUOTE", row).await.unwrap();
        }
    }
    db
}

/// The keys of the events that a plan reads, in its order.
async fn planned_rows(db: &MemoryBackend, plan: &Plan) -> Vec<Bytes> {
    let mut keys = Vec::new();
    for part in plan.scans.iter().flat_map(|scan| &scan.parts) {
        let request = ReadRows {
            table: part.table.clone(),
            rows: part.rows.clone(),
            filter: plan.filter.clone(),
            reversed: plan.reversed,
            ..ReadRows::default()
        };
        let rows: Vec<Row> = db.read_rows(request).rows().try_collect().await.unwrap();
        // A row without the presence column is no event.
        let events = rows.into_iter().filter(|row| has(row, "MD", "BID"));
        keys.extend(events.map(|row| row.key));
    }
    if plan.order == Order::Any {
        keys.sort_unstable();
    }
    let most = plan.limit.and_then(|limit| usize::try_from(limit).ok());
    keys.truncate(most.unwrap_or(usize::MAX));
    keys
}

fn has(row: &Row, family: &str, qualifier: &str) -> bool {
    row.column(family, qualifier.as_bytes()).next().is_some()
}

/// The keys of the rows that the SQL reads, in its order.
async fn sql_rows(db: &MemoryBackend, query: &SqlQuery) -> Vec<Bytes> {
    let all = ReadRows {
        table: query.table().unwrap().to_owned(),
        ..ReadRows::default()
    };
    let rows: Vec<Row> = db.read_rows(all).rows().try_collect().await.unwrap();
    Read::new(query).rows(rows)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn sql_reads_the_rows_of_the_plan(
        case in cases(),
        columns in prop::collection::vec(
            (any::<(u8, u8)>(), any::<u8>(), any::<Option<(u8, u8)>>(), any::<Option<(u8, u8)>>()),
            10,
        ),
        asked in asked(),
    ) {
        let columns: Vec<Columns> = columns
            .into_iter()
            .map(|(bid, marked, ask, other)| [(marked % 5 > 0).then_some(bid), ask, other])
            .collect();
        let schema = case.schema();
        let selection = Selection {
            condition: asked.condition.clone(),
            order: asked.order,
            descending: asked.descending,
            limit: asked.limit,
            ..case.selection()
        };
        let Ok(plan) = plan(&schema, &selection) else {
            let refused = matches!(to_sql(&schema, &selection), Err(Error::Query { .. }));
            prop_assert!(refused);
            return Ok(());
        };
        let query = match to_sql(&schema, &selection) {
            Ok(query) => query,
            Err(Error::Sql { source, .. }) => {
                let compared = plan.reasons.iter().any(|one| matches!(one, ReadsMore::Compared { .. }));
                match source {
                    SqlRefusal::Compared { .. } => prop_assert!(compared),
                    SqlRefusal::Order { scans } => {
                        prop_assert!(scans > 1 && asked.order == Order::Time);
                    }
                    other => prop_assert!(false, "{}", other),
                }
                return Ok(());
            }
            Err(other) => return Err(TestCaseError::fail(other.to_string())),
        };
        let db = block_on(stored(&case, &columns));
        let (expected, found) = block_on(async {
            (planned_rows(&db, &plan).await, sql_rows(&db, &query).await)
        });
        prop_assert_eq!(found, expected, "{}\n{:?}\n{:?}", query, query.parameters(), plan);
    }
}

/// Checks that the cases above are not all trivial.
#[test]
fn random_queries_read_some_rows_and_leave_out_others() {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let mut drawn = || {
        let (tree, asked) = (cases(), asked());
        let case = tree.new_tree(&mut runner).unwrap();
        let asked = asked.new_tree(&mut runner).unwrap();
        use proptest::strategy::ValueTree as _;
        (case.current(), asked.current())
    };
    let (mut some, mut narrowed) = (0, 0);
    for _ in 0..300 {
        let (case, asked) = drawn();
        let selection = Selection {
            condition: asked.condition,
            ..case.selection()
        };
        let Ok(query) = to_sql(&case.schema(), &selection) else {
            continue;
        };
        let columns = [
            [Some((1, 2)), Some((3, 4)), None],
            [Some((5, 6)), None, None],
        ];
        let db = block_on(stored(&case, &columns));
        let found = block_on(sql_rows(&db, &query)).len();
        some += usize::from(found > 0);
        narrowed += usize::from(found < case.keys().len());
    }
    assert!(some > 50 && narrowed > 50, "{some} {narrowed}");
}

fn quote(symbols: &[&str]) -> Selection {
    select([texts(&["NASDAQ"]), texts(symbols)])
}

fn text_of(schema: &ModelSchema, selection: &Selection) -> String {
    to_sql(schema, selection).unwrap().to_string()
}

const COLUMNS: &str = "SELECT _key, `MD`['BID'] AS `BID`, `MD`['ASK'] AS `ASK`, `X-1`['a.b'] AS `a.b` FROM `QUOTE` WHERE";

#[test]
fn one_range_in_order() {
    let selection = Selection {
        limit: Some(3),
        descending: true,
        ..by_time(quote(&["ZXZZT"]))
    };
    let query = to_sql(&quotes(), &selection).unwrap();
    assert_eq!(
        query.to_string(),
        format!(
            "{COLUMNS} _key >= @from0 AND _key < @to0 AND `MD`['BID'] IS NOT NULL ORDER BY _key DESC LIMIT 3"
        )
    );
    let types = query.parameters().types();
    let named: Vec<_> = types
        .iter()
        .map(|(name, of)| format!("{name} {of}"))
        .collect();
    assert_eq!(named, ["from0 BYTES", "to0 BYTES"]);
}

#[test]
fn several_ranges_and_keys() {
    let ranges = text_of(&quotes(), &quote(&["A", "B"]));
    assert_eq!(
        ranges,
        format!(
            "{COLUMNS} ((_key >= @from0 AND _key < @to0) OR (_key >= @from1 AND _key < @to1)) \
             AND `MD`['BID'] IS NOT NULL ORDER BY _key"
        )
    );
    let unordered = Selection {
        order: Order::Any,
        columns: Some(vec![1]),
        ..select([
            texts(&["NYSE"]),
            texts(&["A"]),
            SegmentSelection::Values(vec![at(0), at(1)]),
        ])
    };
    assert_eq!(
        text_of(&quotes(), &unordered),
        "SELECT _key, `MD`['ASK'] AS `ASK` FROM `QUOTE` WHERE _key IN UNNEST(@keys) AND `MD`['BID'] IS NOT NULL"
    );
}

#[test]
fn all_rows_and_none() {
    let all = Selection {
        full_scan: true,
        ..select([])
    };
    assert_eq!(
        text_of(&quotes(), &all),
        format!("{COLUMNS} `MD`['BID'] IS NOT NULL ORDER BY _key")
    );
    let none = select([SegmentSelection::Values(Vec::new())]);
    assert_eq!(
        text_of(&quotes(), &none),
        format!("{COLUMNS} FALSE AND `MD`['BID'] IS NOT NULL ORDER BY _key")
    );
}

#[test]
fn conditions_are_never_null() {
    let within = ColumnTest::Within(
        Declared(1),
        Bound::Included("a".into()),
        Bound::Excluded("b".into()),
    );
    let one_of = ColumnTest::OneOf(Declared(3), vec!["x".into()]);
    let selection = Selection {
        condition: Some(
            within
                .negate()
                .and(one_of.or(ColumnTest::Present(Declared(1)))),
        ),
        full_scan: true,
        ..select([])
    };
    let text = text_of(&quotes(), &selection);
    let expected = "(NOT ((`MD`['ASK'] IS NOT NULL AND `MD`['ASK'] >= @value0 AND `MD`['ASK'] < @value1)) \
        AND ((`X-1`['a.b'] IS NOT NULL AND `X-1`['a.b'] IN UNNEST(@value2)) OR `MD`['ASK'] IS NOT NULL))";
    assert!(text.contains(expected), "{text}");
}

fn refused(schema: &ModelSchema, selection: &Selection) -> String {
    let error = to_sql(schema, selection).unwrap_err();
    assert!(matches!(error, Error::Sql { .. }), "{error}");
    error.source().unwrap().to_string()
}

#[test]
fn what_has_no_form_is_named() {
    let words = refused(&quotes(), &by_time(quote(&["A", "B"])));
    assert!(
        words.contains("2 scans") && words.contains("in_key_order()"),
        "{words}"
    );
    let open = SegmentSelection::Range(Bound::Unbounded, Bound::Unbounded);
    let after = Selection {
        full_scan: true,
        ..select([open, texts(&["A"])])
    };
    let words = refused(&quotes(), &after);
    assert!(words.starts_with("the selection of symbol"), "{words}");
    let map = ModelSchema {
        map_families: vec!["MD".into()].into(),
        ..quotes()
    };
    let any = Selection {
        condition: Some(ColumnTest::AnyColumn),
        ..quote(&["A"])
    };
    let words = refused(&map, &any);
    assert!(words.contains("family MD"), "{words}");
    let text = text_of(&map, &quote(&["A"]));
    assert!(text.contains(" AS `a.b`, `MD` FROM "), "{text}");
}

/// SQL returns the newest cell of a column and cannot limit its age.
#[test]
fn expired_cells_are_asked_for_by_name() {
    let with_rules = |rules: &[(&'static str, GcRule)]| ModelSchema {
        gc_rules: rules
            .iter()
            .map(|(family, rule)| FamilyRule {
                family: (*family).into(),
                rule: rule.clone(),
            })
            .collect::<Vec<_>>()
            .into(),
        ..quotes()
    };
    let day = GcRule::MaxAge(std::time::Duration::from_secs(86_400));
    let aged = with_rules(&[("MD", GcRule::MaxVersions(1)), ("X-1", day)]);
    let words = refused(&aged, &quote(&["A"]));
    assert!(
        words.contains("the families X-1, but") && words.contains("with_expired()"),
        "{words}"
    );
    let with_expired = Selection {
        with_expired: true,
        ..quote(&["A"])
    };
    let plain = text_of(&quotes(), &quote(&["A"]));
    assert_eq!(text_of(&aged, &with_expired), plain);
    // The newest cell stays, however many others there are.
    let numbered = with_rules(&[("MD", GcRule::MaxVersions(1))]);
    assert_eq!(text_of(&numbered, &quote(&["A"])), plain);
}
