//! What `generate` proposes.
#![allow(dead_code, unused_imports, reason = "as a user has them")]

pub(crate) mod stock_closing_versions {
use bigtable_model::Model;

/// Keys `{part_1}` in table STOCK_CLOSING_VERSIONS.
///
/// It reads 1 of 1 sampled row.
/// Not in it: older versions of cells: the newest is read.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "STOCK_CLOSING_VERSIONS", family = "STOCK")]
pub struct StockClosingVersions {
    /// One value.
    #[bigtable(key)]
    pub part_1: String,
    /// Sure: numbers as text.
    #[bigtable(column = "PRICE", text)]
    pub price: f64,
}
}
