//! Queries in SQL.

use bigtable_model::sql::{SqlTimestamp, SqlType, SqlValue};
use bigtable_model::{Backend, SqlExt as _, Statement, Timestamp};
use futures::TryStreamExt as _;
use serde_json::Value as Json;

use crate::args::Sql;
use crate::failure::{Doing as _, Failure};
use crate::output::{Sheet, writer};
use crate::text;

pub(super) async fn run(db: &dyn Backend, options: &Sql) -> Result<(), Failure> {
    let mut statement = db.sql(&options.statement);
    for parameter in &options.parameters {
        statement = bound(statement, parameter).doing(|| format!("`--set {parameter}`"))?;
    }
    let mut rows = statement.rows().await?;
    let columns = rows.columns();
    let header = columns.as_slice().iter().enumerate();
    let header = header.map(|(at, column)| match column.name.as_str() {
        "" => format!("column {}", at + 1),
        name => name.to_owned(),
    });
    let mut sheet = Sheet::new(options.format, header, writer(None)?)?;
    while let Some(row) = rows.try_next().await? {
        sheet.line(row.values().iter().map(json).collect())?;
    }
    sheet.finish()
}

/// Binds `name=value` or `name:type=value`.
fn bound(statement: Statement, parameter: &str) -> Result<Statement, Failure> {
    let Some((name, value)) = parameter.split_once('=') else {
        return Err(Failure::new("write NAME=VALUE or NAME:TYPE=VALUE"));
    };
    let (name, of) = name.split_once(':').unwrap_or((name, "string"));
    let (of, value) = match of {
        "string" => (SqlType::String, SqlValue::String(value.into())),
        "bytes" => (SqlType::Bytes, SqlValue::Bytes(text::to_bytes(value)?)),
        "int64" => (SqlType::Int64, SqlValue::Int64(value.parse()?)),
        "float64" => (SqlType::Float64, SqlValue::Float64(value.parse()?)),
        "bool" => (SqlType::Bool, SqlValue::Bool(value.parse()?)),
        "timestamp" => (SqlType::Timestamp, timestamp(value.parse()?)?),
        other => {
            return Err(Failure::new(format_args!(
                "there is no type `{other}`, but string, bytes, int64, float64, bool, timestamp"
            )));
        }
    };
    Ok(statement.bind_value(name, of, value))
}

fn timestamp(time: Timestamp) -> Result<SqlValue, Failure> {
    let micros = time.as_micros().rem_euclid(1_000_000);
    let nanos = u32::try_from(micros * 1_000)?;
    let time = SqlTimestamp::new(time.as_micros().div_euclid(1_000_000), nanos);
    let time = time.ok_or_else(|| Failure::new("the time is beyond those of SQL"))?;
    Ok(SqlValue::Timestamp(time))
}

fn json(value: &SqlValue) -> Json {
    match value {
        SqlValue::Bytes(bytes) => Json::String(text::of_bytes(bytes)),
        SqlValue::String(text) => Json::String(text.to_string()),
        SqlValue::Int64(number) => (*number).into(),
        SqlValue::Float64(number) => float(*number),
        SqlValue::Float32(number) => float((*number).into()),
        SqlValue::Bool(value) => Json::Bool(*value),
        SqlValue::Timestamp(time) => match time.timestamp() {
            Some(time) => Json::String(time.to_string()),
            None => Json::Null,
        },
        SqlValue::Date(date) => match date.civil() {
            Some(date) => Json::String(date.to_string()),
            None => Json::Null,
        },
        SqlValue::Array(values) | SqlValue::Struct(values) => values.iter().map(json).collect(),
        SqlValue::Map(entries) => {
            let entries = entries.iter().map(|(name, value)| {
                let name = match json(name) {
                    Json::String(name) => name,
                    other => other.to_string(),
                };
                (name, json(value))
            });
            Json::Object(entries.collect())
        }
        _ => Json::Null,
    }
}

fn float(number: f64) -> Json {
    match serde_json::Number::from_f64(number) {
        Some(number) => Json::Number(number),
        None => Json::String(number.to_string()),
    }
}
