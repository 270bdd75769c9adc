//! Tie-breakers in qualifiers: refuses what does not go with several events of a row at one time.

use crate::errors::Errors;
use crate::model::{Encoding, Kind, Role, Salt, Segment};
use crate::syntax::RawModel;

/// What a model with tie-breakers in qualifiers may not have. In a layout with one event a row they
/// are in its key, and all goes with them.
pub(in crate::check) fn in_qualifiers(
    raw: &RawModel,
    kind: Kind,
    segments: &[Segment],
    salt: Option<&Salt>,
    encoding: Encoding,
    errors: &mut Errors,
) {
    let is_tie = |segment: &Segment| matches!(segment.role, Role::TieBreaker);
    let Some(first) = segments.iter().position(is_tie) else {
        return;
    };
    if !kind.has_offset() {
        return;
    }
    let Some(tie) = segments.get(first) else {
        return;
    };
    if segments.iter().take(first).all(Segment::is_absent) {
        errors.at(
            &tie.ident,
            "a row has its tie-breakers in qualifiers, and nothing would be in its key: add an identifier with `key`, or write a bucket",
        );
    }
    if let Some(pack) = &raw.pack {
        errors.at_span(
            pack.span,
            format!(
                "a block has one event at a time, and `{}` is for several: remove `pack`",
                tie.ident
            ),
        );
    }
    if let Some(was) = &raw.was {
        errors.at_span(
            was.span,
            format!("`was` knows events of a row by their times, and `{}` is for several of one time: copy the events with a `CopyJob`", tie.ident),
        );
    }
    for field in &raw.fields {
        if let Some(span) = field.columns {
            errors.at_span(
                span,
                format!("the names of columns and the values of `{}` could not be told apart in qualifiers: write `layout = \"row\"`", tie.ident),
            );
        }
    }
    if encoding == Encoding::OrderedCode
        && let Some(encoding) = &raw.encoding
    {
        errors.at_span(
            encoding.span,
            format!("a row has `{}` in its qualifiers, not in its key, which ordered code encodes as a whole: add a `separator`, or write `layout = \"row\"`", tie.ident),
        );
    }
    let hashed = salt.map_or(&[][..], |salt| &salt.of);
    for tie in hashed
        .iter()
        .filter(|at| **at >= first)
        .filter_map(|at| segments.get(*at))
    {
        let salts = raw.fields.iter().filter_map(|field| field.salt.as_ref());
        let named = raw
            .salt
            .iter()
            .chain(salts)
            .flat_map(|salt| salt.of.iter().flatten());
        let named = named.filter(|one| **one == tie.ident);
        named.for_each(|named| errors.at(
            named,
            format!("`{named}` is in the qualifiers of a row, so all of its values share one row: remove it here"),
        ));
    }
}
