//! The tables to which a job writes.

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::checkpoint::Checkpoint;
use crate::Error;
use crate::backend::Backend;
use crate::model::Schema;
use crate::schema::WantedTable;

/// The tables to which a job writes.
#[derive(Debug)]
pub(super) struct Targets {
    schema: Schema,
    /// The one table; `None` if each event goes to the table of its period.
    one: Option<String>,
    /// The tables by period that were created, or existed.
    ready: tokio::sync::Mutex<BTreeSet<String>>,
}

impl Targets {
    /// A model's tables by period, or the table with this name.
    pub(super) fn new(schema: &Schema, table: &str) -> Self {
        let by_period = schema.table.by_period().is_some() && schema.table == table;
        Self {
            schema: schema.clone(),
            one: (!by_period).then(|| table.to_owned()),
            ready: tokio::sync::Mutex::default(),
        }
    }

    pub(super) fn are_by_period(&self) -> bool {
        self.one.is_none()
    }

    /// Creates the one table; tables by period are created before they are written to.
    pub(super) async fn begin(&self, db: &dyn Backend) -> Result<(), Error> {
        match &self.one {
            Some(table) => self.create(db, table).await,
            None => Ok(()),
        }
    }

    /// The table of a row with this key.
    pub(super) fn of_row(&self, key: &[u8]) -> Result<Cow<'_, str>, Error> {
        match &self.one {
            Some(table) => Ok(Cow::Borrowed(table)),
            None => self.schema.table_of_row(key),
        }
    }

    /// Creates a table by period, unless this run has done so.
    pub(super) async fn ensure(&self, db: &dyn Backend, table: &str) -> Result<(), Error> {
        if !self.are_by_period() {
            return Ok(());
        }
        let mut ready = self.ready.lock().await;
        if !ready.contains(table) {
            self.create(db, table).await?;
            ready.insert(table.to_owned());
        }
        Ok(())
    }

    async fn create(&self, db: &dyn Backend, table: &str) -> Result<(), Error> {
        WantedTable::of(&self.schema).named(table).ensure(db).await
    }

    /// The tables that were written to.
    pub(super) fn written<'a>(&'a self, checkpoint: &'a Checkpoint) -> Vec<&'a str> {
        match &self.one {
            Some(table) => vec![table],
            None => checkpoint.tables.iter().map(String::as_str).collect(),
        }
    }
}
