//! Fields of events that are serialised as a message.

use crate::backend::sql::Quoted;
use crate::model::ModelSchema;
use crate::query::{PayloadField, SqlRefusal};

/// The declarations whose values in SQL are those of the field. A field without presence that a
/// message lacks has its zero value, as in every reader of protocol buffers.
const SAME_IN_SQL: [&str; 7] = [
    "bool", "bytes", "double", "float", "int32", "int64", "string",
];

/// A field of the message in a cell, by the model's schema bundle.
///
/// # Errors
/// [`SqlRefusal::FieldForm`] for a field of whose values Bigtable's pages say nothing.
pub(super) fn field(
    schema: &ModelSchema,
    cell: &str,
    field: &PayloadField,
    form: &str,
) -> Result<String, SqlRefusal> {
    if !SAME_IN_SQL.contains(&form) {
        return Err(SqlRefusal::FieldForm {
            field: field.field.clone(),
            form: form.to_owned(),
        });
    }
    let (bundle, message) = (schema.bundle_id(), Quoted(&schema.model));
    let name = Quoted(&field.name);
    Ok(format!(
        "CAST({cell} AS {}.{message}).{name}",
        Quoted(&bundle)
    ))
}
