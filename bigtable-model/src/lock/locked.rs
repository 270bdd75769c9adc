//! What a lock file keeps of each model: plain data.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::model::Described;

/// The version of the form of lock files.
pub(super) const FORMAT: u32 = 1;

/// The stored forms of some models.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lock {
    /// The version of this form of data.
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

/// The stored form of one model: all that its rows depend on. [`Locked::of`] makes it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Locked {
    /// The table's ID, or the template of the IDs.
    pub table: String,
    /// The template of the row key. It says nothing that is not in the parts below.
    pub key: String,
    /// The literal text in front of the key.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub prefix: String,
    /// What stands between the segments.
    pub separator: String,
    /// Whether it stands in front of the key and at its end too.
    #[serde(default, skip_serializing_if = "is_false")]
    pub enclosed: bool,
    /// The model whose stored rows it reads beside its own, as `was(...)` names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub was: Option<String>,
    /// When its rows may be packed, as `pack(...)` says: `3600s after the bucket`.
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
    /// The family whose other columns a map collects, and the form of their values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[doc(hidden)]
    pub map: Option<LockedMap>,
    /// The salt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[doc(hidden)]
    pub salt: Option<LockedSalt>,
    /// The bucket of the row key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[doc(hidden)]
    pub bucket: Option<LockedBucket>,
    /// The periods of the tables, of a model by period.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[doc(hidden)]
    pub periods: Option<LockedBucket>,
    /// The `.proto` of serialised events. It says nothing that is not in the parts below.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proto: Option<String>,
    /// A fixed event's row.
    #[doc(hidden)]
    pub golden: LockedRow,
    /// The families and what is deleted from them.
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
    /// The model as a program without the struct needs it, see [`dynamic`](crate::dynamic); `None`
    /// in a file that was written without it. What of it concerns stored bytes is in the parts
    /// above too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub described: Option<Box<Described>>,
}

/// A segment of a row key.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LockedSegment {
    /// The field's name, which is not stored.
    pub name: String,
    /// `identifier`, `time`, `bucket` or `salt`.
    pub role: String,
    /// What values it holds: `string`, `u64`, `time`.
    pub kind: String,
    /// How they are written, as in the key's template.
    pub format: String,
    /// Whether times are rounded down to what the format holds.
    #[serde(default, skip_serializing_if = "is_false")]
    pub truncate: bool,
    /// All values of a type that has only some names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<String>,
}

/// The salt of a row key.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LockedSalt {
    /// How many shards there are.
    pub shards: u16,
    /// The number of the first.
    pub first: u16,
    /// The hash: `xxh64`, or the name of one's own.
    pub hash: String,
    /// The segments that are hashed, by their places in the key from 0 on.
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
    /// How long it is.
    pub span: String,
    /// How it is written.
    pub label: String,
    /// What labels are counted from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<String>,
    /// What the events' times are whole multiples of, in microseconds.
    pub grid_micros: i64,
    /// Whether other times are rounded down to that.
    #[serde(default, skip_serializing_if = "is_false")]
    pub truncate: bool,
    /// The time zone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub zone: Option<String>,
    /// The version of the database of time zones, where there is a zone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub zone_database: Option<String>,
    /// A hash of where buckets begin from 1970 to 2100, where there is a zone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edges: Option<String>,
}

/// A column.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LockedColumn {
    /// The name of what is stored: that of the type's native form, or the codec's.
    pub form: String,
    /// Whether an event may lack it.
    #[serde(default, skip_serializing_if = "is_false")]
    pub optional: bool,
    /// How it may be changed beside writing it: `counter`, `append`, `version`, `sums`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// The names that it had.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<String>,
    /// The segment of the key that it repeats, by its place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub copy_of: Option<usize>,
    /// The bytes of fixed values, in hex.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<String>,
}

/// The columns named at run time.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LockedMap {
    /// Their family.
    pub family: String,
    /// The name of what is stored.
    pub form: String,
    /// The bytes of fixed values, in hex.
    pub values: Vec<String>,
}

/// A field of serialised events.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LockedField {
    /// Its name, which is stored by `json` alone.
    pub name: String,
    /// Its number in the message of a `.proto`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tag: Option<u32>,
    /// What it is there: `optional double`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub form: Option<String>,
    /// Whether an event may lack it.
    #[serde(default, skip_serializing_if = "is_false")]
    pub optional: bool,
    /// A payload with a fixed value of this field alone, in hex.
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
    /// microseconds, the value in hex; after a `+` what is added to an aggregate.
    pub cells: Vec<String>,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
const fn is_false(flag: &bool) -> bool {
    !*flag
}
