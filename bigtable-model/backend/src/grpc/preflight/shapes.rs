//! The shapes of requests, as far as they are checked before decoding.
//!
//! Each field of a request that is served is one of three: read by the decoder ([`wire`]), without
//! meaning on a single copy of the data (app profiles, modes of consistency, warnings to ignore,
//! fields that only answers have), or refused here. A field that is new to the protocol belongs to
//! one of them.

use crate::grpc::protocol::wire;

/// A message's fields, by their numbers; fields that are not listed are not checked.
#[derive(Debug)]
pub(crate) struct Shape(pub(super) &'static [(u32, Field)]);

/// How a field is checked.
#[derive(Debug)]
pub(super) enum Field {
    /// It repeats, or holds a message with such a field: each is counted, and looked into.
    Part(&'static Shape),
    /// An unsupported number, text or list with this name: refused unless it is zero or empty,
    /// which means unset.
    Value(&'static str),
    /// An unsupported message with this name: refused even if nothing in it is set.
    Message(&'static str),
}

/// A request that is checked before it is decoded.
pub(crate) trait Shaped {
    /// Its repeated parts, which take memory, and the fields that are refused.
    fn shape() -> &'static Shape;
}

use Field::{Message, Part, Value};

static LEAF: Shape = Shape(&[]);

static ROW_SET: Shape = Shape(&[(1, Part(&LEAF)), (2, Part(&LEAF))]);
static FILTER: Shape = Shape(&[
    (1, Part(&FILTERS)),
    (2, Part(&FILTERS)),
    (3, Part(&CONDITION)),
]);
static FILTERS: Shape = Shape(&[(1, Part(&FILTER))]);
static CONDITION: Shape = Shape(&[(1, Part(&FILTER)), (2, Part(&FILTER)), (3, Part(&FILTER))]);

static READ_ROWS: Shape = Shape(&[
    (2, Part(&ROW_SET)),
    (3, Part(&FILTER)),
    (11, Value("materialized_view_name")),
]);
static SAMPLE_ROW_KEYS: Shape = Shape(&[
    (5, Value("materialized_view_name")),
    (6, Value("row_range")),
]);
static MUTATE_ROW: Shape = Shape(&[(3, Part(&LEAF)), (8, Part(&LEAF))]);
static MUTATE_ROWS: Shape = Shape(&[(2, Part(&ENTRY))]);
static ENTRY: Shape = Shape(&[(2, Part(&LEAF)), (3, Part(&LEAF))]);
static CHECK_AND_MUTATE_ROW: Shape =
    Shape(&[(4, Part(&LEAF)), (5, Part(&LEAF)), (6, Part(&FILTER))]);
static READ_MODIFY_WRITE_ROW: Shape = Shape(&[(3, Part(&LEAF))]);

static PREPARE_QUERY: Shape = Shape(&[(6, Part(&PARAM_TYPE))]);
static PARAM_TYPE: Shape = Shape(&[(2, Part(&SQL_TYPE))]);
static SQL_TYPE: Shape = Shape(&[
    (3, Part(&PARTS_OF_TYPE)),
    (4, Part(&PARTS_OF_TYPE)),
    (7, Part(&STRUCT_TYPE)),
]);
static PARTS_OF_TYPE: Shape = Shape(&[(1, Part(&SQL_TYPE)), (2, Part(&SQL_TYPE))]);
static STRUCT_TYPE: Shape = Shape(&[(1, Part(&STRUCT_FIELD))]);
static STRUCT_FIELD: Shape = Shape(&[(2, Part(&SQL_TYPE))]);
static EXECUTE_QUERY: Shape = Shape(&[(7, Part(&PARAM))]);
static PARAM: Shape = Shape(&[(2, Part(&SQL_VALUE))]);
static SQL_VALUE: Shape = Shape(&[(4, Part(&ARRAY_VALUE)), (7, Part(&SQL_TYPE))]);
static ARRAY_VALUE: Shape = Shape(&[(1, Part(&SQL_VALUE))]);

static CREATE_TABLE: Shape = Shape(&[(3, Part(&TABLE)), (4, Part(&LEAF))]);
static TABLE: Shape = Shape(&[
    (3, Part(&FAMILY_OF_TABLE)),
    (8, Message("table.change_stream_config")),
    (9, Value("table.deletion_protection")),
    (13, Message("table.automated_backup_policy")),
    (14, Message("table.tiered_storage_config")),
    (15, Message("table.row_key_schema")),
]);
static FAMILY_OF_TABLE: Shape = Shape(&[(2, Part(&NEW_FAMILY))]);
static NEW_FAMILY: Shape = Shape(&[(1, Part(&GC_RULE)), (3, Part(&VALUE_TYPE))]);
static GC_RULE: Shape = Shape(&[(3, Part(&GC_RULES)), (4, Part(&GC_RULES))]);
static GC_RULES: Shape = Shape(&[(1, Part(&GC_RULE))]);
static VALUE_TYPE: Shape = Shape(&[
    (1, Message("value_type.bytes_type")),
    (2, Message("value_type.string_type")),
    (3, Message("value_type.array_type")),
    (4, Message("value_type.map_type")),
    (5, Message("value_type.int64_type")),
    (6, Part(&AGGREGATE)),
    (7, Message("value_type.struct_type")),
    (8, Message("value_type.bool_type")),
    (9, Message("value_type.float64_type")),
    (10, Message("value_type.timestamp_type")),
    (11, Message("value_type.date_type")),
    (12, Message("value_type.float32_type")),
    (13, Message("value_type.proto_type")),
    (14, Message("value_type.enum_type")),
]);
static AGGREGATE: Shape = Shape(&[
    (1, Part(&INPUT_TYPE)),
    (5, Message("value_type.aggregate_type.hllpp_unique_count")),
]);
static INPUT_TYPE: Shape = Shape(&[
    (
        1,
        Message("value_type.aggregate_type.input_type.bytes_type"),
    ),
    (
        2,
        Message("value_type.aggregate_type.input_type.string_type"),
    ),
    (
        3,
        Message("value_type.aggregate_type.input_type.array_type"),
    ),
    (4, Message("value_type.aggregate_type.input_type.map_type")),
    (5, Part(&INT64)),
    (
        6,
        Message("value_type.aggregate_type.input_type.aggregate_type"),
    ),
    (
        7,
        Message("value_type.aggregate_type.input_type.struct_type"),
    ),
    (8, Message("value_type.aggregate_type.input_type.bool_type")),
    (
        9,
        Message("value_type.aggregate_type.input_type.float64_type"),
    ),
    (
        10,
        Message("value_type.aggregate_type.input_type.timestamp_type"),
    ),
    (
        11,
        Message("value_type.aggregate_type.input_type.date_type"),
    ),
    (
        12,
        Message("value_type.aggregate_type.input_type.float32_type"),
    ),
    (
        13,
        Message("value_type.aggregate_type.input_type.proto_type"),
    ),
    (
        14,
        Message("value_type.aggregate_type.input_type.enum_type"),
    ),
]);
static INT64: Shape = Shape(&[(1, Part(&INT64_ENCODING))]);
static INT64_ENCODING: Shape = Shape(&[(
    2,
    Message("value_type.aggregate_type.input_type.int64_type.encoding.ordered_code_bytes"),
)]);

/// Nothing in it is served, but its parts are counted.
static UPDATE_TABLE: Shape = Shape(&[(1, Part(&UPDATED_TABLE)), (2, Part(&MASK))]);
static UPDATED_TABLE: Shape = Shape(&[(3, Part(&LEAF)), (15, Part(&ROW_KEY))]);
static ROW_KEY: Shape = Shape(&[(1, Part(&LEAF))]);

static CREATE_BUNDLE: Shape = Shape(&[(3, Part(&BUNDLE))]);
static UPDATE_BUNDLE: Shape = Shape(&[(1, Part(&BUNDLE)), (2, Part(&MASK))]);
static BUNDLE: Shape = Shape(&[(2, Part(&LEAF))]);

static MODIFY_FAMILIES: Shape = Shape(&[(2, Part(&MODIFICATION))]);
static MODIFICATION: Shape = Shape(&[
    (2, Part(&NEW_FAMILY)),
    (3, Part(&CHANGED_FAMILY)),
    (6, Part(&MASK)),
]);
/// Whatever else is set, an update changes only the rule, as the protocol says.
static CHANGED_FAMILY: Shape = Shape(&[(1, Part(&GC_RULE))]);
static MASK: Shape = Shape(&[(1, Part(&LEAF))]);

macro_rules! shaped {
    ($($message:ident: $shape:ident,)*) => {
        $(impl Shaped for wire::$message {
            fn shape() -> &'static Shape {
                &$shape
            }
        })*
    };
}

shaped! {
    ReadRowsRequest: READ_ROWS,
    SampleRowKeysRequest: SAMPLE_ROW_KEYS,
    MutateRowRequest: MUTATE_ROW,
    MutateRowsRequest: MUTATE_ROWS,
    CheckAndMutateRowRequest: CHECK_AND_MUTATE_ROW,
    ReadModifyWriteRowRequest: READ_MODIFY_WRITE_ROW,
    PrepareQueryRequest: PREPARE_QUERY,
    ExecuteQueryRequest: EXECUTE_QUERY,
    PingAndWarmRequest: LEAF,
    CreateTableRequest: CREATE_TABLE,
    GetTableRequest: LEAF,
    ListTablesRequest: LEAF,
    DeleteTableRequest: LEAF,
    ModifyColumnFamiliesRequest: MODIFY_FAMILIES,
    DropRowRangeRequest: LEAF,
    UpdateTableRequest: UPDATE_TABLE,
    CreateSchemaBundleRequest: CREATE_BUNDLE,
    UpdateSchemaBundleRequest: UPDATE_BUNDLE,
    GetOperationRequest: LEAF,
    GenerateConsistencyTokenRequest: LEAF,
    CheckConsistencyRequest: LEAF,
}
