//! A struct for the rows of one shape, as data.

use std::borrow::Cow;
use std::collections::BTreeSet;

use bigtable_model::data::{self, Row};
use bigtable_model::model::{ColumnType, Described};
use bigtable_model::schema::{
    CellTime, ColumnSchema, FamilyRule, Layout, ModelSchema, Presence, TableName,
};
use bigtable_model::schema::{KeyLayout, SegmentRole};
use bigtable_model::value::Takes;
use bytes::Bytes;

use super::columns::{self, Column, ValueType};
use super::copies::CopyOf;
use super::keys::Shape;
use super::names::Names;
use super::segments::{self, Part};

/// A struct, and its rows.
#[derive(Debug)]
pub(super) struct Kind<'a> {
    pub(super) rows: Vec<&'a Row>,
    pub(super) parts: Vec<Part>,
    pub(super) columns: Vec<Named>,
    /// The columns that repeat segments.
    pub(super) copies: Vec<CopyOf>,
    /// The type of columns that are named at run time.
    pub(super) entries: Option<ValueType>,
    /// The type of their names.
    pub(super) entry_name: &'static str,
    pub(super) schema: ModelSchema,
    /// What its attribute allows.
    pub(super) allowed: Vec<&'static str>,
    /// What it cannot say.
    pub(super) unsaid: Vec<String>,
}

/// What a struct reads of its rows.
#[derive(Debug)]
pub(super) enum Tried {
    /// How many of the rows, and how many events in them; why others are not read.
    Reads {
        rows: u64,
        events: u64,
        bad: Option<String>,
    },
    /// The library refuses such a model.
    Refused(String),
}

/// A column with its field.
#[derive(Debug, Clone)]
pub(super) struct Named {
    pub(super) field: String,
    pub(super) column: Column,
    pub(super) is_optional: bool,
}

/// The segments with their roles: the last time is the event's.
pub(super) fn parts(shape: &Shape<'_>) -> Vec<Part> {
    let last = shape.parts.len().saturating_sub(1);
    let mut parts = Vec::new();
    for (at, values) in shape.parts.iter().enumerate() {
        let is_last = at == last && !shape.is_enclosed;
        match segments::guess(values, shape.separator, is_last) {
            Some(part) => parts.push(part),
            // The rest of the key, as bytes.
            None => {
                let rest = rest(shape, at);
                parts.extend(segments::guess(&rest, shape.separator, true));
                break;
            }
        }
    }
    let time = parts.iter().rposition(|part| !part.times.is_empty());
    for (at, part) in parts.iter_mut().enumerate() {
        let role = match time {
            Some(time) if time == at => SegmentRole::Time,
            _ => SegmentRole::Identifier,
        };
        if role == SegmentRole::Identifier && !part.times.is_empty() {
            let values = shape.parts.get(at).map(Vec::as_slice).unwrap_or_default();
            let is_last = at == last && !shape.is_enclosed;
            if let Some(other) = segments::without_time(values, shape.separator, is_last) {
                *part = other;
            }
        }
        part.segment.role = role;
    }
    parts
}

/// Names the segments: by the columns that repeat them, or by their kinds.
pub(super) fn named(parts: &mut [Part], copies: &[CopyOf]) -> Names {
    let mut names = Names::default();
    for (at, part) in parts.iter_mut().enumerate() {
        let copy = copies.iter().find(|copy| copy.part == at);
        let name = match (part.segment.role, copy, part.ty) {
            (SegmentRole::Time, _, _) => "at".to_owned(),
            (_, Some(copy), _) => copy.qualifier.clone(),
            (_, None, "uuid::Uuid") => "id".to_owned(),
            _ => format!("part_{}", at + 1),
        };
        part.segment.name = Cow::Owned(names.take(&name));
    }
    names
}

/// The rest of the keys from a segment on.
fn rest<'a>(shape: &Shape<'a>, from: usize) -> Vec<&'a [u8]> {
    let separator = shape.separator.len();
    let prefix = match shape.prefix.len() {
        0 => 0,
        len => len + separator,
    };
    let start = prefix + if shape.is_enclosed { separator } else { 0 };
    let rows = shape.rows.iter().enumerate().map(|(row, one)| {
        let before = shape.parts.iter().take(from);
        let before = before.map(|list| list.get(row).map_or(0, |part| part.len() + separator));
        one.key
            .get(start + before.sum::<usize>()..)
            .unwrap_or_default()
    });
    rows.collect()
}

/// The key of a shape.
pub(super) fn key(shape: &Shape<'_>, parts: &[Part]) -> KeyLayout {
    KeyLayout {
        prefix: Cow::Owned(shape.prefix.clone()),
        separator: Cow::Borrowed(shape.separator),
        enclosed: shape.is_enclosed && parts.len() == shape.parts.len(),
        segments: parts.iter().map(|part| part.segment.clone()).collect(),
    }
}

pub(super) fn allowed(parts: &[Part]) -> Vec<&'static str> {
    let first = parts.first().map(|part| part.segment.role);
    let is_first = matches!(first, Some(SegmentRole::Time | SegmentRole::Bucket));
    is_first.then_some("time_first").into_iter().collect()
}

