//! How a query handles rows and cells that do not fit its model.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crate::Error;

/// How many of the skipped rows are kept for the list.
const LISTED: usize = 1_000;

/// How a query handles a row whose key is not the model's, an event with values that the model
/// never writes, and a cell of its columns whose time or offset no event can have: it
/// [`fail`](BadRows::fail)s, unless [`Query::on_bad_row`](crate::query::Query::on_bad_row) is set.
///
/// Only what is read is checked: [`count`] and [`series`] read keys and the presence column, and a
/// projection reads its columns; with a condition, a range of time or a number of newest events the
/// server sends only some cells. A page in order of time reads from the time at which the previous
/// page ended. Cells that do not belong to the model are ignored, and so are rows without its
/// presence column: they hold no event ([`audit`](crate::BackendExt::audit) counts them). In layout
/// `latest` cells older than the newest event of a row are not checked.
///
/// [`count`]: crate::BackendExt::count
/// [`series`]: crate::BackendExt::series
///
/// Clones share what was skipped, so the value given to a query shows it afterwards. Deletes and
/// copies always fail: they must not depend on rows that cannot be understood.
///
/// ```
/// use bigtable_model::data::{Mutation, RowMutations};
/// use bigtable_model::query::BadRows;
/// use bigtable_model::{Backend, BackendExt, MemoryBackend, Model, Timestamp};
///
/// #[derive(Debug, PartialEq, Model)]
/// #[bigtable(table = "QUOTE", family = "MD")]
/// struct Quote {
///     #[bigtable(key)]
///     symbol: String,
///     #[bigtable(time, unit = "s")]
///     at: Timestamp,
///     bid: f64,
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let db = MemoryBackend::new();
/// db.ensure_tables::<Quote>().await?;
/// let quote = Quote { symbol: "A".into(), at: Timestamp::from_seconds(1), bid: 10.5 };
/// db.insert(&quote).await?;
/// // Another program left a row whose key ends in no time.
/// let mutations = vec![Mutation::SetCell {
///     family: "MD".into(),
///     qualifier: "bid".into(),
///     timestamp_micros: 0,
///     value: vec![0; 8].into(),
/// }];
/// let row = RowMutations { key: "A#yesterday".into(), mutations };
/// db.mutate_row("QUOTE", row).await?;
///
/// let all = Quote::scan();
/// assert!(db.fetch(&all).await.is_err());
/// let bad = BadRows::skip();
/// assert_eq!(db.fetch(&all.events().on_bad_row(&bad)).await?, [quote]);
/// assert_eq!(bad.count(), 1);
/// assert!(bad.listed()[0].to_string().contains("A#yesterday"));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Default)]
pub struct BadRows(Option<Arc<Skipped>>);

/// Called for each bad row.
type Call = dyn Fn(&Error) + Send + Sync;

/// What was skipped so far.
struct Skipped {
    count: AtomicU64,
    listed: Mutex<Vec<Arc<Error>>>,
    call: Option<Box<Call>>,
}

impl BadRows {
    /// The first bad row or event fails the query.
    #[must_use]
    pub const fn fail() -> Self {
        Self(None)
    }

    /// Bad rows and events are left out and counted, and the first 1,000 are kept with key and
    /// reason.
    #[must_use]
    pub fn skip() -> Self {
        Self::skipping(None)
    }

    /// Like [`skip`](BadRows::skip), and calls `call` for each, with an error that names the table,
    /// the key and the reason. It is called on the thread that reads, which waits for it.
    #[must_use]
    pub fn call(call: impl Fn(&Error) + Send + Sync + 'static) -> Self {
        Self::skipping(Some(Box::new(call)))
    }

    fn skipping(call: Option<Box<Call>>) -> Self {
        Self(Some(Arc::new(Skipped {
            count: AtomicU64::new(0),
            listed: Mutex::default(),
            call,
        })))
    }

    /// How many rows and events were skipped, by all queries with this value.
    #[must_use]
    pub fn count(&self) -> u64 {
        let skipped = self.0.as_ref();
        skipped.map_or(0, |skipped| skipped.count.load(Ordering::Relaxed))
    }

    /// The first 1,000 that were skipped.
    #[must_use]
    pub fn listed(&self) -> Vec<Arc<Error>> {
        let skipped = self.0.as_ref();
        skipped.map_or_else(Vec::new, |skipped| {
            let listed = skipped.listed.lock();
            listed.unwrap_or_else(PoisonError::into_inner).clone()
        })
    }

    /// Whether bad rows are left out.
    pub(in crate::query) fn are_skipped(&self) -> bool {
        self.0.is_some()
    }

    /// Records a bad row, or returns its error.
    ///
    /// # Errors
    /// The error itself, if bad rows are not skipped, or if it is not about a row.
    #[cold]
    pub(in crate::query) fn take(&self, error: Error) -> Result<(), Error> {
        let Some(skipped) = self.0.as_ref().filter(|_| is_of_row(&error)) else {
            return Err(error);
        };
        skipped.count.fetch_add(1, Ordering::Relaxed);
        if let Some(call) = &skipped.call {
            call(&error);
        }
        let listed = skipped.listed.lock();
        let mut listed = listed.unwrap_or_else(PoisonError::into_inner);
        if listed.len() < LISTED {
            listed.push(Arc::new(error));
        }
        Ok(())
    }
}

/// Whether an error is about one row or event, not about a read or the query.
fn is_of_row(error: &Error) -> bool {
    matches!(
        error,
        Error::ForeignKey { .. }
            | Error::ForeignCell { .. }
            | Error::MissingColumn { .. }
            | Error::BadCell { .. }
            | Error::Former { .. }
    )
}

impl From<&Self> for BadRows {
    fn from(shared: &Self) -> Self {
        shared.clone()
    }
}

impl fmt::Debug for BadRows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(_) => write!(f, "BadRows({} skipped)", self.count()),
            None => f.write_str("BadRows(fail)"),
        }
    }
}
