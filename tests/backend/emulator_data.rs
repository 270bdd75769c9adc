//! Reads and writes of rows on Google's emulator.

use std::ops::Bound;

use bigtable_model::Code;
use bigtable_model::data::{
    CheckAndMutateRow, EntryBatch, Mutation, ReadModifyWriteRow, ReadModifyWriteRule, ReadRows,
    RowFilter, RowRange, RowSet, RuleAction, SERVER_TIME,
};
use futures::{StreamExt, TryStreamExt};

use crate::fixture::{Fixture, TABLE, all, row, set, show};

#[tokio::test]
async fn a_row_is_read_as_it_was_written() {
    let Some(fixture) = Fixture::new().await else {
        return;
    };
    let bytes: Vec<u8> = (0..=255).collect();
    let written = vec![
        set("f", "b", 2000, "new"),
        set("f", "b", 1000, "old"),
        set("f", "", 0, ""),
        set("g", "a", 3000, bytes.clone()),
    ];
    fixture.write("k\u{e9}\n", written).await.unwrap();
    let rows = fixture.read(all()).await.unwrap();
    assert_eq!(rows.len(), 1);
    assert_eq!(rows[0].key, "k\u{e9}\n");
    let expected = format!("g:a@3000={}", bytes.escape_ascii());
    assert_eq!(
        show(&rows[0]),
        ["f:@0=", "f:b@2000=new", "f:b@1000=old", expected.as_str()]
    );
}

#[tokio::test]
async fn every_mutation_does_what_it_says() {
    let Some(fixture) = Fixture::new().await else {
        return;
    };
    let cells = ["a", "b", "c"]
        .map(|qualifier| [1000, 2000, 3000].map(|time| set("f", qualifier, time, "v")));
    let mut cells: Vec<_> = cells.into_iter().flatten().collect();
    cells.push(set("g", "a", 1000, "v"));
    fixture.write("k", cells).await.unwrap();
    let delete = |qualifier: &'static str, start_micros, end_micros| Mutation::DeleteFromColumn {
        family: "f".into(),
        qualifier: qualifier.into(),
        start_micros,
        end_micros,
    };
    let deletes = vec![
        delete("a", 0, 0),
        delete("b", 2000, 3000),
        delete("c", 2000, 0),
    ];
    fixture.write("k", deletes).await.unwrap();
    let left = ["f:b@3000=v", "f:b@1000=v", "f:c@1000=v", "g:a@1000=v"];
    assert_eq!(fixture.cells("k").await, left);
    let family = Mutation::DeleteFromFamily { family: "f".into() };
    fixture.write("k", vec![family]).await.unwrap();
    assert_eq!(fixture.cells("k").await, ["g:a@1000=v"]);
    let in_order = vec![Mutation::DeleteFromRow, set("f", "q", 1000, "v")];
    fixture.write("k", in_order).await.unwrap();
    assert_eq!(fixture.cells("k").await, ["f:q@1000=v"]);
    fixture
        .write("k", vec![Mutation::DeleteFromRow])
        .await
        .unwrap();
    assert_eq!(fixture.cells("k").await, [] as [&str; 0]);
}

#[tokio::test]
async fn the_server_stamps_its_own_time_when_asked() {
    let Some(fixture) = Fixture::new().await else {
        return;
    };
    fixture
        .write("k", vec![set("f", "q", SERVER_TIME, "v")])
        .await
        .unwrap();
    let rows = fixture.read(all()).await.unwrap();
    let stamped = rows[0].cells[0].timestamp_micros;
    assert!(
        stamped > 1_700_000_000_000_000 && stamped % 1000 == 0,
        "{stamped}"
    );
}

