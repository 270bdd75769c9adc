//! Custom wrappers, and shared backends.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use bytes::Bytes;
use futures::future::BoxFuture;

use crate::backend::one_by_one;
use crate::data::{
    CheckAndMutateRow, EntryBatch, EntrySize, FamilyChange, ReadModifyWriteRow, ReadRows, Row,
    RowDeletion, RowKeySample, RowKeySchema, RowMutations, RowOnce, TableSchema,
};
use crate::sql::{SqlParameters, SqlPlan, SqlQuery, SqlRows, SqlType};
use crate::{Backend, BatchStream, EntryOutcome, ReadCounts, RowStream, Status, Timestamp};

/// The calls of a [`Backend`] that are answered as a whole, in one list: each of `of_inner`,
/// `of_wrapper` and `of_shared` makes methods of all of them.
macro_rules! calls {
    ($methods:ident) => {
        $methods! {
            mutate_row(table: &'a str, row: RowMutations) -> ();
            mutate_rows(table: &'a str, rows: Vec<RowMutations>) -> Vec<EntryOutcome>;
            mutate_rows_once(table: &'a str, rows: Vec<RowOnce>) -> Vec<EntryOutcome>;
            check_and_mutate_row(request: CheckAndMutateRow) -> bool;
            read_modify_write_row(request: ReadModifyWriteRow) -> Row;
            sample_row_keys(table: &'a str) -> Vec<RowKeySample>;
            create_table(schema: TableSchema, splits: Vec<Bytes>) -> ();
            get_table(table: &'a str) -> TableSchema;
            list_tables() -> Vec<String>;
            delete_table(table: &'a str) -> ();
            modify_families(table: &'a str, changes: Vec<FamilyChange>) -> TableSchema;
            set_row_key_schema(table: &'a str, schema: Option<RowKeySchema>) -> ();
            drop_rows(table: &'a str, rows: RowDeletion) -> ();
            prepare_sql(sql: &'a str, parameters: BTreeMap<String, SqlType>) -> SqlPlan;
            prepare_query(query: &'a SqlQuery) -> SqlPlan;
        }
    };
}

/// Calls the same method of the backend inside.
macro_rules! of_inner {
    ($($method:ident($($name:ident: $type:ty),*) -> $answer:ty;)+) => {$(
        #[doc = concat!("See [`Backend::", stringify!($method), "`].")]
        fn $method<'a>(&'a self, $($name: $type),*) -> BoxFuture<'a, Result<$answer, Status>> {
            self.inner().$method($($name),*)
        }
    )+};
}

/// Calls the wrapper's method.
macro_rules! of_wrapper {
    ($($method:ident($($name:ident: $type:ty),*) -> $answer:ty;)+) => {$(
        fn $method<'a>(&'a self, $($name: $type),*) -> BoxFuture<'a, Result<$answer, Status>> {
            Wrapper::$method(self, $($name),*)
        }
    )+};
}

/// Calls the shared backend's method.
macro_rules! of_shared {
    ($($method:ident($($name:ident: $type:ty),*) -> $answer:ty;)+) => {$(
        fn $method<'a>(&'a self, $($name: $type),*) -> BoxFuture<'a, Result<$answer, Status>> {
            (**self).$method($($name),*)
        }
    )+};
}

/// A [`Backend`] that forwards to another, except for the methods that it implements.
///
/// It says which backend is inside and implements the methods that differ; each of the others calls
/// the same method of [`inner`](Wrapper::inner), except that
/// [`read_rows_counted`](Wrapper::read_rows_counted) and [`read_batches`](Wrapper::read_batches)
/// call this wrapper's `read_rows`, and [`mutate_batch`](Wrapper::mutate_batch) its `mutate_rows`.
/// A wrapper that does not change reads should forward the first two: otherwise queries through it
/// read row by row. One that neither changes nor checks writes should forward `mutate_batch` and
/// [`takes_entry`](Wrapper::takes_entry): otherwise events of a bulk write come as rows.
///
/// Clones must share the wrapper's state, since queries read through a clone, the
/// [`handle`](Backend::handle). A wrapper is used as a `Backend`, and this trait need not be in
/// scope. If both traits are in scope, call methods through a [`handle`](Backend::handle), since
/// both traits have them.
///
/// A wrapper that changes writes must implement all five: [`mutate_row`](Wrapper::mutate_row),
/// [`mutate_rows`](Wrapper::mutate_rows), [`mutate_rows_once`](Wrapper::mutate_rows_once),
/// [`check_and_mutate_row`](Wrapper::check_and_mutate_row) and
/// [`read_modify_write_row`](Wrapper::read_modify_write_row). It leaves `mutate_batch` and
/// `takes_entry` alone.
///
/// ```
/// use std::sync::Arc;
/// use std::sync::atomic::{AtomicU64, Ordering};
///
/// use bigtable_backend::data::{FamilySchema, ReadRows, TableSchema};
/// use bigtable_backend::{Backend, MemoryBackend, RowStream, Wrapper};
/// use futures::TryStreamExt;
///
/// /// Counts reads.
/// #[derive(Debug, Clone)]
/// struct CountedReads {
///     inner: Arc<dyn Backend>,
///     reads: Arc<AtomicU64>,
/// }
///
/// impl Wrapper for CountedReads {
///     fn inner(&self) -> &dyn Backend {
///         &*self.inner
///     }
///
///     fn read_rows(&self, request: ReadRows) -> RowStream {
///         self.reads.fetch_add(1, Ordering::Relaxed);
///         self.inner.read_rows(request)
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), bigtable_backend::Status> {
/// let counted = CountedReads { inner: MemoryBackend::new().handle(), reads: Arc::default() };
/// let db = counted.handle(); // a backend as others are
/// let families = [("m".to_owned(), FamilySchema::default())].into();
/// db.create_table(TableSchema { table: "SENSOR".to_owned(), families, ..TableSchema::default() }, Vec::new()).await?;
/// let request = ReadRows { table: "SENSOR".to_owned(), ..ReadRows::default() };
/// let rows: Vec<_> = db.read_rows(request).try_collect().await?;
/// assert_eq!(rows.len(), 0);
/// assert_eq!(counted.reads.load(Ordering::Relaxed), 1);
/// # Ok(())
/// # }
/// ```
pub trait Wrapper: fmt::Debug + Clone + Send + Sync + 'static {
    /// The backend inside.
    fn inner(&self) -> &dyn Backend;

    /// See [`Backend::expiry_time`].
    fn expiry_time(&self) -> Timestamp {
        self.inner().expiry_time()
    }

    /// See [`Backend::stored_table`].
    fn stored_table(&self, table: &str) -> String {
        self.inner().stored_table(table)
    }

    /// See [`Backend::read_rows`].
    fn read_rows(&self, request: ReadRows) -> RowStream {
        self.inner().read_rows(request)
    }

    /// See [`Backend::read_rows_counted`]. By default it reads with this wrapper's
    /// [`read_rows`](Wrapper::read_rows) and counts nothing. A wrapper that does not change reads
    /// calls `self.inner().read_rows_counted(request)` to keep the counts.
    fn read_rows_counted(&self, request: ReadRows) -> (RowStream, Option<Arc<ReadCounts>>) {
        (Wrapper::read_rows(self, request), None)
    }

    /// See [`Backend::read_batches`]. By default it reads with this wrapper's
    /// [`read_rows`](Wrapper::read_rows), row by row. A wrapper that does not change reads calls
    /// `self.inner().read_batches(request)`, which takes less time.
    fn read_batches(&self, request: ReadRows) -> BatchStream {
        one_by_one(Wrapper::read_rows(self, request))
    }

    /// See [`Backend::mutate_batch`]. By default it writes with this wrapper's
    /// [`mutate_rows`](Wrapper::mutate_rows). A wrapper that does not change writes calls
    /// `self.inner().mutate_batch(table, entries)`, which takes less time.
    fn mutate_batch<'a>(
        &'a self,
        table: &'a str,
        entries: Arc<EntryBatch>,
    ) -> BoxFuture<'a, Result<Vec<EntryOutcome>, Status>> {
        Box::pin(async move { Wrapper::mutate_rows(self, table, entries.to_rows()?).await })
    }

    /// See [`Backend::keeps_tokens`].
    fn keeps_tokens(&self) -> bool {
        self.inner().keeps_tokens()
    }

    /// See [`Backend::check_entry`].
    ///
    /// # Errors
    /// Why the entry is refused.
    fn check_entry(&self, row: &RowMutations) -> Result<usize, Status> {
        self.inner().check_entry(row)
    }

    /// See [`Backend::takes_entry`]. By default it takes none, so that all writes come as rows. A
    /// wrapper that neither changes nor checks writes, and passes on `mutate_batch`, calls
    /// `self.inner().takes_entry(size)`.
    fn takes_entry(&self, size: &EntrySize) -> bool {
        let _ = size;
        false
    }

    /// See [`Backend::execute_sql`].
    fn execute_sql(&self, plan: &SqlPlan, parameters: SqlParameters) -> SqlRows {
        self.inner().execute_sql(plan, parameters)
    }

    calls! { of_inner }
}

impl<W: Wrapper> Backend for W {
    fn handle(&self) -> Arc<dyn Backend> {
        Arc::new(self.clone())
    }

    fn expiry_time(&self) -> Timestamp {
        Wrapper::expiry_time(self)
    }

    fn stored_table(&self, table: &str) -> String {
        Wrapper::stored_table(self, table)
    }

    fn read_rows(&self, request: ReadRows) -> RowStream {
        Wrapper::read_rows(self, request)
    }

    fn read_rows_counted(&self, request: ReadRows) -> (RowStream, Option<Arc<ReadCounts>>) {
        Wrapper::read_rows_counted(self, request)
    }

    fn read_batches(&self, request: ReadRows) -> BatchStream {
        Wrapper::read_batches(self, request)
    }

    fn mutate_batch<'a>(
        &'a self,
        table: &'a str,
        entries: Arc<EntryBatch>,
    ) -> BoxFuture<'a, Result<Vec<EntryOutcome>, Status>> {
        Wrapper::mutate_batch(self, table, entries)
    }

    fn keeps_tokens(&self) -> bool {
        Wrapper::keeps_tokens(self)
    }

    fn check_entry(&self, row: &RowMutations) -> Result<usize, Status> {
        Wrapper::check_entry(self, row)
    }

    fn takes_entry(&self, size: &EntrySize) -> bool {
        Wrapper::takes_entry(self, size)
    }

    fn execute_sql(&self, plan: &SqlPlan, parameters: SqlParameters) -> SqlRows {
        Wrapper::execute_sql(self, plan, parameters)
    }

    calls! { of_wrapper }
}

