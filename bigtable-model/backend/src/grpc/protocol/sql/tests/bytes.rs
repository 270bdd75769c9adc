//! Any bytes: they are rows or an error, never a panic, and what is checked can be read.

use std::sync::Arc;

use bytes::Bytes;

use super::draw::Draw;
use super::{columns_of, proto_rows};
use crate::data::limits;
use crate::grpc::protocol::sql::rows::Batch;
use crate::grpc::protocol::wire;
use crate::sql::{SqlColumns, SqlType, SqlValue};

/// Rows of some types, as bytes and as values.
fn sample(draw: &mut Draw) -> (Arc<SqlColumns>, Vec<SqlValue>, Bytes) {
    let count = 1 + draw.below(4);
    let types: Vec<SqlType> = (0..count).map(|_| draw.sql_type(3)).collect();
    let rows = draw.below(4);
    let values: Vec<SqlValue> = (0..rows)
        .flat_map(|_| types.iter().map(|of| draw.value(of)).collect::<Vec<_>>())
        .collect();
    let bytes = proto_rows(values.iter().map(wire::SqlValue::from));
    (columns_of(&types), values, bytes)
}

/// All rows of bytes that are accepted.
fn read(bytes: Bytes, columns: &Arc<SqlColumns>) -> Option<Vec<SqlValue>> {
    let mut batch = Batch::checked(bytes, columns, limits::ROW).ok()?;
    let mut values = Vec::new();
    while let Some(row) = batch.next().unwrap() {
        values.extend(row.into_values());
    }
    Some(values)
}

#[test]
fn rows_come_back_as_they_were_sent() {
    let mut draw = Draw::new(7);
    for _ in 0..2_000 {
        let (columns, values, bytes) = sample(&mut draw);
        assert_eq!(read(bytes, &columns), Some(values), "{columns:?}");
    }
}

#[test]
fn changed_bytes_are_rows_or_an_error() {
    let mut draw = Draw::new(11);
    let (mut accepted, mut refused) = (0, 0);
    for _ in 0..20_000 {
        let (columns, _, bytes) = sample(&mut draw);
        let mut bytes = bytes.to_vec();
        for _ in 0..=draw.below(3) {
            let at = draw.below(bytes.len() + 1);
            let byte = draw.next().to_le_bytes()[0];
            match draw.below(3) {
                0 => bytes.insert(at, byte),
                1 if at < bytes.len() => drop(bytes.remove(at)),
                _ if at < bytes.len() => bytes[at] = byte,
                _ => bytes.truncate(at / 2),
            }
        }
        match read(bytes.into(), &columns) {
            Some(values) => {
                assert_eq!(values.len() % columns.len(), 0);
                accepted += 1;
            }
            None => refused += 1,
        }
    }
    // Some changes make other values of the same types, some do not.
    assert!(accepted > 1_000 && refused > 1_000, "{accepted} {refused}");
}

#[test]
fn random_bytes_are_rows_or_an_error() {
    let mut draw = Draw::new(13);
    let mut refused = 0;
    for _ in 0..20_000 {
        let columns = columns_of(&[draw.sql_type(2)]);
        refused += usize::from(read(draw.bytes(40), &columns).is_none());
    }
    assert!(refused > 10_000, "{refused}");
}

#[test]
fn a_row_of_too_many_values_is_refused_before_it_takes_memory() {
    const MOST: usize = 1 << 20;
    let values = MOST / size_of::<SqlValue>();
    // An array of this many NULLs, of two bytes each; the array is a value too.
    let nulls = [0x0a, 0].repeat(values);
    let mut value = Vec::new();
    prost::encoding::bytes::encode(4, &nulls, &mut value);
    let mut rows = Vec::new();
    prost::encoding::bytes::encode(2, &value, &mut rows);
    let columns = columns_of(&[SqlType::array(SqlType::Int64)]);
    let error = Batch::checked(rows.into(), &columns, MOST).unwrap_err();
    assert_eq!(error.code, crate::Code::ResourceExhausted);
    let words = format!("over {values} values");
    assert!(error.message.contains(&words), "{error}");
}

#[test]
fn a_row_that_is_kept_does_not_keep_its_batch() {
    let value = |length: usize| wire::SqlValue {
        kind: Some(wire::SqlValueKind::Bytes(vec![b'v'; length].into())),
        ..wire::SqlValue::default()
    };
    let columns = columns_of(&[SqlType::Bytes]);
    let within = |lengths: &[usize]| {
        let rows = proto_rows(lengths.iter().map(|length| value(*length)));
        let batch_at = rows.as_ptr_range();
        let mut batch = Batch::checked(rows.clone(), &columns, limits::ROW).unwrap();
        let mut shares = Vec::new();
        while let Some(row) = batch.next().unwrap() {
            let SqlValue::Bytes(bytes) = &row.values()[0] else {
                panic!("{row:?}");
            };
            shares.push(batch_at.contains(&bytes.as_ptr()));
        }
        shares
    };
    assert_eq!(within(&[100]), [true]);
    assert_eq!(within(&[100; 5]), [false; 5]);
    assert_eq!(within(&[100, 10_000, 100]), [false, true, false]);
}
