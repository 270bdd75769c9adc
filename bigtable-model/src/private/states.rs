//! The states of a query under construction.

use crate::query::{Closed, Filtered, FullScan, Open, SelectionKind};

/// The state of a query after a segment is set. Every state has one, whether or not it
/// [accepts](super::Accepts) the segment, so that the compiler reports only that it does not.
pub trait Next {
    /// The state after a selection of this kind sets the segment at `POSITION`; `SET` is
    /// `POSITION + 1`.
    type After<Kind: SelectionKind, const POSITION: usize, const SET: usize>;
}

/// The state after a segment is set.
pub type After<State, Kind, const POSITION: usize, const SET: usize> =
    <State as Next>::After<Kind, POSITION, SET>;

impl<const N: usize> Next for Open<N> {
    type After<Kind: SelectionKind, const POSITION: usize, const SET: usize> =
        Kind::After<POSITION, SET>;
}

impl<const N: usize> Next for Closed<N> {
    type After<Kind: SelectionKind, const POSITION: usize, const SET: usize> =
        Kind::After<POSITION, SET>;
}

impl<const N: usize> Next for Filtered<N> {
    type After<Kind: SelectionKind, const POSITION: usize, const SET: usize> =
        Kind::AfterMaybe<SET>;
}

impl Next for FullScan {
    type After<Kind: SelectionKind, const POSITION: usize, const SET: usize> = Self;
}
