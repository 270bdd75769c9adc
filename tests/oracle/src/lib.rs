//! An oracle with plain values. A model, writes and questions are drawn; the expected outcome is
//! derived from the documents with plain values, without the library's keys, comparisons, buckets
//! or refusals. If the library refuses what the documents allow, the case fails, and vice versa.
//!
//! It does not depend on the library, whose own tests use it with layouts that are made at random,
//! as the tests of derived models do.

#![allow(missing_docs, reason = "the tests are its only readers")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a test may panic"
)]

mod drawn;
mod said;

pub use drawn::{draw, models, places, pools, steps, writes};
pub use said::{
    asked, calendar, ends, event, judge, model, order, question, rules, store, value, written,
};
