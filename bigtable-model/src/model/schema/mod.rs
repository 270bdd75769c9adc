//! A model as data: its table, its row key, its layout and columns; and the cells of its events.

mod cells;
mod former;
mod handle;
mod rolled;
mod table;

use std::borrow::Cow;
use std::collections::BTreeSet;

use bytestring::ByteString;
use serde::{Deserialize, Serialize};

use crate::data::{AggregateKind, FamilySchema, GcRule, RowKeySchema, RowKeySchemaError, RowRange};
use crate::key::KeyLayout;
use crate::key::time::bucket::Offset;
use crate::value::ValueError;

use crate::table::{PACKED, TOMBSTONES};

pub(in crate::model) use cells::Entry;
pub(crate) use cells::{EntryCell, EntryName};
pub use cells::{EventCells, ReadError, restored};
pub(crate) use cells::{EventRow, FoundEvent};
pub use former::Former;
pub use handle::{Owner, Schema};
pub(crate) use rolled::{AddsOf, EventAdds, MARK, SOURCES, check_levels};
pub use rolled::{Level, RolledUp};
pub use table::{PeriodTable, PeriodTables, TableName};

/// A model's schema: where its events are in Bigtable. A plain value, which the derive emits as a
/// constant.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ModelSchema {
    /// The struct's name.
    pub model: Cow<'static, str>,
    /// The table, or the tables by period.
    pub table: TableName,
    /// The row key.
    pub key: KeyLayout,
    /// Where an event's time and fields go.
    pub layout: Layout,
    /// The columns, in the order of the fields.
    pub columns: Cow<'static, [ColumnSchema]>,
    /// The families whose other columns a map collects, one for each map.
    #[serde(default, skip_serializing_if = "<[_]>::is_empty")]
    pub map_families: Cow<'static, [Cow<'static, str>]>,
    /// What marks an event.
    pub presence: Presence,
    /// The timestamp of written cells.
    pub cell_time: CellTime,
    /// The garbage-collection rules that the model declares, one for each family that has one.
    /// Other families keep all cells.
    pub gc_rules: Cow<'static, [FamilyRule]>,
    /// Whether its events are written once, and neither changed nor deleted.
    #[serde(default)]
    pub append_only: bool,
    /// How long after the end of its bucket a row may be packed, in microseconds, as declared by
    /// `pack(after = ...)`; `None` for never.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pack_after_micros: Option<i64>,
    /// The models that hold roll-ups of its events, as `rollup(...)` names them. They do not change
    /// how events are stored.
    #[serde(default, skip_serializing_if = "<[_]>::is_empty")]
    pub rollups: Cow<'static, [RolledUp]>,
    /// The former layout, from which events are still read, as `was(...)` names it. It does not
    /// affect what is stored.
    #[serde(skip)]
    pub former: Option<Former>,
}

/// The garbage-collection rule of a family.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct FamilyRule {
    /// The family.
    pub family: Cow<'static, str>,
    /// Which of its cells may be deleted.
    pub rule: GcRule,
}

/// A column of a model.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ColumnSchema {
    /// The field's name.
    pub field: Cow<'static, str>,
    /// The family.
    pub family: Cow<'static, str>,
    /// The qualifier.
    pub qualifier: Cow<'static, str>,
    /// The name of the codec that writes the value.
    pub codec: Cow<'static, str>,
    /// Whether an event may lack it.
    pub optional: bool,
    /// The key segment that it repeats, an index into [`KeyLayout::segments`]; its value is then
    /// read from the key.
    ///
    /// A copy of an identifier belongs to the row: in layouts with buckets it is written once for
    /// all events of the row.
    pub copy_of: Option<usize>,
    /// How it may be changed.
    #[serde(default)]
    pub kind: ColumnKind,
    /// Its former qualifiers, in its family: if the column is missing, one of these is read;
    /// writing or deleting the column deletes them.
    #[serde(default)]
    pub aliases: Cow<'static, [Cow<'static, str>]>,
    /// Whether its values are kept out of errors and of the output of tools.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub sensitive: bool,
}