#[tokio::test]
async fn keys_and_ranges_choose_rows() {
    let Some(fixture) = Fixture::new().await else {
        return;
    };
    fixture.fill(["a", "b", "c", "d", "e"]).await;
    let range = |start, end| RowSet::range(RowRange { start, end });
    let cases = [
        (RowSet::all(), "abcde"),
        (RowSet::key("c"), "c"),
        (RowSet::key("x"), ""),
        (RowSet::range(RowRange::half_open("b", "d")), "bc"),
        (RowSet::range(RowRange::prefix("b")), "b"),
        (RowSet::range(RowRange::all()), "abcde"),
        (
            range(Bound::Excluded("b".into()), Bound::Included("d".into())),
            "cd",
        ),
        (
            range(Bound::Included("b".into()), Bound::Included("d".into())),
            "bcd",
        ),
        (range(Bound::Excluded("b".into()), Bound::Unbounded), "cde"),
        (range(Bound::Unbounded, Bound::Excluded("c".into())), "ab"),
        (
            RowSet {
                keys: vec!["e".into(), "a".into(), "c".into()],
                ranges: vec![RowRange::half_open("b", "d"), RowRange::half_open("a", "c")],
            },
            "abce",
        ),
    ];
    for (rows, expected) in cases {
        let shown = format!("{rows:?}");
        let forward = ReadRows { rows, ..all() };
        let reversed = ReadRows {
            reversed: true,
            ..forward.clone()
        };
        assert_eq!(fixture.keys(forward).await.concat(), expected, "{shown}");
        let backward: String = expected.chars().rev().collect();
        assert_eq!(fixture.keys(reversed).await.concat(), backward, "{shown}");
    }
}

#[tokio::test]
async fn a_limit_counts_rows_from_the_end_it_starts_at() {
    let Some(fixture) = Fixture::new().await else {
        return;
    };
    fixture.fill(["a", "b", "c", "d"]).await;
    let mut request = ReadRows {
        rows_limit: 2,
        ..all()
    };
    assert_eq!(fixture.keys(request.clone()).await, ["a", "b"]);
    request.reversed = true;
    assert_eq!(fixture.keys(request.clone()).await, ["d", "c"]);
    request.rows = RowSet::range(RowRange::half_open("a", "c"));
    assert_eq!(fixture.keys(request).await, ["b", "a"]);
}

async fn filtered(fixture: &Fixture, filter: RowFilter) -> Vec<String> {
    let request = ReadRows {
        filter: Some(filter),
        ..all()
    };
    let rows = fixture.read(request).await.unwrap();
    let shown = rows.iter().map(|row| {
        let key = row.key.escape_ascii();
        format!("{key} {}", show(row).join(" "))
    });
    shown.collect()
}

