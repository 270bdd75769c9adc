//! A query with its parameters, as a program writes it.

use std::fmt;
use std::sync::Arc;

use futures::stream::{BoxStream, StreamExt, TryStreamExt};
use serde::de::DeserializeOwned;

use crate::Backend;
use crate::sql::{SqlError, SqlParameters, SqlPlan, SqlQuery, SqlRows, SqlType, SqlValue, ToSql};

/// Queries in GoogleSQL, for every [`Backend`].
pub trait SqlExt: Backend {
    /// A query, to bind parameters to and run.
    ///
    /// ```no_run
    /// use std::collections::BTreeMap;
    ///
    /// use bigtable_backend::{SqlExt, connect};
    /// use bytes::Bytes;
    ///
    /// #[derive(serde::Deserialize)]
    /// struct Quote {
    ///     #[serde(rename = "_key")]
    ///     key: String,
    ///     #[serde(rename = "MD")]
    ///     family: BTreeMap<String, Bytes>,
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let db = connect("bigtable://my-project/my-instance").await?;
    /// let sql = "SELECT _key, MD FROM QUOTE WHERE _key >= @first LIMIT 10";
    /// let quotes: Vec<Quote> = db.sql(sql).bind("first", b"ZXZZT#").fetch().await?;
    /// for Quote { key, family } in quotes {
    ///     println!("{key}: {:?}", family.get("BID"));
    /// }
    /// # Ok(())
    /// # }
    /// ```
    fn sql(&self, sql: impl Into<String>) -> Statement {
        Statement::new(
            self.handle(),
            Query::Of(SqlQuery::text(sql, SqlParameters::new())),
        )
    }

    /// A query whose table is known, such as those that typed queries make, with its parameters.
    /// Under [other names](crate::table_names) it reads the right table.
    ///
    /// ```no_run
    /// # use bigtable_backend::SqlExt;
    /// # use bigtable_backend::sql::{SqlParameters, SqlQuery};
    /// # async fn count(db: &dyn bigtable_backend::Backend) -> Result<(), Box<dyn std::error::Error>> {
    /// let all = SqlQuery::new("SELECT COUNT(*) FROM ", "QUOTE", "", SqlParameters::new());
    /// let count: Option<i64> = db.sql_query(&all).fetch_first().await?;
    /// # Ok(())
    /// # }
    /// ```
    fn sql_query(&self, query: &SqlQuery) -> Statement {
        Statement {
            parameters: query.parameters().clone(),
            ..Statement::new(self.handle(), Query::Of(query.clone()))
        }
    }

    /// A query that this backend has already [prepared](crate::SqlService::prepare), to bind parameters
    /// to and run.
    fn sql_plan(&self, plan: &SqlPlan) -> Statement {
        Statement::new(self.handle(), Query::Plan(plan.clone()))
    }
}

impl<B: Backend + ?Sized> SqlExt for B {}

/// A query and its parameters. Nothing is sent before it is run.
#[must_use = "a query is sent when it is run: `fetch`, `stream` or `rows`"]
pub struct Statement {
    backend: Arc<dyn Backend>,
    query: Query,
    parameters: SqlParameters,
}

#[derive(Debug)]
enum Query {
    Of(SqlQuery),
    Plan(SqlPlan),
}

impl Statement {
    fn new(backend: Arc<dyn Backend>, query: Query) -> Self {
        Self {
            backend,
            query,
            parameters: SqlParameters::new(),
        }
    }

    /// Sets a parameter: `@start` in the query is `start` here.
    pub fn bind<T: ToSql>(mut self, name: impl Into<String>, value: T) -> Self {
        self.parameters = self.parameters.bind(name, value);
        self
    }

    /// Sets a parameter to a value of a type that is known when the program runs.
    pub fn bind_value(
        mut self,
        name: impl Into<String>,
        sql_type: SqlType,
        value: SqlValue,
    ) -> Self {
        self.parameters = self.parameters.bind_value(name, sql_type, value);
        self
    }

    /// Prepares the query and returns its rows as they come, untyped. Its columns are known before
    /// the first row.
    ///
    /// Over gRPC, preparing and reading the rows have a deadline each: see
    /// [`Timeouts`](crate::grpc::Timeouts).
    ///
    /// # Errors
    ///
    /// [`SqlError::Status`] when the query is refused. Other errors come through the stream.
    pub async fn rows(self) -> Result<SqlRows, SqlError> {
        let plan = match self.query {
            Query::Plan(plan) => plan,
            Query::Of(query) => {
                // Checked here, without asking the server.
                self.parameters.check()?;
                let query = query.with(self.parameters.clone());
                self.backend.sql_service().prepare(&query).await?
            }
        };
        Ok(self.backend.sql_service().execute(&plan, self.parameters))
    }

    /// The rows as typed values, as they come: structs by the columns' names, tuples by position,
    /// any other type from the only column. See [the table of types](crate::sql).
    ///
    /// The query is prepared at the first poll. After an error the stream ends.
    #[must_use]
    pub fn stream<R>(self) -> BoxStream<'static, Result<R, SqlError>>
    where
        R: DeserializeOwned + Send + 'static,
    {
        let rows = futures::stream::once(self.rows())
            .map_ok(|rows| rows.map_err(SqlError::from))
            .try_flatten();
        let read = rows.map(|row| row?.read());
        // The first error ends it, also one of a value.
        let read = read.scan(false, |failed, row: Result<R, SqlError>| {
            let item = (!*failed).then_some(row);
            *failed = matches!(item, Some(Err(_)));
            futures::future::ready(item)
        });
        read.boxed()
    }

    /// All rows as typed values, like [`stream`](Self::stream).
    ///
    /// # Errors
    ///
    /// [`SqlError`]: of the backend, of a value that does not fit its field, or of a missing
    /// column.
    pub async fn fetch<R>(self) -> Result<Vec<R>, SqlError>
    where
        R: DeserializeOwned + Send + 'static,
    {
        self.stream().try_collect().await
    }

    /// The first row as a typed value; `None` if there is no row. Later rows are not read.
    ///
    /// ```no_run
    /// # use bigtable_backend::{Backend, SqlExt};
    /// # async fn count(db: &dyn Backend) -> Result<(), Box<dyn std::error::Error>> {
    /// let count: Option<i64> = db.sql("SELECT COUNT(*) FROM QUOTE").fetch_first().await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`fetch`](Self::fetch).
    pub async fn fetch_first<R>(self) -> Result<Option<R>, SqlError>
    where
        R: DeserializeOwned + Send + 'static,
    {
        self.stream().try_next().await
    }
}

impl fmt::Debug for Statement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Statement")
            .field("query", &self.query)
            .field("parameters", &self.parameters)
            .finish_non_exhaustive()
    }
}
