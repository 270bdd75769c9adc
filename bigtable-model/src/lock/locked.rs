//! The form of each model in a lock file, as plain data.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::model::Described;

/// The version of the format of lock files.
pub(super) const FORMAT: u32 = 1;

/// The stored forms of some models.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lock {
    /// The version of the format.
    pub format: u32,
    /// The models by the names of their structs.
    #[serde(default)]
    pub models: BTreeMap<String, Locked>,
}

impl Default for Lock {
    fn default() -> Self {
        Self {
            format: FORMAT,
            models: BTreeMap::new(),
        }
    }
}

/// The stored form of one model: everything on which its rows depend. [`Locked::of`] makes it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Locked {
    /// The table's ID, or the template of the IDs.
    pub table: String,
    /// The template of the row key, which repeats the parts below.
    pub key: String,
    /// The literal text before the key.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub prefix: String,
    /// The separator of the segments.
    pub separator: String,
    /// Whether the separator also encloses the key.
    #[serde(default, skip_serializing_if = "is_false")]
    pub enclosed: bool,
    /// The model of the former layout, whose rows it also reads, as `was(...)` names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub was: Option<String>,
    /// When its rows may be packed, as declared by `pack(...)`: `3600s after the bucket`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub packed: Option<String>,
    /// Where an event's time and fields go: `row`, `cells`, `columns`, `qualifiers`, `latest`.
    pub layout: String,
    /// In layout `columns` the form of the qualifiers: `{column}:{08ms}`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub qualifiers: Option<String>,
    /// The timestamp of cells: `event` or `write`.
    pub cell_time: String,
    /// What marks an event: `column MD:BID` or `marker MD:EVENT`.
    pub presence: String,
    /// The families whose other columns a map collects, and the form of their values.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[doc(hidden)]
    pub maps: BTreeMap<String, LockedMap>,
    /// The salt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[doc(hidden)]
    pub salt: Option<LockedSalt>,
    /// The bucket of the row key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[doc(hidden)]
    pub bucket: Option<LockedBucket>,
    /// The periods of the tables, if tables are by period.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[doc(hidden)]
    pub periods: Option<LockedBucket>,
    /// The `.proto` of serialised events, which repeats the parts below.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proto: Option<String>,
    /// A fixed event's row.
    #[doc(hidden)]
    pub golden: LockedRow,
    /// The families and their garbage-collection rules.
    pub families: BTreeMap<String, String>,
    /// The segments of the row key, in order; a salt is one of them.
    #[doc(hidden)]
    pub segments: Vec<LockedSegment>,
    /// The columns by `family:qualifier`.
    #[serde(default)]
    #[doc(hidden)]
    pub columns: BTreeMap<String, LockedColumn>,
    /// The fields of serialised events, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[doc(hidden)]
    pub payload: Vec<LockedField>,
    /// The buckets and tables of its roll-ups, by the names of their models, and whether the server
    /// adds to them: `added, 60 seconds in MINUTE, 3600 seconds in HOUR`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub rollups: BTreeMap<String, String>,
    /// The model for programs without the struct, see [`dynamic`](crate::dynamic); `None` in a file
    /// that was written without it. The parts above repeat all that concerns stored bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub described: Option<Box<Described>>,
}

/// A segment of a row key.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LockedSegment {
    /// The field's name, which is not stored.
    pub name: String,
    /// `identifier`, `time`, `bucket`, `tie_breaker` or `salt`.
    pub role: String,
    /// The kind of its values: `string`, `u64`, `time`.
    pub kind: String,
    /// The format of its values, as in the key's template.
    pub format: String,
    /// Whether times are rounded down to the format.
    #[serde(default, skip_serializing_if = "is_false")]
    pub truncate: bool,
    /// All values of a type with a fixed set of names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<String>,
}

/// The salt of a row key.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LockedSalt {
    /// How many shards there are.
    pub shards: u16,
    /// The number of the first shard.
    pub first: u16,
    /// The hash: `xxh64`, or the name of the program's hash.
    pub hash: String,
    /// The hashed segments, by their index in the key.
    pub of: Vec<usize>,
    /// The shards of fixed bytes in place of the segments, then of some hot values with these.
    pub golden: Vec<String>,
    /// The segment with hot values, by its place; `None` if the rows of all series are spread.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hot_segment: Option<usize>,
    /// The hot values as keys contain them, each with the number of shards of its rows.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub hot: BTreeMap<String, u16>,
}

/// A span of time that shares a row or a table.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LockedBucket {
    /// Its length.
    pub span: String,
    /// Its label.
    pub label: String,
    /// The origin from which labels are counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<String>,
    /// The grid of the events' times, in microseconds.
    pub grid_micros: i64,
    /// Whether other times are rounded down to the grid.
    #[serde(default, skip_serializing_if = "is_false")]
    pub truncate: bool,
    /// The time zone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub zone: Option<String>,
    /// The version of the time zone database, if there is a zone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub zone_database: Option<String>,
    /// A hash of the starts of buckets from 1970 to 2100, if there is a zone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edges: Option<String>,
}

/// A column.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LockedColumn {
    /// The name of the stored form: the type's native form or the codec's.
    pub form: String,
    /// Whether an event may lack it.
    #[serde(default, skip_serializing_if = "is_false")]
    pub optional: bool,
    /// How it may be changed apart from writing it: `counter`, `append`, `version`, `sums`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Its former names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<String>,
    /// The index of the key segment that it repeats.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub copy_of: Option<usize>,
    /// The bytes of fixed values, in hex.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<String>,
}

/// The columns of a family that are named at run time.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LockedMap {
    /// The name of the stored form.
    pub form: String,
    /// The bytes of fixed values, in hex.
    pub values: Vec<String>,
}

/// A field of serialised events.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LockedField {
    /// Its name, which only `json` stores.
    pub name: String,
    /// Its number in the message of a `.proto`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tag: Option<u32>,
    /// Its declaration there: `optional double`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub form: Option<String>,
    /// Whether an event may lack it.
    #[serde(default, skip_serializing_if = "is_false")]
    pub optional: bool,
    /// A payload with only this field, with a fixed value, in hex.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
}

/// The row of a fixed event.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LockedRow {
    /// The row key, in hex.
    pub key: String,
    /// The cells, such as `MD:BID @ 1426535612156000 = 3630302e3530`: the column, the timestamp in
    /// microseconds, and the value in hex, or after a `+` the addition to an aggregate.
    pub cells: Vec<String>,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
const fn is_false(flag: &bool) -> bool {
    !*flag
}
