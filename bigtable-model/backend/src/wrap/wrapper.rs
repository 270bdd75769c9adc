//! Custom wrappers, and shared backends.

use std::fmt;
use std::sync::Arc;

use futures::future::BoxFuture;

use crate::data::{
    CheckAndMutateRow, EntryBatch, ReadModifyWriteRow, ReadRows, Row, RowKeySample, RowMutations,
};
use crate::{
    Backend, Capabilities, EntryOutcome, RowBatches, SqlService, Status, Tables, Timestamp,
};

/// The calls of a [`Backend`] that are answered as a whole, in one list: each of `of_inner`,
/// `of_wrapper` and `of_shared` makes methods of all of them.
macro_rules! calls {
    ($methods:ident) => {
        $methods! {
            mutate_row(table: &'a str, row: RowMutations) -> ();
            mutate_rows(table: &'a str, entries: Arc<EntryBatch>) -> Vec<EntryOutcome>;
            check_and_mutate_row(request: CheckAndMutateRow) -> bool;
            read_modify_write_row(request: ReadModifyWriteRow) -> Row;
            sample_row_keys(table: &'a str) -> Vec<RowKeySample>;
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
/// the same method of [`inner`](Wrapper::inner).
///
/// Clones must share the wrapper's state, since queries read through a clone, the
/// [`handle`](Backend::handle). A wrapper is used as a `Backend`, and this trait need not be in
/// scope. If both traits are in scope, call methods through a [`handle`](Backend::handle), since
/// both traits have them.
///
/// A wrapper that changes writes must implement all four: [`mutate_row`](Wrapper::mutate_row),
/// [`mutate_rows`](Wrapper::mutate_rows),
/// [`check_and_mutate_row`](Wrapper::check_and_mutate_row) and
/// [`read_modify_write_row`](Wrapper::read_modify_write_row).
///
/// ```
/// use std::sync::Arc;
/// use std::sync::atomic::{AtomicU64, Ordering};
///
/// use bigtable_backend::data::{FamilySchema, ReadRows, TableSchema};
/// use bigtable_backend::{Backend, MemoryBackend, RowBatches, Wrapper};
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
///     fn read_rows(&self, request: ReadRows) -> RowBatches {
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
/// db.tables().create(TableSchema { table: "SENSOR".to_owned(), families, ..TableSchema::default() }, Vec::new()).await?;
/// let request = ReadRows { table: "SENSOR".to_owned(), ..ReadRows::default() };
/// let rows: Vec<_> = db.read_rows(request).rows().try_collect().await?;
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
    fn read_rows(&self, request: ReadRows) -> RowBatches {
        self.inner().read_rows(request)
    }

    /// See [`Backend::capabilities`].
    fn capabilities(&self) -> Capabilities {
        self.inner().capabilities()
    }

    /// See [`Backend::tables`]. A wrapper that changes calls of tables is a [`Tables`] of its own.
    fn tables(&self) -> &dyn Tables {
        self.inner().tables()
    }

    /// See [`Backend::sql_service`].
    fn sql_service(&self) -> &dyn SqlService {
        self.inner().sql_service()
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

    fn read_rows(&self, request: ReadRows) -> RowBatches {
        Wrapper::read_rows(self, request)
    }

    fn capabilities(&self) -> Capabilities {
        Wrapper::capabilities(self)
    }

    fn tables(&self) -> &dyn Tables {
        Wrapper::tables(self)
    }

    fn sql_service(&self) -> &dyn SqlService {
        Wrapper::sql_service(self)
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

    fn read_rows(&self, request: ReadRows) -> RowBatches {
        (**self).read_rows(request)
    }

    fn capabilities(&self) -> Capabilities {
        (**self).capabilities()
    }

    fn tables(&self) -> &dyn Tables {
        (**self).tables()
    }

    fn sql_service(&self) -> &dyn SqlService {
        (**self).sql_service()
    }

    calls! { of_shared }
}
