/// Methods of [`Backend`](crate::Backend) that call those of another backend, for the body of a
/// wrapper's `impl`: `forward! { |this| this.inner => get_table, list_tables }`, where `this` is
/// the wrapper.
#[doc(hidden)]
#[macro_export]
macro_rules! __forward_backend {
    (|$this:ident| $inner:expr => $($method:ident),+ $(,)?) => {
        $($crate::__forward_backend! { @$method ($this, $inner) })+
    };
    (@mutate_row $to:tt) => {
        $crate::__forward_backend! {
            @fn $to mutate_row(table: &'a str, row: $crate::data::RowMutations) -> ()
        }
    };
    (@mutate_rows $to:tt) => {
        $crate::__forward_backend! {
            @fn $to mutate_rows(table: &'a str, rows: Vec<$crate::data::RowMutations>)
                -> Vec<$crate::EntryOutcome>
        }
    };
    (@mutate_rows_once $to:tt) => {
        $crate::__forward_backend! {
            @fn $to mutate_rows_once(table: &'a str, rows: Vec<$crate::data::RowOnce>)
                -> Vec<$crate::EntryOutcome>
        }
    };
    (@check_and_mutate_row $to:tt) => {
        $crate::__forward_backend! {
            @fn $to check_and_mutate_row(request: $crate::data::CheckAndMutateRow) -> bool
        }
    };
    (@read_modify_write_row $to:tt) => {
        $crate::__forward_backend! {
            @fn $to read_modify_write_row(request: $crate::data::ReadModifyWriteRow)
                -> $crate::data::Row
        }
    };
    (@sample_row_keys $to:tt) => {
        $crate::__forward_backend! {
            @fn $to sample_row_keys(table: &'a str) -> Vec<$crate::data::RowKeySample>
        }
    };
    (@create_table $to:tt) => {
        $crate::__forward_backend! {
            @fn $to create_table(
                schema: $crate::data::TableSchema,
                splits: Vec<::bytes::Bytes>
            ) -> ()
        }
    };
    (@get_table $to:tt) => {
        $crate::__forward_backend! {
            @fn $to get_table(table: &'a str) -> $crate::data::TableSchema
        }
    };
    (@list_tables $to:tt) => {
        $crate::__forward_backend! { @fn $to list_tables() -> Vec<String> }
    };
    (@delete_table $to:tt) => {
        $crate::__forward_backend! { @fn $to delete_table(table: &'a str) -> () }
    };
    (@modify_families $to:tt) => {
        $crate::__forward_backend! {
            @fn $to modify_families(table: &'a str, changes: Vec<$crate::data::FamilyChange>)
                -> $crate::data::TableSchema
        }
    };
    (@set_row_key_schema $to:tt) => {
        $crate::__forward_backend! {
            @fn $to set_row_key_schema(
                table: &'a str,
                schema: Option<$crate::data::RowKeySchema>
            ) -> ()
        }
    };
    (@drop_rows $to:tt) => {
        $crate::__forward_backend! {
            @fn $to drop_rows(table: &'a str, rows: $crate::data::RowDeletion) -> ()
        }
    };
    (@prepare_sql $to:tt) => {
        $crate::__forward_backend! {
            @fn $to prepare_sql(
                sql: &'a str,
                parameters: ::std::collections::BTreeMap<String, $crate::sql::SqlType>
            ) -> $crate::sql::SqlPlan
        }
    };
    (@prepare_query $to:tt) => {
        $crate::__forward_backend! {
            @fn $to prepare_query(query: &'a $crate::sql::SqlQuery) -> $crate::sql::SqlPlan
        }
    };
    (@execute_sql ($this:ident, $inner:expr)) => {
        fn execute_sql(
            &self,
            plan: &$crate::sql::SqlPlan,
            parameters: $crate::sql::SqlParameters,
        ) -> $crate::sql::SqlRows {
            let $this = self;
            $inner.execute_sql(plan, parameters)
        }
    };
    (@fn ($this:ident, $inner:expr) $method:ident($($name:ident: $type:ty),*) -> $answer:ty) => {
        fn $method<'a>(
            &'a self,
            $($name: $type),*
        ) -> $crate::__private::BoxFuture<'a, Result<$answer, $crate::Status>> {
            let $this = self;
            $inner.$method($($name),*)
        }
    };
}
