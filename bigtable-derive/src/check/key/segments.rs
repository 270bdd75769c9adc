//! Key segments: their options, and the shape of the key as a whole.

use syn::Ident;

use crate::errors::Errors;
use crate::model::{Offset, Role, Salt, Segment, SegmentOptions};
use crate::syntax::{RawField, keyword};

use crate::check::names;
use crate::check::time::bucket::{self, Surroundings};
use crate::check::time::{format, unit, zone};

/// The segment of a field, and for the time of layout `columns` the offset.
pub(in crate::check) fn segment(
    field: &RawField,
    around: Surroundings<'_>,
    errors: &mut Errors,
) -> (Segment, Option<Offset>) {
    let mut offset = None;
    if let (Some(_), Some(growing)) = (field.time, field.ever_growing) {
        errors.at_span(
            growing,
            "times grow without a word: remove `ever_growing`, which is for sequence numbers and the like",
        );
    }
    let (role, options) = if field.time.is_none() {
        (
            role_beside_time(field, around, errors),
            options(field, errors),
        )
    } else if around.layout.has_bucket() {
        let (bucket, of_columns) = bucket::bucket(field, around, errors);
        offset = of_columns;
        (Role::Bucket(bucket), SegmentOptions::default())
    } else {
        bucket::refuse_in_row(field, errors);
        (Role::Time, options(field, errors))
    };
    let segment = Segment {
        ident: field.ident.clone(),
        setter: names::segment_setter(&field.ident, errors),
        ty: field.ty.clone(),
        docs: field.docs.clone(),
        role,
        options,
    };
    (segment, offset)
}

/// An identifier or a tie-breaker: several events of a series at one time need a row each, or
/// columns each.
fn role_beside_time(field: &RawField, around: Surroundings<'_>, errors: &mut Errors) -> Role {
    match field.tie_breaker {
        None => Role::Identifier,
        Some(_) if !around.layout.has_bucket() || around.layout.has_offset() => Role::TieBreaker,
        Some(span) => {
            errors.at_span(
                span,
                format!(
                    "`layout = \"{}\"` has one event of a series at a time, and no room for what tells others apart: write `layout = \"row\"` or `layout = \"columns\"`, or `key` in place of `tie_breaker` for series of their own",
                    around.layout.word()
                ),
            );
            Role::Identifier
        }
    }
}

/// The options; those that contradict each other are reported and left out.
fn options(field: &RawField, errors: &mut Errors) -> SegmentOptions {
    let mut options = SegmentOptions {
        width: width(field, errors),
        pad: field.pad.as_ref().map(|at| at.value),
        binary: field.binary.is_some(),
        escape: field.escape.is_some(),
        unit: unit::unit(field, errors),
        format: field
            .format
            .as_ref()
            .and_then(|at| format::parse(at, errors)),
        offset_seconds: zone::of_format(field, errors),
        reverse: field.reverse.is_some(),
        truncate: field.truncate.is_some(),
    };
    conflicts(field, &mut options, errors);
    if options.format.is_none() {
        options.offset_seconds = 0;
    }
    options
}

fn width(field: &RawField, errors: &mut Errors) -> Option<u16> {
    let width = field.width.as_ref()?;
    if (1..=4096).contains(&width.value) {
        return Some(width.value);
    }
    errors.at_span(
        width.span,
        "a width is 1 to 4096 bytes, the most that a row key may have",
    );
    None
}

/// Pairs of options that cannot both hold, whatever the type; the second one of a pair is dropped.
fn conflicts(field: &RawField, options: &mut SegmentOptions, errors: &mut Errors) {
    if let (Some(pad), None) = (&field.pad, &field.width) {
        errors.at_span(
            pad.span,
            "`pad` fills up to a width: add `width = ...`, or remove it",
        );
        options.pad = None;
    }
    if let (Some(_), Some(escape)) = (&field.width, field.escape) {
        errors.at_span(
            escape,
            "`escape` makes a segment of variable width, `width` one of fixed width: remove one of them",
        );
        options.escape = false;
    }
    if let (Some(_), Some(binary)) = (&field.format, field.binary) {
        errors.at_span(
            binary,
            "`binary` does not go with `format`, which is text: remove one of them",
        );
        options.binary = false;
    } else if let (Some(_), Some(binary)) = (&field.width, field.binary) {
        errors.at_span(
            binary,
            "`binary` has the width of the type: remove `width` or `binary`",
        );
        options.width = None;
    } else if let (Some(_), Some(binary)) = (field.escape, field.binary) {
        errors.at_span(
            binary,
            "`binary` has no bytes to escape: remove `escape` or `binary`",
        );
        options.binary = false;
    }
    if let (Some(format), Some(_)) = (&field.format, &field.unit) {
        errors.at_span(
            format.span,
            "`format` writes calendar fields, `unit` counts since 1970: remove one of them",
        );
        options.format = None;
    }
    if let (Some(_), Some(reverse)) = (&options.format, field.reverse) {
        errors.at_span(
            reverse,
            "`reverse` does not go with `format`: write `unit = \"...\"` instead of the format",
        );
        options.reverse = false;
    }
}

