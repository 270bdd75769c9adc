//! Plans of queries.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use tokio::time::Instant;

use super::{SqlColumns, SqlType};

/// A plan is replaced this long before its end, if it lives at least twice as long.
const AHEAD: Duration = Duration::from_secs(60);

/// A prepared query, which the backend that prepared it can execute any number of times. A plan is
/// valid for some hours; the first query that finds it expired, or about to expire, prepares it
/// again. Clones share the replacement.
#[derive(Clone)]
pub struct SqlPlan {
    inner: Arc<Inner>,
    names_tables: bool,
}

struct Inner {
    sql: String,
    types: BTreeMap<String, SqlType>,
    current: Mutex<Current>,
}

struct Current {
    prepared: Arc<PreparedSql>,
    /// When it should be replaced; `None` for a plan without an end, and while a query is replacing
    /// it.
    due: Option<Instant>,
}

/// A server's answer to preparing a query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PreparedSql {
    /// The columns of the answer.
    pub columns: Arc<SqlColumns>,
    /// The server's identifier of the plan.
    pub token: Bytes,
    /// The remaining lifetime of the plan, if it is known.
    pub lifetime: Option<Duration>,
}

impl SqlPlan {
    /// The plan of a query with parameters of these types.
    #[must_use]
    pub fn new(sql: &str, types: BTreeMap<String, SqlType>, prepared: PreparedSql) -> Self {
        let inner = Inner {
            sql: sql.to_owned(),
            types,
            current: Mutex::new(Current::new(Arc::new(prepared))),
        };
        Self {
            inner: Arc::new(inner),
            names_tables: false,
        }
    }

    /// The same plan, for a query whose tables were named by a wrapper of the backend that prepared
    /// it.
    pub(crate) fn with_named_tables(self) -> Self {
        Self {
            names_tables: true,
            ..self
        }
    }

    pub(crate) fn has_named_tables(&self) -> bool {
        self.names_tables
    }

    /// The query.
    #[must_use]
    pub fn sql(&self) -> &str {
        &self.inner.sql
    }

    /// The types of the parameters by name.
    #[must_use]
    pub fn parameter_types(&self) -> &BTreeMap<String, SqlType> {
        &self.inner.types
    }

    /// The columns of the answer. A replaced plan may have other columns.
    #[must_use]
    pub fn columns(&self) -> Arc<SqlColumns> {
        Arc::clone(&self.current().columns)
    }

    /// The server's last answer to preparing the query.
    #[must_use]
    pub fn current(&self) -> Arc<PreparedSql> {
        Arc::clone(&self.lock().prepared)
    }

    /// Replaces the plan with a newer one.
    pub fn replace(&self, prepared: Arc<PreparedSql>) {
        *self.lock() = Current::new(prepared);
    }

    /// Whether it is time to replace it. It returns `true` once for each plan, and that caller must
    /// replace it.
    #[must_use]
    pub fn is_due(&self) -> bool {
        let mut current = self.lock();
        let due = current.due.is_some_and(|due| Instant::now() >= due);
        if due {
            current.due = None;
        }
        due
    }

    fn lock(&self) -> MutexGuard<'_, Current> {
        self.inner
            .current
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl Current {
    fn new(prepared: Arc<PreparedSql>) -> Self {
        // If it has already ended on arrival, the clocks differ, and the server decides.
        let lifetime = prepared.lifetime.filter(|lifetime| !lifetime.is_zero());
        let due = lifetime.and_then(|lifetime| {
            let ahead = AHEAD.min(lifetime / 2);
            Instant::now().checked_add(lifetime - ahead)
        });
        Self { prepared, due }
    }
}

impl fmt::Debug for SqlPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SqlPlan")
            .field("sql", &self.inner.sql)
            .field("types", &self.inner.types)
            .field("columns", &self.columns())
            .finish_non_exhaustive()
    }
}
