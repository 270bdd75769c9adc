//! Models with a former layout: reads of both, the effect of writes, the copy and the finish.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    missing_docs,
    unreachable_pub,
    reason = "a test may panic, and knows its numbers"
)]

// Its macros make the pairs of others too.
#[macro_use]
mod pairs;

mod aged;
mod kinds;
mod oracle;
mod periods;
#[cfg(feature = "all_pairs")]
mod product;
mod refused;
mod scans;
mod slow;
mod world;
