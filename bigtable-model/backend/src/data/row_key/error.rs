//! Why a schema is invalid, and why a key does not conform to one.

/// Why Bigtable refuses a row key schema.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RowKeySchemaError {
    /// There is no field.
    #[error("a row key schema needs at least one field")]
    NoFields,
    /// The name is empty, repeated, or reserved by SQL.
    #[error(
        "field \"{field}\" of the row key: give it a unique name other than `_key`, `_timestamp` and the families' names"
    )]
    Name {
        /// The field.
        field: String,
    },
    /// A delimiter that is empty or too long.
    #[error("the delimiter of the row key has {len} bytes: give 1 to 50")]
    Delimiter {
        /// Its bytes.
        len: usize,
    },
    /// A binary number between delimiters.
    #[error(
        "field \"{field}\" of the row key is a binary number, which may hold any byte: join the fields in ordered code instead of with a delimiter"
    )]
    Binary {
        /// The field.
        field: String,
    },
    /// The table has a type or encoding that this client does not know.
    #[error("{what} of the row key has a kind unknown to this client")]
    Other {
        /// The field, or the encoding.
        what: String,
    },
    /// Bigtable's encodings cannot express this segment.
    #[error("segment \"{segment}\" of the row key {problem}")]
    Segment {
        /// The segment.
        segment: String,
        /// What is wrong, and what to write instead.
        problem: &'static str,
    },
}

/// Why values cannot be encoded as a row key, or a row key decoded.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RowKeyError {
    /// Too many values or too few.
    #[error("{found} values are given for the {fields} fields of the row key")]
    Count {
        /// The values.
        found: usize,
        /// The fields.
        fields: usize,
    },
    /// A value of another type than its field's.
    #[error("field \"{field}\" of the row key: the value is of another type")]
    Type {
        /// The field.
        field: String,
    },
    /// A negative number in eight bytes, which would sort after all others.
    #[error(
        "field \"{field}\" of the row key: {number} is below 0: encode the field in ordered code"
    )]
    Negative {
        /// The field.
        field: String,
        /// The number.
        number: i64,
    },
    /// A byte that delimiters do not allow.
    #[error(
        "field \"{field}\" of the row key holds the byte {byte:#04x}, but bytes must be above the delimiter's first byte"
    )]
    Byte {
        /// The field.
        field: String,
        /// The byte.
        byte: u8,
    },
    /// The bytes are not a value of the field's type.
    #[error("field \"{field}\" of the row key: its bytes are not a value of its type")]
    Value {
        /// The field.
        field: String,
    },
    /// A key that is empty or too long.
    #[error("the row key has {len} bytes: 1 to 4096 are allowed")]
    Length {
        /// Its bytes.
        len: usize,
    },
    /// The table has a type or encoding that this client does not know.
    #[error("{what} of the row key has a kind unknown to this client")]
    Other {
        /// The field, or the encoding.
        what: String,
    },
    /// The key does not match this schema.
    #[error("the row key does not match this schema")]
    Malformed,
}
