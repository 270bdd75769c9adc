//! The typed operations on a backend: what [`BackendExt`] adds to it.

mod ext;
mod history;
mod inserts;
mod modify;
mod tables;

pub use ext::BackendExt;
pub use history::History;
pub use inserts::Inserts;
