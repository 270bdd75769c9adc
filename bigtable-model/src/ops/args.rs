//! Events as writes take them: owned or borrowed.

use std::borrow::Borrow;

use crate::model::Model;

/// An event of model `M`, owned or borrowed. The compiler infers `Kind`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an event of a model",
    label = "neither a model nor a reference to one",
    note = "give events, or references to events, of a struct with `#[derive(Model)]`"
)]
pub trait EventArg<'a, M, Kind> {
    #[doc(hidden)]
    fn given(self) -> GivenEvent<'a, M>;
}

/// An event itself.
#[derive(Debug)]
pub struct OwnedEvent;

/// A reference to an event.
#[derive(Debug)]
pub struct BorrowedEvent;

/// An event of either kind.
#[doc(hidden)]
#[derive(Debug)]
pub enum GivenEvent<'a, M> {
    Owned(M),
    Borrowed(&'a M),
}

impl<'a, M: Model> EventArg<'a, M, OwnedEvent> for M {
    fn given(self) -> GivenEvent<'a, M> {
        GivenEvent::Owned(self)
    }
}

impl<'a, M: Model> EventArg<'a, M, BorrowedEvent> for &'a M {
    fn given(self) -> GivenEvent<'a, M> {
        GivenEvent::Borrowed(self)
    }
}

impl<M> GivenEvent<'_, M> {
    /// The event itself, if it is owned.
    pub(super) fn owned(self) -> Option<M> {
        match self {
            Self::Owned(event) => Some(event),
            Self::Borrowed(_) => None,
        }
    }
}

impl<M> Borrow<M> for GivenEvent<'_, M> {
    fn borrow(&self) -> &M {
        match self {
            Self::Owned(event) => event,
            Self::Borrowed(event) => event,
        }
    }
}
