//! The rows of one batch.

use std::sync::Arc;

use bytes::Bytes;

use super::invalid;
use super::values::{Nothing, Taker, Values};
use crate::Status;
use crate::fields::read::{Value as Field, field};
use crate::sql::{SqlColumns, SqlRow};

/// A checked batch: rows are decoded one by one, as they are taken.
#[derive(Debug, Clone)]
pub(crate) struct Batch {
    rows: Bytes,
    /// Where the next value begins.
    at: usize,
    columns: Arc<SqlColumns>,
    /// The maximum size of a row's values.
    most: usize,
}

/// A row of at least one fourth of its batch shares the batch's bytes; a smaller one is copied, so
/// that keeping it does not keep the others in memory.
const SHARE: usize = 4;

impl Batch {
    /// Checks a `ProtoRows`: every value has its column's type, and no row is incomplete.
    pub(crate) fn checked(
        rows: Bytes,
        columns: &Arc<SqlColumns>,
        most: usize,
    ) -> Result<Self, Status> {
        let mut rest = &*rows;
        let mut values = 0_usize;
        'rows: loop {
            let mut taker = Taker::new(Nothing, most);
            for column in columns.as_slice() {
                let Some(value) = next_value(&mut rest)? else {
                    break 'rows;
                };
                values += 1;
                let value = taker.value(value, &column.sql_type);
                value.map_err(|fault| fault.in_column(&column.name))?;
            }
            if columns.is_empty() {
                break;
            }
        }
        match values.checked_rem(columns.len()) {
            Some(0) => Ok(Self {
                rows,
                at: 0,
                columns: Arc::clone(columns),
                most,
            }),
            _ => Err(invalid(format!(
                "incomplete row received: a batch has {values} values, which is no multiple of the {} columns",
                columns.len()
            ))),
        }
    }

    /// How many bytes it has.
    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    /// The next row.
    pub(crate) fn next(&mut self) -> Result<Option<SqlRow>, Status> {
        let Some(row) = self.next_bytes()? else {
            return Ok(None);
        };
        let mut rest = &*row;
        let mut taker = Taker::new(Values(&row), self.most);
        let mut values = Vec::with_capacity(self.columns.len());
        for column in self.columns.as_slice() {
            let Some(value) = next_value(&mut rest)? else {
                return Ok(None);
            };
            let value = taker.value(value, &column.sql_type);
            values.push(value.map_err(|fault| fault.in_column(&column.name))?);
        }
        Ok(Some(SqlRow::new(Arc::clone(&self.columns), values)))
    }

    /// The bytes of the next row.
    fn next_bytes(&mut self) -> Result<Option<Bytes>, Status> {
        let mut rest = self.rows.get(self.at..).unwrap_or_default();
        for _ in self.columns.as_slice() {
            if next_value(&mut rest)?.is_none() {
                return Ok(None);
            }
        }
        let from = std::mem::replace(&mut self.at, self.rows.len() - rest.len());
        let row = self.rows.get(from..self.at).unwrap_or_default();
        Ok(Some(match row.len() * SHARE >= self.rows.len() {
            true => self.rows.slice_ref(row),
            false => Bytes::copy_from_slice(row),
        }))
    }
}

/// The next value of a `ProtoRows`.
fn next_value<'a>(rest: &mut &'a [u8]) -> Result<Option<&'a [u8]>, Status> {
    while !rest.is_empty() {
        match field(rest).map_err(|status| invalid(status.message))? {
            (2, Field::Bytes(value)) => return Ok(Some(value)),
            (2, other) => return Err(invalid(other.is_unexpected().message)),
            _ => {}
        }
    }
    Ok(None)
}
