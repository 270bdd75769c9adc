//! What comes with a [`Model`]: its keys, the handles of its columns, updates, and
//! the writes as plain data.

mod any;
mod blocks;
mod copies;
mod describe;
mod events;
mod field;
mod fields;
mod kind;
mod layout;
mod modify;
mod packed;
mod samples;
mod schema;
mod serialized;
mod sources;
mod table;
#[cfg(test)]
mod tests;
mod times;
mod traits;
mod typed;
mod update;
mod versions;
mod write;

#[doc(hidden)]
pub use any::{ColumnType, Described, Effect, Value};
pub(crate) use any::{Form, single, stored};
pub(crate) use blocks::{BlockColumn, Packed};
#[doc(hidden)]
pub use copies::{Mirror, TableRepair};
pub(crate) use copies::{Newest, Rank, Released};
pub(crate) use describe::{column_name, described_event, entry_name, foreign, shown};
pub(crate) use events::RowInBatch;
pub(crate) use events::tombstones;
#[doc(hidden)]
pub use events::{EventReader, RowEvents};
#[doc(hidden)]
pub use field::{
    ColumnMap, Field, FieldAccess, FieldsWriter, MapAccess, RequiredField, map_access,
};
pub use fields::Column;
#[doc(hidden)]
pub use fields::{ColumnId, ColumnPlace, EntryField, FieldUse, KeyField, MapField, OfField, OfMap};
pub use kind::{Aggregate, Append, Coded, Counter, Plain};
#[doc(hidden)]
pub use kind::{AppendField, Appends, HandleKind, Increments, Modifies, NumberField};
pub(crate) use layout::{
    Cells, Compares, EventPlace, Holds, Named, NamedBy, TimeIn, Wanted, ending_in, qualifiers,
};
pub use modify::{Modified, Modify};
pub(crate) use packed::{
    BLOCK, Cells as PackedCells, Columns as PackedColumns, GUARD_NAME, HIDDEN, Held,
    Kind as PackedKind, PACKED, or_stored, unpacked,
};
#[cfg(feature = "prost")]
pub(crate) use samples::schema_bundle;
pub(crate) use samples::{ColumnSample, proto_file};
#[doc(hidden)]
pub use samples::{PayloadSamples, Samples};
use schema::Entry;
pub(crate) use schema::{
    AddsOf, EntryCell, EventAdds, EventRow, FoundEvent, MARK, SOURCES, check_levels, shared,
};
#[doc(hidden)]
pub use schema::{
    CellTime, ColumnKind, ColumnSchema, EventCells, FamilyRule, Former, Layout, Level, ModelSchema,
    Owner, PeriodTable, PeriodTables, Presence, ReadError, RolledUp, Schema, TableName, also_named,
    column, copying, of_kind, restored, sensitive,
};
#[doc(hidden)]
pub use serialized::{
    InPayload, JsonForm, PayloadAccess, PayloadForm, PayloadUse, ProtoField, ProtoModel,
    RequiredInPayload, SerializedField, SerializedModel, read_payload,
};
#[doc(hidden)]
pub use sources::former;
pub(crate) use sources::{Source, written};
#[doc(hidden)]
pub use times::EventTimes;
pub(crate) use times::{just_after, stamp_after, stamp_of};
pub use traits::{Batched, Editable, ModelKey};
#[doc(hidden)]
pub use traits::{Model, Projection, TablesByPeriod};
#[doc(hidden)]
pub use typed::event_request;
pub(crate) use typed::insert_row;
pub use typed::{delete_cell_mutations, delete_mutations, insert_mutations};
#[doc(hidden)]
pub use update::IntoUpdate;
pub use update::Update;
pub use versions::WholeEvent;
pub(crate) use versions::versions;
#[doc(hidden)]
pub use versions::{Version, VersionedField};
#[doc(hidden)]
pub use write::{ColumnArg, ColumnError, EventWriter};
pub(crate) use write::{InsertWriter, Made, Modification, Replacement, UpdateWrite, VersionsRead};
