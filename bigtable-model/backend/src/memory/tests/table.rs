use super::*;
use crate::data::RowRange;
use crate::memory::{ManualClock, MemoryRows};
use crate::{Code, Timestamp};

fn keys(rows: MemoryRows) -> Vec<Bytes> {
    rows.map(|row| row.unwrap().key().clone()).collect()
}

fn filled(rows: usize) -> MemoryBackend {
    let db = database();
    for number in 0..rows {
        write(&db, &format!("r{number:04}"), vec![set("q", 0, "v")]).unwrap();
    }
    db
}

#[test]
fn a_table_gives_rows_as_a_read_does() {
    let db = database();
    write(
        &db,
        "r1",
        vec![set("q", 1_000, "old"), set("q", 2_000, "v")],
    )
    .unwrap();
    write(
        &db,
        "r2",
        vec![set("b", 0, "b"), set("a", 0, "a"), set("c", 0, "c")],
    )
    .unwrap();
    let table = db.table("t").unwrap();
    let rows: Vec<_> = table
        .range(RowRange::all())
        .map(|row| row.unwrap().to_row())
        .collect();
    assert_eq!(rows, read(&db, request()).unwrap());
    let row = table.get(b"r1").unwrap().unwrap();
    let newest = row.newest("f", b"q").unwrap();
    assert_eq!(
        (newest.value.as_ref(), newest.timestamp_micros),
        (b"v".as_ref(), 2_000)
    );
    assert!(row.newest("f", b"z").is_none());
    assert!(table.get(b"r3").unwrap().is_none());
    assert_eq!(db.table("none").unwrap_err().code, Code::NotFound);
}

#[test]
fn a_range_ends_where_it_says() {
    let db = filled(1_000);
    let table = db.table("t").unwrap();
    assert_eq!(table.range(RowRange::all()).count(), 1_000);
    let some = keys(table.range(RowRange::half_open("r0100", "r0700")));
    assert_eq!(some.len(), 600);
    assert_eq!(
        (&some[0][..], &some[599][..]),
        (&b"r0100"[..], &b"r0699"[..])
    );
    assert!(keys(table.range(RowRange::half_open("r2", "r1"))).is_empty());
    let mut rows = table.range(RowRange::all());
    let mut batches = Vec::new();
    while let batch @ [_, ..] = rows.next_batch().unwrap() {
        batches.extend(batch.iter().map(|row| row.key().clone()));
    }
    assert_eq!(batches, keys(table.range(RowRange::all())));
}

#[test]
fn rows_that_were_taken_stay_as_they_were() {
    let db = filled(1);
    let row = db.table("t").unwrap().get(b"r0000").unwrap().unwrap();
    write(&db, "r0000", vec![set("q", 0, "other")]).unwrap();
    assert_eq!(row.newest("f", b"q").unwrap().value, "v");
}

#[test]
fn a_deleted_table_is_one_error() {
    let db = filled(100);
    let mut rows = db.table("t").unwrap().range(RowRange::all());
    assert!(rows.next().unwrap().is_ok());
    block_on(db.tables().delete("t")).unwrap();
    let errors = rows.filter_map(Result::err).map(|status| status.code);
    assert_eq!(errors.collect::<Vec<_>>(), [Code::NotFound]);
}

#[test]
fn masked_cells_are_not_there() {
    let clock = ManualClock::new(Timestamp::from_seconds(0));
    let db = MemoryBackend::builder()
        .clock(clock.clone())
        .mask_expired(true)
        .build();
    create(
        &db,
        Some(GcRule::MaxAge(std::time::Duration::from_secs(10))),
    );
    for number in 0..300 {
        let time = if number < 290 { 0 } else { 60_000_000 };
        write(&db, &format!("r{number:04}"), vec![set("q", time, "v")]).unwrap();
    }
    clock.set(Timestamp::from_seconds(60));
    let table = db.table("t").unwrap();
    assert_eq!(table.range(RowRange::all()).count(), 10);
    assert_eq!(table.range(RowRange::all()).next_batch().unwrap().len(), 10);
    assert!(table.get(b"r0000").unwrap().is_none());
}
