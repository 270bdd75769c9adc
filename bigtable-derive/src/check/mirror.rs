//! The models that hold copies of another's events.

use quote::ToTokens as _;
use syn::Path;

use crate::errors::Errors;
use crate::syntax::RawMirror;

use super::layouts::Kind;

/// The models, each once.
pub(super) fn mirrors(raw: Option<RawMirror>, kind: Kind, errors: &mut Errors) -> Vec<Path> {
    let Some(raw) = raw else {
        return Vec::new();
    };
    if kind == Kind::Latest {
        errors.at_span(
            raw.span,
            "`layout = \"latest\"` keeps one event of a series, from which no copy could be made right again: write `mirror` on the model that keeps all, and name both there",
        );
        return Vec::new();
    }
    let mut named = Vec::new();
    let mut mirrors = Vec::new();
    for model in raw.models {
        let name = model.to_token_stream().to_string().replace(' ', "");
        if named.contains(&name) {
            errors.at(&model, format!("`{name}` stands twice, remove one"));
        } else {
            named.push(name);
            mirrors.push(model);
        }
    }
    mirrors
}
