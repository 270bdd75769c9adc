//! Why a model cannot be used without its struct.

use crate::value::ValueError;

/// Why a query or a write by the names of fields is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// The model has no such field.
    #[error("it has no field `{field}`: its fields are {known}")]
    UnknownField {
        /// The name.
        field: String,
        /// The fields that it has.
        known: String,
    },
    /// A field cannot have this value.
    #[error("field `{field}` is refused")]
    Field {
        /// Its name.
        field: String,
        /// Why.
        source: ValueError,
    },
    /// An event lacks a field that every event has.
    #[error("event {index} lacks field `{field}`, which every event has")]
    MissingField {
        /// The event's index in the batch.
        index: usize,
        /// The field's name.
        field: String,
    },
    /// A field of the key cannot be selected by a prefix, or a column by a range.
    #[error("field `{field}` is not selected by {by}")]
    Selection {
        /// The field's name.
        field: String,
        /// How it was selected.
        by: &'static str,
    },
    /// A write of the model does something that only its struct can do.
    #[error("its events are written only by the program with its struct: {effect}")]
    Writes {
        /// The effect of the write.
        effect: String,
    },
    /// A read of the model needs its struct.
    #[error("its events are read only by the program with its struct: {effect}")]
    Reads {
        /// The effect of the read.
        effect: String,
    },
    /// The description is invalid: the lock file was changed by hand, or in a merge.
    #[error("its description is not valid: {reason}")]
    Malformed {
        /// What is wrong with it.
        reason: String,
    },
    /// The lock file has no such model, or does not describe it.
    #[error("the lock file does not describe it: its models are {known}")]
    NotLocked {
        /// The models that it describes.
        known: String,
    },
}
