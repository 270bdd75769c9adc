//! The shard's number in the key.

use syn::Ident;
use syn::ext::IdentExt;

use crate::errors::Errors;
use crate::model::{HotSeries, Role, Salt, Segment};
use crate::syntax::{At, RawHot, RawModel, RawSalt, Text};

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
    let hot = salt.hot.as_ref();
    let hot = hot.and_then(|hot| hot_series(hot, shards, &of, segments, errors));
    Some(Salt {
        shards,
        first,
        of,
        hash: salt.hash.clone(),
        hot,
        place,
    })
}

/// The series whose rows are spread, those with some values of one identifier.
fn hot_series(
    raw: &RawHot,
    shards: u16,
    of: &[usize],
    segments: &[Segment],
    errors: &mut Errors,
) -> Option<HotSeries> {
    let before = errors.count();
    let field = &raw.field;
    let hashed = of.iter().filter_map(|at| Some((*at, segments.get(*at)?)));
    let found = hashed.clone().find(|(_, one)| one.ident == *field);
    let series = hashed.filter(|(_, one)| matches!(one.role, Role::Identifier));
    let series: Vec<usize> = series.map(|(at, _)| at).collect();
    match found.map(|(_, segment)| &segment.role) {
        Some(Role::Identifier) if series.len() == of.len() => errors.at_span(
            raw.span,
            "the salt hashes identifiers alone, so the rows of a series are in one shard already: add the time to `of(...)`, or remove `hot`",
        ),
        Some(Role::Identifier) => {}
        Some(_) => errors.at(
            field,
            format!("series are hot, and `{field}` is not a part of their names: name an identifier, a field with `key`, in `hot(...)`"),
        ),
        None => errors.at(
            field,
            format!("the salt does not hash `{field}`: name it in `of(...)` too, or name a field of `of(...)`"),
        ),
    }
    let mut values: Vec<(String, u16)> = Vec::new();
    for (value, number) in &raw.values {
        let written = found.and_then(|(_, segment)| padded(value, segment, errors));
        let number = shards_of(number, shards, errors);
        let (Some(written), Some(number)) = (written, number) else {
            continue;
        };
        if values.iter().any(|(one, _)| *one == written) {
            errors.at_span(
                value.span,
                format!("`{}` stands twice, remove one", value.value),
            );
            continue;
        }
        values.push((written, number));
    }
    values.sort();
    let (segment, _) = found?;
    (errors.count() == before).then_some(HotSeries {
        segment,
        series,
        values,
    })
}

/// A value as keys contain it: padded to the declared width.
fn padded(value: &Text, segment: &Segment, errors: &mut Errors) -> Option<String> {
    let mut written = value.value.clone();
    let Some(width) = segment.options.width else {
        return Some(written);
    };
    let (bytes, width) = (written.len(), usize::from(width));
    if bytes > width {
        let name = &segment.ident;
        errors.at_span(
            value.span,
            format!("`{written}` has {bytes} bytes, and `{name}` takes {width} in the key"),
        );
        return None;
    }
    let pad = char::from(segment.options.pad.unwrap_or(b' '));
    written.extend(std::iter::repeat_n(pad, width - bytes));
    Some(written)
}

/// In how many shards the rows of a hot value are.
fn shards_of(number: &At<u32>, shards: u16, errors: &mut Errors) -> Option<u16> {
    if number.value < 2 {
        errors.at_span(
            number.span,
            "the rows of a hot value are in 2 shards or more: write more, or remove the value, whose rows are in one then",
        );
        return None;
    }
    let in_all = u16::try_from(number.value).ok();
    let in_all = in_all.filter(|number| *number <= shards);
    if in_all.is_none() {
        errors.at_span(
            number.span,
            format!("the salt has {shards} shards: write at most {shards}, or more of them"),
        );
    }
    in_all
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
