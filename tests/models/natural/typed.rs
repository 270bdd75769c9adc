//! A derived model's description, and queries built with its setters.

use std::fmt::Debug;
use std::ops::Bound;

use bigtable_model::condition::Condition;
use bigtable_model::model::Editable;
use bigtable_model::query::{FixedOrder, PageToken, Query, QueryState, TimeOrder};
use bigtable_model::{Backend, BackendExt, Error, Model};
use futures::FutureExt as _;
use futures::future::LocalBoxFuture;

use super::draw::Draw;
use super::event::{Cell, Event};
use super::fields::Natural;
use super::model::{Model as Described, Part};
use super::models::Drawn;
use super::places::{PLACES, SPREADS, Times};
use super::pools::pool;
use super::question::{Ask, Order, Question, Test};
use super::store::Change;
use super::value::Value;

/// A derived model with its plain description.
pub(super) trait Typed: Editable<Key: Sync> + Debug + Clone {
    /// How many of the spreads of times are used.
    const SPREADS: usize;

    /// The description, without the pools of values except for enums.
    fn described() -> Described;
    fn of(names: &[Value], time: i64, cells: &[Option<Cell>]) -> Self;
    fn key_of(names: &[Value], time: i64) -> Self::Key;
    fn event(&self) -> Event;
    fn names(series: &Self::Series) -> Vec<Value>;
    fn condition(test: &Test) -> Condition<Self>;

    /// Runs a query with the query's setters.
    fn run<'a>(
        db: &'a dyn Backend,
        question: &'a Question,
        doing: Doing,
    ) -> LocalBoxFuture<'a, Answers<Self>>;

    /// Changes columns with the update's setters.
    fn change<'a>(
        db: &'a dyn Backend,
        key: &'a Self::Key,
        changes: &'a [(usize, Change)],
        condition: Option<Condition<Self>>,
    ) -> LocalBoxFuture<'a, Result<bool, Error>>;
}

/// Draws values and times for a model.
pub(super) fn drawn<M: Typed>(draw: &mut Draw<'_>) -> Drawn {
    let mut model = M::described();
    let zone = model.bucket().and_then(|bucket| bucket.zone);
    let place = PLACES.iter().find(|place| place.zone == zone);
    let moments = place.expect("a zone that is known").moments;
    let moment: jiff::Timestamp = draw.one_of(moments).parse().unwrap();
    let times = Times {
        anchor: moment.as_microsecond(),
        spread: SPREADS[draw.below(M::SPREADS)],
        step: model.step(),
    };
    let separator = model.separator.as_bytes()[0];
    for part in &mut model.parts {
        if let Part::Name(one) = part
            && one.pool.is_empty()
        {
            one.pool = pool(draw, &one.form, separator, &times);
        }
    }
    Drawn { model, times }
}

/// An operation on a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Doing {
    Ask,
    Delete,
}

/// A series and its newest events.
pub(super) type NewestOf<M> = (<M as Model>::Series, Vec<M>);

/// The results of a query in each way.
pub(super) struct Answers<M: Model> {
    pub(super) events: Result<Vec<M>, Error>,
    pub(super) count: Result<u64, Error>,
    pub(super) series: Result<Vec<M::Series>, Error>,
    pub(super) newest: Result<Vec<NewestOf<M>>, Error>,
    /// All pages; `None` for a query without an order.
    pub(super) pages: Option<Result<Vec<M>, Error>>,
    /// The newest events; `None` for a query without time order.
    pub(super) latest: Option<Result<Vec<M>, Error>>,
    pub(super) deleted: Option<Result<u64, Error>>,
}

/// The number of requested events of each series.
pub(super) const NEWEST: usize = 2;

