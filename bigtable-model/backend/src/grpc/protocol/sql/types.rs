//! Types and parameters, from and to their messages.

use crate::grpc::protocol::wire::{
    ArrayType, ArrayValue, Date, Empty, MapType, NamedType, SqlType as WireType, SqlTypeKind,
    SqlValue as WireValue, SqlValueKind, StructField, StructType, Timestamp,
};
use crate::sql::{SqlField, SqlType, SqlValue};

/// Why a type is not supported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BadType {
    /// It has no kind, or one that is newer than this program.
    Empty,
    /// A type that values of queries do not have.
    Aggregate,
}

impl From<&SqlType> for WireType {
    fn from(sql_type: &SqlType) -> Self {
        let kind = match sql_type {
            SqlType::Bytes => SqlTypeKind::Bytes(Empty {}),
            SqlType::String => SqlTypeKind::String(Empty {}),
            SqlType::Int64 => SqlTypeKind::Int64(Empty {}),
            SqlType::Float64 => SqlTypeKind::Float64(Empty {}),
            SqlType::Float32 => SqlTypeKind::Float32(Empty {}),
            SqlType::Bool => SqlTypeKind::Bool(Empty {}),
            SqlType::Timestamp => SqlTypeKind::Timestamp(Empty {}),
            SqlType::Date => SqlTypeKind::Date(Empty {}),
            SqlType::Array(element) => SqlTypeKind::Array(Box::new(ArrayType {
                element_type: Some(boxed(element)),
            })),
            SqlType::Map(key, value) => SqlTypeKind::Map(Box::new(MapType {
                key_type: Some(boxed(key)),
                value_type: Some(boxed(value)),
            })),
            SqlType::Struct(fields) => SqlTypeKind::Struct(StructType {
                fields: fields.iter().map(StructField::from).collect(),
            }),
            SqlType::Proto { bundle, name } => SqlTypeKind::Proto(named(bundle, name)),
            SqlType::Enum { bundle, name } => SqlTypeKind::Enum(named(bundle, name)),
        };
        Self { kind: Some(kind) }
    }
}

impl From<&SqlField> for StructField {
    fn from(field: &SqlField) -> Self {
        Self {
            field_name: field.name.clone(),
            r#type: Some((&field.sql_type).into()),
        }
    }
}

fn boxed(sql_type: &SqlType) -> Box<WireType> {
    Box::new(sql_type.into())
}

fn named(bundle: &str, name: &str) -> NamedType {
    NamedType {
        schema_bundle_id: bundle.to_owned(),
        name: name.to_owned(),
    }
}

/// A type from its message.
pub(crate) fn sql_type(wire: WireType) -> Result<SqlType, BadType> {
    Ok(match wire.kind.ok_or(BadType::Empty)? {
        SqlTypeKind::Bytes(Empty {}) => SqlType::Bytes,
        SqlTypeKind::String(Empty {}) => SqlType::String,
        SqlTypeKind::Int64(Empty {}) => SqlType::Int64,
        SqlTypeKind::Float64(Empty {}) => SqlType::Float64,
        SqlTypeKind::Float32(Empty {}) => SqlType::Float32,
        SqlTypeKind::Bool(Empty {}) => SqlType::Bool,
        SqlTypeKind::Timestamp(Empty {}) => SqlType::Timestamp,
        SqlTypeKind::Date(Empty {}) => SqlType::Date,
        SqlTypeKind::Aggregate(Empty {}) => return Err(BadType::Aggregate),
        SqlTypeKind::Array(array) => SqlType::array(part(array.element_type)?),
        SqlTypeKind::Map(map) => SqlType::map(part(map.key_type)?, part(map.value_type)?),
        SqlTypeKind::Struct(of) => {
            let field = |field: StructField| {
                Ok(SqlField {
                    name: field.field_name,
                    sql_type: sql_type(field.r#type.ok_or(BadType::Empty)?)?,
                })
            };
            SqlType::Struct(of.fields.into_iter().map(field).collect::<Result<_, _>>()?)
        }
        SqlTypeKind::Proto(named) => SqlType::Proto {
            bundle: named.schema_bundle_id,
            name: named.name,
        },
        SqlTypeKind::Enum(named) => SqlType::Enum {
            bundle: named.schema_bundle_id,
            name: named.name,
        },
    })
}

fn part(of: Option<Box<WireType>>) -> Result<SqlType, BadType> {
    sql_type(*of.ok_or(BadType::Empty)?)
}

/// A value with its type, for parameters.
pub(crate) fn parameter(sql_type: &SqlType, value: &SqlValue) -> WireValue {
    WireValue {
        r#type: Some(sql_type.into()),
        ..value.into()
    }
}

/// A value without its type.
impl From<&SqlValue> for WireValue {
    fn from(value: &SqlValue) -> Self {
        Self {
            r#type: None,
            kind: kind(value),
        }
    }
}

fn kind(value: &SqlValue) -> Option<SqlValueKind> {
    Some(match value {
        SqlValue::Null => return None,
        SqlValue::Bytes(bytes) => SqlValueKind::Bytes(bytes.clone()),
        SqlValue::String(text) => SqlValueKind::String(text.to_string()),
        SqlValue::Int64(number) => SqlValueKind::Int(*number),
        SqlValue::Float64(number) => SqlValueKind::Float(*number),
        SqlValue::Float32(number) => SqlValueKind::Float(f64::from(*number)),
        SqlValue::Bool(is) => SqlValueKind::Bool(*is),
        SqlValue::Timestamp(at) => SqlValueKind::Timestamp(Timestamp {
            seconds: at.seconds(),
            nanos: at.nanos().cast_signed(),
        }),
        SqlValue::Date(day) => SqlValueKind::Date(Date {
            year: day.year.into(),
            month: day.month.into(),
            day: day.day.into(),
        }),
        SqlValue::Array(values) | SqlValue::Struct(values) => array(values),
        SqlValue::Map(entries) => {
            let pair = |(key, value): &(SqlValue, SqlValue)| WireValue {
                r#type: None,
                kind: Some(array([key, value])),
            };
            SqlValueKind::Array(ArrayValue {
                values: entries.iter().map(pair).collect(),
            })
        }
    })
}

fn array<'a>(values: impl IntoIterator<Item = &'a SqlValue>) -> SqlValueKind {
    let values = values.into_iter().map(WireValue::from);
    SqlValueKind::Array(ArrayValue {
        values: values.collect(),
    })
}
