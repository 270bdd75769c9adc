//! Plans of models whose tables are by period.

use std::error::Error as _;

use super::makers::*;
use super::*;
use crate::QueryError;
use crate::key::CalendarField::{Day, Month, Year};
use crate::key::time::bucket::{Bucket, BucketLabel, BucketSpan};
use crate::model::{PeriodTables, TableName};
use crate::query::{Explanation, Plan, plan, plan_over};

/// `schema` with a table a day: `Q_20200101`.
fn daily(schema: ModelSchema) -> ModelSchema {
    let tables = PeriodTables {
        before: "Q_".into(),
        field: "at".into(),
        periods: Bucket {
            span: BucketSpan::Day,
            zone: None,
            label: BucketLabel::Calendar(calendar(&[Year, Month, Day])),
            grid_micros: 1,
            truncate: false,
        },
        after: "".into(),
    };
    assert_eq!(tables.refusal(&schema.key), None);
    ModelSchema {
        table: TableName::ByPeriod(tables),
        ..schema
    }
}

/// The tables of each scan, each with the rows that are read.
fn parts(plan: &Plan) -> Vec<Vec<String>> {
    let part = |part: &crate::query::Part| {
        let keys = part.keys.iter().map(|key| key.escape_ascii().to_string());
        let ranges = part.ranges.iter().map(ToString::to_string);
        let rows: Vec<_> = keys.chain(ranges).collect();
        format!("{} {}", part.table, rows.join(" "))
    };
    let scans = plan.scans.iter();
    scans
        .map(|scan| scan.parts.iter().map(part).collect())
        .collect()
}

fn of_quote(symbols: &[&str], time: SegmentSelection) -> Selection {
    select([texts(&["NASDAQ"]), texts(symbols), time])
}

fn refused(schema: &ModelSchema, selection: &Selection) -> QueryError {
    let error = plan(schema, selection).unwrap_err();
    let source = error.source().unwrap().downcast_ref::<QueryError>();
    source.unwrap().clone()
}

#[test]
fn in_order_of_time_a_series_is_read_table_by_table() {
    let schema = daily(quotes());
    let noon = JAN_1 + DAY / 2;
    let selection = by_time(of_quote(&["A"], times(noon, noon + 2 * DAY)));
    let mut expected = [
        r#"Q_20200101 ["NASDAQ#A    #1577880000000", "NASDAQ#A    #1577923200000")"#,
        r#"Q_20200102 ["NASDAQ#A    #1577923200000", "NASDAQ#A    #1578009600000")"#,
        r#"Q_20200103 ["NASDAQ#A    #1578009600000", "NASDAQ#A    #1578052800000")"#,
    ];
    let forwards = plan(&schema, &selection).unwrap();
    assert_eq!(parts(&forwards), [expected]);
    assert_eq!(forwards.table, "Q_{at:%Y%m%d}");
    let descending = Selection {
        descending: true,
        ..selection
    };
    expected.reverse();
    assert_eq!(parts(&plan(&schema, &descending).unwrap()), [expected]);
}

#[test]
fn reversed_keys_are_read_from_the_newest_table_on_too() {
    let schema = daily(quotes_with(time(true)));
    let selection = Selection {
        descending: true,
        ..by_time(of_quote(&["A"], times(JAN_1, JAN_1 + 2 * DAY)))
    };
    let plan = plan(&schema, &selection).unwrap();
    assert!(!plan.reversed);
    let tables: Vec<_> = plan.scans[0].parts.iter().map(|one| &one.table).collect();
    assert_eq!(tables, ["Q_20200102", "Q_20200101"]);
}

#[test]
fn in_order_of_keys_each_table_is_a_scan() {
    let schema = daily(quotes());
    let mut selection = of_quote(&["A", "B"], times(JAN_1, JAN_1 + 2 * DAY));
    let plan = plan(&schema, &selection).unwrap();
    let tables: Vec<_> = plan.scans.iter().map(|scan| &scan.parts[0].table).collect();
    assert_eq!(tables, ["Q_20200101", "Q_20200102"]);
    assert!(
        plan.scans
            .iter()
            .all(|scan| scan.parts[0].ranges.len() == 2)
    );
    selection.max_scans = 1;
    let (scans, max_scans) = (2, 1);
    assert_eq!(
        refused(&schema, &selection),
        QueryError::TooManyScans { scans, max_scans }
    );
}

#[test]
fn without_an_order_tables_are_shared_among_the_scans() {
    let schema = daily(quotes());
    let tables = |days: i64| {
        let selection = Selection {
            order: Order::Any,
            ..of_quote(&["A"], times(JAN_1, JAN_1 + days * DAY))
        };
        let plan = plan(&schema, &selection).unwrap();
        assert_eq!(plan.tables().len(), usize::try_from(days).unwrap());
        let parts = plan.scans.iter().map(|scan| scan.parts.len());
        parts.collect::<Vec<_>>()
    };
    assert_eq!(tables(3), [1, 1, 1]);
    assert_eq!(tables(16), [1; 16]);
    assert_eq!(tables(40), [[3; 8], [2; 8]].concat());
}