/// Checks rules about all segments together. Returns the identifier that must not be a time, which
/// only its type shows.
pub(in crate::check) fn key(
    ident: &Ident,
    segments: &mut [Segment],
    salt: Option<&Salt>,
    allow: &[String],
    fields: &[RawField],
    errors: &mut Errors,
) -> Option<usize> {
    if segments.is_empty() {
        errors.at(
            ident,
            "a model needs a row key: mark its fields with `key` in the order of the key, and the event's time with `time`",
        );
    }
    only_one_time(segments, fields, errors);
    ties_come_last(segments, salt, errors);
    something_stands_in_it(segments, errors);
    fits_a_row_key(ident, segments, errors);
    let first = first_unsalted(segments, salt, allow)?;
    growing_not_first(first, segments, fields, errors).then_some(first)
}

/// A row key takes at most 4 KiB (Bigtable's rule); the declared widths alone may exceed that.
fn fits_a_row_key(ident: &Ident, segments: &[Segment], errors: &mut Errors) {
    let widths = segments.iter().filter_map(|segment| segment.options.width);
    let bytes: usize = widths.map(usize::from).sum();
    if bytes > 4096 {
        errors.at(
            ident,
            format!("the segments of the key take {bytes} bytes, a row key has at most 4096: make them narrower"),
        );
    }
}

fn only_one_time(segments: &mut [Segment], fields: &[RawField], errors: &mut Errors) {
    let times = fields.iter().filter_map(|field| field.time);
    for second in times.skip(1) {
        errors.at_span(
            second,
            "an event has one time: mark this one with `key`, and it is an identifier",
        );
    }
    let times = segments.iter_mut().filter(|segment| segment.is_time());
    times
        .skip(1)
        .for_each(|segment| segment.role = Role::Identifier);
}

/// Tie-breakers order events of one time, so nothing else follows the first of them.
fn ties_come_last(segments: &mut [Segment], salt: Option<&Salt>, errors: &mut Errors) {
    let is_tie = |segment: &Segment| matches!(segment.role, Role::TieBreaker);
    let mut placed = segments.iter().enumerate();
    let Some((first, tie)) = placed.find(|(_, one)| is_tie(one)) else {
        return;
    };
    let tie = &tie.ident;
    let time = segments.iter().position(Segment::is_time);
    let other = segments.iter().skip(first).find(|one| !is_tie(one));
    match (time, other) {
        (None, _) => errors.at(
            tie,
            "a tie-breaker is for events of one time, and the model has none: mark a field before it with `time`, or write `key` in place of `tie_breaker`",
        ),
        (Some(time), _) if time > first => errors.at(
            tie,
            "a tie-breaker follows the time in the key: put the field after the one with `time`",
        ),
        (Some(_), Some(other)) => errors.at(
            &other.ident,
            format!("a tie-breaker comes last in the key: put this field before `{tie}`"),
        ),
        (Some(time), None) if salt.is_some_and(|salt| salt.place > time) => errors.at(
            tie,
            "a salt between the time and a tie-breaker would order events of one time by their shards: put `salt` on a field that comes before",
        ),
        (Some(_), None) => return,
    }
    for segment in segments.iter_mut().filter(|one| is_tie(one)) {
        segment.role = Role::Identifier;
    }
}

/// Every row needs a key.
fn something_stands_in_it(segments: &[Segment], errors: &mut Errors) {
    if let (Some(first), true) = (segments.first(), segments.iter().all(Segment::is_absent)) {
        errors.at(
            &first.ident,
            "nothing of the time stands in the key, and there is nothing else: add an identifier with `key`, or write a bucket",
        );
    }
}

/// The segment that the key begins with; `None` if a salt in front of it spreads its values, or if
/// `allow(time_first)` permits anything.
fn first_unsalted(segments: &[Segment], salt: Option<&Salt>, allow: &[String]) -> Option<usize> {
    let first = segments.iter().position(|segment| !segment.is_absent())?;
    let salted = salt.is_some_and(|salt| salt.place <= first);
    (!salted && !bucket::allows(allow, keyword::TIME_FIRST)).then_some(first)
}

/// A time at the front sends all writes of a moment to one node (Google's schema design for time
/// series advises against it), even after a literal prefix, and so does a sequence number. A salt
/// in front spreads the writes. Whether an identifier is a time depends on its type, and is checked
/// where the type is known.
fn growing_not_first(
    first: usize,
    segments: &[Segment],
    fields: &[RawField],
    errors: &mut Errors,
) -> bool {
    let Some(segment) = segments.get(first) else {
        return false;
    };
    if segment.is_time() {
        errors.at(&segment.ident, time_first(&segment.ident));
        return false;
    }
    let field = fields.iter().find(|field| field.ident == segment.ident);
    let Some(growing) = field.and_then(|field| field.ever_growing) else {
        return true;
    };
    let name = &segment.ident;
    errors.at_span(
        growing,
        format!(
            "a key that begins with a value that grows with every event sends all new events to one node: put an identifier before `{name}`, spread it with `salt(shards = 64, of({name}))`, or write `allow(time_first)` on the struct"
        ),
    );
    false
}

/// The message about a key that begins with a time.
pub(crate) fn time_first(name: &Ident) -> String {
    format!(
        "a key that begins with the time sends all new events to one node: put an identifier before it, spread it with `salt(shards = 64, of({name}))`, or write `allow(time_first)` on the struct"
    )
}

/// The message about a key that begins with one of few values, followed by the time.
pub(crate) fn few_first(name: &Ident, time: &Ident) -> String {
    format!(
        "a key that begins with one of few values and then the time sends all new events to as few nodes: put another identifier before `{time}`, spread it with `salt(shards = 64, of({name}, {time}))`, or write `allow(time_first)` on the struct"
    )
}
