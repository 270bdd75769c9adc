//! A shared backend is a backend.

use std::sync::Arc;

use crate::data::{ReadRows, RowMutations};
use crate::{Backend, ReadCounts, RowStream, Status, Timestamp};

/// Lets `&Arc<dyn Backend>` be used wherever `&dyn Backend` is expected.
impl<B: Backend + ?Sized> Backend for Arc<B> {
    fn handle(&self) -> Arc<dyn Backend> {
        (**self).handle()
    }

    fn expiry_time(&self) -> Timestamp {
        (**self).expiry_time()
    }

    fn read_rows(&self, request: ReadRows) -> RowStream {
        (**self).read_rows(request)
    }

    fn keeps_tokens(&self) -> bool {
        (**self).keeps_tokens()
    }

    fn check_entry(&self, row: &RowMutations) -> Result<usize, Status> {
        (**self).check_entry(row)
    }

    fn read_rows_counted(&self, request: ReadRows) -> (RowStream, Option<Arc<ReadCounts>>) {
        (**self).read_rows_counted(request)
    }

    crate::__forward_backend! { |this| **this =>
        mutate_row, mutate_rows, mutate_rows_once, check_and_mutate_row, read_modify_write_row, sample_row_keys,
        create_table, get_table, list_tables, delete_table, modify_families,
        set_row_key_schema, drop_rows, prepare_sql, prepare_query,
        execute_sql,
    }
}