#[test]
fn times_are_looked_for_in_their_own_tables() {
    let schema = daily(quotes());
    let time = |time: i64| at(JAN_1 + time);
    let wanted = [time(2 * DAY), time(0), time(DAY - 1), time(0)].to_vec();
    let selection = by_time(of_quote(&["A"], SegmentSelection::Values(wanted)));
    assert_eq!(
        parts(&plan(&schema, &selection).unwrap()),
        [[
            "Q_20200101 NASDAQ#A    #1577836800000 NASDAQ#A    #1577923199999",
            "Q_20200103 NASDAQ#A    #1578009600000",
        ]]
    );
}

#[test]
fn buckets_are_looked_for_in_their_own_tables() {
    let schema = daily(cells(vec![day(), name("symbol")]));
    let selection = by_time(select([times(JAN_1, JAN_1 + 2 * DAY), texts(&["A"])]));
    let expected = [["Q_20200101 20200101#A", "Q_20200102 20200102#A"]];
    assert_eq!(parts(&plan(&schema, &selection).unwrap()), expected);
}

#[test]
fn an_open_time_takes_the_list_of_tables() {
    let schema = daily(quotes());
    let live = [
        "Q_20200103",
        "Q_2020010",
        "Q_20200101",
        "QUOTE",
        "Q_20200132",
    ];
    let live: Vec<String> = live.map(str::to_owned).to_vec();
    let from = SegmentSelection::Range(Bound::Included(at(JAN_1 + DAY)), Bound::Unbounded);
    let open = SegmentSelection::Range(Bound::Unbounded, Bound::Unbounded);
    let cases = [
        (of_quote(&["A"], from), &["Q_20200103"][..]),
        (of_quote(&["A"], open), &["Q_20200101", "Q_20200103"]),
        (
            select([texts(&["NASDAQ"]), texts(&["A"])]),
            &["Q_20200101", "Q_20200103"],
        ),
    ];
    for (selection, tables) in cases {
        let segment = "at".to_owned();
        assert_eq!(
            refused(&schema, &selection),
            QueryError::OpenPeriods { segment }
        );
        let plan = plan_over(&schema, &by_time(selection), &live).unwrap();
        let parts = &plan.scans[0].parts;
        let found: Vec<_> = parts.iter().map(|part| part.table.as_str()).collect();
        assert_eq!(found, tables);
    }
}

#[test]
fn without_a_table_there_is_no_scan_and_mistakes_are_told() {
    let schema = daily(quotes());
    let ended = of_quote(&["A"], times(JAN_1, JAN_1));
    assert_eq!(plan(&schema, &ended).unwrap().scans, []);
    let nothing = select([]);
    let error = plan_over(&schema, &nothing, &[]).unwrap_err();
    let source = error.source().unwrap().downcast_ref::<QueryError>();
    assert!(matches!(source, Some(QueryError::FullScan { .. })));
    let all = Selection {
        full_scan: true,
        ..nothing
    };
    let live = ["Q_20200101".to_owned()];
    let plan = plan_over(&schema, &all, &live).unwrap();
    assert!(plan.full_scan && plan.scans[0].parts[0].is_all());
}

#[test]
fn more_tables_than_a_query_may_touch_are_refused_at_once() {
    let mut schema = daily(quotes());
    let TableName::ByPeriod(tables) = &mut schema.table else {
        panic!("by period");
    };
    let hours = [Year, Month, Day, crate::key::CalendarField::Hour];
    tables.periods.span = BucketSpan::Hour;
    tables.periods.label = BucketLabel::Calendar(calendar(&hours));
    let selection = of_quote(&["A"], times(0, 100 * 366 * DAY));
    let refusal = refused(&schema, &selection);
    let combinations = 100_001;
    assert_eq!(refusal, QueryError::TooManyCombinations { combinations });
}

#[test]
fn an_explanation_names_the_tables() {
    let schema = daily(quotes());
    let selection = by_time(of_quote(&["A"], times(JAN_1, JAN_1 + 2 * DAY)));
    let text = Explanation::new(&schema, plan(&schema, &selection)).to_string();
    assert_eq!(
        text,
        "table Q_{at:%Y%m%d} (Q_20200101, Q_20200102), keys {exchange:<6}#{symbol:<5}#{at:013ms}, events marked by MD:BID\n\
         1 scan over 2 ranges\n\
         \x20 in 2 requests, those of a scan one after another\n\
         \x20 Q_20200101: exchange=NASDAQ symbol=A at from 2020-01-01T00:00:00Z to before 2020-01-02T00:00:00Z\n\
         \x20 Q_20200102: exchange=NASDAQ symbol=A at from 2020-01-02T00:00:00Z to before 2020-01-03T00:00:00Z\n\
         filter: the newest cell of each column\n\
         order: by time, oldest first\n\
         limit: none\n\
         memory: one batch of rows at a time\n\
         key in SQL: `_key` alone, since segment \"exchange\" of the row key holds bytes at or below the separator, \
         which Bigtable's own encoding refuses: choose a lower separator, such as \"!\", or another pad than a space"
    );
}

#[cfg(feature = "json")]
#[test]
fn plans_and_schemas_are_plain_data() {
    let schema = daily(quotes());
    let text = serde_json::to_string(&schema).unwrap();
    assert_eq!(
        serde_json::from_str::<ModelSchema>(&text).unwrap(),
        schema,
        "{text}"
    );
    let selection = by_time(of_quote(&["A"], times(JAN_1, JAN_1 + 2 * DAY)));
    let plan = plan(&schema, &selection).unwrap();
    let text = serde_json::to_string(&plan).unwrap();
    assert_eq!(serde_json::from_str::<Plan>(&text).unwrap(), plan);
}
