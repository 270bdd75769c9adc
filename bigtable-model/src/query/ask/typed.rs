//! Typed queries.

use std::fmt;
use std::marker::PhantomData;

use bytes::Bytes;

use super::bad_rows::BadRows;
#[cfg(feature = "page_key")]
use super::page_key::PageKey;
use super::selection::{DEFAULT_MAX_SEEKS, Order, PayloadField, SegmentSelection, Selection};
use super::state::{
    ByKey, Erased, FullScan, InOrder, QueryState, ResultOrder, Start, TimeOrder, Unordered,
};
use crate::condition::Condition;
use crate::model::{FieldUse, Model, Projection};

/// A query of model `M` in state `S` that reads values of `P`: what is asked for, and how.
///
/// Generated query types, such as `QuoteQuery`, have a setter for each segment of the row key;
/// their `events()` returns this type, which has the options. A verb of
/// [`BackendExt`](crate::BackendExt), such as `db.fetch(&query)`, runs a query, as often as you
/// want. Options can be set in every state.
pub struct Query<M, S = FullScan, P = M> {
    /// `selection` sets its order: the one of the state, unless another was asked for.
    selection: Selection,
    order: Option<Order>,
    bad_rows: BadRows,
    page_key: KeyOfPages,
    types: Types<M, S, P>,
}

/// The key that encrypts the tokens of pages, if there is one.
#[cfg(feature = "page_key")]
type KeyOfPages = Option<PageKey>;
#[cfg(not(feature = "page_key"))]
type KeyOfPages = ();

/// The types of a query, without values of them.
type Types<M, S, P> = PhantomData<fn() -> (M, S, P)>;

/// A query with nothing set, or a scan of the whole table.
impl<M, S: Start, P> Default for Query<M, S, P> {
    fn default() -> Self {
        Self::of(Selection {
            full_scan: S::FULL_SCAN,
            max_seeks: DEFAULT_MAX_SEEKS,
            ..Selection::default()
        })
    }
}

impl<M: Model> Query<M> {
    /// A query of the whole table, in code that is generic over models:
    /// `db.count(&Query::<M>::scan())`.
    #[must_use]
    pub fn scan() -> Self {
        Self::default()
    }
}

/// A query as generated types hold it: what the verbs of [`BackendExt`](crate::BackendExt) take.
pub trait AsQuery {
    /// The model of the events.
    type Model: Model;

    /// What is set so far.
    type State;

    /// The values that are read: the model, or a projection.
    type Read: Projection<Model = Self::Model>;

    /// The query.
    fn as_query(&self) -> &Query<Self::Model, Self::State, Self::Read>;
}

impl<M: Model, S, P: Projection<Model = M>> AsQuery for Query<M, S, P> {
    type Model = M;
    type State = S;
    type Read = P;

    fn as_query(&self) -> &Self {
        self
    }
}

impl<Q: AsQuery> AsQuery for &Q {
    type Model = Q::Model;
    type State = Q::State;
    type Read = Q::Read;

    fn as_query(&self) -> &Query<Q::Model, Q::State, Q::Read> {
        (**self).as_query()
    }
}

/// Called by generated setters.
#[doc(hidden)]
impl<M, S, P> Query<M, S, P> {
    pub(in crate::query) fn of(selection: Selection) -> Self {
        Self {
            selection,
            order: None,
            bad_rows: BadRows::fail(),
            page_key: Default::default(),
            types: PhantomData,
        }
    }

    /// The same query in another state, or with other results.
    fn now<Next, Q>(self) -> Query<M, Next, Q> {
        Query {
            selection: self.selection,
            order: self.order,
            bad_rows: self.bad_rows,
            page_key: self.page_key,
            types: PhantomData,
        }
    }

    /// The same query in another order.
    fn in_order<O: ResultOrder>(self) -> Query<M, InOrder<S, O>, P> {
        Query {
            order: Some(O::ORDER),
            ..self.now()
        }
    }

