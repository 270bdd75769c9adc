//! The type of a key segment or of a cell's value as written.

use syn::{Data, DeriveInput, Fields, Generics, Ident, Path, Type};

use crate::errors::Errors;

use super::attribute::{self as read, Text};
use super::keyword;

/// Where values of a type of the program are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StandsIn {
    Key,
    Cell,
}

impl StandsIn {
    /// The noun for such a type.
    pub(crate) const fn noun(self) -> &'static str {
        match self {
            Self::Key => "a key segment",
            Self::Cell => "a cell's value",
        }
    }
}

/// A newtype or an enum.
pub(crate) struct RawSegment {
    pub(crate) ident: Ident,
    pub(crate) generics: Generics,
    pub(crate) shape: RawSegmentShape,
    pub(crate) krate: Option<Path>,
}

/// What the type looks like.
pub(crate) enum RawSegmentShape {
    /// A struct with its fields; a newtype has one.
    Struct(Vec<(Option<Ident>, Type)>),
    /// An enum.
    Enum(Vec<RawVariant>),
}

/// A variant and the words on it.
pub(crate) struct RawVariant {
    pub(crate) ident: Ident,
    pub(crate) has_fields: bool,
    pub(crate) name: Option<Text>,
}

/// Reads a segment type; `None` for a union.
pub(crate) fn segment(
    input: &DeriveInput,
    place: StandsIn,
    errors: &mut Errors,
) -> Option<RawSegment> {
    let shape = match &input.data {
        Data::Struct(data) => {
            no_words(&data.fields, errors);
            let fields = data.fields.iter();
            RawSegmentShape::Struct(
                fields
                    .map(|field| (field.ident.clone(), field.ty.clone()))
                    .collect(),
            )
        }
        Data::Enum(data) => {
            let variants = data.variants.iter();
            RawSegmentShape::Enum(variants.map(|one| variant(one, errors)).collect())
        }
        Data::Union(data) => {
            errors.at(
                data.union_token,
                format!(
                    "{} is a newtype or an enum without fields, not a union",
                    place.noun()
                ),
            );
            return None;
        }
    };
    let mut krate = None;
    read::for_each_item(&input.attrs, errors, |meta, errors| {
        match read::word(meta).as_str() {
            keyword::CRATE => {
                let value = read::path(meta, "::bigtable_model", errors);
                read::once(&mut krate, value, meta, errors);
            }
            _ => {
                keyword::unknown(meta.path(), keyword::ON_SEGMENT, errors);
            }
        }
    });
    Some(RawSegment {
        ident: input.ident.clone(),
        generics: input.generics.clone(),
        shape,
        krate,
    })
}

/// Fields of a segment's type have no options: options belong where the type is used.
fn no_words(fields: &Fields, errors: &mut Errors) {
    for field in fields {
        read::for_each_item(&field.attrs, errors, |meta, errors| {
            keyword::unknown(meta.path(), &[], errors);
        });
    }
}

fn variant(variant: &syn::Variant, errors: &mut Errors) -> RawVariant {
    no_words(&variant.fields, errors);
    let mut name = None;
    read::for_each_item(&variant.attrs, errors, |meta, errors| {
        match read::word(meta).as_str() {
            keyword::NAME => {
                let value = read::text(meta, "NASDAQ", errors);
                read::once(&mut name, value, meta, errors);
            }
            _ => {
                keyword::unknown(meta.path(), keyword::ON_VARIANT, errors);
            }
        }
    });
    RawVariant {
        ident: variant.ident.clone(),
        has_fields: !matches!(variant.fields, Fields::Unit),
        name,
    }
}
