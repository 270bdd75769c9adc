//! The `.proto` of events that are serialised as a natural message.

use std::fmt::Write as _;

use super::Samples;
use crate::model::{ModelSchema, column_name};

/// The type that a field imports.
const TIMESTAMP: &str = "google.protobuf.Timestamp";

/// The file, whose message has the model's name; `None` if events are not stored as such a message.
pub(crate) fn proto_file(schema: &ModelSchema, samples: &Samples) -> Option<String> {
    let fields = samples.of_payload().iter();
    let mut fields: Vec<_> = fields
        .filter_map(|field| {
            let (number, form) = field.proto.as_ref()?;
            Some((*number, form.as_str(), field.name))
        })
        .collect();
    let column = schema.columns.first().filter(|one| one.codec == "proto")?;
    fields.sort_unstable();
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
