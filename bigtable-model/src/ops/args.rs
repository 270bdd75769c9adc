//! Events as writes take them: owned or borrowed.

use std::borrow::Borrow;

use crate::model::Model;

/// An event of model `M`, owned or borrowed. The compiler infers `Kind`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an event of a model",
    label = "neither a model nor a reference to one",
    note = "give events, or references to events, of a struct with `#[derive(Model)]`"
)]
pub trait EventArg<'a, M, Kind: EventKind<'a, M>> {
    #[doc(hidden)]
    fn given(self) -> Kind::Event;
}

/// How events are given: [`OwnedEvent`] or [`BorrowedEvent`].
pub trait EventKind<'a, M>: 'static {
    /// An event itself, or a reference to it.
    #[doc(hidden)]
    type Event: Borrow<M> + Send + 'a;
}

/// An event itself.
#[derive(Debug)]
pub struct OwnedEvent;

/// A reference to an event.
#[derive(Debug)]
pub struct BorrowedEvent;

impl<'a, M: Model> EventKind<'a, M> for OwnedEvent {
    type Event = M;
}

impl<'a, M: Model> EventKind<'a, M> for BorrowedEvent {
    type Event = &'a M;
}

impl<'a, M: Model> EventArg<'a, M, OwnedEvent> for M {
    fn given(self) -> M {
        self
    }
}

impl<'a, M: Model> EventArg<'a, M, BorrowedEvent> for &'a M {
    fn given(self) -> &'a M {
        self
    }
}
