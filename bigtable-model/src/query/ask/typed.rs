//! Typed queries.

use std::fmt;
use std::marker::PhantomData;

use super::bad_rows::BadRows;
use super::selection::{Order, SegmentSelection, Selection};
use super::state::{
    ByKey, Erased, FullScan, InOrder, Open, QueryState, ResultOrder, TimeOrder, Unordered,
};
use crate::condition::Condition;
use crate::model::{FieldUse, Model, Projection};

/// A query of model `M` in state `S` that reads values of `P`.
///
/// Generated query types, such as `QuoteQuery`, have a setter for each segment of the row key and
/// dereference to this type. A query can be run several times.
pub struct Query<M, S, P> {
    /// Its order is that of the state, which `selection` sets, unless another was asked for.
    selection: Selection,
    order: Option<Order>,
    bad_rows: BadRows,
    types: Types<M, S, P>,
}

/// The types of a query, which holds no values of them.
type Types<M, S, P> = PhantomData<fn() -> (M, S, P)>;

impl<M, P> Query<M, Open<0>, P> {
    #[doc(hidden)]
    #[must_use]
    #[allow(
        clippy::new_without_default,
        reason = "queries begin with `Model::query`"
    )]
    pub fn new() -> Self {
        Self::of(Selection::default())
    }
}

/// Called by generated setters and options.
#[doc(hidden)]
impl<M, S, P> Query<M, S, P> {
    pub(in crate::query) fn of(selection: Selection) -> Self {
        Self {
            selection,
            order: None,
            bad_rows: BadRows::fail(),
            types: PhantomData,
        }
    }

    /// The same query in another state, or with other results.
    fn now<Next, Q>(self) -> Query<M, Next, Q> {
        Query {
            bad_rows: self.bad_rows,
            ..Query::of(self.selection)
        }
    }

    /// The same query in another order.
    fn in_order<O: ResultOrder>(&self) -> Query<M, InOrder<S, O>, P> {
        Query {
            order: Some(O::ORDER),
            bad_rows: self.bad_rows.clone(),
            ..Query::of(self.selection.clone())
        }
    }

    pub fn __set<Next>(mut self, segment: SegmentSelection) -> Query<M, Next, P> {
        self.selection.segments.push(segment);
        self.now()
    }

    /// Sets the segment at an index among those that have values, or replaces it, which only a scan
    /// of the whole table allows. Earlier segments that are not set are left open.
    pub fn __set_at<Next>(
        mut self,
        position: usize,
        segment: SegmentSelection,
    ) -> Query<M, Next, P> {
        self.selection.select(position, segment);
        self.now()
    }

    pub fn __limit(mut self, events: u64) -> Self {
        self.selection.limit = Some(events);
        self
    }

    pub fn __matching(mut self, condition: Condition<M>) -> Self {
        self.selection.require(condition.into_test());
        self
    }

    pub fn __descending(mut self) -> Self {
        self.selection.descending = true;
        self
    }

    pub fn __max_scans(mut self, scans: usize) -> Self {
        self.selection.max_scans = scans;
        self
    }

    pub fn __scan(mut self) -> Query<M, FullScan, P> {
        self.selection.full_scan = true;
        self.now()
    }

