//! What the documents say of models, with plain values.

pub mod asked;
pub mod calendar;
pub mod ends;
pub mod event;
pub mod judge;
pub mod model;
pub mod order;
pub mod question;
pub mod rules;
pub mod store;
pub mod value;
pub mod written;
