//! From a selection to a running plan, with the list of existing tables if it is needed.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use crate::Error;
use crate::backend::{Backend, Status};
use crate::model::ModelSchema;
use crate::query::plan::planner::plan_known;
use crate::query::plan::united::need_list;
use crate::query::{Plan, Selection};
use crate::send::{lacks_table, list_tables};

/// The IDs of all tables, if the plan needs them.
pub(in crate::query) async fn live_tables(
    backend: &dyn Backend,
    schema: &ModelSchema,
    selection: &Selection,
) -> Result<Option<Vec<String>>, Error> {
    match need_list(schema, selection) {
        true => list_tables(backend, schema).await.map(Some),
        false => Ok(None),
    }
}

/// The plan of a selection. It sends a request only if tables are by period and the range of time
/// is open at an end.
pub(crate) async fn planned(
    backend: &dyn Backend,
    schema: &ModelSchema,
    selection: &Selection,
) -> Result<Plan, Error> {
    let live = live_tables(backend, schema, selection).await?;
    plan_known(schema, selection, live.as_deref())
}

/// The tables by period that reads found missing; they have no events.
#[derive(Debug, Default)]
pub(in crate::query) struct Missing(Mutex<BTreeSet<String>>);

impl Missing {
    /// A record for the reads of a model; `None` if a missing table is an error.
    pub(in crate::query) fn of(schema: &ModelSchema) -> Option<Arc<Self>> {
        schema.table.by_period().map(|_| Arc::default())
    }

    /// Records the table, if a read failed because it is missing.
    pub(in crate::query) fn note(&self, table: &str, status: &Status) -> bool {
        let missing = lacks_table(status);
        if missing {
            let mut tables = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            tables.insert(table.to_owned());
        }
        missing
    }

    pub(in crate::query) fn tables(&self) -> Vec<String> {
        let tables = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        tables.iter().cloned().collect()
    }
}
