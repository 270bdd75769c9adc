//! Row keys in words.

use std::fmt;

use bigtable_model::key::SegmentValue;
use bigtable_model::schema::ModelSchema;
use bigtable_model::schema::{KeyLayout, SegmentRole};

/// The key layout of a table's rows.
pub(crate) fn layout_of<'a>(schemas: &[&'a ModelSchema], table: &str) -> Option<&'a KeyLayout> {
    let holds = |schema: &ModelSchema| match (schema.table.fixed(), schema.table.by_period()) {
        (Some(fixed), _) => fixed == table,
        (None, Some(periods)) => periods.parse(table).is_some(),
        (None, None) => false,
    };
    let found = schemas.iter().find(|schema| holds(schema));
    found.map(|schema| &schema.key)
}

/// The parts of keys: the shard if they begin with a salt, and the values of the segments.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Labels {
    pub(crate) names: Vec<String>,
    /// The parts of each key; a key of another layout has a single part.
    pub(crate) keys: Vec<Vec<String>>,
}

impl Labels {
    pub(crate) fn of<'a>(layout: Option<&KeyLayout>, keys: impl Iterator<Item = &'a [u8]>) -> Self {
        let salted = layout
            .is_some_and(begins_with_salt)
            .then(|| "shard".to_owned());
        let named = layout.iter().flat_map(|layout| layout.valued());
        let named = named.filter(|(_, segment)| !segment.is_absent());
        let named = named.map(|(_, segment)| segment.name.to_string());
        Self {
            names: salted.into_iter().chain(named).collect(),
            keys: keys.map(|key| parts(layout, key)).collect(),
        }
    }
}

fn parts(layout: Option<&KeyLayout>, key: &[u8]) -> Vec<String> {
    let values = layout.and_then(|layout| Some((layout, layout.decode(key).ok()?)));
    let Some((layout, values)) = values else {
        return vec![format!("\"{}\"", key.escape_ascii())];
    };
    let shown = layout.valued().zip(values);
    let shown = shown.filter(|((_, segment), _)| !segment.is_absent());
    let shown = shown.map(|(_, value)| value.to_string());
    shard(layout, key).into_iter().chain(shown).collect()
}

fn begins_with_salt(layout: &KeyLayout) -> bool {
    let is_first = matches!(layout.salt(), Some((0, _)));
    is_first && layout.prefix.is_empty() && !layout.enclosed
}

/// The shard of a key that begins with it.
fn shard(layout: &KeyLayout, key: &[u8]) -> Option<String> {
    let mut parts = key.split(|byte| *byte == layout.separator_byte());
    let shard = parts.next().filter(|_| begins_with_salt(layout))?;
    Some(shard.escape_ascii().to_string())
}

/// A key in decoded form, with the salt that it begins with, or its bytes.
pub(crate) fn described(layout: Option<&KeyLayout>, key: &[u8]) -> String {
    let Some(layout) = layout else {
        return format!("\"{}\"", key.escape_ascii());
    };
    let text = layout.describe(key);
    match shard(layout, key) {
        Some(shard) => format!("shard={shard} {text}"),
        None => text.to_string(),
    }
}

/// The identifiers that come before the time in the keys of a layout.
#[derive(Debug, Clone, Copy)]
pub(super) struct Identifiers<'a> {
    layout: &'a KeyLayout,
    /// How many of a key's values they are.
    pub(super) before: usize,
    /// Whether the key has a time at all.
    pub(super) has_time: bool,
}

impl<'a> Identifiers<'a> {
    pub(super) fn of(layout: &'a KeyLayout) -> Self {
        let is_time = |role| matches!(role, SegmentRole::Time | SegmentRole::Bucket);
        let at = layout.valued().position(|(_, one)| is_time(one.role));
        Self {
            layout,
            before: at.unwrap_or_else(|| layout.valued().count()),
            has_time: at.is_some(),
        }
    }

    /// Their names.
    pub(super) fn names(&self) -> Vec<String> {
        let named = self.layout.valued().take(self.before);
        named.map(|(_, segment)| segment.name.to_string()).collect()
    }

    /// Their values in a key.
    pub(super) fn values(&self, key: &[u8]) -> Option<Series> {
        let mut values = self.layout.decode(key).ok()?;
        values.truncate(self.before);
        Some(Series {
            names: self.names(),
            values,
        })
    }
}

/// The values of the identifiers before the time.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Series {
    names: Vec<String>,
    values: Vec<SegmentValue>,
}

impl fmt::Display for Series {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, (name, value)) in self.names.iter().zip(&self.values).enumerate() {
            let space = if at > 0 { " " } else { "" };
            write!(f, "{space}{name}={value}")?;
        }
        Ok(())
    }
}