#[tokio::test]
async fn each_filter_reaches_the_server() {
    let Some(fixture) = Fixture::new().await else {
        return;
    };
    for key in ["k1", "k2"] {
        let cells = vec![
            set("f", "a", 2000, "x"),
            set("f", "a", 1000, "y"),
            set("f", "b", 1000, "z"),
        ];
        fixture.write(key, cells).await.unwrap();
    }
    fixture
        .write("k2", vec![set("g", "c", 5000, "x")])
        .await
        .unwrap();

    use RowFilter as F;
    let family = |name: &str| F::FamilyRegex(name.to_owned());
    let chain = |filters: Vec<F>| F::chain(filters).unwrap();
    let on_k2 = |filter: F| chain(vec![F::RowKeyRegex("k2".into()), filter]);
    let f_of_k2 = |filter: F| chain(vec![F::RowKeyRegex("k2".into()), family("f"), filter]);
    let (from, to) = (Bound::Included("a".into()), Bound::Excluded("b".into()));
    let condition = |predicate: F| F::Condition {
        predicate: Box::new(predicate),
        if_true: Some(Box::new(F::Label("yes".to_owned()))),
        if_false: Some(Box::new(F::QualifierRegex("b".into()))),
    };
    let cases: Vec<(F, &[&str])> = vec![
        (F::BlockAll, &[]),
        (
            on_k2(F::PassAll),
            &["k2 f:a@2000=x f:a@1000=y f:b@1000=z g:c@5000=x"],
        ),
        (family("g"), &["k2 g:c@5000=x"]),
        (
            on_k2(F::QualifierRegex("[bc]".into())),
            &["k2 f:b@1000=z g:c@5000=x"],
        ),
        (
            on_k2(F::QualifierRange {
                family: "f".to_owned(),
                start: from,
                end: to,
            }),
            &["k2 f:a@2000=x f:a@1000=y"],
        ),
        (
            on_k2(F::TimestampRange {
                start_micros: 2000,
                end_micros: 0,
            }),
            &["k2 f:a@2000=x g:c@5000=x"],
        ),
        (
            F::TimestampRange {
                start_micros: 2000,
                end_micros: 5000,
            },
            &["k1 f:a@2000=x", "k2 f:a@2000=x"],
        ),
        (
            on_k2(F::ValueRegex("[yz]".into())),
            &["k2 f:a@1000=y f:b@1000=z"],
        ),
        (
            on_k2(F::ValueRange {
                start: Bound::Excluded("x".into()),
                end: Bound::Included("y".into()),
            }),
            &["k2 f:a@1000=y"],
        ),
        (f_of_k2(F::CellsPerRowOffset(2)), &["k2 f:b@1000=z"]),
        (
            f_of_k2(F::CellsPerRowLimit(2)),
            &["k2 f:a@2000=x f:a@1000=y"],
        ),
        (
            f_of_k2(F::CellsPerColumnLimit(1)),
            &["k2 f:a@2000=x f:b@1000=z"],
        ),
        (
            f_of_k2(chain(vec![F::QualifierRegex("b".into()), F::StripValue])),
            &["k2 f:b@1000="],
        ),
        (
            chain(vec![family("g"), F::Label("l".to_owned())]),
            &["k2 g:c@5000=x[l]"],
        ),
        (
            F::interleave([family("g"), on_k2(F::QualifierRegex("b".into()))]).unwrap(),
            &["k2 f:b@1000=z g:c@5000=x"],
        ),
        (
            condition(family("g")),
            &[
                "k1 f:b@1000=z",
                "k2 f:a@2000=x[yes] f:a@1000=y[yes] f:b@1000=z[yes] g:c@5000=x[yes]",
            ],
        ),
    ];
    for (filter, expected) in cases {
        let shown = format!("{filter:?}");
        assert_eq!(filtered(&fixture, filter).await, expected, "{shown}");
    }
    assert!(filtered(&fixture, F::RowSample(0.000_001)).await.len() <= 2);
}

#[tokio::test]
async fn a_bulk_write_tells_which_entries_failed() {
    let Some(fixture) = Fixture::new().await else {
        return;
    };
    let rows = vec![
        row("a", vec![set("f", "q", 1000, "v")]),
        row("b", vec![set("none", "q", 1000, "v")]),
        row("c", vec![set("g", "q", 1000, "v")]),
    ];
    let outcomes = fixture
        .backend
        .mutate_rows(TABLE, EntryBatch::of(rows))
        .await
        .unwrap();
    let ok: Vec<_> = outcomes.iter().map(Result::is_ok).collect();
    assert_eq!(ok, [true, false, true]);
    assert!(outcomes[1].as_ref().unwrap_err().message.contains("none"));
    assert_eq!(fixture.keys(all()).await, ["a", "c"]);

    let rows = vec![row("a", vec![set("f", "q", 1000, "v")])];
    let missing = fixture
        .backend
        .mutate_rows("nowhere", EntryBatch::of(rows))
        .await;
    assert_eq!(missing.unwrap_err().code, Code::NotFound);
}

#[tokio::test]
async fn a_conditional_write_applies_one_of_its_lists() {
    let Some(fixture) = Fixture::new().await else {
        return;
    };
    fixture.fill(["k"]).await;
    let request = |key: &'static str, predicate| CheckAndMutateRow {
        table: TABLE.to_owned(),
        key: key.into(),
        predicate,
        if_true: vec![set("g", "yes", 1000, "")],
        if_false: vec![set("g", "no", 1000, "")],
    };
    let check = |request| fixture.backend.check_and_mutate_row(request);
    assert_eq!(check(request("k", None)).await, Ok(true));
    assert_eq!(fixture.cells("k").await, ["f:q@1000=k", "g:yes@1000="]);
    let no_match = Some(RowFilter::ValueRegex("other".into()));
    assert_eq!(check(request("k", no_match)).await, Ok(false));
    assert_eq!(
        fixture.cells("k").await,
        ["f:q@1000=k", "g:no@1000=", "g:yes@1000="]
    );
    assert_eq!(check(request("new", None)).await, Ok(false));
    assert_eq!(fixture.cells("new").await, ["g:no@1000="]);
}