/// How a column may be changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub enum ColumnKind {
    /// By writing it as a whole.
    #[default]
    Plain,
    /// Also by increments.
    Counter,
    /// Also by appending to it.
    Append,
    /// By adding to its value, in a family of such columns.
    Aggregate(AggregateKind),
    /// By one, with every write that states the version:
    /// [`insert_if_unchanged`](crate::BackendExt::insert_if_unchanged).
    Version,
}

impl ColumnKind {
    /// Whether its newest cell may have the server's time instead of the event's.
    const fn has_server_time(self) -> bool {
        matches!(self, Self::Counter | Self::Append)
    }
}

/// Where an event's time and its fields go.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Layout {
    /// One row per event: the time is in the key, and each field is a column with one cell.
    Row,
    /// One row per bucket: the time is the cells' timestamp, and each field is a column with a cell
    /// for each event.
    Cells,
    /// One row per bucket: the time is in the qualifiers, and each field has a column for each
    /// event.
    Columns {
        /// How the time within the bucket is written.
        offset: Offset,
        /// Whether the column's name precedes the offset: `{column}:{offset}`. Without it the
        /// offset is the whole qualifier, and an event has one column.
        named: bool,
    },
    /// One row per bucket: the time is the cells' timestamp, and the value of the only column is
    /// the qualifier of an empty cell.
    Qualifiers,
    /// One row per series, with only the newest event: the time is the cells' timestamp, and each
    /// field is a column. Garbage collection may leave cells of earlier events, but no query
    /// returns them.
    Latest,
}

/// What marks an event.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Presence {
    /// This column, which every event has: an index into [`ModelSchema::columns`].
    Column(usize),
    /// An empty cell that is written beside the columns.
    Marker {
        /// Its family.
        family: Cow<'static, str>,
        /// Its qualifier.
        qualifier: Cow<'static, str>,
    },
}

/// The timestamp of the cells that a write makes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub enum CellTime {
    /// The event's time, rounded down to milliseconds (Bigtable's granularity); before 1970 it is
    /// 0.
    Event,
    /// The client's clock, stamped once for a write and kept over retries. Earlier values stay as
    /// older versions.
    Write,
}

impl ColumnSchema {
    /// Its qualifier, and its former ones.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        let aliases = self.aliases.iter().map(|alias| &**alias);
        std::iter::once(&*self.qualifier).chain(aliases)
    }

    /// The same, as shared strings.
    pub(crate) fn shared_names(&self) -> impl Iterator<Item = ByteString> {
        std::iter::once(&self.qualifier)
            .chain(self.aliases.iter())
            .map(shared)
    }
}

impl ModelSchema {
    /// An error about a value of a column, without the value if it is sensitive.
    #[cold]
    pub(crate) fn shown_error(&self, column: usize, error: ValueError) -> ValueError {
        match self.columns.get(column) {
            Some(column) if column.sensitive => error.without_value(),
            _ => error,
        }
    }

    /// The names of all families that the model writes, in order. With `was(...)` they include the
    /// family of tombstones, and with `pack(...)` the family of blocks.
    #[must_use]
    pub fn families(&self) -> BTreeSet<&str> {
        let tombstones = self.is_united().then_some(TOMBSTONES);
        self.event_families()
            .into_iter()
            .chain(tombstones)
            .chain(self.is_packed().then_some(PACKED))
            .collect()
    }

    /// The rows that may be the model's, by the prefix of their keys.
    pub(crate) fn rows(&self) -> RowRange {
        let prefix = self.key.beginning();
        match prefix.is_empty() {
            true => RowRange::all(),
            false => RowRange::prefix(prefix),
        }
    }

    /// The names of the families that hold events.
    pub(crate) fn event_families(&self) -> BTreeSet<&str> {
        let declared = self.declared().map(|(family, _)| family);
        declared.chain(self.maps()).collect()
    }

    /// The families whose other columns are named at run time.
    pub(crate) fn maps(&self) -> impl Iterator<Item = &str> {
        self.map_families.iter().map(|family| &**family)
    }

    pub(crate) fn has_maps(&self) -> bool {
        !self.map_families.is_empty()
    }

