//! Events that are cells of one row: SQL returns the query's events, in its order, with their
//! columns.

use super::judge::{Event, Read};
use super::*;
use crate::backend::sql::SqlValue;
use crate::key::time::bucket::Offset;
use crate::model::stored::write_event;
use crate::model::{Presence, Schema};
use crate::query::run::execute::found_events;
use crate::query::tests::makers::{DAY, JAN_1, cells, counted, day, endless, name, salt};

const HOUR: i64 = DAY / 24;

/// `{symbol}#{at:%Y%m%d}`
fn quotes_of_days() -> ModelSchema {
    cells(vec![name("symbol"), day()])
}

fn hour(hour: i64) -> SegmentValue {
    at(JAN_1 + hour * HOUR)
}

fn between(start: i64, end: i64) -> SegmentSelection {
    SegmentSelection::Range(Bound::Included(hour(start)), Bound::Excluded(hour(end)))
}

const CELLS: &str = "`MD`['BID'] AS c0, `MD`['ASK'] AS c1, `X-1`['a.b'] AS c2";
const FIELDS: &str = "c0 AS `BID`, c1 AS `ASK`, c2 AS `a.b`";

#[test]
fn a_time_of_one_series() {
    let selection = Selection {
        limit: Some(3),
        descending: true,
        ..by_time(select([texts(&["A"]), between(1, 30)]))
    };
    let query = to_sql(&quotes_of_days(), &selection).unwrap();
    assert_eq!(
        query.to_string(),
        format!(
            "SELECT _key, _timestamp, {FIELDS} FROM UNPACK((SELECT _key, {CELLS} \
             FROM `QUOTE`(with_history => TRUE, after_or_equal => TIMESTAMP('2020-01-01T01:00:00Z'), \
             before => TIMESTAMP('2020-01-02T06:00:00Z')) WHERE _key >= @from0 AND _key < @to0)) \
             WHERE c0 IS NOT NULL AND _timestamp >= @after AND _timestamp < @before \
             ORDER BY _timestamp DESC LIMIT 3"
        )
    );
    let types = query.parameters().types();
    let named: Vec<_> = types
        .iter()
        .map(|(name, of)| format!("{name} {of}"))
        .collect();
    assert_eq!(
        named,
        [
            "after TIMESTAMP",
            "before TIMESTAMP",
            "from0 BYTES",
            "to0 BYTES"
        ]
    );
}

#[test]
fn times_one_by_one_and_some_columns() {
    let times = SegmentSelection::Values(vec![hour(1), hour(2)]);
    let selection = Selection {
        columns: Some(vec![1]),
        order: Order::Any,
        condition: Some(ColumnTest::Present(Declared(3)).negate()),
        ..select([texts(&["A"]), times])
    };
    let text = text_of(&quotes_of_days(), &selection);
    assert_eq!(
        text,
        "SELECT _key, _timestamp, c0 AS `ASK` FROM UNPACK((SELECT _key, `MD`['ASK'] AS c0, \
         `MD`['BID'] AS c1, `X-1`['a.b'] AS c2 FROM `QUOTE`(with_history => TRUE, \
         after_or_equal => TIMESTAMP('2020-01-01T01:00:00Z'), \
         before => TIMESTAMP('2020-01-01T02:00:00.001Z')) WHERE _key IN UNNEST(@keys))) \
         WHERE c1 IS NOT NULL AND NOT (c2 IS NOT NULL) AND _timestamp IN UNNEST(@times)"
    );
}

#[test]
fn all_rows_and_a_marker() {
    let schema = ModelSchema {
        presence: Presence::Marker {
            family: "MD".into(),
            qualifier: "".into(),
        },
        ..quotes_of_days()
    };
    let all = Selection {
        full_scan: true,
        descending: true,
        ..select([])
    };
    assert_eq!(
        text_of(&schema, &all),
        format!(
            "SELECT _key, _timestamp, {FIELDS} FROM UNPACK((SELECT _key, {CELLS}, \
             `MD`[''] AS c3 FROM `QUOTE`(with_history => TRUE))) WHERE c3 IS NOT NULL \
             ORDER BY _key DESC, _timestamp DESC"
        )
    );
}

