//! What the reading verbs of a backend take.

use std::sync::Arc;

use futures::TryStreamExt as _;
use futures::future::BoxFuture;

use super::ask::state::QueryState;
use super::ask::typed::AsQuery;
use super::cost::Cost;
use super::run::results::EventStream;
use crate::Error;
use crate::backend::Backend;

/// What `db.fetch(..)` reads: queries with enough set, their [partitions](super::Partition),
/// windows of a [roll-up](crate::query::Query::resolution), and queries of models
/// [that are data](crate::dynamic::AnyQuery).
pub trait Fetched {
    /// All results.
    type Output;

    /// Reads them; [`BackendExt::fetch`](crate::BackendExt::fetch) calls it.
    ///
    /// # Errors
    /// The first error of a read.
    fn fetched(&self, backend: Arc<dyn Backend>)
    -> BoxFuture<'static, Result<Self::Output, Error>>;
}

/// What `db.stream(..)` reads: queries with enough set, their [partitions](super::Partition),
/// windows of a [roll-up](crate::query::Query::resolution), and queries of models
/// [that are data](crate::dynamic::AnyQuery).
pub trait Streamed {
    /// The results, in the order in which they arrive.
    type Output;

    /// Reads them; [`BackendExt::stream`](crate::BackendExt::stream) calls it.
    fn streamed(&self, backend: &dyn Backend) -> Self::Output;
}

/// What `db.count(..)` and `db.cost(..)` count: the events of queries with enough set, and of models
/// [that are data](crate::dynamic::AnyQuery).
pub trait Counted {
    /// Counts them; [`BackendExt::count`](crate::BackendExt::count) calls it.
    ///
    /// # Errors
    /// The first error of a read.
    fn counted(&self, backend: Arc<dyn Backend>) -> BoxFuture<'static, Result<u64, Error>>;

    /// Reads them and measures the cost; [`BackendExt::cost`](crate::BackendExt::cost) calls it.
    ///
    /// # Errors
    /// The first error of a read.
    fn costed(&self, backend: Arc<dyn Backend>) -> BoxFuture<'static, Result<Cost, Error>>;
}

impl<Q: AsQuery> Fetched for Q
where
    Q::State: QueryState<Q::Model>,
{
    type Output = Vec<Q::Read>;

    fn fetched(
        &self,
        backend: Arc<dyn Backend>,
    ) -> BoxFuture<'static, Result<Vec<Q::Read>, Error>> {
        Box::pin(self.as_query().stream(&*backend).try_collect())
    }
}

impl<Q: AsQuery> Streamed for Q
where
    Q::State: QueryState<Q::Model>,
{
    type Output = EventStream<Q::Read, <Q::State as QueryState<Q::Model>>::Order>;

    fn streamed(&self, backend: &dyn Backend) -> Self::Output {
        self.as_query().stream(backend)
    }
}

impl<Q: AsQuery> Counted for Q
where
    Q::State: QueryState<Q::Model>,
{
    fn counted(&self, backend: Arc<dyn Backend>) -> BoxFuture<'static, Result<u64, Error>> {
        let query = self.as_query().clone();
        Box::pin(async move { query.count(&*backend).await })
    }

    fn costed(&self, backend: Arc<dyn Backend>) -> BoxFuture<'static, Result<Cost, Error>> {
        let query = self.as_query().clone();
        Box::pin(async move { query.cost(&*backend).await })
    }
}
