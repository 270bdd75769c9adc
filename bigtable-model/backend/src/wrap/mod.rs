//! Wrappers and helpers around a backend.

pub mod batcher;
pub mod expiry;
pub mod faults;
mod forward;
#[cfg(feature = "metrics")]
pub mod metered;
mod shared;
pub mod table_names;
mod wrapper;

pub use wrapper::Wrapper;
