#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

use proptest::collection::vec;
use proptest::prelude::*;

use super::*;

const WORTH_SHARING: usize = RowBatch::WORTH_SHARING;

fn cell() -> impl Strategy<Value = Cell> {
    let names = ("[fgh]", vec(any::<u8>(), 0..3), any::<i64>());
    let value = prop_oneof![
        vec(any::<u8>(), 0..5),
        any::<u8>().prop_map(|byte| vec![byte; WORTH_SHARING]),
    ];
    (names, value, vec("[a-z]", 0..2)).prop_map(
        |((family, qualifier, timestamp_micros), value, labels)| Cell {
            family: family.into(),
            qualifier: qualifier.into(),
            timestamp_micros,
            value: value.into(),
            labels,
        },
    )
}

fn row() -> impl Strategy<Value = Row> {
    (vec(any::<u8>(), 1..4), vec(cell(), 0..5)).prop_map(|(key, cells)| Row {
        key: key.into(),
        cells,
    })
}

proptest! {
    #[test]
    fn rows_come_out_as_they_were_added(rows in vec(row(), 0..6), kept in 0_usize..7) {
        let mut batch = RowBatch::default();
        rows.iter().cloned().for_each(|row| batch.push(row));
        prop_assert_eq!(batch.len(), rows.len());
        for (one, row) in batch.rows().zip(&rows) {
            prop_assert_eq!(one.key(), &row.key);
            prop_assert_eq!(&one.shared_key(), &row.key);
            prop_assert_eq!(&one.to_row(), row);
            for (at, cell) in row.cells.iter().enumerate() {
                let one = one.cell(at).unwrap();
                prop_assert_eq!(one.family(), &*cell.family);
                prop_assert_eq!(one.qualifier(), &cell.qualifier);
                prop_assert_eq!(one.timestamp_micros(), cell.timestamp_micros);
                prop_assert_eq!(one.time(), cell.time());
                prop_assert_eq!(one.value(), &cell.value);
                prop_assert_eq!(one.labels(), &cell.labels);
            }
            prop_assert!(one.cell(row.cells.len()).is_none());
        }
        batch.truncate(kept);
        let left: Vec<_> = batch.rows().map(|row| row.to_row()).collect();
        prop_assert_eq!(&left, &rows[..kept.min(rows.len())]);
        prop_assert!(batch.row(kept).is_none());
        rows.iter().cloned().for_each(|row| batch.push(row));
        let all: Vec<_> = batch.rows().map(|row| row.to_row()).collect();
        prop_assert_eq!(all, [left, rows].concat());
    }
}

/// Whether bytes lie in a buffer's memory.
fn is_in(buffer: &Bytes, bytes: &Bytes) -> bool {
    buffer.as_ptr_range().contains(&bytes.as_ptr())
}

#[test]
fn only_long_values_keep_the_memory_of_what_was_read_with_them() {
    let message = Bytes::from(vec![b'x'; 3 * WORTH_SHARING]);
    let mut batch = RowBatch::default();
    let held = batch.hold(&message);
    let family = batch.family(b"f").unwrap();
    let mut add = |value: std::ops::Range<usize>| {
        let mut cell = CellAt::new(family, held.span(&message[..2]), 0);
        cell.value = held.span(&message[value]);
        batch.add_cell(cell, Vec::new());
    };
    add(0..WORTH_SHARING - 1);
    add(0..WORTH_SHARING);
    add(WORTH_SHARING..3 * WORTH_SHARING);
    batch.end_row(held.span(&message[..3]));
    let row = batch.row(0).unwrap().to_row();
    assert_eq!(row.key, "xxx");
    assert!(!is_in(&message, &row.key));
    let shared = row.cells.iter().map(|cell| {
        assert!(!is_in(&message, &cell.qualifier));
        (cell.value.len(), is_in(&message, &cell.value))
    });
    let shared: Vec<_> = shared.collect();
    let expected = [
        (WORTH_SHARING - 1, false),
        (WORTH_SHARING, true),
        (2 * WORTH_SHARING, true),
    ];
    assert_eq!(shared, expected);
}

#[test]
fn many_names_of_families_are_not_kept_for_the_next_rows() {
    let mut batch = RowBatch::default();
    for number in 0..200 {
        let family = batch.family(format!("f{number}").as_bytes()).unwrap();
        batch.add_cell(CellAt::new(family, Span::default(), 0), Vec::new());
    }
    batch.end_row(Span::default());
    assert_eq!(batch.take_rows(Vec::new()).families.len(), 200);
    assert_eq!(batch.families.len(), 0);
    assert_eq!(batch.family(b"\xff"), None);
}
