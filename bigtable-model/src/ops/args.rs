//! Events as writes take them: owned or borrowed.

use std::borrow::Borrow;
use std::marker::PhantomData;

use crate::model::Model;

/// An event of model `M`, owned or borrowed. The compiler infers `Kind`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an event of a model",
    label = "neither a model nor a reference to one",
    note = "give events, or references to events, of a struct with `#[derive(Model)]`"
)]
pub trait EventArg<M, Kind> {
    /// The event.
    fn event(&self) -> &M;
}

/// An event itself.
#[derive(Debug)]
pub struct OwnedEvent;

/// A reference to an event.
#[derive(Debug)]
pub struct BorrowedEvent;

impl<M: Model> EventArg<M, OwnedEvent> for M {
    fn event(&self) -> &M {
        self
    }
}

impl<M: Model> EventArg<M, BorrowedEvent> for &M {
    fn event(&self) -> &M {
        self
    }
}

/// An event of either kind.
pub(super) struct Either<E, M, Kind>(E, PhantomData<fn() -> (M, Kind)>);

impl<E, M, Kind> Either<E, M, Kind> {
    pub(super) fn new(event: E) -> Self {
        Self(event, PhantomData)
    }
}

impl<M, Kind, E: EventArg<M, Kind>> Borrow<M> for Either<E, M, Kind> {
    fn borrow(&self) -> &M {
        self.0.event()
    }
}
