//! What a query asks for: values of setters, the states of a typed query, and the selection.

pub(super) mod bad_rows;
#[cfg(feature = "page_key")]
pub(super) mod page_key;
pub(super) mod select;
pub(super) mod selection;
pub(super) mod state;
pub(super) mod typed;
