//! What the types of fields say of their forms in a payload.

use std::any::TypeId;
use std::fmt;
use std::sync::Arc;

use bytestring::ByteString;
use serde::{Deserialize, Serialize};

use crate::Timestamp;

/// A field of a serialised event that a projection uses.
#[derive(Clone, Copy)]
pub struct PayloadUse {
    /// The column that holds the event, an index into
    /// [`ModelSchema::columns`](crate::schema::ModelSchema::columns).
    pub(crate) column: usize,
    /// The field's name.
    pub(crate) field: &'static str,
    /// Its name in the payload.
    pub(crate) name: &'static str,
    /// What its type says of its form; a function, since constants cannot compare types.
    pub(crate) form: fn() -> PayloadForm,
}

impl fmt::Debug for PayloadUse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PayloadUse")
            .field("column", &self.column)
            .field("field", &self.field)
            .field("name", &self.name)
            .field("form", &(self.form)())
            .finish()
    }
}

/// The forms of two uses of one field are equal.
impl PartialEq for PayloadUse {
    fn eq(&self, other: &Self) -> bool {
        let parts = |one: &Self| (one.column, one.field, one.name, (one.form)());
        parts(self) == parts(other)
    }
}

impl Eq for PayloadUse {}

/// What a field's type says of its form in a payload whose format has names.
#[doc(hidden)]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum PayloadForm {
    /// In JSON.
    Member(JsonForm),
    /// In a message: its declaration in the `.proto`, such as `optional double`.
    Declared(String),
}

/// What a field's type says of its JSON.
///
/// No variant has the name of another type: the compiler's messages give longer paths for names
/// that are not unique.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum JsonForm {
    /// `true` or `false`.
    TrueOrFalse,
    /// A whole number of 64 bits with its sign.
    WholeNumber,
    /// A number of 64 bits or fewer with a fraction.
    WithFraction,
    /// Text, or a whole number that 64 bits with a sign may not hold.
    AsText,
    /// Nothing: it may be of any kind.
    AsJson,
}

/// Whether a type is one of these, or an option of one.
macro_rules! is_of {
    ($type:expr; $($one:ty),*) => {
        [$(TypeId::of::<$one>(), TypeId::of::<Option<$one>>()),*].contains(&$type)
    };
}

impl JsonForm {
    /// The form of values of a type, or of the values in an option.
    pub(crate) fn of<T: 'static>() -> Self {
        let own = TypeId::of::<T>();
        match () {
            () if is_of!(own; bool) => Self::TrueOrFalse,
            // serde writes a `Timestamp` as its microseconds.
            () if is_of!(own; i64, i32, i16, i8, isize, u32, u16, u8, Timestamp) => {
                Self::WholeNumber
            }
            () if is_of!(own; f64, f32) => Self::WithFraction,
            () if is_of!(own; String, ByteString, Box<str>, Arc<str>, char, u64, usize)
                || is_text(own) =>
            {
                Self::AsText
            }
            () => Self::AsJson,
        }
    }
}

/// Whether a type is one of those whose serde form is text.
fn is_text(own: TypeId) -> bool {
    #[cfg(feature = "uuid")]
    if is_of!(own; uuid::Uuid) {
        return true;
    }
    #[cfg(feature = "rust_decimal")]
    if is_of!(own; rust_decimal::Decimal) {
        return true;
    }
    #[cfg(feature = "chrono")]
    if is_of!(own; chrono::DateTime<chrono::Utc>, chrono::NaiveDate) {
        return true;
    }
    is_of!(own; jiff::Timestamp, jiff::civil::Date)
}

#[cfg(all(test, feature = "json"))]
mod tests {
    use super::JsonForm;
    use crate::Timestamp;
    use serde_json::{Value, to_value};

    /// The form of a value's type, and the kind of JSON that serde writes for it.
    fn form<T: serde::Serialize + 'static>(value: T) -> (JsonForm, &'static str) {
        let optional = JsonForm::of::<Option<T>>();
        assert_eq!(optional, JsonForm::of::<T>());
        let kind = match to_value(value).unwrap_or_default() {
            Value::Bool(_) => "bool",
            Value::Number(number) if number.is_i64() => "integer",
            Value::Number(number) if number.is_u64() => "large",
            Value::Number(_) => "float",
            Value::String(_) => "text",
            _ => "other",
        };
        (optional, kind)
    }

    #[test]
    fn types_are_written_as_their_form_says() {
        assert_eq!(form(true), (JsonForm::TrueOrFalse, "bool"));
        let integers = [
            form(i64::MIN),
            form(i32::MAX),
            form(-1_i16),
            form(-1_i8),
            form(-1_isize),
            form(u32::MAX),
            form(1_u16),
            form(1_u8),
            form(Timestamp::MIN),
        ];
        assert!(
            integers
                .iter()
                .all(|one| *one == (JsonForm::WholeNumber, "integer"))
        );
        assert_eq!(form(0.1_f64), (JsonForm::WithFraction, "float"));
        assert_eq!(form(0.1_f32), (JsonForm::WithFraction, "float"));
        assert_eq!(form(u64::MAX), (JsonForm::AsText, "large"));
        assert_eq!(form(usize::MAX), (JsonForm::AsText, "large"));
        let texts = [
            form("a".to_owned()),
            form(bytestring::ByteString::from("a")),
        ];
        assert!(texts.iter().all(|one| *one == (JsonForm::AsText, "text")));
        assert_eq!(form('a'), (JsonForm::AsText, "text"));
        assert_eq!(form(vec![1_u8]), (JsonForm::AsJson, "other"));
        assert_eq!(form(1_i128), (JsonForm::AsJson, "integer"));
        assert_eq!(form(Some(Some(1_i64))).0, JsonForm::AsJson);
    }
}
