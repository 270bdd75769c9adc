//! Rows and streams of rows.

use std::fmt;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use futures::stream::{BoxStream, Stream, StreamExt};

use super::{SqlColumns, SqlValue};
use crate::Status;

/// A row of a query: a value for each column.
///
/// Its values share its received bytes, and keep at most four times its size in memory, not all the
/// rows that came with it. A single value that is kept keeps its row.
#[derive(Debug, Clone, PartialEq)]
pub struct SqlRow {
    columns: Arc<SqlColumns>,
    values: Vec<SqlValue>,
}

impl SqlRow {
    /// A row of these columns; missing values are NULL.
    #[must_use]
    pub fn new(columns: Arc<SqlColumns>, mut values: Vec<SqlValue>) -> Self {
        values.resize(columns.len(), SqlValue::Null);
        Self { columns, values }
    }

    /// The columns.
    #[must_use]
    pub fn columns(&self) -> &Arc<SqlColumns> {
        &self.columns
    }

    /// The values, in the order of the columns.
    #[must_use]
    pub fn values(&self) -> &[SqlValue] {
        &self.values
    }

    /// The values, in the order of the columns.
    #[must_use]
    pub fn into_values(self) -> Vec<SqlValue> {
        self.values
    }

    /// The value of a column, the first if several have the same name; `None` without such a
    /// column.
    #[must_use]
    pub fn get(&self, column: &str) -> Option<&SqlValue> {
        self.values.get(self.columns.place(column)?)
    }

    pub(super) fn into_parts(self) -> (Arc<SqlColumns>, Vec<SqlValue>) {
        (self.columns, self.values)
    }
}

/// The columns of a stream's rows: those of the last plan.
#[derive(Debug, Clone, Default)]
pub(crate) struct UsedColumns(Arc<Mutex<Arc<SqlColumns>>>);

impl UsedColumns {
    pub(crate) fn new(columns: Arc<SqlColumns>) -> Self {
        Self(Arc::new(Mutex::new(columns)))
    }

    pub(crate) fn get(&self) -> Arc<SqlColumns> {
        let columns = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(&columns)
    }

    #[cfg(feature = "grpc")]
    pub(crate) fn set(&self, columns: Arc<SqlColumns>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = columns;
    }
}

/// The rows of a query as a stream. Nothing is sent before the first poll, dropping the stream
/// cancels the query, and it ends after an error.
pub struct SqlRows {
    rows: BoxStream<'static, Result<SqlRow, Status>>,
    columns: UsedColumns,
}

impl SqlRows {
    /// A stream of the given rows, which all have these columns.
    #[must_use]
    pub fn new(
        columns: Arc<SqlColumns>,
        rows: impl Stream<Item = Result<SqlRow, Status>> + Send + 'static,
    ) -> Self {
        Self::following(UsedColumns::new(columns), rows)
    }

    /// Rows whose columns may change until the first row.
    pub(crate) fn following(
        columns: UsedColumns,
        rows: impl Stream<Item = Result<SqlRow, Status>> + Send + 'static,
    ) -> Self {
        Self {
            rows: rows.boxed(),
            columns,
        }
    }

    /// A stream of no rows, but this error.
    #[must_use]
    pub fn failed(error: Status) -> Self {
        Self::new(Arc::default(), futures::stream::once(async { Err(error) }))
    }

    /// The columns of the last plan. An expired plan may be replaced before the first row, and the
    /// new one may have other columns; from the first row on, and at the end of a query without
    /// rows, they do not change.
    #[must_use]
    pub fn columns(&self) -> Arc<SqlColumns> {
        self.columns.get()
    }

    /// The same query with a wrapper's rows.
    #[must_use]
    pub fn map_rows<S>(
        self,
        wrap: impl FnOnce(BoxStream<'static, Result<SqlRow, Status>>) -> S,
    ) -> Self
    where
        S: Stream<Item = Result<SqlRow, Status>> + Send + 'static,
    {
        Self {
            rows: wrap(self.rows).boxed(),
            columns: self.columns,
        }
    }
}

impl Stream for SqlRows {
    type Item = Result<SqlRow, Status>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.rows.poll_next_unpin(cx)
    }
}

impl fmt::Debug for SqlRows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SqlRows")
            .field("columns", &self.columns.get())
            .finish_non_exhaustive()
    }
}
