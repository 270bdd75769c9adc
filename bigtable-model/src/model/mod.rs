//! Models: structs that are stored in Bigtable.

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

pub use any::{ColumnType, Described, Effect, Value};
pub(crate) use any::{Form, single, stored};
pub use copies::{Mirror, TableRepair};
pub(crate) use copies::{Newest, Rank, Released};
pub(crate) use describe::{column_name, described_event, foreign, shown};
pub(crate) use events::{BlockColumn, Packed, RowInBatch};
pub use events::{EventReader, RowEvents};
pub(crate) use events::{TOMBSTONES, tombstones};
pub use field::{ColumnMap, Field, FieldAccess, MapAccess, RequiredField, map_access};
pub use fields::{Column, FieldUse, KeyField, MapField};
pub use handle::{Owner, Schema};
pub use kind::{
    Aggregate, Append, AppendField, Appends, Coded, ColumnKind, Counter, HandleKind, Increments,
    Modifies, NumberField, Plain,
};
pub use layout::Layout;
pub(crate) use layout::{Cells, Compares, EventPlace, Holds, Named, NamedBy, TimeIn, Wanted};
pub(crate) use packed::{
    BLOCK, Cells as PackedCells, Columns as PackedColumns, GUARD_NAME, HIDDEN, Held,
    Kind as PackedKind, PACKED, or_stored, unpacked,
};
pub use read::{EventCells, ReadError, restored};
pub(crate) use rolled::{AddsOf, EventAdds, MARK, SOURCES, check_levels};
pub use rolled::{Level, RolledUp};
pub(crate) use samples::{ColumnSample, proto_file};
pub use samples::{PayloadSamples, Samples};
pub(crate) use schema::shared;
pub use schema::{CellTime, ColumnSchema, FamilyRule, ModelSchema, Presence};
#[doc(hidden)]
pub use schema::{also_named, column, copying, of_kind, sensitive};
pub use serialized::{
    InPayload, PayloadAccess, ProtoField, ProtoModel, RequiredInPayload, SerializedField,
    read_payload,
};
pub use sources::Former;
#[doc(hidden)]
pub use sources::former;
pub(crate) use sources::{Source, written};
pub use table::{PeriodTable, PeriodTables, TableName, TablesByPeriod};
pub use times::EventTimes;
pub(crate) use times::{just_after, stamp_after, stamp_of};
pub use traits::{Batched, Editable, Model, ModelKey, Projection};
pub(crate) use versions::versions;
pub use versions::{SerializedModel, Version, VersionedField, WholeEvent};
pub(crate) use write::Modification;
pub use write::{
    ColumnArg, ColumnError, EventWriter, IntoUpdate, Modified, Modify, Update,
    delete_cell_mutations, delete_mutations, event_request, insert_mutations,
};
pub(crate) use write::{EventRow, Replacement, UpdateWrite, VersionsRead, insert_row};
pub(crate) use write::{InsertWriter, Made};