    /// Sets the segment at an index among those with values, or replaces its selection, which only
    /// a scan of the whole table allows. Earlier segments that are not set stay open.
    pub fn __set_at<Next>(
        mut self,
        position: usize,
        segment: SegmentSelection,
    ) -> Query<M, Next, P> {
        self.selection.select(position, segment);
        self.now()
    }
}

impl<M: Model, S, P: Projection<Model = M>> Query<M, S, P> {
    /// The query as data, with the order of its state and the columns of `P`.
    #[must_use]
    pub fn selection(&self) -> Selection
    where
        S: QueryState<M>,
    {
        let selection = Selection {
            order: S::Order::ORDER,
            ..self.selection.clone()
        };
        project(selection, P::USES).with_gaps(M::SCHEMA)
    }

    #[cfg(feature = "page_key")]
    pub(in crate::query) fn key_of_pages(&self) -> Option<&PageKey> {
        self.page_key.as_ref()
    }

    pub(crate) fn bad_rows(&self) -> &BadRows {
        &self.bad_rows
    }
}

impl<M: Model, S: QueryState<M>, P> Query<M, S, P> {
    /// The same query as a type that does not show which segments are set, for branches that set
    /// different ones. The order of results stays in the type: if branches differ in it too, call
    /// [`in_key_order`](Query::in_key_order) first.
    ///
    /// ```
    /// use bigtable_model::query::{ByKey, Erased, Query};
    /// use bigtable_model::{Model, Timestamp};
    ///
    /// #[derive(Model)]
    /// #[bigtable(table = "QUOTE", family = "MD")]
    /// struct Quote {
    ///     #[bigtable(key)]
    ///     symbol: String,
    ///     #[bigtable(time, unit = "s")]
    ///     at: Timestamp,
    ///     bid: f64,
    /// }
    ///
    /// fn asked(symbol: Option<&str>) -> Query<Quote, Erased<ByKey>, Quote> {
    ///     let query = match symbol {
    ///         Some(symbol) => Quote::query().symbol(symbol).events().in_key_order().erase(),
    ///         None => Quote::scan().events().erase(),
    ///     };
    ///     query.limit(100)
    /// }
    ///
    /// assert!(asked(None).plan()?.full_scan);
    /// assert!(!asked(Some("ZXZZT")).plan()?.full_scan);
    /// # Ok::<(), bigtable_model::Error>(())
    /// ```
    #[must_use]
    pub fn erase(self) -> Query<M, Erased<S::Order>, P> {
        Query {
            order: Some(S::Order::ORDER),
            ..self.now()
        }
    }
}

/// Options, in every state.
impl<M: Model, S, P> Query<M, S, P> {
    /// At most this many events.
    #[must_use]
    pub fn limit(mut self, events: u64) -> Self {
        self.selection.limit = Some(events);
        self
    }

    /// Only events whose columns meet a condition; of two conditions, both must hold. It does not
    /// narrow the rows that are read.
    #[must_use]
    pub fn matching(mut self, condition: Condition<M>) -> Self {
        self.selection.require(condition.into_test());
        self
    }

    /// Newest first.
    #[must_use]
    pub fn newest_first(self) -> Self
    where
        S: QueryState<M, Order: TimeOrder>,
    {
        self.reversed()
    }

    /// Last key first; in order of time, newest first.
    #[must_use]
    pub fn reversed(mut self) -> Self {
        self.selection.descending = true;
        self
    }

    /// The maximum number of series that may be read at once, 128 by default.
    #[must_use]
    pub fn max_scans(mut self, scans: usize) -> Self {
        self.selection.max_scans = scans;
        self
    }

    /// The maximum number of series, 128 by default, that a scan of a query in key order may seek.
    /// A query that leaves an identifier open and sets a later segment of the key, such as a day of
    /// all meters, finds the first row of each meter, one after another, and then reads only that
    /// day's rows. All rows of further series are read, of which the server sends only those of the
    /// day. `0` seeks none, for a table with short series.
    #[must_use]
    pub fn max_seeks(mut self, series: usize) -> Self {
        self.selection.max_seeks = series;
        self
    }

