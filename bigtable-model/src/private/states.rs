//! The states of a query that is being built.

use crate::query::{Closed, Filtered, FullScan, Open, SelectionKind};

/// The state of a query after a segment is set. Every state has one, whether it [accepts](super::Accepts)
/// the segment or not, so that the compiler tells of the latter.
pub trait Next {
    /// The state after the segment at `POSITION` is set by a selection of this kind, where `SET` is
    /// `POSITION + 1`.
    type After<Kind: SelectionKind, const POSITION: usize, const SET: usize>;
}

/// That state.
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
