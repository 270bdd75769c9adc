//! Pages with tokens that a key seals.

use std::fmt;

use super::sealed::PageKey;
use super::{Asked, Page, PageError, PageToken};
use crate::backend::Backend;
use crate::model::{Model, Projection, RowEvents};
use crate::query::Query;
use crate::query::ask::state::{FixedOrder, QueryState};

impl<M: Model, S, P: Projection<Model = M>> Query<M, S, P> {
    /// The query's pages, with tokens that are encrypted and authenticated: without the key they
    /// reveal nothing about rows, and forged or changed tokens are refused.
    ///
    /// The tokens keep the time range of the first page. So each page may ask for a window that
    /// moves with the clock, and gets that of the first page; a later page's range is ignored. But
    /// it must have a range if the first page had one, open at the same ends, and everything else
    /// must be the same. [`PageKey::max_age`] limits how long a token can be used.
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
    ///     window.page_key(key).page(2, token.as_ref(), db).await
    /// }
    ///
    /// let db = MemoryBackend::new();
    /// db.ensure_table::<Reading>().await?;
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
    #[must_use]
    pub fn page_key<'k>(&self, key: &'k PageKey) -> KeyedPages<'k, M, S, P> {
        KeyedPages {
            query: self.clone(),
            key,
        }
    }
}

/// A query whose page tokens are sealed by a key; see [`Query::page_key`].
pub struct KeyedPages<'k, M, S, P> {
    query: Query<M, S, P>,
    key: &'k PageKey,
}

impl<M: Model, S, P: Projection<Model = M>> KeyedPages<'_, M, S, P> {
    /// Up to `size` results, from the beginning or from the end of another page: like
    /// [`Query::page`], in the time range of the first page.
    ///
    /// # Errors
    /// Those of [`Query::page`]; [`Error::Query`](crate::Error::Query) also for a token that was
    /// not made with the key, or without one.
    pub async fn page(
        &self,
        size: u64,
        token: Option<&PageToken>,
        backend: &dyn Backend,
    ) -> Result<Page<P>, PageError>
    where
        S: QueryState<M>,
        S::Order: FixedOrder,
    {
        let asked = Asked {
            backend,
            schema: M::SCHEMA.clone(),
            bad_rows: self.query.bad_rows(),
            tokens: self.key,
        };
        let selection = self.query.selection();
        asked
            .page(selection, size, token, RowEvents::read::<P>)
            .await
    }
}

impl<M: Model, S, P> fmt::Debug for KeyedPages<'_, M, S, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KeyedPages")
            .field("query", &self.query)
            .finish_non_exhaustive()
    }
}
