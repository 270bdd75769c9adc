//! Commands about tables without a model.

use std::process::Stdio;

use bigtable_model::Backend;
use bigtable_model::backend::grpc::{GrpcBackend, GrpcSettings};
use bigtable_model::data::{EntryBatch, FamilySchema, GcRule, Mutation, RowMutations, TableSchema};

use crate::place::Place;

/// Creates tables with the family `F`.
async fn create(place: &Place, tables: &[&str]) -> GrpcBackend {
    let address = place.address();
    let db = GrpcBackend::new(&GrpcSettings::new("cli", "test").emulator(address)).unwrap();
    for table in tables {
        let family = FamilySchema {
            gc_rule: Some(GcRule::MaxVersions(3)),
            ..FamilySchema::default()
        };
        let schema = TableSchema {
            table: (*table).to_owned(),
            families: [("F".to_owned(), family)].into(),
            ..TableSchema::default()
        };
        db.tables().create(schema, Vec::new()).await.unwrap();
    }
    db
}

/// Rows with keys, qualifiers and values of any bytes.
fn rows(count: usize) -> Vec<RowMutations> {
    let values: [&[u8]; 5] = [
        b"600.5",
        b"\x00\xff\x7f",
        "Zürich,\"1\"\n".as_bytes(),
        b"",
        b"\\x41",
    ];
    let row = |at: usize| {
        let cell = |version: i64| Mutation::SetCell {
            family: "F".into(),
            qualifier: [b"q".as_slice(), &[u8::try_from(at % 256).unwrap()]]
                .concat()
                .into(),
            timestamp_micros: 1_000 * version,
            value: values[at % values.len()].to_vec().into(),
        };
        RowMutations {
            key: [format!("{at:05}#").as_bytes(), values[1]].concat().into(),
            mutations: vec![cell(1), cell(2)],
        }
    };
    (0..count).map(row).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn rows_of_any_bytes_come_back_from_files() {
    for place in Place::all() {
        let db = create(&place, &["A", "B", "C", "D"]).await;
        let outcomes = db
            .mutate_rows("A", EntryBatch::of(rows(300)))
            .await
            .unwrap();
        assert!(outcomes.iter().all(Result::is_ok));
        place.done(&["export", "A", "-o", "a.jsonl"]);
        place.done(&["export", "A", "--format", "csv", "-o", "a.csv"]);
        assert_eq!(place.read("a.jsonl").lines().count(), 300);
        assert_eq!(
            place.done(&["import", "B", "a.jsonl"]),
            "300 rows imported\n"
        );
        assert_eq!(
            place.done(&["import", "C", "a.csv"]),
            "600 cells imported\n"
        );
        assert_eq!(place.done(&["copy", "A", "D"]), "300 rows copied\n");
        for table in ["B", "C", "D"] {
            assert_eq!(
                place.done(&["export", table]),
                place.read("a.jsonl"),
                "{table}"
            );
        }
        let some = place.done(&["export", "A", "--prefix", "0001", "--limit", "3"]);
        assert!(
            some.lines().count() == 3 && some.starts_with("{\"key\":\"00010#"),
            "{some}"
        );
        let piped = place.with_input(&["import", "B", "-", "--format", "jsonl"], &some);
        assert_eq!(piped.out, "3 rows imported\n", "{piped:?}");

        let tables = place.done(&["tables", "--format", "csv"]);
        assert!(tables.starts_with("table,families,bytes\nA,F,"), "{tables}");
        let described = place.done(&["describe", "A"]);
        for words in ["9{5}", "F:q", "3 versions"] {
            assert!(described.contains(words), "{words}: {described}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn what_destroys_wants_the_name() {
    for place in Place::all() {
        let db = create(&place, &["OLD"]).await;
        db.mutate_rows("OLD", EntryBatch::of(rows(20)))
            .await
            .unwrap();
        for command in ["truncate", "drop"] {
            let said = place.refused(&[command, "OLD"]);
            assert!(said.contains("--confirm OLD"), "{said}");
            let said = place.refused(&[command, "OLD", "--confirm", "OLDER"]);
            assert!(said.contains("nothing is deleted"), "{said}");
        }
        assert_eq!(place.done(&["export", "OLD"]).lines().count(), 20);
        place.done(&["truncate", "OLD", "--confirm", "OLD", "--save", "old.jsonl"]);
        assert_eq!(place.done(&["export", "OLD"]), "");
        assert_eq!(
            place.done(&["import", "OLD", "old.jsonl"]),
            "20 rows imported\n"
        );
        place.done(&["drop", "OLD", "--confirm", "OLD"]);
        assert_eq!(place.done(&["tables", "--format", "jsonl"]), "");
    }
}

/// A bad line ends an import or goes to a file, and a checkpoint resumes an import.
#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn an_import_rejects_lines_or_ends_and_goes_on() {
    let place = Place::served();
    let db = create(&place, &["A", "B"]).await;
    db.mutate_rows("A", EntryBatch::of(rows(30))).await.unwrap();
    let good = place.done(&["export", "A"]);
    let mut lines: Vec<&str> = good.lines().collect();
    lines.insert(10, "{\"key\":\"x\",\"cells\":[]}");
    lines.insert(20, "no row");
    let foreign = "{\"key\":\"x\",\"cells\":[{\"family\":\"G\",\"qualifier\":\"\",\"micros\":0,\"value\":\"\"}]}";
    lines.push(foreign);
    place.write("bad.jsonl", &lines.join("\n"));
    let said = place.refused(&["import", "B", "bad.jsonl"]);
    assert!(
        said.contains("bad.jsonl, line 11: a row has a key"),
        "{said}"
    );

    let said = place.run(&["import", "B", "bad.jsonl", "--rejected", "rejected"]);
    assert_eq!(
        (said.code, said.out.as_str()),
        (1, "30 rows imported\n"),
        "{said:?}"
    );
    let rejected = place.read("rejected");
    let begins: Vec<_> = rejected.lines().map(|line| &line[..8]).collect();
    assert_eq!(begins, ["line 11:", "line 21:", "line 33:"], "{rejected}");
    assert!(rejected.contains("row x"), "{rejected}");
    assert_eq!(place.done(&["export", "B"]), good);

    // Lines that are done by the checkpoint are skipped, and the checkpoint is gone at the end.
    place.done(&["truncate", "B", "--confirm", "B"]);
    place.write("good.jsonl", &good);
    place.write("done", "25");
    let said = place.run(&["import", "B", "good.jsonl", "--checkpoint", "done"]);
    assert_eq!(
        (said.code, said.out.as_str()),
        (0, "5 rows imported\n"),
        "{said:?}"
    );
    assert!(!place.path("done").exists());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn sql_takes_typed_parameters() {
    let place = Place::served();
    let db = create(&place, &["A"]).await;
    db.mutate_rows("A", EntryBatch::of(rows(10))).await.unwrap();
    let key = "SELECT _key FROM A WHERE _key < @below ORDER BY _key LIMIT @most";
    // Only Bigtable itself runs SQL.
    let said = place.refused(&[
        "sql",
        key,
        "--set",
        "below:bytes=00005",
        "--set",
        "most:int64=2",
    ]);
    assert!(said.contains("this server runs no SQL"), "{said}");
    let said = place.refused(&["sql", key, "--set", "below:number=5"]);
    assert!(said.contains("there is no type `number`"), "{said}");
    let said = place.refused(&["sql", key, "--set", "below"]);
    assert!(said.contains("NAME=VALUE"), "{said}");
}

/// `| head` closes the pipe: that is not an error.
#[cfg(unix)]
#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_closed_pipe_is_no_error() {
    let place = Place::served();
    let db = create(&place, &["A"]).await;
    for part in rows(20_000).chunks(2_000) {
        db.mutate_rows("A", EntryBatch::of(part.to_vec()))
            .await
            .unwrap();
    }
    let mut process = place
        .command(&["export", "A"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(process.stdout.take());
    let output = process.wait_with_output().unwrap();
    assert!(output.status.success(), "{output:?}");
    assert_eq!(output.stderr, b"");
}
