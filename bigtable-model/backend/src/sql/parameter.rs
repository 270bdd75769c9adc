//! The parameters of a query.

use std::collections::BTreeMap;

use bytes::Bytes;
use bytestring::ByteString;

use super::check::fits;
use super::{SqlDate, SqlPlan, SqlTimestamp, SqlType, SqlValue};
use crate::{Code, Status, Timestamp};

/// The parameters of a query by name: `@start` in the query is `start` here.
///
/// ```
/// use bigtable_backend::sql::{SqlParameters, SqlType, SqlValue};
///
/// let parameters = SqlParameters::new().bind("start", 3_i64).bind("symbols", vec!["ZXZZT", "ZVZZT"]);
/// assert_eq!(parameters.types()["symbols"], SqlType::array(SqlType::String));
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SqlParameters(BTreeMap<String, (SqlType, SqlValue)>);

impl SqlParameters {
    /// No parameters.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets a parameter.
    #[must_use]
    pub fn bind<T: ToSql>(self, name: impl Into<String>, value: T) -> Self {
        self.bind_value(name, T::sql_type(), value.into_sql())
    }

    /// Sets a parameter to a value of a type that is known at run time.
    #[must_use]
    pub fn bind_value(
        mut self,
        name: impl Into<String>,
        sql_type: SqlType,
        value: SqlValue,
    ) -> Self {
        self.0.insert(name.into(), (sql_type, value));
        self
    }

    /// Whether there are no parameters.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// All parameters, ordered by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &SqlType, &SqlValue)> {
        (self.0.iter()).map(|(name, (sql_type, value))| (name.as_str(), sql_type, value))
    }

    /// The types of the parameters, with which a query is prepared.
    #[must_use]
    pub fn types(&self) -> BTreeMap<String, SqlType> {
        let types = self.0.iter();
        types
            .map(|(name, (sql_type, _))| (name.clone(), sql_type.clone()))
            .collect()
    }

    /// Refuses values that do not match their types.
    ///
    /// # Errors
    ///
    /// `INVALID_ARGUMENT`, with the parameter's name.
    pub fn check(&self) -> Result<(), Status> {
        self.0.iter().try_for_each(|(name, (sql_type, value))| {
            fits(value, sql_type).map_err(|problem| refused(name, &problem))
        })
    }

    /// Refuses parameters other than those with which a plan was prepared, and values that do not
    /// match their types.
    ///
    /// # Errors
    ///
    /// `INVALID_ARGUMENT`, with the parameter's name.
    pub fn check_for(&self, plan: &SqlPlan) -> Result<(), Status> {
        let prepared = plan.parameter_types();
        for (name, (sql_type, _)) in &self.0 {
            match prepared.get(name) {
                Some(known) if known == sql_type => {}
                Some(known) => {
                    let problem =
                        format!("it is of the type {sql_type}, and was prepared as {known}");
                    return Err(refused(name, &problem));
                }
                None => return Err(refused(name, "the query was prepared without it")),
            }
        }
        if let Some(name) = prepared.keys().find(|name| !self.0.contains_key(*name)) {
            return Err(refused(name, "it has no value: bind one"));
        }
        self.check()
    }
}

fn refused(name: &str, problem: &str) -> Status {
    Status::new(
        Code::InvalidArgument,
        format!("parameter \"{name}\": {problem}"),
    )
}

/// A value for a parameter. `None` is NULL.
pub trait ToSql {
    /// The parameter's type.
    fn sql_type() -> SqlType;

    /// The parameter's value, which must be of that type.
    fn into_sql(self) -> SqlValue;
}

macro_rules! to_sql {
    ($($rust:ty, $sql_type:expr, $value:ident => $sql:expr;)*) => {
        $(impl ToSql for $rust {
            fn sql_type() -> SqlType {
                $sql_type
            }

            fn into_sql(self) -> SqlValue {
                let $value = self;
                $sql
            }
        })*
    };
}

to_sql! {
    i64, SqlType::Int64, value => SqlValue::Int64(value);
    i32, SqlType::Int64, value => SqlValue::Int64(value.into());
    i16, SqlType::Int64, value => SqlValue::Int64(value.into());
    i8, SqlType::Int64, value => SqlValue::Int64(value.into());
    u32, SqlType::Int64, value => SqlValue::Int64(value.into());
    u16, SqlType::Int64, value => SqlValue::Int64(value.into());
    f64, SqlType::Float64, value => SqlValue::Float64(value);
    f32, SqlType::Float32, value => SqlValue::Float32(value);
    bool, SqlType::Bool, value => SqlValue::Bool(value);
    &str, SqlType::String, value => SqlValue::String(value.into());
    String, SqlType::String, value => SqlValue::String(value.into());
    ByteString, SqlType::String, value => SqlValue::String(value);
    &[u8], SqlType::Bytes, value => SqlValue::Bytes(Bytes::copy_from_slice(value));
    Vec<u8>, SqlType::Bytes, value => SqlValue::Bytes(value.into());
    Bytes, SqlType::Bytes, value => SqlValue::Bytes(value);
    SqlTimestamp, SqlType::Timestamp, value => SqlValue::Timestamp(value);
    SqlDate, SqlType::Date, value => SqlValue::Date(value);
}

/// A time outside the years 1 to 9999 becomes their first or last instant.
impl ToSql for Timestamp {
    fn sql_type() -> SqlType {
        SqlType::Timestamp
    }

    fn into_sql(self) -> SqlValue {
        SqlValue::Timestamp(self.into())
    }
}

impl<const N: usize> ToSql for &[u8; N] {
    fn sql_type() -> SqlType {
        SqlType::Bytes
    }

    fn into_sql(self) -> SqlValue {
        SqlValue::Bytes(Bytes::copy_from_slice(self))
    }
}

impl<T: ToSql> ToSql for Option<T> {
    fn sql_type() -> SqlType {
        T::sql_type()
    }

    fn into_sql(self) -> SqlValue {
        self.map_or(SqlValue::Null, T::into_sql)
    }
}

/// An array, for `IN UNNEST(@names)`.
impl<T: ToSql> ToSql for Vec<T> {
    fn sql_type() -> SqlType {
        SqlType::array(T::sql_type())
    }

    fn into_sql(self) -> SqlValue {
        SqlValue::Array(self.into_iter().map(T::into_sql).collect())
    }
}
