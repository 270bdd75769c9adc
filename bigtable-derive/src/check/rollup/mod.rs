//! Roll-ups.

mod added;
mod fields;
mod levels;

use crate::errors::Errors;
use crate::model::Rollup;
use crate::syntax::RawRollup;

use super::runtime;

/// The checked roll-up; none without a source or with parameters, since nothing can stand in for
/// it then.
pub(crate) fn rollup(raw: RawRollup, errors: &mut Errors) -> Option<Rollup> {
    let has_parameters = !raw.generics.params.is_empty();
    for parameter in &raw.generics.params {
        errors.at(
            parameter,
            "a roll-up has no parameters: write the types of its columns in its fields",
        );
    }
    if raw.of.is_none() {
        errors.at(
            &raw.ident,
            "a roll-up names the model whose events it is of: add `#[rollup(of = Trade, every = \"1m\")]`",
        );
    }
    let levels = levels::levels(&raw, errors);
    let is_added = raw.added.is_some();
    if is_added {
        added::check(&raw.fields, errors);
    }
    let fields = fields::fields(raw.fields, errors);
    let source = raw.of.filter(|_| !has_parameters)?;
    Some(Rollup {
        ident: raw.ident,
        krate: runtime(raw.krate),
        source,
        levels,
        is_added,
        fields,
    })
}