/// Lets `&Arc<dyn Backend>` be used wherever `&dyn Backend` is expected.
impl<B: Backend + ?Sized> Backend for Arc<B> {
    fn handle(&self) -> Arc<dyn Backend> {
        (**self).handle()
    }

    fn expiry_time(&self) -> Timestamp {
        (**self).expiry_time()
    }

    fn stored_table(&self, table: &str) -> String {
        (**self).stored_table(table)
    }

    fn read_rows(&self, request: ReadRows) -> RowStream {
        (**self).read_rows(request)
    }

    fn read_rows_counted(&self, request: ReadRows) -> (RowStream, Option<Arc<ReadCounts>>) {
        (**self).read_rows_counted(request)
    }

    fn read_batches(&self, request: ReadRows) -> BatchStream {
        (**self).read_batches(request)
    }

    fn mutate_batch<'a>(
        &'a self,
        table: &'a str,
        entries: Arc<EntryBatch>,
    ) -> BoxFuture<'a, Result<Vec<EntryOutcome>, Status>> {
        (**self).mutate_batch(table, entries)
    }

    fn keeps_tokens(&self) -> bool {
        (**self).keeps_tokens()
    }

    fn check_entry(&self, row: &RowMutations) -> Result<usize, Status> {
        (**self).check_entry(row)
    }

    fn takes_entry(&self, size: &EntrySize) -> bool {
        (**self).takes_entry(size)
    }

    fn execute_sql(&self, plan: &SqlPlan, parameters: SqlParameters) -> SqlRows {
        (**self).execute_sql(plan, parameters)
    }

    calls! { of_shared }
}