/// A struct whose rows are single events.
pub(super) fn of_rows<'a>(
    name: &str,
    table: &data::TableSchema,
    shape: &Shape<'_>,
    rows: Vec<&'a Row>,
    parts: &[Part],
    mut names: Names,
) -> Kind<'a> {
    let mut unsaid = Vec::new();
    let found = columns::columns(&rows);
    let mut kept = Vec::new();
    let mut entries: Option<(String, Vec<Column>)> = None;
    let families: BTreeSet<&str> = found.iter().map(|column| &*column.family).collect();
    for family in families {
        let of_family = || found.iter().filter(|column| column.family == family);
        let (always, rare): (Vec<&Column>, Vec<&Column>) =
            of_family().partition(|column| column.rows == rows.len());
        if entries.is_none() && columns::are_run_time(&rare, rows.len()) {
            kept.extend(always.into_iter().cloned());
            entries = Some((family.to_owned(), rare.into_iter().cloned().collect()));
        } else {
            kept.extend(of_family().cloned());
        }
    }
    kept.retain(|column| {
        let is_nameable = columns::is_nameable(&column.qualifier);
        if !is_nameable {
            let name = crate::text::of_bytes(&column.qualifier);
            unsaid.push(format!(
                "the column {}:{name}, since its qualifier is no text",
                column.family
            ));
        }
        is_nameable
    });
    if kept.iter().any(|column| column.has_versions) {
        unsaid.push("older versions of cells: the newest is read".to_owned());
    }
    unsaid.extend(columns::of_data(&kept, &rows));
    let columns: Vec<Named> = kept
        .into_iter()
        .map(|column| Named {
            field: names.take(&String::from_utf8_lossy(&column.qualifier)),
            is_optional: column.rows < rows.len(),
            column,
        })
        .collect();
    let presence = columns.iter().position(|column| !column.is_optional);
    let are_texts = |(_, columns): &(String, Vec<Column>)| {
        let mut names = columns.iter().map(|column| &column.qualifier);
        names.all(|name| std::str::from_utf8(name).is_ok())
    };
    let entry_name = match entries.as_ref().is_none_or(are_texts) {
        true => "String",
        false => "bytes::Bytes",
    };
    let value = entries.as_ref().map(|(family, columns)| {
        let names: BTreeSet<&Bytes> = columns.iter().map(|column| &column.qualifier).collect();
        let cells = rows.iter().flat_map(|row| &row.cells);
        let cells = cells.filter(|cell| cell.family == *family && names.contains(&cell.qualifier));
        columns::value_type(cells.map(|cell| &*cell.value))
    });
    Kind {
        parts: parts.to_vec(),
        schema: ModelSchema {
            key: key(shape, parts),
            map_families: entries
                .map(|(family, _)| Cow::Owned(family))
                .into_iter()
                .collect(),
            presence: Presence::Column(presence.unwrap_or_default()),
            ..schema(name, table, Layout::Row, &columns)
        },
        copies: Vec::new(),
        entries: value,
        entry_name,
        allowed: allowed(parts),
        columns,
        rows,
        unsaid,
    }
}

/// A schema without a key.
pub(super) fn schema(
    name: &str,
    table: &data::TableSchema,
    layout: Layout,
    columns: &[Named],
) -> ModelSchema {
    let families: BTreeSet<&str> = columns.iter().map(|one| &*one.column.family).collect();
    let rules = table.families.iter().filter_map(|(family, schema)| {
        let is_used = families.contains(family.as_str());
        let rule = schema.gc_rule.clone().filter(|_| is_used)?;
        Some(FamilyRule {
            family: Cow::Owned(family.clone()),
            rule,
        })
    });
    let columns = columns.iter().map(|one| ColumnSchema {
        field: Cow::Owned(one.field.clone()),
        family: Cow::Owned(one.column.family.clone()),
        qualifier: Cow::Owned(String::from_utf8_lossy(&one.column.qualifier).into_owned()),
        codec: Cow::Borrowed(one.column.value.form),
        optional: one.is_optional,
        copy_of: None,
        kind: bigtable_model::schema::ColumnKind::default(),
        aliases: Cow::Borrowed(&[]),
        sensitive: false,
    });
    ModelSchema {
        model: Cow::Owned(name.to_owned()),
        table: TableName::Fixed(Cow::Owned(table.table.clone())),
        key: KeyLayout {
            prefix: Cow::Borrowed(""),
            separator: Cow::Borrowed("#"),
            enclosed: false,
            segments: Cow::Borrowed(&[]),
        },
        cell_time: match layout {
            Layout::Row => CellTime::Write,
            _ => CellTime::Event,
        },
        layout,
        columns: columns.collect(),
        map_families: Cow::Borrowed(&[]),
        presence: Presence::Column(0),
        gc_rules: rules.collect(),
        append_only: false,
        pack_after_micros: None,
        rollups: Cow::Borrowed(&[]),
        former: None,
    }
}

impl Kind<'_> {
    /// The model as data, with which it is tried.
    pub(super) fn described(&self) -> Described {
        let of = |value: ValueType| ColumnType {
            form: value.form.to_owned(),
            takes: Takes::All,
        };
        let columns = self.columns.iter().map(|one| of(one.column.value));
        let copies = self.copies.iter().map(|_| ColumnType {
            form: "text".to_owned(),
            takes: Takes::All,
        });
        let mut schema = self.schema.clone();
        let copied = self.copies.iter().filter_map(|copy| {
            let part = self.parts.get(copy.part)?;
            Some(ColumnSchema {
                field: part.segment.name.clone(),
                family: Cow::Owned(copy.family.clone()),
                qualifier: Cow::Owned(copy.qualifier.clone()),
                codec: Cow::Borrowed("text"),
                optional: false,
                copy_of: Some(copy.part),
                kind: bigtable_model::schema::ColumnKind::default(),
                aliases: Cow::Borrowed(&[]),
                sensitive: false,
            })
        });
        schema.columns.to_mut().extend(copied);
        Described {
            columns: columns.chain(copies).collect(),
            maps: self.entries.map(of).into_iter().collect(),
            segments: self.parts.iter().map(|_| Takes::All).collect(),
            effects: Vec::new(),
            schema: schema.into(),
        }
    }
}
