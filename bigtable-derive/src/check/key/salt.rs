//! The shard's number in the key.

use syn::Ident;
use syn::ext::IdentExt;

use crate::errors::Errors;
use crate::model::{Salt, Segment};
use crate::syntax::{At, RawModel, RawSalt};

/// The maximum number of shards: a query costs one scan for each of them.
const MOST_SHARDS: u32 = 9_999;

/// The salt of a model, and its place; `fields` are the fields of the segments, in order.
pub(in crate::check) fn salt(
    raw: &RawModel,
    segments: &[Segment],
    errors: &mut Errors,
) -> Option<Salt> {
    let of_struct = raw.salt.iter().map(|salt| (0, salt));
    let of_fields = raw.fields.iter().filter_map(|field| {
        let place = segments.iter().position(|one| one.ident == field.ident)?;
        Some((place, field.salt.as_ref()?))
    });
    let mut salts = of_struct.chain(of_fields);
    let (place, salt) = salts.next()?;
    for (_, second) in salts {
        errors.at_span(
            second.span,
            "a key has one salt: remove one, or name the fields of both in one `of(...)`",
        );
    }
    let shards = shards(salt, errors);
    let first = first(salt, errors);
    let of = hashed(raw, salt, segments, errors);
    Some(Salt {
        shards,
        first,
        of,
        hash: salt.hash.clone(),
        place,
    })
}

/// People count from 0 or from 1.
fn first(salt: &RawSalt, errors: &mut Errors) -> u16 {
    match salt.first {
        None | Some(At { value: 0, .. }) => 0,
        Some(At { value: 1, .. }) => 1,
        Some(At { span, .. }) => {
            errors.at_span(
                span,
                "shards are counted from 0 or from 1: write `first = 1`, or remove it",
            );
            0
        }
    }
}

fn shards(salt: &RawSalt, errors: &mut Errors) -> u16 {
    let stand_in = 2;
    let Some(At { value, span }) = salt.shards else {
        if salt.is_sound {
            errors.at_span(
                salt.span,
                "a salt says how many shards there are: write `salt(shards = 64, of(...))`",
            );
        }
        return stand_in;
    };
    if value < 2 {
        errors.at_span(
            span,
            "fewer than 2 shards spread nothing: write 2 or more, or remove `salt`",
        );
        return stand_in;
    }
    match u16::try_from(value) {
        Ok(shards) if value <= MOST_SHARDS => shards,
        _ => {
            errors.at_span(
                span,
                format!("a salt has at most {MOST_SHARDS} shards, since a query over time scans each: write fewer, as in `shards = 64`"),
            );
            stand_in
        }
    }
}

/// The segments that are hashed, ascending.
fn hashed(raw: &RawModel, salt: &RawSalt, segments: &[Segment], errors: &mut Errors) -> Vec<usize> {
    let fields = salt.of.as_deref().unwrap_or_default();
    if fields.is_empty() && salt.is_sound {
        let example = segments.first().map(|one| one.ident.to_string());
        errors.at_span(
            salt.span,
            format!(
                "a salt is a hash of key fields: write `salt(shards = 64, of({}))`",
                example.unwrap_or_else(|| "symbol".to_owned())
            ),
        );
    }
    let mut of = Vec::new();
    for field in fields {
        let Some(index) = segments.iter().position(|one| one.ident == *field) else {
            not_a_segment(raw, field, segments, errors);
            continue;
        };
        let is_absent = segments.get(index).is_some_and(Segment::is_absent);
        if of.contains(&index) {
            errors.at(field, format!("`{field}` stands twice, remove one"));
        } else if is_absent {
            errors.at(
                field,
                format!("nothing of `{field}` stands in the key: remove it"),
            );
        } else {
            of.push(index);
        }
    }
    of.sort_unstable();
    of
}

fn not_a_segment(raw: &RawModel, field: &Ident, segments: &[Segment], errors: &mut Errors) {
    if raw.fields.iter().any(|one| one.ident == *field) {
        errors.at(
            field,
            format!("a salt is made from the key, and `{field}` is no part of it: name fields with `key` or `time`"),
        );
        return;
    }
    let names: Vec<_> = segments
        .iter()
        .map(|one| format!("`{}`", one.ident.unraw()))
        .collect();
    errors.at(
        field,
        format!(
            "no field `{field}` in the key: there are {}",
            names.join(", ")
        ),
    );
}
