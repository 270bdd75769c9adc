//! What a column holds.

use std::collections::{BTreeMap, BTreeSet};

use bigtable_model::data::{Cell, Row};
use bytes::Bytes;

use crate::text::is_plain;

/// A column as it may be.
#[derive(Debug, Clone)]
pub(super) struct Column {
    pub(super) family: String,
    pub(super) qualifier: Bytes,
    pub(super) value: ValueType,
    /// In how many rows it is.
    pub(super) rows: usize,
    /// Whether it has more than one cell in a row.
    pub(super) has_versions: bool,
}

/// The type of values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ValueType {
    /// The type of the field.
    pub(super) ty: &'static str,
    /// The codec of its attribute.
    pub(super) codec: Option<&'static str>,
    /// The name of its stored form.
    pub(super) form: &'static str,
    /// How certain that is.
    pub(super) why: &'static str,
}

const fn value(
    ty: &'static str,
    codec: Option<&'static str>,
    form: &'static str,
    why: &'static str,
) -> ValueType {
    ValueType {
        ty,
        codec,
        form,
        why,
    }
}

const BOOL: ValueType = value("bool", Some("text"), "text", "sure: `true` and `false`");
const INTEGER: ValueType = value("i64", Some("text"), "text", "sure: numbers as text");
const NUMBER: ValueType = value("f64", Some("text"), "text", "sure: numbers as text");
const JSON: ValueType = value("serde_json::Value", Some("json"), "json", "sure: JSON");
const TEXT: ValueType = value("String", None, "utf8", "sure: text");
const BINARY_INTEGER: ValueType =
    value("i64", None, "int64", "likely: 8 bytes, big-endian, near 0");
const BINARY_FLOAT: ValueType = value(
    "f64",
    None,
    "float64",
    "likely: 8 bytes, as a number neither huge nor tiny",
);
const BYTES: ValueType = value(
    "Vec<u8>",
    None,
    "bytes",
    "bytes of a form that is not known",
);

/// The columns of rows, by family and qualifier.
pub(super) fn columns(rows: &[&Row]) -> Vec<Column> {
    #[derive(Default)]
    struct Found<'a> {
        cells: Vec<&'a Cell>,
        rows: usize,
        last: Option<usize>,
        has_versions: bool,
    }
    let mut found: BTreeMap<(&str, &Bytes), Found<'_>> = BTreeMap::new();
    for (at, row) in rows.iter().enumerate() {
        for cell in &row.cells {
            let column = found.entry((&*cell.family, &cell.qualifier)).or_default();
            match column.last == Some(at) {
                true => column.has_versions = true,
                false => column.rows += 1,
            }
            column.last = Some(at);
            column.cells.push(cell);
        }
    }
    let columns = found
        .into_iter()
        .map(|((family, qualifier), found)| Column {
            family: family.to_owned(),
            qualifier: qualifier.clone(),
            value: value_type(found.cells.iter().map(|cell| &*cell.value)),
            rows: found.rows,
            has_versions: found.has_versions,
        });
    columns.collect()
}

/// The type that all values have.
pub(super) fn value_type<'a>(values: impl Iterator<Item = &'a [u8]>) -> ValueType {
    let values: Vec<&[u8]> = values.collect::<BTreeSet<_>>().into_iter().collect();
    let texts: Option<Vec<&str>> = values
        .iter()
        .map(|value| std::str::from_utf8(value).ok())
        .collect();
    let texts = texts.filter(|texts| {
        let mut letters = texts.iter().flat_map(|text| text.chars());
        // Line ends and tabs are text too.
        letters.all(|letter| !letter.is_control() || matches!(letter, '\n' | '\r' | '\t'))
    });
    if let Some(texts) = texts {
        return of_texts(&texts);
    }
    let eight: Option<Vec<[u8; 8]>> = values
        .iter()
        .map(|value| (*value).try_into().ok())
        .collect();
    let Some(eight) = eight else {
        return BYTES;
    };
    let is_near = |bytes: &[u8; 8]| i64::from_be_bytes(*bytes).unsigned_abs() < 1 << 53;
    let is_plausible = |bytes: &[u8; 8]| {
        let number = f64::from_be_bytes(*bytes);
        number == 0.0 || (1e-9..1e15).contains(&number.abs())
    };
    match (eight.iter().all(is_near), eight.iter().all(is_plausible)) {
        (true, _) => BINARY_INTEGER,
        (false, true) => BINARY_FLOAT,
        (false, false) => BYTES,
    }
}

