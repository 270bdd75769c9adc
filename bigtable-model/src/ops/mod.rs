//! The typed operations on a backend: writes of events, deletes, histories, tables.

mod bulk;
mod by_table;
mod deletes;
mod ext;
mod history;
mod inserts;
mod places;
mod row;
mod tables;

pub(crate) use bulk::{Batch, Entry, REQUESTS_IN_FLIGHT};
pub(crate) use deletes::delete_found;
pub use deletes::{DeleteOutcome, FailedDelete};
pub use ext::BackendExt;
pub use history::History;
pub use inserts::{FailedInsert, InsertOutcome, InsertProgress, Inserts};
pub(crate) use inserts::{Stamps, write_rows};
pub(crate) use row::{at_table, send_checked, send_modification, send_row, send_update};
pub(crate) use tables::{lacks_table, list_tables};
