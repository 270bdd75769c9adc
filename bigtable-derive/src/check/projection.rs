//! Projections.

use crate::errors::Errors;
use crate::model::Projection;
use crate::syntax::RawProjection;

use super::runtime;

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
        fields: raw.fields,
    })
}