    /// The map that collects a column, an index into
    /// [`map_families`](ModelSchema::map_families); `None` for a declared column.
    pub(crate) fn map_of(&self, family: &str, qualifier: &[u8]) -> Option<usize> {
        let map = self.maps().position(|one| one == family)?;
        (!self.declares(family, qualifier)).then_some(map)
    }

    /// The run-time column to which a cell belongs.
    pub(crate) fn entry_of<'q>(&self, family: &str, qualifier: &'q [u8]) -> Option<EntryName<'q>> {
        let map = self.maps().position(|one| one == family)?;
        let (name, offset) = self.in_layout().parted(qualifier)?;
        // A derived model has no column of its rows that looks like an event's.
        let is_declared = self.declares(family, name) || self.has_of_row(family, qualifier);
        (!is_declared).then_some(EntryName { map, name, offset })
    }

    /// The row key schema by which Bigtable decodes the model's keys, for a table with the model's
    /// families.
    ///
    /// # Errors
    /// [`RowKeySchemaError::Segment`] for a segment that Bigtable's encodings cannot express,
    /// [`RowKeySchemaError::Name`] for one whose name a family or something else in SQL has.
    pub fn row_key_schema(&self) -> Result<RowKeySchema, RowKeySchemaError> {
        let schema = self.key.of_rows().row_key_schema()?;
        schema.check(self.families())?;
        Ok(schema)
    }

    /// The ID of the schema bundle through which SQL reads events of `serialize(proto)`: the
    /// model's name in lower case.
    #[must_use]
    pub fn bundle_id(&self) -> String {
        self.model.to_lowercase()
    }

    /// Family and qualifier of each declared column, of the marker, and of former names.
    pub(crate) fn declared(&self) -> impl Iterator<Item = (&str, &str)> {
        let marker = match &self.presence {
            Presence::Marker { family, qualifier } => Some((&**family, &**qualifier)),
            Presence::Column(_) => None,
        };
        let columns = self.columns.iter();
        let columns = columns.map(|column| (&*column.family, &*column.qualifier));
        columns.chain(marker).chain(self.aliases())
    }

    /// Family and qualifier of former names.
    fn aliases(&self) -> impl Iterator<Item = (&str, &str)> {
        self.columns.iter().flat_map(|column| {
            let names = column.aliases.iter();
            names.map(|name| (&*column.family, &**name))
        })
    }

    /// Whether a column has former names, which stored rows may use.
    pub(crate) fn has_aliases(&self) -> bool {
        self.columns.iter().any(|column| !column.aliases.is_empty())
    }

    /// Family and qualifier of each declared column that belongs to an event and not to its row, of
    /// the marker, and of former names.
    pub(crate) fn of_event(&self) -> impl Iterator<Item = (&str, &str)> {
        let of_row = self.columns.iter().map(|column| self.is_of_row(column));
        // The columns come first, then the marker, then the former names of events' columns.
        let of_row = of_row.chain(std::iter::repeat(false));
        let declared = self.declared().zip(of_row);
        declared.filter_map(|(names, of_row)| (!of_row).then_some(names))
    }

    /// The garbage-collection rule that the model declares for a family; `None` keeps every cell.
    #[must_use]
    pub fn gc_rule(&self, family: &str) -> Option<&GcRule> {
        let mut rules = self.gc_rules.iter();
        rules.find(|one| one.family == family).map(|one| &one.rule)
    }

    /// A family of the model, with its declared rule.
    ///
    /// An aggregate column is in a family of aggregates. Increments and appends leave the former
    /// value as an older version, so without a declared rule a family with such columns keeps one
    /// version of each, unless it also has columns whose versions are wanted, as with
    /// [`CellTime::Write`].
    #[must_use]
    pub fn family_schema(&self, family: &str) -> FamilySchema {
        let columns = || self.columns.iter().filter(|one| one.family == family);
        let aggregate = columns().find_map(|column| match column.kind {
            ColumnKind::Aggregate(kind) => Some(kind),
            _ => None,
        });
        let piles_up = columns().any(|column| column.kind.has_server_time());
        let only = columns().all(|column| column.kind.has_server_time())
            && self.maps().all(|one| one != family);
        let one_version = piles_up && (only || self.cell_time == CellTime::Event);
        FamilySchema {
            gc_rule: self
                .gc_rule(family)
                .cloned()
                .or_else(|| one_version.then_some(GcRule::MaxVersions(1))),
            aggregate,
        }
    }

    /// Whether cells of some column may have the server's time, so that no range of timestamps
    /// contains an event's cells.
    pub(crate) fn has_server_times(&self) -> bool {
        self.columns
            .iter()
            .any(|column| column.kind.has_server_time())
    }

    /// Family and qualifier of the cell that marks an event.
    #[must_use]
    pub fn presence_column(&self) -> Option<(&str, &str)> {
        match &self.presence {
            Presence::Marker { family, qualifier } => Some((family, qualifier)),
            Presence::Column(index) => self
                .columns
                .get(*index)
                .map(|column| (&*column.family, &*column.qualifier)),
        }
    }

    /// Family and qualifiers of the cell that marks an event: the current one, and former ones.
    pub(crate) fn presence_names(&self) -> Option<(&str, Vec<&[u8]>)> {
        let (family, name) = self.presence_column()?;
        let aliases = match &self.presence {
            Presence::Column(index) => self.columns.get(*index).map(|column| &*column.aliases),
            Presence::Marker { .. } => None,
        };
        let aliases = aliases.unwrap_or_default().iter().map(|alias| &**alias);
        let names = std::iter::once(name).chain(aliases).map(str::as_bytes);
        Some((family, names.collect()))
    }

    /// Whether a column is one of the model's own, or its marker.
    pub(crate) fn declares(&self, family: &str, qualifier: &[u8]) -> bool {
        let mut declared = self.declared();
        declared.any(|(own, name)| family == own && qualifier == name.as_bytes())
    }

    /// Whether writes stamp cells with the client's clock: if that is declared, or if events have
    /// no time.
    pub(crate) fn is_stamped_by_clock(&self) -> bool {
        self.cell_time == CellTime::Write || self.key.time_segment().is_none()
    }
}

