use std::collections::BTreeMap;

use proptest::prelude::*;

use crate::memory::store::row::{ColumnName, StoredRow};
use bytes::Bytes;

#[derive(Debug, Clone)]
enum Change {
    Set(ColumnName, i64, Bytes),
    DeleteColumn(ColumnName, i64, i64),
    DeleteFamily(String),
    KeepNewest(usize),
}

fn column() -> impl Strategy<Value = ColumnName> {
    ("[fg]", "[ab]{0,2}").prop_map(|(family, qualifier)| ColumnName {
        family: family.into(),
        qualifier: qualifier.into(),
    })
}

fn change() -> impl Strategy<Value = Change> {
    let times = 0_i64..6;
    prop_oneof![
        6 => (column(), times.clone(), "[xy]{0,3}")
            .prop_map(|(column, time, value)| Change::Set(column, time, value.into())),
        2 => (column(), times.clone(), times)
            .prop_map(|(column, start, end)| Change::DeleteColumn(column, start, end)),
        1 => "[fg]".prop_map(Change::DeleteFamily),
        1 => (0_usize..3).prop_map(Change::KeepNewest),
    ]
}

/// Cells by column and time, the plain way.
type Model = BTreeMap<(ColumnName, std::cmp::Reverse<i64>), Bytes>;

fn apply(row: &mut StoredRow, model: &mut Model, change: Change) {
    match change {
        Change::Set(column, time, value) => {
            row.set(column.clone(), time, value.clone());
            model.insert((column, std::cmp::Reverse(time)), value);
        }
        Change::DeleteColumn(column, start, end) => {
            row.delete_from_column(&column, start, end);
            model.retain(|(name, time), _| {
                *name != column || time.0 < start || (end != 0 && time.0 >= end)
            });
        }
        Change::DeleteFamily(family) => {
            row.delete_family(&family);
            model.retain(|(name, _), _| name.family != *family.as_str());
        }
        Change::KeepNewest(count) => {
            row.retain(|_, newer, _| newer < count);
            let mut seen: BTreeMap<ColumnName, usize> = BTreeMap::new();
            model.retain(|(name, _), _| {
                let newer = seen.entry(name.clone()).or_default();
                *newer += 1;
                *newer <= count
            });
        }
    }
}

proptest! {
    #[test]
    fn a_row_is_its_cells(changes in prop::collection::vec(change(), 0..40)) {
        let mut row = StoredRow::new(Bytes::new());
        let mut model = Model::new();
        for change in changes {
            apply(&mut row, &mut model, change);
            let cells = row.to_row().cells;
            let got: Vec<_> = cells
                .iter()
                .map(|cell| (&cell.family, &cell.qualifier, cell.timestamp_micros, &cell.value))
                .collect();
            let expected: Vec<_> = model
                .iter()
                .map(|((name, time), value)| (&name.family, &name.qualifier, time.0, value))
                .collect();
            prop_assert_eq!(got, expected);
            let bytes = model
                .iter()
                .map(|((name, _), value)| name.qualifier.len() + value.len());
            prop_assert_eq!(row.bytes(), bytes.sum::<usize>());
            prop_assert_eq!(row.cell_count(), model.len());
            prop_assert_eq!(row.is_empty(), model.is_empty());
        }
    }
}
