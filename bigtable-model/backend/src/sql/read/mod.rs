//! Decodes rows into Rust types with serde.

mod error;
mod row;
mod value;

use serde::de::DeserializeOwned;

use super::{SqlError, SqlRow};
use error::ReadError;

impl SqlRow {
    /// The row as a typed value: a struct by the columns' names, a tuple by position, any other
    /// type from the only column.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use bigtable_backend::sql::{SqlColumn, SqlColumns, SqlRow, SqlType, SqlValue};
    ///
    /// #[derive(serde::Deserialize)]
    /// struct Quote {
    ///     #[serde(rename = "_key")]
    ///     key: String,
    ///     bid: Option<f64>,
    /// }
    ///
    /// let columns = SqlColumns::new(vec![
    ///     SqlColumn { name: "_key".to_owned(), sql_type: SqlType::Bytes },
    ///     SqlColumn { name: "bid".to_owned(), sql_type: SqlType::Float64 },
    /// ]);
    /// let values = vec![SqlValue::Bytes("ZXZZT#1".into()), SqlValue::Null];
    /// let quote: Quote = SqlRow::new(Arc::new(columns), values).read()?;
    /// assert_eq!((&*quote.key, quote.bid), ("ZXZZT#1", None));
    /// # Ok::<(), bigtable_backend::sql::SqlError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`SqlError::Column`] for a value that does not fit its field, and [`SqlError::Row`] if a
    /// column is missing.
    pub fn read<R: DeserializeOwned>(self) -> Result<R, SqlError> {
        let (columns, values) = self.into_parts();
        R::deserialize(row::RowReader::new(&columns, values)).map_err(|error| match error {
            ReadError::Column { column, problem } => SqlError::Column { column, problem },
            ReadError::Missing(name) => SqlError::Row {
                problem: format!(
                    "no column of the query is named \"{name}\": it has {}",
                    columns.names()
                ),
            },
            ReadError::Other(problem) => SqlError::Row { problem },
        })
    }
}
