//! The `.proto` of events that are serialised as a natural message.

use std::fmt::Write as _;

use super::Samples;
#[cfg(feature = "prost")]
use super::bundle::compiled;
#[cfg(feature = "prost")]
use crate::data::SchemaBundle;
use crate::model::{ModelSchema, column_name};

/// The type that a field imports.
const TIMESTAMP: &str = "google.protobuf.Timestamp";

/// The numbers, declarations and names of the message's fields, by number; `None` if events are not
/// stored as such a message.
fn declared<'a>(
    schema: &ModelSchema,
    samples: &'a Samples,
) -> Option<Vec<(u32, &'a str, &'a str)>> {
    schema.columns.first().filter(|one| one.codec == "proto")?;
    let fields = samples.of_payload().iter();
    let mut fields: Vec<_> = fields
        .filter_map(|field| {
            let (number, form) = field.proto.as_ref()?;
            Some((*number, form.as_str(), field.name))
        })
        .collect();
    fields.sort_unstable();
    Some(fields)
}

/// The file, whose message has the model's name; `None` if events are not stored as such a message.
pub(crate) fn proto_file(schema: &ModelSchema, samples: &Samples) -> Option<String> {
    let fields = declared(schema, samples)?;
    let column = schema.columns.first()?;
    let mut file = String::from("syntax = \"proto3\";\n\n");
    if fields.iter().any(|(_, form, _)| form.ends_with(TIMESTAMP)) {
        file.push_str("import \"google/protobuf/timestamp.proto\";\n\n");
    }
    let (table, model) = (&schema.table, &schema.model);
    let column = column_name(&column.family, &column.qualifier);
    // Writing to a string cannot fail.
    let _ = writeln!(file, "// Column {column} of table {table}.");
    let _ = writeln!(file, "message {model} {{");
    for (number, form, name) in fields {
        let _ = writeln!(file, "  {form} {name} = {number};");
    }
    file.push_str("}\n");
    Some(file)
}

/// The same file compiled; see [`bundle`](super::bundle).
#[cfg(feature = "prost")]
pub(crate) fn schema_bundle(schema: &ModelSchema, samples: &Samples) -> SchemaBundle {
    let fields = declared(schema, samples).unwrap_or_default();
    compiled(schema.bundle_id(), &schema.model, &fields)
}