    pub fn __select<Q>(self) -> Query<M, S, Q> {
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
            columns: P::USES.and_then(columns),
            order: S::Order::ORDER,
            ..self.selection.clone()
        };
        selection.with_gaps(M::SCHEMA)
    }

    /// The same query with results in order of the row keys: one scan of each table, whatever the
    /// number of series.
    #[must_use]
    pub fn in_key_order(&self) -> Query<M, InOrder<S, ByKey>, P> {
        self.in_order()
    }

    /// The same query with another way to handle rows, events and cells that do not fit the model:
    /// see [`BadRows`]. [`delete`](Query::delete) always fails.
    #[must_use]
    pub fn on_bad_row(&self, bad_rows: impl Into<BadRows>) -> Self {
        Self {
            order: self.order,
            bad_rows: bad_rows.into(),
            ..Self::of(self.selection.clone())
        }
    }

    /// The same query with expired cells: those that a garbage-collection rule of the model
    /// deletes, but that Bigtable has not deleted yet, which takes up to a week. Other queries
    /// leave out such cells: an event whose presence column has expired does not exist, and in
    /// other events expired columns are absent. The clock is that of the client; see
    /// [`with_expiry_margin`](crate::BackendExt::with_expiry_margin).
    ///
    /// [`delete`](Query::delete) always reaches expired events.
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
    /// db.ensure_table::<Reading>().await?;
    /// let long_ago = Timestamp::from_seconds(1_426_535_612);
    /// db.insert(&Reading { sensor: "attic".into(), at: long_ago, celsius: 19.5 }).await?;
    ///
    /// let readings = Reading::query().sensor("attic");
    /// assert_eq!(readings.count(&db).await?, 0);
    /// assert_eq!(readings.with_expired().count(&db).await?, 1);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn with_expired(&self) -> Self {
        Self {
            order: self.order,
            bad_rows: self.bad_rows.clone(),
            ..Self::of(Selection {
                with_expired: true,
                ..self.selection.clone()
            })
        }
    }

    pub(crate) fn bad_rows(&self) -> &BadRows {
        &self.bad_rows
    }

    /// The same query with results in any order, from several scans at once: for exports. A few
    /// ranges of rows are cut into up to 8 scans at the keys that the backend gives when the query
    /// runs; the [`plan`](Query::plan) does not show these. [`partitions`](Query::partitions) makes
    /// a query of each such part.
    #[must_use]
    pub fn unordered(&self) -> Query<M, InOrder<S, Unordered>, P> {
        self.in_order()
    }
}

impl<M: Model, S: QueryState<M>, P> Query<M, S, P> {
    /// The same query as a type that does not show which segments are set, for branches that set
    /// different ones. The order of results stays in the type: if branches differ in that too, call
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
    ///         Some(symbol) => Quote::query().symbol(symbol).in_key_order().erase(),
    ///         None => Quote::query().scan().erase(),
    ///     };
    ///     query.limit(100)
    /// }
    ///
    /// assert!(asked(None).plan()?.full_scan);
    /// assert!(!asked(Some("ZXZZT")).plan()?.full_scan);
    /// # Ok::<(), bigtable_model::Error>(())
    /// ```
    #[must_use]
    pub fn erase(&self) -> Query<M, Erased<S::Order>, P> {
        Query {
            order: Some(S::Order::ORDER),
            bad_rows: self.bad_rows.clone(),
            ..Query::of(self.selection.clone())
        }
    }
}

/// The options that generated query types have too.
impl<M, O: ResultOrder, P> Query<M, Erased<O>, P> {
    /// At most this many events.
    #[must_use]
    pub fn limit(self, events: u64) -> Self {
        self.__limit(events)
    }

    /// Only events whose columns meet a condition; with two conditions, both.
    #[must_use]
    pub fn matching(self, condition: Condition<M>) -> Self {
        self.__matching(condition)
    }

    /// Newest first.
    #[must_use]
    pub fn newest_first(self) -> Self
    where
        O: TimeOrder,
    {
        self.__descending()
    }

    /// Last key first; in order of time, newest first.
    #[must_use]
    pub fn reversed(self) -> Self {
        self.__descending()
    }

    /// The maximum number of series that may be read at once, 128 by default.
    #[must_use]
    pub fn max_scans(self, scans: usize) -> Self {
        self.__max_scans(scans)
    }
}

/// The columns that a projection reads; `None` if it needs whole rows for their run-time columns.
fn columns(uses: &'static [FieldUse]) -> Option<Vec<usize>> {
    let mut columns = Vec::new();
    for one in uses {
        match one {
            FieldUse::Key => {}
            FieldUse::Column(index) => columns.push(*index),
            FieldUse::Map => return None,
        }
    }
    Some(columns)
}

impl<M, S, P> Clone for Query<M, S, P> {
    fn clone(&self) -> Self {
        Self {
            order: self.order,
            bad_rows: self.bad_rows.clone(),
            ..Self::of(self.selection.clone())
        }
    }
}

/// The query as data, in the order that its results come in.
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
