//! SQL data as plain values: types and values, columns and rows, plans, and rows decoded into
//! structs.
//!
//! Bigtable speaks GoogleSQL. Preparing a query gives a [`SqlPlan`] with the columns of the answer;
//! the plan can be executed any number of times. [`db.sql(..)`](crate::SqlExt::sql) does both;
//! [`Backend`](crate::Backend) has a method for each.
//!
//! | GoogleSQL | [`SqlValue`] | fields of a struct |
//! |---|---|---|
//! | `BYTES`, a protocol buffer | `Bytes` | `Bytes`, `Vec<u8>`; `String` if they are UTF-8 |
//! | `STRING` | `String` | `String`, `ByteString`, enums of unit variants |
//! | `INT64`, an enum of a protocol buffer | `Int64` | every integer type that holds the value |
//! | `FLOAT64`, `FLOAT32` | `Float64`, `Float32` | `f64`, `f32` |
//! | `BOOL` | `Bool` | `bool` |
//! | `TIMESTAMP` | `Timestamp` | [`SqlTimestamp`], [`Timestamp`](crate::Timestamp), and types that read RFC 3339, such as those of jiff and chrono |
//! | `DATE` | `Date` | [`SqlDate`], and types that read `2024-05-01` |
//! | `ARRAY<T>` | `Array` | `Vec<T>` |
//! | `STRUCT<..>` | `Struct` | structs, by the fields' names; tuples, by position |
//! | `MAP<K, V>` | `Map` | `BTreeMap<K, V>`, `HashMap<K, V>`; structs, by the keys |
//! | `NULL` | `Null` | `Option<T>` |

//!
//! A query fails with `RESOURCE_EXHAUSTED` if the rows that wait for a resume token take over
//! [`GrpcSettings::row_bytes`](crate::grpc::GrpcSettings::row_bytes), 256 MiB, or if the values of
//! one row do in memory, where a NULL of two bytes takes as much as a number.

mod check;
mod columns;
mod error;
mod parameter;
mod plan;
mod query;
mod read;
mod row;
mod time;
mod types;
mod value;

pub use columns::{SqlColumn, SqlColumns};
pub use error::SqlError;
pub use parameter::{SqlParameters, ToSql};
pub use plan::{PreparedSql, SqlPlan};
pub use query::SqlQuery;
#[doc(hidden)]
pub use query::{Literal, Quoted};
pub use row::{SqlRow, SqlRows};
pub use time::{SqlDate, SqlTimestamp};
pub use types::{SqlField, SqlType};
pub use value::SqlValue;

#[cfg(feature = "grpc")]
pub(crate) use row::UsedColumns;
#[cfg(feature = "grpc")]
pub(crate) use value::last_of_each_key;

#[cfg(test)]
mod tests;