#[tokio::test]
async fn a_read_modify_write_gives_the_new_cells() {
    let Some(fixture) = Fixture::new().await else {
        return;
    };
    let rule = |qualifier: &'static str, action| ReadModifyWriteRule {
        family: "f".into(),
        qualifier: qualifier.into(),
        action,
    };
    let request = ReadModifyWriteRow {
        table: TABLE.to_owned(),
        key: "k".into(),
        rules: vec![
            rule("count", RuleAction::Increment(40)),
            rule("count", RuleAction::Increment(2)),
            rule("log", RuleAction::Append("ab".into())),
        ],
    };
    let write = || fixture.backend.read_modify_write_row(request.clone());
    write().await.unwrap();
    let row = write().await.unwrap();
    assert_eq!(row.key, "k");
    let newest = |qualifier: &[u8]| row.column("f", qualifier).next().unwrap().value.clone();
    assert_eq!(newest(b"count"), 84i64.to_be_bytes().as_slice());
    assert_eq!(newest(b"log"), "abab");
}

#[tokio::test]
async fn errors_come_with_code_and_words() {
    let Some(fixture) = Fixture::new().await else {
        return;
    };
    let nowhere = ReadRows {
        table: "nowhere".to_owned(),
        ..all()
    };
    let mut rows = fixture.backend.read_rows(nowhere).rows();
    let error = rows.next().await.unwrap().unwrap_err();
    assert_eq!(error.code, Code::NotFound);
    assert!(error.message.contains("nowhere"), "{error}");
    assert!(rows.next().await.is_none());
    let bad = ReadRows {
        filter: Some(RowFilter::ValueRegex("(".into())),
        ..all()
    };
    fixture.fill(["a"]).await;
    assert_eq!(
        fixture.read(bad).await.unwrap_err().code,
        Code::InvalidArgument
    );
}

#[tokio::test]
async fn a_scan_streams_50_000_rows_in_order() {
    let Some(fixture) = Fixture::new().await else {
        return;
    };
    const ROWS: usize = 50_000;
    let value = "x".repeat(100);
    let keys: Vec<_> = (0..ROWS).map(|n| format!("row#{n:08}")).collect();
    for keys in keys.chunks(10_000) {
        let rows = keys
            .iter()
            .map(|key| row(key, vec![set("f", "q", 1000, value.as_str())]));
        let outcomes = fixture
            .backend
            .mutate_rows(TABLE, EntryBatch::of(rows))
            .await;
        assert!(outcomes.unwrap().iter().all(Result::is_ok));
    }
    for reversed in [false, true] {
        let mut expected: Box<dyn Iterator<Item = &String>> = match reversed {
            false => Box::new(keys.iter()),
            true => Box::new(keys.iter().rev()),
        };
        let mut rows = fixture
            .backend
            .read_rows(ReadRows { reversed, ..all() })
            .rows();
        while let Some(row) = rows.try_next().await.unwrap() {
            assert_eq!(row.key, expected.next().unwrap().as_bytes());
            assert_eq!(row.cells.len(), 1);
            assert_eq!(row.cells[0].value, value);
        }
        assert!(expected.next().is_none());
    }
    // The backend stays usable after a stream is dropped early.
    let mut rows = fixture.backend.read_rows(all()).rows();
    assert!(rows.try_next().await.unwrap().is_some());
    drop(rows);
    let samples = fixture.backend.sample_row_keys(TABLE).await.unwrap();
    assert!(
        samples
            .windows(2)
            .all(|pair| pair[0].offset_bytes <= pair[1].offset_bytes)
    );
    assert!(!samples.is_empty());
}

#[tokio::test]
async fn a_value_larger_than_the_usual_message_limit_is_read() {
    let Some(fixture) = Fixture::new().await else {
        return;
    };
    let value = vec![7u8; 6 << 20];
    fixture
        .write("k", vec![set("f", "q", 1000, value.clone())])
        .await
        .unwrap();
    let rows = fixture.read(all()).await.unwrap();
    assert!(rows[0].cells[0].value == value);
}
