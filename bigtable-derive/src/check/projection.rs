//! Projections.

use syn::Path;
use syn::ext::IdentExt;

use crate::errors::Errors;
use crate::model::{ProjectedField, Projection};
use crate::syntax::{RawProjected, RawProjection};

use super::{names, runtime};

/// The checked projection; none without a model, since there is nothing to read then.
pub(crate) fn projection(raw: RawProjection, errors: &mut Errors) -> Option<Projection> {
    for parameter in &raw.generics.params {
        errors.at(
            parameter,
            "a projection has no parameters: write the model's types in its fields",
        );
    }
    let Some(model) = raw.model else {
        errors.at(
            &raw.ident,
            "a projection names its model: add `#[bigtable(model = Quote)]`",
        );
        return None;
    };
    Some(Projection {
        ident: raw.ident,
        generics: raw.generics,
        krate: runtime(raw.krate),
        model,
        fields: raw
            .fields
            .into_iter()
            .map(|field| projected(field, errors))
            .collect(),
    })
}

/// A field has the name of one of the model, or is a run-time column of a map of it.
fn projected(field: RawProjected, errors: &mut Errors) -> ProjectedField {
    let name = field.column.as_ref().map(|column| column.value.clone());
    let name = name.unwrap_or_else(|| field.ident.unraw().to_string());
    if let Some(column) = &field.column {
        names::qualifier(column, errors);
    }
    let map = field.of.as_ref().and_then(Path::get_ident);
    match (&field.of, &field.column) {
        (Some(of), _) if map.is_none() => errors.at(
            of,
            "`of` names a field of the model that is a map: write `of = values`",
        ),
        (None, Some(column)) => errors.at_span(
            column.span,
            "a field of a projection has the name of the model's: call it so and remove `column`, or name the map whose column this is, as in `of = values`",
        ),
        _ => {}
    }
    ProjectedField {
        entry: map.map(|map| (map.clone(), name)),
        ident: field.ident,
        ty: field.ty,
    }
}
