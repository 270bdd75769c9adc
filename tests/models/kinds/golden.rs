//! The exact mutations and requests.

use bigtable_model::data::{Mutation, ReadModifyWriteRow, RowMutations, RuleAction};
use bigtable_model::model::{IntoUpdate, insert_mutations};
use bigtable_model::{Model, Timestamp};

use super::{Page, PageKey, Requests, RequestsKey, Visits, VisitsKey, page};
use crate::support::at;

const NOW: Timestamp = Timestamp::from_millis(7);

/// One line for each mutation: `=` writes a cell, `+` adds to one, `-` deletes.
fn lines(row: &RowMutations) -> Vec<String> {
    let line = |mutation: &Mutation| match mutation {
        Mutation::SetCell {
            family,
            qualifier,
            timestamp_micros,
            value,
        } => format!(
            "= {family}:{} @{timestamp_micros} {}",
            qualifier.escape_ascii(),
            value.escape_ascii()
        ),
        Mutation::AddToCell {
            family,
            qualifier,
            timestamp_micros,
            input,
        } => format!(
            "+ {family}:{} @{timestamp_micros} {input}",
            qualifier.escape_ascii()
        ),
        Mutation::DeleteFromColumn {
            family,
            qualifier,
            start_micros,
            end_micros,
        } => format!(
            "- {family}:{} {start_micros}..{end_micros}",
            qualifier.escape_ascii()
        ),
        other => format!("{other:?}"),
    };
    row.mutations.iter().map(line).collect()
}

#[test]
fn an_insert_deletes_before_it_writes() {
    let row = insert_mutations(&page(), NOW).unwrap();
    assert_eq!(
        lines(&row),
        [
            "= P:title @7000 Home",
            "- COUNT:N 0..0",
            r"= COUNT:N @7000 \x00\x00\x00\x00\x00\x00\x00\x03",
            "- COUNT:likes 0..0",
            "- P:visitors 0..0",
            "= P:visitors @7000 ann ",
            "- P:raw 0..0",
            "- SUM:seconds 0..0",
            // Without a time, all additions go to the cell with the first timestamp, whatever the
            // clock.
            "+ SUM:seconds @0 90",
        ]
    );
    assert!(row.is_idempotent());
}

#[test]
fn an_aggregate_has_the_events_time() {
    let requests = Requests {
        host: "web1".to_owned(),
        at: at("2024-02-03T04:05:06.7Z"),
        count: 2,
        millis: -1,
        fastest: None,
        slowest: Some(i64::MAX),
    };
    let row = insert_mutations(&requests, NOW).unwrap();
    let micros = at("2024-02-03T04:05:06Z").as_micros();
    let range = format!("{micros}..{}", micros + 1_000);
    assert_eq!(row.key, "web1#20240203");
    assert_eq!(
        lines(&row),
        [
            format!("- sum:count {range}"),
            format!("+ sum:count @{micros} 2"),
            format!("- sum:millis {range}"),
            format!("+ sum:millis @{micros} -1"),
            format!("- min:fastest {range}"),
            format!("- max:slowest {range}"),
            format!("+ max:slowest @{micros} 9223372036854775807"),
        ]
    );
    let key = RequestsKey {
        host: "web1".to_owned(),
        at: requests.at,
    };
    let row = Requests::update(&key)
        .add_fastest(3)
        .into_update()
        .to_mutations(Timestamp::now())
        .unwrap();
    assert_eq!(lines(&row), [format!("+ min:fastest @{micros} 3")]);
    assert!(!row.is_idempotent());
}

/// Plain cells have the clock's time; an aggregate keeps its timestamp.
#[test]
fn an_aggregate_has_the_events_time_whatever_stamps_its_cells() {
    #[derive(Model)]
    #[bigtable(table = "A", family = "A", cell_time = "write")]
    struct InRow {
        #[bigtable(key)]
        name: String,
        #[bigtable(time, unit = "s", truncate)]
        at: Timestamp,
        plain: bool,
        #[bigtable(aggregate = "sum", family = "SUM")]
        total: i64,
    }

    #[derive(Model)]
    #[bigtable(table = "A", family = "A", cell_time = "write", layout = "columns")]
    struct InColumns {
        #[bigtable(key)]
        name: String,
        #[bigtable(time, bucket = "day", offset = "%H%M", truncate)]
        at: Timestamp,
        plain: bool,
        #[bigtable(aggregate = "sum", family = "SUM")]
        total: i64,
    }

    let (name, at_) = ("a".to_owned(), at("2024-02-03T04:05:06.7Z"));
    let in_row = InRow {
        name: name.clone(),
        at: at_,
        plain: false,
        total: 1,
    };
    assert_eq!(
        lines(&insert_mutations(&in_row, NOW).unwrap()),
        [
            r"= A:plain @7000 \x00",
            "- SUM:total 0..0",
            "+ SUM:total @1706933106000000 1"
        ]
    );
    let in_columns = InColumns {
        name,
        at: at_,
        plain: false,
        total: 1,
    };
    assert_eq!(
        lines(&insert_mutations(&in_columns, NOW).unwrap()),
        [
            r"= A:plain:0405 @7000 \x00",
            "- SUM:total:0405 0..0",
            "+ SUM:total:0405 @1706933100000000 1"
        ]
    );
}

fn rules(request: &ReadModifyWriteRow) -> Vec<String> {
    let rule = |rule: &bigtable_model::data::ReadModifyWriteRule| {
        let action = match &rule.action {
            RuleAction::Append(suffix) => format!(".. {}", suffix.escape_ascii()),
            RuleAction::Increment(by) => format!("+ {by}"),
        };
        format!("{}:{} {action}", rule.family, rule.qualifier.escape_ascii())
    };
    request.rules.iter().map(rule).collect()
}

#[test]
fn a_modification_is_data_before_it_is_sent() {
    let key = PageKey {
        path: "/a".to_owned(),
    };
    let request = Page::modify(&key)
        .increment(Page::FIELDS.views, -3)
        .append(Page::FIELDS.visitors, "é")
        .append(Page::FIELDS.raw, &[0, 1])
        .to_request()
        .unwrap();
    assert_eq!((&*request.table, &*request.key), ("PAGE", &b"/a"[..]));
    assert_eq!(
        rules(&request),
        [
            "COUNT:N + -3",
            r"P:visitors .. \xc3\xa9",
            r"P:raw .. \x00\x01"
        ]
    );
    let key = VisitsKey {
        site: "a".to_owned(),
        at: at("2015-03-16T23:59:00Z"),
    };
    let request = Visits::modify(&key).increment(Visits::FIELDS.count, 1);
    let request = request.to_request().unwrap();
    assert_eq!(&*request.key, b"a#20150316");
    assert_eq!(rules(&request), ["V:2359 + 1"]);
    let off_grid = VisitsKey {
        at: at("2015-03-16T23:59:01Z"),
        ..key
    };
    let refused = Visits::modify(&off_grid).increment(Visits::FIELDS.count, 1);
    assert!(refused.to_request().is_err());
}
