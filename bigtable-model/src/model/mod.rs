//! Models: structs whose events stand in Bigtable.

mod schema;

pub use schema::{CellTime, ColumnSchema, Layout, ModelSchema, Presence};
