//! The types of columns and parameters.

use std::fmt;

/// The type of a column, of a parameter, or of a part of one.
///
/// ```
/// use bigtable_backend::sql::SqlType;
///
/// let family = SqlType::map(SqlType::Bytes, SqlType::Bytes);
/// assert_eq!(family.to_string(), "MAP<BYTES, BYTES>");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SqlType {
    /// `BYTES`
    Bytes,
    /// `STRING`
    String,
    /// `INT64`
    Int64,
    /// `FLOAT64`
    Float64,
    /// `FLOAT32`
    Float32,
    /// `BOOL`
    Bool,
    /// `TIMESTAMP`
    Timestamp,
    /// `DATE`
    Date,
    /// `ARRAY<..>`
    Array(Box<SqlType>),
    /// `STRUCT<..>`
    Struct(Vec<SqlField>),
    /// `MAP<.., ..>`: the types of keys and values.
    Map(Box<SqlType>, Box<SqlType>),
    /// A protocol buffer; its values are bytes.
    Proto {
        /// The schema bundle that defines it.
        bundle: String,
        /// The full name of the message.
        name: String,
    },
    /// An enum of a protocol buffer; its values are integers.
    Enum {
        /// The schema bundle that defines it.
        bundle: String,
        /// The full name of the enum.
        name: String,
    },
}

/// A field of a struct. Fields are identified by position: several may have the same name, or none.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SqlField {
    /// The name; empty if there is none.
    pub name: String,
    /// The type.
    pub sql_type: SqlType,
}

impl SqlType {
    /// `ARRAY<element>`
    #[must_use]
    pub fn array(element: Self) -> Self {
        Self::Array(Box::new(element))
    }

    /// `MAP<key, value>`
    #[must_use]
    pub fn map(key: Self, value: Self) -> Self {
        Self::Map(Box::new(key), Box::new(value))
    }

    /// `STRUCT<..>`, of names and types.
    #[must_use]
    pub fn structure<N: Into<String>>(fields: impl IntoIterator<Item = (N, Self)>) -> Self {
        let field = |(name, sql_type): (N, Self)| SqlField {
            name: name.into(),
            sql_type,
        };
        Self::Struct(fields.into_iter().map(field).collect())
    }
}

/// As in GoogleSQL.
impl fmt::Display for SqlType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bytes => f.write_str("BYTES"),
            Self::String => f.write_str("STRING"),
            Self::Int64 => f.write_str("INT64"),
            Self::Float64 => f.write_str("FLOAT64"),
            Self::Float32 => f.write_str("FLOAT32"),
            Self::Bool => f.write_str("BOOL"),
            Self::Timestamp => f.write_str("TIMESTAMP"),
            Self::Date => f.write_str("DATE"),
            Self::Array(element) => write!(f, "ARRAY<{element}>"),
            Self::Map(key, value) => write!(f, "MAP<{key}, {value}>"),
            Self::Proto { name, .. } => write!(f, "PROTO<{name}>"),
            Self::Enum { name, .. } => write!(f, "ENUM<{name}>"),
            Self::Struct(fields) => {
                f.write_str("STRUCT<")?;
                for (place, field) in fields.iter().enumerate() {
                    let comma = if place > 0 { ", " } else { "" };
                    let space = if field.name.is_empty() { "" } else { " " };
                    write!(f, "{comma}{}{space}{}", field.name, field.sql_type)?;
                }
                f.write_str(">")
            }
        }
    }
}