    /// Results in order of the row keys: one scan of each table, for any number of series.
    #[must_use]
    pub fn in_key_order(self) -> Query<M, InOrder<S, ByKey>, P> {
        self.in_order()
    }

    /// Results in any order, from several scans at once: for exports. A few ranges of rows are cut
    /// into up to 8 scans, at keys that the backend samples when the query runs; the
    /// [`plan`](Query::plan) does not show these. [`partitions`](crate::BackendExt::partitions)
    /// makes a query for each such part.
    #[must_use]
    pub fn unordered(self) -> Query<M, InOrder<S, Unordered>, P> {
        self.in_order()
    }

    /// How to handle rows, events and cells that do not fit the model: see [`BadRows`].
    /// [`delete_all`](crate::BackendExt::delete_all) always fails.
    #[must_use]
    pub fn on_bad_row(mut self, bad_rows: impl Into<BadRows>) -> Self {
        self.bad_rows = bad_rows.into();
        self
    }

    /// Includes expired cells, which a garbage-collection rule of the model deletes but Bigtable
    /// has not deleted yet; that takes it up to a week. Other queries leave out such cells: an
    /// event whose presence column has expired does not exist, and in other events expired columns
    /// are absent. The client's clock decides; see
    /// [`with_expiry_margin`](crate::BackendExt::with_expiry_margin).
    ///
    /// [`delete_all`](crate::BackendExt::delete_all) always reaches expired events.
    ///
    /// ```
    /// use bigtable_model::{BackendExt, MemoryBackend, Model, Timestamp};
    ///
    /// #[derive(Debug, PartialEq, Model)]
    /// #[bigtable(table = "READING", family = "R", gc(max_age = "30d"))]
    /// struct Reading {
    ///     #[bigtable(key)]
    ///     sensor: String,
    ///     #[bigtable(time, unit = "s")]
    ///     at: Timestamp,
    ///     celsius: f64,
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), bigtable_model::Error> {
    /// let db = MemoryBackend::new();
    /// db.ensure_tables::<Reading>().await?;
    /// let long_ago = Timestamp::from_seconds(1_426_535_612);
    /// db.insert(&Reading { sensor: "attic".into(), at: long_ago, celsius: 19.5 }).await?;
    ///
    /// let readings = Reading::query().sensor("attic");
    /// assert_eq!(db.count(&readings).await?, 0);
    /// assert_eq!(db.count(&readings.events().with_expired()).await?, 1);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn with_expired(mut self) -> Self {
        self.selection.with_expired = true;
        self
    }

    /// Reads a projection: its columns only.
    #[must_use]
    pub fn select<Q: Projection<Model = M>>(self) -> Query<M, S, Q> {
        self.now()
    }

    /// A key under which the tokens of [`page`](crate::BackendExt::page) are encrypted and
    /// authenticated: without it they reveal only the length of a row key, and tokens are refused
    /// that are forged, changed, or made without the key. Other verbs have no tokens.
    ///
    /// The tokens keep the time range of the first page. So each page may ask for a window that
    /// moves with the clock, and gets the first page's window; a later page's range is ignored. But
    /// it must have a range, open at the same ends, if the first page had one, and all else must be
    /// the same. [`PageKey::max_age`] limits how long a token can be used.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), bigtable_model::Error> {
    /// use std::time::Duration;
    ///
    /// use bigtable_model::query::{Page, PageError, PageKey};
    /// use bigtable_model::{Backend, BackendExt, MemoryBackend, Model, Timestamp};
    ///
    /// #[derive(Debug, Clone, PartialEq, Model)]
    /// #[bigtable(table = "READING", family = "R")]
    /// struct Reading {
    ///     #[bigtable(key)]
    ///     sensor: String,
    ///     #[bigtable(time, unit = "ms")]
    ///     at: Timestamp,
    ///     celsius: f64,
    /// }
    ///
    /// /// A handler: `after` comes from a browser.
    /// async fn last_hour(
    ///     key: &PageKey,
    ///     after: Option<&str>,
    ///     db: &dyn Backend,
    /// ) -> Result<Page<Reading>, PageError> {
    ///     let token = after.map(str::parse).transpose().map_err(|source| {
    ///         bigtable_model::Error::Query { table: "READING".into(), source }
    ///     })?;
    ///     let now = Timestamp::now();
    ///     let hour = now - Duration::from_secs(3_600)..now;
    ///     let window = Reading::query().sensor("attic").at(hour);
    ///     db.page(&window.events().page_key(key), 2, token.as_ref()).await
    /// }
    ///
    /// let db = MemoryBackend::new();
    /// db.ensure_tables::<Reading>().await?;
    /// let begin = Timestamp::now_in(Duration::from_millis(1)) - Duration::from_secs(60);
    /// for second in 0..3 {
    ///     let at = begin + Duration::from_secs(second);
    ///     db.insert(&Reading { sensor: "attic".into(), at, celsius: 20.5 }).await?;
    /// }
    /// let key = PageKey::new([7; 32]); // 32 random bytes, kept as other secrets are
    /// let first = last_hour(&key, None, &db).await?;
    /// let token = first.next.map(|token| token.to_string());
    /// let second = last_hour(&key, token.as_deref(), &db).await?;
    /// assert_eq!((first.events.len(), second.events.len()), (2, 1));
    /// # Ok(())
    /// # }
    /// ```
    #[cfg(feature = "page_key")]
    #[must_use]
    pub fn page_key(mut self, key: &PageKey) -> Self {
        self.page_key = Some(key.clone());
        self
    }
}

