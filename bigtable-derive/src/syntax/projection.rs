//! A projection's struct as written.

use syn::{DeriveInput, Generics, Ident, Path, Type};

use crate::errors::Errors;

use super::attribute::{self as read, Item, Text};
use super::{keyword, named_fields};

/// A struct that names some fields of a model.
pub(crate) struct RawProjection {
    pub(crate) ident: Ident,
    pub(crate) generics: Generics,
    pub(crate) fields: Vec<RawProjected>,
    pub(crate) model: Option<Path>,
    pub(crate) krate: Option<Path>,
}

/// A field as written.
pub(crate) struct RawProjected {
    pub(crate) ident: Ident,
    pub(crate) ty: Type,
    /// `of = values`: the model's map.
    pub(crate) of: Option<Path>,
    pub(crate) column: Option<Text>,
}

/// Reads a projection; `None` when it is not a struct with named fields.
pub(crate) fn projection(input: &DeriveInput, errors: &mut Errors) -> Option<RawProjection> {
    let named = named_fields(input, "a projection", errors)?;
    let mut fields = Vec::new();
    for field in &named.named {
        let Some(ident) = field.ident.clone() else {
            continue;
        };
        let (mut of, mut column) = (None, None);
        read::for_each_item(&field.attrs, errors, |meta, errors| {
            match known(meta, keyword::ON_PROJECTED, errors).as_str() {
                keyword::OF => {
                    let value = read::path(meta, "values", errors);
                    read::once(&mut of, value, meta, errors);
                }
                keyword::COLUMN => {
                    let value = read::text(meta, "cpu", errors);
                    read::once(&mut column, value, meta, errors);
                }
                _ => {}
            }
        });
        fields.push(RawProjected {
            ident,
            ty: field.ty.clone(),
            of,
            column,
        });
    }
    let mut raw = RawProjection {
        ident: input.ident.clone(),
        generics: input.generics.clone(),
        fields,
        model: None,
        krate: None,
    };
    read::for_each_item(&input.attrs, errors, |meta, errors| {
        let word = known(meta, keyword::ON_PROJECTION, errors);
        let (slot, example) = match word.as_str() {
            keyword::MODEL => (&mut raw.model, "Quote"),
            keyword::CRATE => (&mut raw.krate, "::bigtable_model"),
            _ => return,
        };
        let value = read::path(meta, example, errors);
        read::once(slot, value, meta, errors);
    });
    Some(raw)
}

/// The word of an item, or the one that was meant.
fn known(meta: &Item, known: &[&'static str], errors: &mut Errors) -> String {
    let word = read::word(meta);
    if known.contains(&word.as_str()) {
        return word;
    }
    let meant = keyword::unknown(meta.path(), known, errors);
    meant.unwrap_or_default().to_owned()
}