pub(super) async fn answers<M: Typed, S: QueryState<M>>(
    query: Query<M, S, M>,
    db: &dyn Backend,
    doing: Doing,
) -> Answers<M> {
    Answers {
        events: db.fetch(&query).await,
        count: db.count(&query).await,
        series: db.series(&query).await,
        newest: db.latest_each(&query, NEWEST as u64).await,
        pages: None,
        latest: None,
        deleted: match doing {
            Doing::Ask => None,
            Doing::Delete => Some(db.delete_all(&query).await.into_result()),
        },
    }
}

pub(super) async fn answers_and_pages<M: Typed, S: QueryState<M>>(
    query: Query<M, S, M>,
    db: &dyn Backend,
    doing: Doing,
) -> Answers<M>
where
    S::Order: FixedOrder,
{
    let pages = pages(&query, db).await;
    Answers {
        pages: Some(pages),
        ..answers(query, db, doing).await
    }
}

/// A query that may have results in time order.
pub(super) struct Timed<'a, M, S>(pub(super) &'a Query<M, S, M>);

/// The newest events of a query with results in time order.
pub(super) trait Latest<M: Model> {
    fn latest<'a>(&self, db: &'a dyn Backend) -> LocalBoxFuture<'a, Option<Result<Vec<M>, Error>>>;
}

impl<M: Typed, S: QueryState<M> + 'static> Latest<M> for Timed<'_, M, S>
where
    S::Order: TimeOrder,
{
    fn latest<'a>(&self, db: &'a dyn Backend) -> LocalBoxFuture<'a, Option<Result<Vec<M>, Error>>> {
        let own = self.0.selection().limit;
        let limit = own.map_or(NEWEST as u64, |own| own.min(NEWEST as u64));
        let query = self.0.clone().newest_first().limit(limit);
        async move { Some(db.fetch(&query).await) }.boxed_local()
    }
}

/// Nothing, for any other query: a method of the type is preferred to one of a reference to it.
pub(super) trait NoLatest<M: Model> {
    fn latest<'a>(&self, db: &'a dyn Backend) -> LocalBoxFuture<'a, Option<Result<Vec<M>, Error>>>;
}

impl<M: Typed, S> NoLatest<M> for &Timed<'_, M, S> {
    fn latest<'a>(&self, _: &'a dyn Backend) -> LocalBoxFuture<'a, Option<Result<Vec<M>, Error>>> {
        async { None }.boxed_local()
    }
}

async fn pages<M: Typed, S: QueryState<M>>(
    query: &Query<M, S, M>,
    db: &dyn Backend,
) -> Result<Vec<M>, Error>
where
    S::Order: FixedOrder,
{
    let mut found = Vec::new();
    let mut token: Option<PageToken> = None;
    loop {
        let page = db.page(query, 2, token.as_ref()).await?;
        found.extend(page.events);
        match page.next {
            Some(next) => token = Some(next),
            None => return Ok(found),
        }
    }
}

/// The question as far as setters can express it: nothing after a closing segment, and the whole
/// table only with `scan()`.
pub(super) fn as_typed(model: &Described, question: Question) -> Question {
    let mut question = Question {
        columns: None,
        keys_only: false,
        ..question
    };
    question.full_scan |= question.asks.is_empty();
    if !question.full_scan {
        let parts = model.valued().zip(&question.asks);
        let closed = parts.into_iter().position(|((_, part), ask)| {
            let bucket = matches!(part, Part::Time(super::model::When::Bucket(_)));
            !matches!(ask, Ask::OneOf(_)) && !bucket
        });
        question
            .asks
            .truncate(closed.map_or(usize::MAX, |at| at + 1));
    }
    let by_time = !question.full_scan
        && question
            .of_names(model)
            .all(|(_, ask)| matches!(ask, Some(Ask::OneOf(_))));
    if question.order == Order::Time && !by_time {
        question.order = Order::Key;
    }
    question
}

pub(super) fn values<T: Natural>(values: &[Value]) -> Vec<T> {
    values.iter().map(T::of).collect()
}

pub(super) fn bound<T: Natural>(bound: &Bound<Value>) -> Bound<T> {
    bound.as_ref().map(T::of)
}