/// Reads the columns that a projection uses: all, if it has a whole map.
fn project(selection: Selection, uses: Option<&'static [FieldUse]>) -> Selection {
    let whole = |uses: &&[FieldUse]| uses.iter().any(|one| matches!(one, FieldUse::Map));
    let Some(uses) = uses.filter(|uses| !whole(uses)) else {
        return Selection {
            columns: None,
            entries: Vec::new(),
            payload: Vec::new(),
            ..selection
        };
    };
    let columns = uses.iter().filter_map(|one| match one {
        FieldUse::Column(index) => Some(*index),
        FieldUse::Payload(field) => Some(field.column),
        _ => None,
    });
    let payload = uses.iter().filter_map(|one| match one {
        FieldUse::Payload(field) => Some(PayloadField::from(*field)),
        _ => None,
    });
    let entries = uses.iter().filter_map(|one| match one {
        FieldUse::Entry(map, name) => Some((*map, Bytes::from_static(name.as_bytes()))),
        _ => None,
    });
    Selection {
        columns: Some(columns.collect()),
        entries: entries.collect(),
        payload: payload.collect(),
        ..selection
    }
}

#[cfg_attr(
    not(feature = "page_key"),
    allow(
        clippy::clone_on_copy,
        clippy::unit_arg,
        reason = "without the feature it is nothing"
    )
)]
impl<M, S, P> Clone for Query<M, S, P> {
    fn clone(&self) -> Self {
        Self {
            selection: self.selection.clone(),
            order: self.order,
            bad_rows: self.bad_rows.clone(),
            page_key: self.page_key.clone(),
            types: PhantomData,
        }
    }
}

/// The query as data, with the order of its results.
impl<M: Model, S, P> fmt::Debug for Query<M, S, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let by_segments = || self.selection.order_by_segments(M::SCHEMA);
        let selection = Selection {
            order: self.order.unwrap_or_else(by_segments),
            ..self.selection.clone()
        };
        f.debug_tuple("Query").field(&selection).finish()
    }
}