/// A run-time column is a column, but what `UNPACK` makes of a whole family is not documented.
#[test]
fn run_time_columns_are_named() {
    let schema = ModelSchema {
        map_families: vec!["X-1".into()].into(),
        ..quotes_of_days()
    };
    let whole = Selection {
        order: Order::Any,
        ..select([texts(&["A"])])
    };
    let words = refused(&schema, &whole);
    assert!(
        words.contains("all run-time columns of family X-1") && words.contains("in a projection"),
        "{words}"
    );
    let some = Selection {
        columns: Some(vec![1]),
        entries: vec![(0, "cpu".into())],
        ..whole
    };
    assert_eq!(
        text_of(&schema, &some),
        "SELECT _key, _timestamp, c0 AS `ASK`, c1 AS `cpu` FROM UNPACK((SELECT _key, \
         `MD`['ASK'] AS c0, `X-1`['cpu'] AS c1, `MD`['BID'] AS c2 \
         FROM `QUOTE`(with_history => TRUE) WHERE _key >= @from0 AND _key < @to0)) \
         WHERE c2 IS NOT NULL"
    );
}

/// A field of an event's JSON is read in its cell at the event's time.
#[test]
fn json_in_cells() {
    use crate::model::{JsonForm, PayloadForm};
    use crate::query::PayloadField;
    let mut columns = quotes_of_days().columns.to_vec();
    columns.truncate(1);
    columns[0].codec = "json".into();
    let schema = ModelSchema {
        columns: columns.into(),
        ..quotes_of_days()
    };
    let field = PayloadField {
        field: "bid".into(),
        name: "b".into(),
        form: PayloadForm::Member(JsonForm::WithFraction),
    };
    let selection = Selection {
        columns: Some(vec![0]),
        payload: vec![field],
        order: Order::Any,
        ..select([texts(&["A"])])
    };
    assert_eq!(
        text_of(&schema, &selection),
        "SELECT _key, _timestamp, CAST(JSON_VALUE(CAST(c0 AS STRING), '$.b') AS FLOAT64) AS `bid` \
         FROM UNPACK((SELECT _key, `MD`['BID'] AS c0 FROM `QUOTE`(with_history => TRUE) \
         WHERE _key >= @from0 AND _key < @to0)) WHERE c0 IS NOT NULL"
    );
}

/// The beginning of the year 10000, and a millisecond before 1970.
const BEYOND: [Timestamp; 2] = [
    Timestamp::from_micros(253_402_300_800_000_000),
    Timestamp::from_millis(-1),
];

fn of_times(times: SegmentSelection) -> SqlQuery {
    let schema = cells(vec![name("symbol"), endless()]);
    to_sql(&schema, &by_time(select([texts(&["A"]), times]))).unwrap()
}

/// The names of a query's parameters without those of its keys.
fn of_its_times(query: &SqlQuery) -> Vec<&str> {
    let names = query.parameters().iter().map(|(name, ..)| name);
    let names = names.filter(|name| ["after", "before", "times"].contains(name));
    names.collect()
}

/// Ends that exclude nothing are left out, and those that exclude all events are no parameters.
#[test]
fn ends_that_sql_does_not_have() {
    let range = |start: Timestamp, end: Timestamp| {
        of_times(SegmentSelection::Range(
            Bound::Included(SegmentValue::Time(start)),
            Bound::Excluded(SegmentValue::Time(end)),
        ))
    };
    let [late, early] = BEYOND;
    for (start, end, condition) in [
        (Timestamp::UNIX_EPOCH, Timestamp::MAX, ""),
        (early, late, ""),
        (Timestamp::MIN, Timestamp::MAX, ""),
        (Timestamp::MIN, early, " AND FALSE"),
        (early, Timestamp::UNIX_EPOCH, " AND FALSE"),
        (late, Timestamp::MAX, " AND FALSE"),
    ] {
        let query = range(start, end);
        let text = query.to_string();
        assert!(text.contains("`(with_history => TRUE) WHERE"), "{text}");
        let expected = format!(" WHERE c0 IS NOT NULL{condition} ORDER BY _timestamp");
        assert!(text.ends_with(&expected), "{text}");
        assert_eq!(of_its_times(&query), [""; 0]);
    }
    let query = range(early, Timestamp::from_millis(JAN_1));
    assert_eq!(of_its_times(&query), ["before"]);
    let query = range(Timestamp::from_millis(JAN_1), late);
    assert_eq!(of_its_times(&query), ["after"]);
}

#[test]
fn times_that_sql_does_not_have() {
    let times = |times: &[Timestamp]| {
        let times = times.iter().copied().map(SegmentValue::Time);
        of_times(SegmentSelection::Values(times.collect()))
    };
    let query = times(&BEYOND);
    let text = query.to_string();
    assert!(text.contains(" AND FALSE ORDER BY _timestamp"), "{text}");
    assert_eq!(of_its_times(&query), [""; 0]);
    let [late, early] = BEYOND;
    let known = Timestamp::from_millis(JAN_1);
    let query = times(&[early, known, late]);
    let text = query.to_string();
    assert!(
        text.contains(" AND _timestamp IN UNNEST(@times) ORDER BY"),
        "{text}"
    );
    let mut all = query.parameters().iter();
    let (_, _, bound) = all.find(|(name, ..)| *name == "times").unwrap();
    let expected = SqlValue::Array(vec![SqlValue::Timestamp(known.into())]);
    assert_eq!(*bound, expected);
}

