//! The columns of the result.

use super::cell::Cell;
use super::source::Source;
use super::{json, message};
use crate::backend::sql::Quoted;
use crate::model::{ModelSchema, PayloadForm};
use crate::query::{PayloadField, Selection, SqlRefusal};

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
            let value = match &field.form {
                PayloadForm::Member(form) => json::field(&cell, field, *form)?,
                PayloadForm::Declared(form) => message::field(schema, &cell, field, form)?,
            };
            all.push(named(&value, &field.field));
        }
    }
    all.extend(of_maps(schema, selection, source)?);
    Ok(all)
}

fn named(expression: &str, name: &str) -> String {
    format!("{expression} AS {}", Quoted(name))
}

/// The fields that are selected in the events of the first column; none if they are not of its
/// codec, as in a selection of another model: then the column is selected whole.
fn payload<'a>(schema: &ModelSchema, selection: &'a Selection) -> &'a [PayloadField] {
    let codec = schema.columns.first().map(|column| &*column.codec);
    let is_of = |field: &PayloadField| match &field.form {
        PayloadForm::Member(_) => codec == Some("json"),
        PayloadForm::Declared(_) => codec == Some("proto"),
    };
    match selection.payload.iter().all(is_of) {
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
