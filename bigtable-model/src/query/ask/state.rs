//! The states of a typed query: which part of the row key is set, and the resulting order.

use std::fmt;
use std::marker::PhantomData;

use crate::query::Order;

/// The first `N` segments of the key are set to values or sets; segment `N` may be set next.
#[derive(Debug, Clone, Copy)]
pub struct Open<const N: usize>;

/// Segment `N` is set to a range or a string prefix, and all before it to values or sets; no later
/// segment may be set.
#[derive(Debug, Clone, Copy)]
pub struct Closed<const N: usize>;

/// The whole table is read; any segments may be set, in any order, to filter its rows.
#[derive(Debug, Clone, Copy)]
pub struct FullScan;

/// The first `N` segments of the key are set, some of which an `Option` may leave open; segment `N`
/// may be set next, and narrows the scan as far as the key allows. Results come in order of the
/// key.
#[derive(Debug, Clone, Copy)]
pub struct Filtered<const N: usize>;

/// Any segments may be set, which the type does not show; results come in order `O`.
#[derive(Debug)]
pub struct Erased<O>(PhantomData<fn() -> O>);

/// A state in which segment `Segment`, at `POSITION`, may be set.
#[diagnostic::on_unimplemented(
    message = "segment `{Segment}` cannot be set here",
    label = "out of the key's order",
    note = "segments are set in the order of the row key and none is skipped; nothing follows a range or a string prefix",
    note = "to read rows that a key prefix does not narrow, begin with `scan()` in place of `query()`"
)]
pub trait Accepts<Segment, const POSITION: usize> {}

impl<Segment, const POSITION: usize> Accepts<Segment, POSITION> for Open<POSITION> {}

#[diagnostic::do_not_recommend] // It is another of those that are named.
impl<Segment, const POSITION: usize> Accepts<Segment, POSITION> for Filtered<POSITION> {}

/// The whole table is read: any segments may be set, and the rows are compared with them.
impl<Segment, const POSITION: usize> Accepts<Segment, POSITION> for FullScan {}

/// A state in which a query of model `M` can be run.
#[diagnostic::on_unimplemented(
    message = "this query would read the whole table",
    label = "no segment of the row key is set",
    note = "set the key's first segment, or begin with `scan()` to read the whole table on purpose"
)]
pub trait QueryState<M>: 'static {
    /// The order of the results.
    type Order: ResultOrder;
}

/// The order of a query's results, as a type.
pub trait ResultOrder: fmt::Debug + Send + 'static {
    /// The same as a value.
    const ORDER: Order;
}

/// Results come in order of time: every identifier of the key is set to a value or a set.
#[derive(Debug, Clone, Copy)]
pub struct ByTime;

/// Results come in order of the row keys' bytes.
#[derive(Debug, Clone, Copy)]
pub struct ByKey;

/// Results come as the scans deliver them.
#[derive(Debug, Clone, Copy)]
pub struct Unordered;

/// The state `S`, with results in order `O` instead of its own.
#[derive(Debug)]
pub struct InOrder<S, O>(PhantomData<fn() -> (S, O)>);

impl<M, S: QueryState<M>, O: ResultOrder> QueryState<M> for InOrder<S, O> {
    type Order = O;
}

impl<M> QueryState<M> for FullScan {
    type Order = ByKey;
}

impl<M, const N: usize> QueryState<M> for Filtered<N> {
    type Order = ByKey;
}

impl<M, O: ResultOrder> QueryState<M> for Erased<O> {
    type Order = O;
}

impl ResultOrder for Unordered {
    const ORDER: Order = Order::Any;
}

impl ResultOrder for ByTime {
    const ORDER: Order = Order::Time;
}

impl ResultOrder for ByKey {
    const ORDER: Order = Order::Key;
}

/// Order of time.
#[diagnostic::on_unimplemented(
    message = "the results of this query do not come in order of time",
    label = "needs order of time",
    note = "set every identifier of the row key to a value or a set; a query with an open identifier has results in order of the key, and `reversed()` gives the last ones first"
)]
pub trait TimeOrder: ResultOrder {}

impl TimeOrder for ByTime {}

/// An order that is the same in every run, so that results can be cut into pages.
#[diagnostic::on_unimplemented(
    message = "the results of this query come in no order",
    label = "needs an order",
    note = "pages follow one another in an order: leave out `unordered()`"
)]
pub trait FixedOrder: ResultOrder {}

impl FixedOrder for ByTime {}
impl FixedOrder for ByKey {}

/// The states in which a query begins.
pub trait Start {
    /// Whether the whole table is read.
    const FULL_SCAN: bool;
}

impl Start for Open<0> {
    const FULL_SCAN: bool = false;
}

impl Start for FullScan {
    const FULL_SCAN: bool = true;
}
