use std::thread;

use super::*;
use crate::Code;
use crate::data::RowDeletion;

/// Writers give both columns of a row one value; no read may see two.
#[test]
fn reads_see_whole_rows() {
    let db = database();
    let writer = |db: MemoryBackend, name: u8| {
        move || {
            for round in 0..300_u32 {
                let value = Bytes::from(format!("{name}-{round}"));
                let both = vec![set("a", 0, value.clone()), set("b", 0, value)];
                write(&db, &format!("r{}", round % 20), both).unwrap();
            }
        }
    };
    let writers: Vec<_> = (0..3)
        .map(|name| thread::spawn(writer(db.clone(), name)))
        .collect();
    while writers.iter().any(|writer| !writer.is_finished()) {
        for row in read(&db, request()).unwrap() {
            assert_eq!(row.cells.len(), 2);
            assert_eq!(row.cells[0].value, row.cells[1].value);
        }
    }
    writers
        .into_iter()
        .for_each(|writer| writer.join().unwrap());
}

#[test]
fn a_scan_goes_on_after_its_last_key() {
    let db = database();
    let fill = |range: std::ops::Range<usize>| {
        for number in range {
            write(&db, &format!("r{number:04}"), vec![set("q", 0, "v")]).unwrap();
        }
    };
    fill(0..100);
    let mut rows = db.read_rows(request()).rows();
    block_on(rows.try_next()).unwrap().unwrap();
    // Rows written after those already taken are seen, rows deleted there are not.
    fill(100..200);
    let prefix = Bytes::from_static(b"r005");
    block_on(db.tables().drop_rows("t", RowDeletion::Prefix(prefix))).unwrap();
    let rest: Vec<_> = block_on(rows.try_collect()).unwrap();
    assert_eq!(rest.len(), 199 - 10);
}

#[test]
fn a_scan_of_a_deleted_table_fails() {
    let db = database();
    for number in 0..100 {
        write(&db, &format!("r{number:04}"), vec![set("q", 0, "v")]).unwrap();
    }
    let rows = db.read_rows(request()).rows();
    let mut rows = rows.into_stream();
    block_on(rows.try_next()).unwrap().unwrap();
    block_on(db.tables().delete("t")).unwrap();
    let got: Result<Vec<_>, _> = block_on(rows.try_collect());
    assert_eq!(got.unwrap_err().code, Code::NotFound);
}

#[test]
fn debug_shows_no_rows() {
    let db = database();
    write(&db, "secret", vec![set("q", 0, "v")]).unwrap();
    let shown = format!("{db:?}");
    assert!(shown.contains("rows: 1"), "{shown}");
    assert!(!shown.contains("secret"), "{shown}");
}

#[test]
fn clones_share_tables() {
    let db = database();
    write(&db.clone(), "r", vec![set("q", 0, "v")]).unwrap();
    assert_eq!(shown(&db), ["r q@0"]);
}
