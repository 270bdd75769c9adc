//! A model as data, with what the types of its struct know.

use serde::{Deserialize, Serialize};

use super::ColumnType;
use crate::key::SaltHash;
use crate::model::{ColumnSample, Layout, Model, ModelSchema, NamedBy, Presence, Samples, Schema};
use crate::value::Takes;

/// All that a program without the struct needs to know about a model: where its events are stored,
/// the types of their fields, and the other effects of a write. A lock file keeps it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Described {
    /// Where the events are.
    pub schema: Schema,
    /// The types of [`ModelSchema::columns`].
    pub columns: Vec<ColumnType>,
    /// The types of the values of run-time columns, one for each of
    /// [`ModelSchema::map_families`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub maps: Vec<ColumnType>,
    /// Which values the types of the key's segments take, without the salt.
    pub segments: Vec<Takes>,
    /// The other effects of a write of an event, and those that are code.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub effects: Vec<Effect>,
}

/// An effect of a write of an event apart from its cells, or something that only code can do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Effect {
    /// A copy is written to the table of this model.
    Mirror(String),
    /// Buckets of this roll-up are marked, or added to.
    Rollup(String),
    /// Events are also read from the table of this model, the former layout.
    Former(String),
    /// The program's own hash computes the salt.
    Salt(String),
    /// Each event is one value of this form.
    Serialized(String),
}

impl Described {
    /// Describes the model of a struct.
    #[must_use]
    pub fn of<M: Model>() -> Self {
        let mut samples = Samples::new(M::SCHEMA);
        M::samples(&mut samples);
        Self::by_samples::<M>(&samples)
    }

    /// The same, with samples of the model.
    pub(crate) fn by_samples<M: Model>(samples: &Samples) -> Self {
        let columns = 0..M::SCHEMA.columns.len();
        let maps = 0..M::SCHEMA.map_families.len();
        Self {
            schema: M::SCHEMA.clone(),
            columns: columns.map(|index| column(index, samples)).collect(),
            maps: maps
                .filter_map(|index| samples.of_map(index).map(column_type))
                .collect(),
            segments: segments(M::SCHEMA, samples),
            effects: effects::<M>(samples),
        }
    }

    /// Checks that the parts belong together.
    pub(crate) fn check(&self) -> Result<(), &'static str> {
        let schema = &self.schema;
        let is_there = |at: usize| at < schema.columns.len();
        if schema.columns.len() != self.columns.len() {
            return Err("it has another number of columns than of their types");
        }
        if schema.key.valued().count() != self.segments.len() {
            return Err("it has another number of segments than of their types");
        }
        if matches!(schema.presence, Presence::Column(at) if !is_there(at)) {
            return Err("the column that marks an event is missing");
        }
        let copied = schema.columns.iter().filter_map(|one| one.copy_of);
        if copied.into_iter().any(|at| at >= schema.key.segments.len()) {
            return Err("a column repeats a segment that is missing");
        }
        if schema.map_families.len() != self.maps.len() {
            return Err(
                "it has another number of families of run-time columns than of their types",
            );
        }
        let layout = schema.in_layout();
        let is_nameless = layout.value_is_qualifier() || layout.named_by() == NamedBy::Family;
        if schema.has_maps() && is_nameless {
            return Err("its qualifiers have no room for the names of run-time columns");
        }
        if schema.key.has_ties_in_cells() {
            if !matches!(schema.layout, Layout::Columns { .. }) {
                return Err(
                    "its layout has no room for the tie-breakers of a row with many events",
                );
            }
            if schema.has_maps() || schema.is_packed() || schema.is_united() {
                return Err(
                    "with tie-breakers in qualifiers it has no run-time columns, blocks or former layout",
                );
            }
        }
        Ok(())
    }
}

/// A copy of a segment is written as text, and read from the key.
fn column(index: usize, samples: &Samples) -> ColumnType {
    let of_text = || ColumnType {
        form: "text".to_owned(),
        takes: Takes::All,
    };
    samples.of_column(index).map_or_else(of_text, column_type)
}

fn column_type(sample: &ColumnSample) -> ColumnType {
    ColumnType {
        form: sample.form.to_owned(),
        takes: sample.takes.clone(),
    }
}

fn segments(schema: &ModelSchema, samples: &Samples) -> Vec<Takes> {
    let segments = schema.key.valued().map(|(place, segment)| {
        if !segment.role.is_named() {
            return Takes::All;
        }
        match samples.of_segment(place) {
            Some(one) if one.is_own => Takes::Own,
            Some(one) => one.names.map_or(Takes::All, Takes::names),
            None => Takes::Own,
        }
    });
    segments.collect()
}

fn effects<M: Model>(samples: &Samples) -> Vec<Effect> {
    let schema = M::SCHEMA;
    let name = |schema: &ModelSchema| schema.model.to_string();
    let mirrors = M::MIRRORS
        .iter()
        .map(|one| Effect::Mirror(name(one.schema())));
    let rollups = schema
        .rollups
        .iter()
        .map(|one| Effect::Rollup(name(one.schema())));
    let former = schema
        .former
        .iter()
        .map(|one| Effect::Former(name(one.schema())));
    let salt = schema.key.salt().and_then(|(_, salt)| match &salt.hash {
        SaltHash::Own(_) => Some(Effect::Salt(salt.hash.to_string())),
        SaltHash::Xxh64 => None,
    });
    let payload = samples
        .of_column(0)
        .filter(|_| !samples.of_payload().is_empty());
    let payload = payload.map(|one| Effect::Serialized(one.form.to_owned()));
    let others = salt.into_iter().chain(payload);
    mirrors.chain(rollups).chain(former).chain(others).collect()
}
