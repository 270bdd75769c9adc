//! The models that hold copies of another's events, its roll-ups, or what was stored before.

use quote::ToTokens as _;
use syn::Path;

use crate::errors::Errors;
use crate::model::Kind;
use crate::syntax::RawModels;

/// The models that hold copies, each once.
pub(super) fn mirrors(raw: Option<RawModels>, kind: Kind, errors: &mut Errors) -> Vec<Path> {
    let Some(raw) = raw else {
        return Vec::new();
    };
    if kind.keeps_newest() {
        errors.at_span(
            raw.span,
            "`layout = \"latest\"` keeps one event of a series, from which no copy could be made right again: write `mirror` on the model that keeps all, and name both there",
        );
        return Vec::new();
    }
    once(raw, errors)
}

/// The models that hold roll-ups, each once.
pub(super) fn rollups(raw: Option<RawModels>, kind: Kind, errors: &mut Errors) -> Vec<Path> {
    let Some(raw) = raw else {
        return Vec::new();
    };
    if kind.keeps_newest() {
        errors.at_span(
            raw.span,
            "`layout = \"latest\"` keeps one event of a series, of which nothing can be rolled up: write `rollup` on the model that keeps all",
        );
        return Vec::new();
    }
    once(raw, errors)
}

/// The model that stored the events before. The runtime compares the two.
pub(super) fn former(
    raw: Option<RawModels>,
    kind: Kind,
    has_mirrors: bool,
    has_rollups: bool,
    errors: &mut Errors,
) -> Option<Path> {
    let raw = raw?;
    if !kind.has_places() {
        errors.at_span(
            raw.span,
            "`was` unites events that have one place each, which layouts `latest` and `qualifiers` do not give them: copy the events with a `CopyJob`",
        );
        return None;
    }
    if has_rollups {
        errors.at_span(
            raw.span,
            "roll-ups are made of one layout, and would lack the events of the former one: leave out `rollup` until that is empty and `was` is gone",
        );
        return None;
    }
    if has_mirrors {
        errors.at_span(
            raw.span,
            "the copies of a mirror tell nothing of events in the former layout: leave out `mirror` until the former layout is empty and `was` is gone",
        );
        return None;
    }
    let mut models = raw.models.into_iter();
    let former = models.next();
    if let Some(other) = models.next() {
        errors.at(
            &other,
            "a model has one former layout: empty the older one first, then name this one",
        );
    }
    former
}

fn once(raw: RawModels, errors: &mut Errors) -> Vec<Path> {
    let mut named = Vec::new();
    let mut models = Vec::new();
    for model in raw.models {
        let name = model.to_token_stream().to_string().replace(' ', "");
        if named.contains(&name) {
            errors.at(&model, format!("`{name}` stands twice, remove one"));
        } else {
            named.push(name);
            models.push(model);
        }
    }
    models
}
