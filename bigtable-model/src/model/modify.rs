//! Changes that the server computes from the row's values.

use std::fmt;
use std::marker::PhantomData;

use bytes::Bytes;

use crate::Error;
use crate::data::{ReadModifyWriteRow, Row, RuleAction};
use crate::model::describe::{column_name, described_event};
use crate::model::{Appends, Column, EventWriter, Increments, Model, Modification, Modifies};
use crate::value::CellValue;

/// Increments of counters and appends to texts of one event. The server makes them atomically: all
/// or none, without another write in between. [`Model::modify`] begins one.
///
/// An absent counter counts from 0; counters wrap around at the ends of `i64`. An absent text is
/// empty. Like [`Model::update`], it does not check that the event exists. The client sends it
/// once, unless HTTP/2 proves that it was not processed. After an error that leaves open whether it
/// arrived, such as a broken connection, only a read shows whether it did.
///
/// ```
/// use bigtable_model::{BackendExt, MemoryBackend, Model};
///
/// #[derive(Debug, PartialEq, Model)]
/// #[bigtable(table = "PAGE", family = "P")]
/// struct Page {
///     #[bigtable(key, escape)]
///     path: String,
///     #[bigtable(counter)]
///     views: i64,
///     #[bigtable(append)]
///     visitors: Option<String>,
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), bigtable_model::Error> {
/// let db = MemoryBackend::new();
/// db.ensure_tables::<Page>().await?;
/// let key = PageKey { path: "/index".into() };
/// for visitor in ["ann ", "bob "] {
///     let after = db.send(Page::modify(&key)
///         .increment(Page::FIELDS.views, 1)
///         .append(Page::FIELDS.visitors, visitor))
///         .await?;
///     println!("view {:?}", after.get(Page::FIELDS.views)?);
/// }
/// let page = Page { path: "/index".into(), views: 2, visitors: Some("ann bob ".into()) };
/// assert_eq!(db.get::<Page>(&key).await?, Some(page));
/// # Ok(())
/// # }
/// ```
#[must_use = "it does nothing until it is sent"]
pub struct Modify<M> {
    state: Result<EventWriter, Error>,
    rules: Vec<(usize, RuleAction)>,
    model: PhantomData<fn() -> M>,
}

/// The values after a [`Modify`].
#[derive(Debug)]
pub struct Modified<M> {
    row: Row,
    sent: Modification,
    model: PhantomData<fn() -> M>,
}

impl<M: Model> Modify<M> {
    pub(crate) fn new(key: &M::Key) -> Self {
        Self {
            state: EventWriter::of_key::<M>(key),
            rules: Vec::new(),
            model: PhantomData,
        }
    }

    /// Adds `by`, which may be negative, to a counter.
    pub fn increment<T>(mut self, column: Column<M, T, impl Increments>, by: i64) -> Self {
        let rule = (column.index(), RuleAction::Increment(by));
        self.rules.push(rule);
        self
    }

    /// Appends `suffix` to a text or to bytes.
    pub fn append<T, K: Appends<T>>(mut self, column: Column<M, T, K>, suffix: &K::Suffix) -> Self {
        let suffix = Bytes::copy_from_slice(suffix.as_ref());
        let rule = (column.index(), RuleAction::Append(suffix));
        self.rules.push(rule);
        self
    }

    /// The request, as data.
    ///
    /// # Errors
    /// [`Error::Key`] if the key cannot be encoded, [`Error::EmptyUpdate`] if it has no changes.
    pub fn to_request(self) -> Result<ReadModifyWriteRow, Error> {
        self.prepare().map(|ready| ready.request)
    }

    pub(crate) fn prepare(self) -> Result<Modification, Error> {
        self.state?.modification(self.rules)
    }
}

impl<M: Model> Modified<M> {
    pub(crate) fn new(sent: Modification, row: Row) -> Self {
        Self {
            row,
            sent,
            model: PhantomData,
        }
    }

    /// The new value of a column; `None` if it was not changed.
    ///
    /// # Errors
    /// [`Error::BadCell`] if it is not a value of the column's type, such as text that is not
    /// UTF-8.
    pub fn get<T, K: Modifies<T>>(
        &self,
        column: Column<M, T, K>,
    ) -> Result<Option<K::Value>, Error> {
        self.value(column.index())
    }

    pub(crate) fn value<V: CellValue>(&self, index: usize) -> Result<Option<V>, Error> {
        let Modification {
            request,
            columns,
            time,
        } = &self.sent;
        let mut rules = columns.iter().zip(&request.rules);
        let Some((_, rule)) = rules.find(|(column, _)| **column == index) else {
            return Ok(None);
        };
        let cell = self.row.column(&rule.family, &rule.qualifier).next();
        let value = cell.map(|cell| V::decode_value(&cell.value)).transpose();
        value.map_err(|source| Error::BadCell {
            table: request.table.clone(),
            key: described_event(M::SCHEMA, &request.key, *time),
            column: column_name(&rule.family, &rule.qualifier.escape_ascii().to_string()),
            source: M::SCHEMA.shown_error(index, source),
        })
    }
}

impl<M> fmt::Debug for Modify<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_tuple("Modify");
        shown.field(&self.state).field(&self.rules).finish()
    }
}
