//! Fields of events that are serialised as JSON.

use crate::backend::sql::Literal;
use crate::model::JsonForm;
use crate::query::{PayloadField, SqlRefusal};

/// A field of the JSON in a cell, as the SQL type of its own type.
///
/// A cell is bytes, and the functions take text. The casts fail rather than return NULL: bytes that
/// are no text, or text that is no number, are no event of the model.
///
/// # Errors
/// [`SqlRefusal::FieldName`] for a name that a path cannot hold.
pub(super) fn field(
    cell: &str,
    field: &PayloadField,
    form: JsonForm,
) -> Result<String, SqlRefusal> {
    let path = path(&field.name).ok_or_else(|| SqlRefusal::FieldName {
        field: field.field.clone(),
        name: field.name.clone(),
    })?;
    let of = |function| format!("{function}(CAST({cell} AS STRING), {})", Literal(&path));
    let scalar = || of("JSON_VALUE");
    Ok(match form {
        JsonForm::TrueOrFalse => format!("CAST({} AS BOOL)", scalar()),
        JsonForm::WholeNumber => format!("CAST({} AS INT64)", scalar()),
        JsonForm::WithFraction => format!("CAST({} AS FLOAT64)", scalar()),
        JsonForm::AsText => scalar(),
        // `JSON_VALUE` would lose lists and objects, and what distinguishes `1` from `"1"`.
        JsonForm::AsJson => of("JSON_QUERY"),
    })
}

/// The path of a member. Double quotes hold whatever is no plain word; how a path would write a
/// double quote itself is not documented.
fn path(name: &str) -> Option<String> {
    let is_plain = |one: char| one.is_ascii_alphanumeric() || one == '_';
    let is_word = name.starts_with(|first: char| is_plain(first) && !first.is_ascii_digit());
    if is_word && name.chars().all(is_plain) {
        return Some(format!("$.{name}"));
    }
    let fits = |one: char| !one.is_control() && !matches!(one, '"' | '\\');
    (!name.is_empty() && name.chars().all(fits)).then(|| format!("$.\"{name}\""))
}
