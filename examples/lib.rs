//! Shared code of the examples: CSV files, progress bars, tables, charts and signals.

#[path = "support/chart.rs"]
pub mod chart;
#[path = "support/csv_file.rs"]
pub mod csv_file;
#[path = "support/print.rs"]
pub mod print;
#[path = "support/signal.rs"]
pub mod signal;
#[path = "support/store.rs"]
pub mod store;