fn of_texts(texts: &[&str]) -> ValueType {
    let all = |is: fn(&str) -> bool| !texts.is_empty() && texts.iter().all(|text| is(text));
    if all(|text| matches!(text, "true" | "false")) {
        return BOOL;
    }
    // A code such as `007` is not a number.
    if all(|text| {
        text.parse::<i64>()
            .is_ok_and(|number| number.to_string() == text)
    }) {
        return INTEGER;
    }
    if all(is_decimal) {
        return NUMBER;
    }
    let is_json = |text: &str| {
        text.starts_with(['{', '[']) && serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok()
    };
    if all(is_json) {
        return JSON;
    }
    TEXT
}

/// Whether a text is a number, and neither a code with zeros in front nor a name of a number.
fn is_decimal(text: &str) -> bool {
    let digits = text.trim_start_matches('-');
    let is_code = digits.len() > 1 && digits.starts_with('0') && !digits.starts_with("0.");
    !is_code
        && digits.starts_with(|first: char| first.is_ascii_digit())
        && text.parse::<f64>().is_ok_and(f64::is_finite)
}

/// Whether many columns are named by data: each in few rows.
pub(super) fn are_run_time(columns: &[&Column], rows: usize) -> bool {
    const MANY: usize = 60;
    let rare = columns.iter().filter(|one| one.rows * 10 <= rows.max(10));
    columns.len() > MANY && rare.count() * 2 > columns.len()
}

/// A description of columns whose names look like data, if there are any.
pub(super) fn of_data(columns: &[Column], rows: &[&Row]) -> Option<String> {
    /// Fewer columns may really have such names.
    const SOME: usize = 3;
    let named = |column: &&Column| column.qualifier.iter().all(u8::is_ascii_digit);
    let (first, more) = (columns.iter().find(named)?, columns.iter().filter(named));
    let last = columns.iter().rfind(named)?;
    let count = more.count();
    if count < SOME {
        return None;
    }
    let name = |column: &Column| String::from_utf8_lossy(&column.qualifier).into_owned();
    let mut cells = rows.iter().flat_map(|row| &row.cells);
    let are_empty =
        cells.all(|cell| !cell.qualifier.iter().all(u8::is_ascii_digit) || cell.value.is_empty());
    Some(format!(
        "that the {count} columns from {} to {} are named by data: {}",
        name(first),
        name(last),
        match are_empty {
            true =>
                "they hold nothing, so their names may be values, as layout `qualifiers` has them",
            false => "they may be a bucket's times, or a map marked `columns`",
        }
    ))
}

/// Whether a qualifier can be in an attribute.
pub(super) fn is_nameable(qualifier: &[u8]) -> bool {
    !qualifier.is_empty() && is_plain(qualifier)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(values: &[&[u8]]) -> ValueType {
        value_type(values.iter().copied())
    }

    #[test]
    fn types_of_values() {
        assert_eq!(of(&[b"true", b"false"]), BOOL);
        assert_eq!(of(&[b"-5", b"0", b"12"]), INTEGER);
        assert_eq!(of(&[b"007", b"8"]), TEXT);
        assert_eq!(of(&[b"28.90", b"3", b"-0.5e3"]), NUMBER);
        assert_eq!(of(&[b"nan", b"1.5"]), TEXT);
        assert_eq!(of(&[br#"{"a": true}"#, b"[1]"]), JSON);
        assert_eq!(of(&[b"{'a': True}"]), TEXT);
        assert_eq!(
            of(&[&7_i64.to_be_bytes(), &(-7_i64).to_be_bytes()]),
            BINARY_INTEGER
        );
        assert_eq!(
            of(&[&19.5_f64.to_be_bytes(), &(-0.001_f64).to_be_bytes()]),
            BINARY_FLOAT
        );
        assert_eq!(of(&[b"\xff\xfe"]), BYTES);
    }
}
