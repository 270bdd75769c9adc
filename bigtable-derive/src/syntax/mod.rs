//! Reads derive inputs into raw structures: every item with its span, checking only its form.

mod attribute;
mod field;
mod gc;
pub(crate) mod keyword;
mod model;
mod nested;
mod projection;
mod rollup;
mod segment;

pub(crate) use attribute::{At, Text};
pub(crate) use field::RawField;
pub(crate) use gc::{RawGc, RawRule, RawRuleKind};
pub(crate) use model::{RawModel, model};
pub(crate) use nested::{RawCodec, RawExpect, RawHot, RawModels, RawPack, RawSalt};
pub(crate) use projection::{RawProjected, RawProjection, projection};
pub(crate) use rollup::{RawAggregate, RawLevel, RawRolled, RawRollup, RawSource, Role, rollup};
pub(crate) use segment::{RawSegment, RawSegmentShape, RawVariant, StandsIn, segment};

use syn::{Data, DeriveInput, Fields};

use crate::errors::Errors;

/// The named fields of a struct; anything else is a mistake.
fn named_fields<'a>(
    input: &'a DeriveInput,
    what: &str,
    errors: &mut Errors,
) -> Option<&'a syn::FieldsNamed> {
    match &input.data {
        Data::Struct(data) => match &data.fields {
            Fields::Named(fields) => return Some(fields),
            _ => errors.at(
                &input.ident,
                format!(
                    "{what} names its fields, write `struct {} {{ ... }}`",
                    input.ident
                ),
            ),
        },
        Data::Enum(data) => errors.at(
            data.enum_token,
            format!("{what} is a struct, not an enum: write a struct with a field for each column"),
        ),
        Data::Union(data) => errors.at(
            data.union_token,
            format!("{what} is a struct, not a union: write a struct with a field for each column"),
        ),
    }
    None
}