#[test]
fn what_has_no_form_in_cells_is_named() {
    let quotes = quotes_of_days();
    let packed = ModelSchema {
        pack_after_micros: Some(0),
        ..quotes_of_days()
    };
    let words = refused(&packed, &select([texts(&["A"])]));
    assert!(words.contains("has `pack`"), "{words}");
    let several = by_time(select([texts(&["A", "B"])]));
    let words = refused(&quotes, &several);
    assert!(words.contains("2 scans"), "{words}");
    let columns = Layout::Columns {
        offset: Offset::Ticks {
            unit: TimeUnit::Millis,
            width: 8,
            reverse: false,
        },
        named: true,
    };
    let layouts = [
        (columns, "layout `columns` the names of columns"),
        (
            Layout::Qualifiers,
            "layout `qualifiers` the names of columns",
        ),
        (Layout::Latest, "layout `latest` a row may still have cells"),
    ];
    for (layout, expected) in layouts {
        let schema = ModelSchema {
            layout,
            ..quotes_of_days()
        };
        let words = refused(&schema, &select([texts(&["A"])]));
        assert!(words.starts_with(&format!("in {expected}")), "{words}");
    }
}

/// Segments of keys with a bucket.
fn keys() -> impl Strategy<Value = ModelSchema> {
    let keys = [
        vec![name("symbol"), day()],
        vec![name("symbol"), counted()],
        vec![name("symbol"), endless()],
        vec![day(), name("symbol")],
        vec![salt(3, &[1]), name("symbol"), day()],
    ];
    prop::sample::select(keys.to_vec()).prop_map(cells)
}

/// Symbol, hour, and which columns it has: with the first it is an event.
type Drawn = (usize, i64, [Option<u8>; 3]);

fn drawn() -> impl Strategy<Value = Vec<Drawn>> {
    let columns = (
        any::<u8>(),
        0..6_u8,
        any::<Option<u8>>(),
        any::<Option<u8>>(),
    );
    let columns =
        columns.prop_map(|(bid, marked, ask, other)| [(marked > 0).then_some(bid), ask, other]);
    prop::collection::vec((0..2_usize, 0..60_i64, columns), 1..12)
}

const SYMBOLS: [&str; 2] = ["A", "B"];

/// The values of a key's segments without the salt.
fn valued(schema: &ModelSchema, symbol: usize, time: i64) -> Vec<SegmentValue> {
    let valued = schema.key.valued();
    let value = |(_, segment): (usize, &Segment)| match segment.kind {
        SegmentKind::Time => hour(time),
        _ => text(SYMBOLS[symbol]),
    };
    valued.map(value).collect()
}

async fn stored_events(schema: &ModelSchema, events: &[Drawn]) -> MemoryBackend {
    let db = MemoryBackend::new();
    let families = ["MD", "X-1"].map(|name| (name.to_owned(), FamilySchema::default()));
    let table = TableSchema {
        table: "QUOTE".to_owned(),
        families: families.into(),
        ..TableSchema::default()
    };
    db.tables().create(table, Vec::new()).await.unwrap();
    let schema = Schema::from(schema.clone());
    for (symbol, time, [bid, ask, other]) in events {
        let columns = [*bid, *ask, None, *other].map(|of| of.map(value));
        let values = valued(&schema, *symbol, *time);
        let row = write_event(&schema, &values, &columns, Timestamp::default()).unwrap();
        // An event's write deletes the columns that it lacks; here only cells are wanted.
        let of_event = |one: &Mutation| matches!(one, Mutation::SetCell { .. });
        let row = RowMutations {
            mutations: row.mutations.into_iter().filter(of_event).collect(),
            ..row
        };
        if !row.mutations.is_empty() {
            db.mutate_row("QUOTE", row).await.unwrap();
        }
    }
    db
}

/// The events that the query itself returns, with these columns.
async fn queried(
    db: &MemoryBackend,
    schema: &ModelSchema,
    plan: Plan,
    wanted: &[usize],
) -> Vec<Event> {
    let schema = Schema::from(schema.clone());
    let mut events = found_events(db, &schema, plan).unwrap();
    let mut found = Vec::new();
    while let Some(next) = events.advance().await {
        next.unwrap();
        let (row, index) = events.current().unwrap();
        let (_, columns) = row.values(index).unwrap();
        found.push(Event {
            key: row.shared_key(),
            micros: row.time(index).unwrap().unwrap().as_micros(),
            columns: wanted.iter().map(|at| columns[*at].clone()).collect(),
        });
    }
    found
}

