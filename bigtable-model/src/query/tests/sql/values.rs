//! Computes the values that a query in SQL selects of a row, as the documents of GoogleSQL describe
//! its functions.

use serde_json::Value;

use crate::backend::sql::SqlQuery;
use crate::data::Row;

/// A value of SQL.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Sql {
    Null,
    Bytes(Vec<u8>),
    Text(String),
    Integer(i64),
    Float(f64),
    Bool(bool),
}

/// The values of a row after its key.
pub(super) fn result(query: &SqlQuery, row: &Row) -> Vec<Sql> {
    let text = query.to_string();
    let list = text.strip_prefix("SELECT _key, ").unwrap();
    let mut rest = list;
    let mut values = Vec::new();
    loop {
        let mut reader = Reader { rest, row };
        values.push(reader.expression());
        reader.take(" AS `");
        let end = reader.rest.find('`').unwrap();
        rest = &reader.rest[end + 1..];
        match rest.strip_prefix(", ") {
            Some(next) => rest = next,
            None => return values,
        }
    }
}

struct Reader<'a> {
    rest: &'a str,
    row: &'a Row,
}

impl Reader<'_> {
    fn take(&mut self, expected: &str) {
        self.rest = match self.rest.strip_prefix(expected) {
            Some(rest) => rest,
            None => panic!("{expected} before {}", self.rest),
        };
    }

    fn takes(&mut self, expected: &str) -> bool {
        let takes = self.rest.starts_with(expected);
        if takes {
            self.take(expected);
        }
        takes
    }

    fn expression(&mut self) -> Sql {
        for function in ["JSON_VALUE(", "JSON_QUERY("] {
            if self.takes(function) {
                let json = self.expression();
                self.take(", ");
                let path = self.literal();
                self.take(")");
                return member(function, &json, &path);
            }
        }
        if !self.takes("CAST(") {
            return self.cell();
        }
        let value = self.expression();
        self.take(" AS ");
        let (of, rest) = self.rest.split_once(')').unwrap();
        let of = of.to_owned();
        self.rest = rest;
        cast(value, &of)
    }

    /// The newest cell of a column.
    fn cell(&mut self) -> Sql {
        self.take("`");
        let (family, rest) = self.rest.split_once("`[").unwrap();
        let family = family.to_owned();
        self.rest = rest;
        let qualifier = self.literal();
        self.take("]");
        let cells = self.row.cells.iter();
        let cells = cells.filter(|cell| cell.family == *family && cell.qualifier == qualifier);
        let newest = cells.max_by_key(|cell| cell.timestamp_micros);
        newest.map_or(Sql::Null, |cell| Sql::Bytes(cell.value.to_vec()))
    }

    /// A text in single quotes.
    fn literal(&mut self) -> String {
        self.take("'");
        let mut text = String::new();
        let mut chars = self.rest.chars();
        loop {
            match chars.next().unwrap() {
                '\'' => break,
                '\\' => text.push(chars.next().unwrap()),
                other => text.push(other),
            }
        }
        self.rest = chars.as_str();
        text
    }
}

/// `JSON_VALUE` returns scalars as text, `JSON_QUERY` any value as JSON; `null` and what is missing
/// are NULL.
fn member(function: &str, json: &Sql, path: &str) -> Sql {
    let Sql::Text(json) = json else {
        return Sql::Null;
    };
    let name = path.strip_prefix("$.").unwrap();
    let quoted = name
        .strip_prefix('"')
        .and_then(|name| name.strip_suffix('"'));
    assert!(quoted.is_some() || name.chars().all(|one| one.is_alphanumeric() || one == '_'));
    let object: Value = serde_json::from_str(json).unwrap();
    match object.get(quoted.unwrap_or(name)) {
        None | Some(Value::Null) => Sql::Null,
        Some(value) if function == "JSON_QUERY(" => Sql::Text(value.to_string()),
        Some(Value::Array(_) | Value::Object(_)) => Sql::Null,
        Some(Value::String(text)) => Sql::Text(text.clone()),
        Some(scalar) => Sql::Text(scalar.to_string()),
    }
}

fn cast(value: Sql, of: &str) -> Sql {
    match (value, of) {
        (Sql::Null, _) => Sql::Null,
        (Sql::Bytes(bytes), "STRING") => Sql::Text(String::from_utf8(bytes).unwrap()),
        (Sql::Text(text), "INT64") => Sql::Integer(text.parse().unwrap()),
        (Sql::Text(text), "FLOAT64") => Sql::Float(text.parse().unwrap()),
        (Sql::Text(text), "BOOL") => Sql::Bool(text.parse().unwrap()),
        (value, of) => panic!("{value:?} as {of}"),
    }
}
