//! Requests with mutations, and their outcomes: one row, many rows, tables.

mod added;
mod bulk;
mod by_table;
mod call;
mod checked;
mod copies;
mod deletes;
mod expired;
mod inserts;
mod letters;
pub(crate) mod limits;
mod lookup;
mod marks;
mod places;
mod row;
mod sources;

pub(crate) use crate::backend::missing::lacks_table;
pub(crate) use bulk::{Batch, Bulk, Entry, Make, Ready, Tally, outcome_of, write, write_ready};
pub(crate) use call::{
    CHECK, MOST_TABLES, at_row, at_table, contended, lacks, list_tables, read_row, tables_of,
};
pub(crate) use checked::{Claim, delete_checked, read_all, send_checked, send_update_at};
pub(crate) use copies::{
    CheckedRows, Chunk, Copies, EventRows, copies, insert_if_with_copies, insert_many_with_copies,
    insert_with_copies, schemas, send_copies,
};
pub use deletes::{DeleteOutcome, FailedDelete};
pub(crate) use deletes::{delete_found, delete_many};
pub(crate) use expired::{expiry_of_blocks, unexpired_now, without_expired};
pub(crate) use inserts::{Ages, Expired, Inserted, OnProgress, Stamps, write_rows};
pub use inserts::{FailedInsert, InsertOutcome, InsertProgress, Written};
pub use letters::DeadLetter;
pub(crate) use letters::{GivenBack, UnderWay};
pub(crate) use lookup::{KeyRoom, get_many, look_up};
pub(crate) use marks::{MARK_BYTES, as_status, mark, mark_buckets, mark_family, unmark};
pub(crate) use row::{delete, delete_column, get, send_modification, send_row, send_update};
pub(crate) use sources::copy as copy_events;
