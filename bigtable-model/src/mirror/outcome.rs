//! The outcome of an event in each of its tables.

use crate::Error;
use crate::model::Schema;

/// The outcome of an event and of its copies: one entry for each table, the event's own first.
#[derive(Debug)]
#[must_use = "it tells which tables were not written"]
pub struct MirrorOutcome {
    tables: Vec<TableOutcome>,
}

/// The outcome of an event or of its copy in one table.
#[derive(Debug)]
pub struct TableOutcome {
    /// The table's ID.
    pub table: String,
    /// The result.
    pub result: TableResult,
}

/// The result of a write to one of several tables.
#[derive(Debug)]
pub enum TableResult {
    /// Written or deleted.
    Done,
    /// There is nothing to do: the event has no copy in this table.
    NoCopy,
    /// It failed, or the event cannot be stored there; writing it again is safe.
    Failed(Error),
    /// Nothing was sent, since another table failed first.
    NotTried,
}

impl MirrorOutcome {
    pub(super) fn new(tables: Vec<TableOutcome>) -> Self {
        Self { tables }
    }

    /// One table refused the event before anything was sent.
    pub(super) fn refused(
        schemas: impl Iterator<Item = &'static Schema>,
        refused: usize,
        error: Error,
    ) -> Self {
        let mut error = Some(error);
        let tables = schemas.enumerate().map(|(at, schema)| {
            let error = error.take_if(|_| at == refused);
            TableOutcome::new(
                schema,
                error.map_or(TableResult::NotTried, TableResult::Failed),
            )
        });
        Self::new(tables.collect())
    }

    /// The tables: the event's own, then those of its copies as the model names them.
    #[must_use]
    pub fn tables(&self) -> &[TableOutcome] {
        &self.tables
    }

    /// Whether every table holds what it should.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        let mut tables = self.tables.iter();
        tables.all(|one| matches!(one.result, TableResult::Done | TableResult::NoCopy))
    }

    /// The first failure. If it is a copy's, and the event itself was written, it is
    /// [`Error::NotMirrored`].
    ///
    /// # Errors
    /// That failure.
    pub fn into_result(self) -> Result<(), Error> {
        let mut written = None;
        for (at, one) in self.tables.into_iter().enumerate() {
            match one.result {
                TableResult::Done if at == 0 => written = Some(one.table),
                TableResult::Failed(error) => return Err(of_copy(written, error)),
                TableResult::Done | TableResult::NoCopy | TableResult::NotTried => {}
            }
        }
        Ok(())
    }
}

impl TableOutcome {
    pub(super) fn new(schema: &Schema, result: TableResult) -> Self {
        Self {
            table: schema.table.to_string(),
            result,
        }
    }
}

/// The failure of a copy, after an event that was written to the table `source`.
pub(super) fn of_copy(source: Option<String>, error: Error) -> Error {
    match source {
        Some(table) => Error::NotMirrored {
            table,
            source: Box::new(error),
        },
        None => error,
    }
}
