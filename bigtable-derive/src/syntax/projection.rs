//! A projection's struct as written.

use syn::{DeriveInput, Generics, Ident, Path, Type};

use crate::errors::Errors;

use super::attribute as read;
use super::{keyword, named_fields};

/// A struct that names some fields of a model.
pub(crate) struct RawProjection {
    pub(crate) ident: Ident,
    pub(crate) generics: Generics,
    pub(crate) fields: Vec<(Ident, Type)>,
    pub(crate) model: Option<Path>,
    pub(crate) krate: Option<Path>,
}

/// Reads a projection; `None` when it is not a struct with named fields.
pub(crate) fn projection(input: &DeriveInput, errors: &mut Errors) -> Option<RawProjection> {
    let named = named_fields(input, "a projection", errors)?;
    let mut fields = Vec::new();
    for field in &named.named {
        read::for_each_item(&field.attrs, errors, |meta, errors| {
            keyword::unknown(meta.path(), &[], errors);
        });
        fields.extend(field.ident.clone().map(|ident| (ident, field.ty.clone())));
    }
    let mut raw = RawProjection {
        ident: input.ident.clone(),
        generics: input.generics.clone(),
        fields,
        model: None,
        krate: None,
    };
    read::for_each_item(&input.attrs, errors, |meta, errors| {
        let mut word = read::word(meta);
        if !keyword::ON_PROJECTION.contains(&word.as_str()) {
            let meant = keyword::unknown(meta.path(), keyword::ON_PROJECTION, errors);
            word = meant.unwrap_or_default().to_owned();
        }
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
