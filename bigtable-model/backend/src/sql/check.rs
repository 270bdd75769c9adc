//! Checks that values have a type.

use super::{SqlType, SqlValue};

/// Refuses a value that is not of the type; the error says what is wrong, and for nested values
/// where.
pub(super) fn fits(value: &SqlValue, sql_type: &SqlType) -> Result<(), String> {
    match (value, sql_type) {
        (SqlValue::Null, _)
        | (SqlValue::Bytes(_), SqlType::Bytes | SqlType::Proto { .. })
        | (SqlValue::String(_), SqlType::String)
        | (SqlValue::Int64(_), SqlType::Int64 | SqlType::Enum { .. })
        | (SqlValue::Float64(_), SqlType::Float64)
        | (SqlValue::Float32(_), SqlType::Float32)
        | (SqlValue::Bool(_), SqlType::Bool)
        | (SqlValue::Timestamp(_), SqlType::Timestamp)
        | (SqlValue::Date(_), SqlType::Date) => Ok(()),
        (SqlValue::Array(elements), SqlType::Array(element)) => {
            let parts = elements.iter().map(|value| (value, &**element));
            all_fit("element", parts)
        }
        (SqlValue::Struct(values), SqlType::Struct(fields)) if values.len() == fields.len() => {
            let types = fields.iter().map(|field| &field.sql_type);
            all_fit("field", values.iter().zip(types))
        }
        (SqlValue::Struct(values), SqlType::Struct(fields)) => Err(format!(
            "it has {} values for the {} fields of {sql_type}",
            values.len(),
            fields.len()
        )),
        (SqlValue::Map(entries), SqlType::Map(key, value)) => {
            all_fit("key", entries.iter().map(|(held, _)| (held, &**key)))?;
            all_fit("value", entries.iter().map(|(_, held)| (held, &**value)))
        }
        (value, sql_type) => Err(format!(
            "it is {}, and the type is {sql_type}",
            value.kind()
        )),
    }
}

fn all_fit<'a>(
    what: &str,
    parts: impl Iterator<Item = (&'a SqlValue, &'a SqlType)>,
) -> Result<(), String> {
    for (place, (value, sql_type)) in parts.enumerate() {
        fits(value, sql_type).map_err(|problem| format!("{what} {place}: {problem}"))?;
    }
    Ok(())
}
