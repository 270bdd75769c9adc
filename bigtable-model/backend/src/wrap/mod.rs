//! Wrappers and helpers around a backend.

pub mod batcher;
pub mod expiry;
pub mod faults;
#[cfg(feature = "metrics")]
pub mod metered;
pub mod observed;
pub mod table_names;
mod wrapper;

pub use wrapper::Wrapper;