/// A shared name; a constant one is not copied.
#[allow(
    clippy::ptr_arg,
    reason = "a constant name is not copied, and only the `Cow` tells"
)]
pub(crate) fn shared(name: &Cow<'static, str>) -> ByteString {
    match name {
        Cow::Borrowed(text) => ByteString::from_static(text),
        Cow::Owned(text) => ByteString::from(text.as_str()),
    }
}

/// A plain column: no copy of a segment, changed only by writing it, and without former names.
#[doc(hidden)]
#[must_use]
pub const fn column(
    [field, family, qualifier, codec]: [&'static str; 4],
    optional: bool,
) -> ColumnSchema {
    ColumnSchema {
        field: Cow::Borrowed(field),
        family: Cow::Borrowed(family),
        qualifier: Cow::Borrowed(qualifier),
        codec: Cow::Borrowed(codec),
        optional,
        copy_of: None,
        kind: ColumnKind::Plain,
        aliases: Cow::Borrowed(&[]),
        sensitive: false,
    }
}

/// The column as a copy of a segment.
#[doc(hidden)]
#[must_use]
pub const fn copying(segment: usize, mut column: ColumnSchema) -> ColumnSchema {
    column.copy_of = Some(segment);
    column
}

/// The column with another kind.
#[doc(hidden)]
#[must_use]
pub const fn of_kind(kind: ColumnKind, mut column: ColumnSchema) -> ColumnSchema {
    column.kind = kind;
    column
}

/// The column with values that are not shown.
#[doc(hidden)]
#[must_use]
pub const fn sensitive(mut column: ColumnSchema) -> ColumnSchema {
    column.sensitive = true;
    column
}

/// The column with its former qualifiers.
#[doc(hidden)]
#[must_use]
pub const fn also_named(
    aliases: &'static [Cow<'static, str>],
    mut column: ColumnSchema,
) -> ColumnSchema {
    // A borrowed list has no destructor to run.
    std::mem::forget(std::mem::replace(
        &mut column.aliases,
        Cow::Borrowed(aliases),
    ));
    column
}
