//! The columns of the result.

use super::cell::Cell;
use super::json;
use super::source::Source;
use crate::backend::sql::Quoted;
use crate::model::ModelSchema;
use crate::query::{Selection, SqlRefusal};

/// The columns that hold the event's fields, by the names of the fields.
pub(super) fn columns(
    schema: &ModelSchema,
    selection: &Selection,
    source: &mut Source,
) -> Result<Vec<String>, SqlRefusal> {
    let mut all = Vec::new();
    let payload = payload(schema, selection);
    let wanted = |index: &usize| match &selection.columns {
        // The fields of a payload are selected in place of the column that holds them.
        Some(columns) => payload.is_empty() && columns.contains(index),
        None => true,
    };
    let columns = schema.columns.iter().enumerate();
    for (index, column) in columns {
        if column.copy_of.is_none() && wanted(&index) {
            let cell = source.name(Cell::of(column).to_string());
            all.push(named(&cell, &column.field));
        }
    }
    if let Some(column) = schema.columns.first() {
        for field in payload {
            let cell = source.name(Cell::of(column).to_string());
            all.push(named(&json::field(&cell, field)?, &field.field));
        }
    }
    all.extend(of_maps(schema, selection, source)?);
    Ok(all)
}

fn named(expression: &str, name: &str) -> String {
    format!("{expression} AS {}", Quoted(name))
}

/// The fields that are selected in the JSON of the first column; none if events have another form,
/// which SQL does not read.
fn payload<'a>(schema: &ModelSchema, selection: &'a Selection) -> &'a [crate::query::PayloadField] {
    let first = schema.columns.first();
    match first.is_some_and(|column| column.codec == "json") {
        true => &selection.payload,
        false => &[],
    }
}

/// Run-time columns: those with names, or the whole families of the maps.
fn of_maps(
    schema: &ModelSchema,
    selection: &Selection,
    source: &mut Source,
) -> Result<Vec<String>, SqlRefusal> {
    let mut all = Vec::new();
    if selection.columns.is_some() {
        for (map, qualifier) in &selection.entries {
            if let Some(family) = schema.map_families.get(*map) {
                let cell = source.name(Cell { family, qualifier }.to_string());
                all.push(named(&cell, &String::from_utf8_lossy(qualifier)));
            }
        }
        return Ok(all);
    }
    for family in schema.maps() {
        // What `UNPACK` makes of a family, which is a map, is not documented.
        if matches!(source, Source::Unpacked(_)) {
            return Err(SqlRefusal::WholeFamily {
                family: family.to_owned(),
            });
        }
        all.push(Quoted(family).to_string());
    }
    Ok(all)
}
