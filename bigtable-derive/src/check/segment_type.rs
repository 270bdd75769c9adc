//! Types that are key segments or values of cells.

use std::collections::BTreeSet;

use syn::Ident;
use syn::ext::IdentExt;

use crate::errors::Errors;
use crate::model::{SegmentShape, SegmentType};
use crate::syntax::{RawSegment, RawSegmentShape, RawVariant, StandsIn};

use super::runtime;

/// The checked segment type; one that is neither a newtype nor an enum without fields stands in for
/// a segment.
pub(crate) fn segment(raw: RawSegment, place: StandsIn, errors: &mut Errors) -> SegmentType {
    let shape = match raw.shape {
        RawSegmentShape::Struct(fields) => newtype(&raw.ident, fields, place, errors),
        RawSegmentShape::Enum(variants) => unit_enum(&raw.ident, &variants, place, errors),
    };
    SegmentType {
        ident: raw.ident,
        generics: raw.generics,
        krate: runtime(raw.krate),
        shape: shape.unwrap_or(SegmentShape::Refused),
    }
}

fn newtype(
    ident: &Ident,
    fields: Vec<(Option<Ident>, syn::Type)>,
    place: StandsIn,
    errors: &mut Errors,
) -> Option<SegmentShape> {
    let count = fields.len();
    let mut fields = fields.into_iter();
    match (fields.next(), count) {
        (Some((name, ty)), 1) => Some(SegmentShape::Newtype(name, Box::new(ty))),
        _ => {
            errors.at(
                ident,
                match place {
                    StandsIn::Key => format!("a key segment has one field, this struct has {count}: make each field of the model's key a segment of its own, or write `impl KeySegment` by hand"),
                    StandsIn::Cell => format!("a cell's value has one field, this struct has {count}: make each field a column of its own, store the struct with `json`, or write `impl CellValue` by hand"),
                },
            );
            None
        }
    }
}

fn unit_enum(
    ident: &Ident,
    variants: &[RawVariant],
    place: StandsIn,
    errors: &mut Errors,
) -> Option<SegmentShape> {
    if variants.is_empty() {
        errors.at(
            ident,
            match place {
                StandsIn::Key => "an enum without variants has no value to put into a key",
                StandsIn::Cell => "an enum without variants has no value to put into a cell",
            },
        );
        return None;
    }
    let mut taken = BTreeSet::new();
    let mut names = Vec::new();
    for variant in variants {
        if variant.has_fields {
            errors.at(
                &variant.ident,
                match place {
                    StandsIn::Key => "a variant with fields cannot stand in a key: its name is all that is written, remove the fields",
                    StandsIn::Cell => "a variant with fields cannot stand in a cell by its name: remove the fields, or store the enum with `json`",
                },
            );
        }
        let name = variant.name.as_ref().map(|name| name.value.clone());
        let name = name.unwrap_or_else(|| variant.ident.unraw().to_string());
        if !taken.insert(name.clone()) {
            errors.at(
                &variant.ident,
                match place {
                    StandsIn::Key => format!("two variants are named `{name}` in keys: rename one with `#[bigtable(name = \"...\")]`"),
                    StandsIn::Cell => format!("two variants are named `{name}` in cells: rename one with `#[bigtable(name = \"...\")]`"),
                },
            );
        }
        names.push((variant.ident.clone(), name));
    }
    let fieldless = variants.iter().all(|variant| !variant.has_fields);
    fieldless.then_some(SegmentShape::Enum(names))
}
