//! What comes with a [`Model`](crate::Model): its keys, the handles of its columns, updates, and the
//! writes as plain data.

mod any;
mod copies;
mod describe;
mod events;
mod field;
mod fields;
mod handle;
mod kind;
mod layout;
mod packed;
mod read;
mod rolled;
mod samples;
mod schema;
mod serialized;
mod sources;
mod table;
#[cfg(test)]
mod tests;
mod times;
mod traits;
mod versions;
mod write;

#[doc(hidden)]
pub use any::{ColumnType, Described, Effect, Value};
pub(crate) use any::{Form, single, stored};
#[doc(hidden)]
pub use copies::{Mirror, TableRepair};
pub(crate) use copies::{Newest, Rank, Released};
pub(crate) use describe::{column_name, described_event, foreign, shown};
pub(crate) use events::{BlockColumn, Packed, RowInBatch};
#[doc(hidden)]
pub use events::{EventReader, RowEvents};
pub(crate) use events::{TOMBSTONES, tombstones};
#[doc(hidden)]
pub use field::{ColumnMap, Field, FieldAccess, MapAccess, RequiredField, map_access};
pub use fields::Column;
#[doc(hidden)]
pub use fields::{FieldUse, KeyField, MapField};
#[doc(hidden)]
pub use handle::{Owner, Schema};
#[doc(hidden)]
pub use kind::{
    Aggregate, Append, AppendField, Appends, Coded, ColumnKind, Counter, HandleKind, Increments,
    Modifies, NumberField, Plain,
};
#[doc(hidden)]
pub use layout::Layout;
pub(crate) use layout::{Cells, Compares, EventPlace, Holds, Named, NamedBy, TimeIn, Wanted};
pub(crate) use packed::{
    BLOCK, Cells as PackedCells, Columns as PackedColumns, GUARD_NAME, HIDDEN, Held,
    Kind as PackedKind, PACKED, or_stored, unpacked,
};
#[doc(hidden)]
pub use read::{EventCells, ReadError, restored};
pub(crate) use rolled::{AddsOf, EventAdds, MARK, SOURCES, check_levels};
#[doc(hidden)]
pub use rolled::{Level, RolledUp};
pub(crate) use samples::{ColumnSample, proto_file};
#[doc(hidden)]
pub use samples::{PayloadSamples, Samples};
pub(crate) use schema::shared;
#[doc(hidden)]
pub use schema::{
    CellTime, ColumnSchema, FamilyRule, ModelSchema, Presence, also_named, column, copying,
    of_kind, sensitive,
};
#[doc(hidden)]
pub use serialized::{
    InPayload, PayloadAccess, ProtoField, ProtoModel, RequiredInPayload, SerializedField,
    read_payload,
};
#[doc(hidden)]
pub use sources::{Former, former};
pub(crate) use sources::{Source, written};
#[doc(hidden)]
pub use table::{PeriodTable, PeriodTables, TableName, TablesByPeriod};
#[doc(hidden)]
pub use times::EventTimes;
pub(crate) use times::{just_after, stamp_after, stamp_of};
pub use traits::{Batched, Editable, ModelKey};
#[doc(hidden)]
pub use traits::{Model, Projection};
pub use versions::WholeEvent;
pub(crate) use versions::versions;
#[doc(hidden)]
pub use versions::{SerializedModel, Version, VersionedField};
pub(crate) use write::Modification;
#[doc(hidden)]
pub use write::{ColumnArg, ColumnError, EventWriter, IntoUpdate};
pub(crate) use write::{EventRow, Replacement, UpdateWrite, VersionsRead, insert_row};
pub(crate) use write::{InsertWriter, Made};
pub use write::{
    Modified, Modify, Update, delete_cell_mutations, delete_mutations, event_request,
    insert_mutations,
};