fn times() -> impl Strategy<Value = SegmentSelection> {
    let bound = || {
        prop_oneof![
            Just(Bound::Unbounded),
            (-1..60_i64).prop_map(|at| Bound::Included(hour(at))),
            (-1..60_i64).prop_map(|at| Bound::Excluded(hour(at))),
        ]
    };
    prop_oneof![
        Just(SegmentSelection::ALL),
        prop::collection::vec((-1..60_i64).prop_map(hour), 0..3).prop_map(SegmentSelection::Values),
        (bound(), bound()).prop_map(|(start, end)| SegmentSelection::Range(start, end)),
    ]
}

/// A query of events, and the columns that it returns.
fn selection(
    schema: &ModelSchema,
    symbols: &[&str],
    times: &SegmentSelection,
    some: bool,
    asked: &Asked,
) -> (Selection, &'static [usize]) {
    let wanted: &[usize] = if some { &[3] } else { &[0, 1, 3] };
    let segments = schema.key.valued().map(|(_, segment)| match segment.kind {
        SegmentKind::Time => times.clone(),
        _ => texts(symbols),
    });
    let selection = Selection {
        condition: asked.condition.clone(),
        order: asked.order,
        descending: asked.descending,
        limit: asked.limit,
        columns: some.then(|| wanted.to_vec()),
        full_scan: true,
        max_scans: usize::MAX,
        segments: segments.collect(),
        ..Selection::default()
    };
    (selection, wanted)
}

/// Checks that the cases below are not all trivial.
#[test]
fn random_queries_return_some_events_and_leave_out_others() {
    use proptest::strategy::ValueTree as _;
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let mut drawn_of = || {
        let symbols = prop::collection::vec(prop::sample::select(SYMBOLS.to_vec()), 1..3);
        let all = (keys(), drawn(), symbols, times(), asked());
        all.new_tree(&mut runner).unwrap().current()
    };
    let (mut some, mut several, mut narrowed) = (0, 0, 0);
    for _ in 0..600 {
        let (schema, drawn, symbols, times, asked) = drawn_of();
        let (selection, _) = selection(&schema, &symbols, &times, false, &asked);
        let Ok(query) = to_sql(&schema, &selection) else {
            continue;
        };
        let rows: Vec<Row> = block_on(async {
            let db = stored_events(&schema, &drawn).await;
            let all = ReadRows {
                table: "QUOTE".into(),
                ..ReadRows::default()
            };
            db.read_rows(all).rows().try_collect().await.unwrap()
        });
        let found = Read::new(&query).events(&rows, false).len();
        some += usize::from(found > 0);
        several += usize::from(found > 2);
        narrowed += usize::from(found > 0 && found < drawn.len());
    }
    assert!(
        some > 50 && several > 20 && narrowed > 30,
        "{some} {several} {narrowed}"
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn sql_returns_the_events_of_the_query(
        schema in keys(),
        drawn in drawn(),
        symbols in prop::collection::vec(prop::sample::select(SYMBOLS.to_vec()), 1..3),
        times in times(),
        some in any::<bool>(),
        asked in asked(),
    ) {
        let (selection, wanted) = selection(&schema, &symbols, &times, some, &asked);
        let Ok(plan) = plan(&schema, &selection) else {
            return Ok(());
        };
        let query = match to_sql(&schema, &selection) {
            Ok(query) => query,
            Err(Error::Sql { source: SqlRefusal::Order { scans }, .. }) => {
                prop_assert!(scans > 1 && asked.order == Order::Time);
                return Ok(());
            }
            Err(Error::Sql { source: SqlRefusal::Compared { .. }, .. }) => {
                let compared = plan.reasons.iter().any(|one| matches!(one, ReadsMore::Compared { .. }));
                prop_assert!(compared);
                return Ok(());
            }
            Err(other) => return Err(TestCaseError::fail(format!("{other:?}"))),
        };
        let (mut expected, rows) = block_on(async {
            let db = stored_events(&schema, &drawn).await;
            let all = ReadRows { table: "QUOTE".into(), ..ReadRows::default() };
            let rows: Vec<Row> = db.read_rows(all).rows().try_collect().await.unwrap();
            (queried(&db, &schema, plan.clone(), wanted).await, rows)
        });
        if plan.order == Order::Any {
            expected.sort_by(|a, b| (&a.key, a.micros).cmp(&(&b.key, b.micros)));
        }
        for inclusive in [false, true] {
            let found = Read::new(&query).events(&rows, inclusive);
            prop_assert_eq!(&found, &expected, "{}\n{:?}\n{:?}", query, query.parameters(), plan);
        }
    }
}
