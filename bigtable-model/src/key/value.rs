use serde::{Deserialize, Serialize};

use crate::Timestamp;

/// A segment's value as data, for layouts, queries and plans without a model type.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[allow(
    missing_docs,
    reason = "each variant holds the value of the kind that it is named after"
)]
pub enum SegmentValue {
    String(String),
    Bytes(Vec<u8>),
    Unsigned(u128),
    Signed(i128),
    Float32(f32),
    Float(f64),
    Bool(bool),
    Char(char),
    Uuid([u8; 16]),
    Time(Timestamp),
}
