//! Keys in Bigtable's own structured encodings: refuses what these cannot express, as far as the
//! attributes show it. The rest depends on types.

use proc_macro2::Span;
use syn::ext::IdentExt;

use crate::check::time::format;
use crate::errors::Errors;
use crate::model::{Encoding, FormatItem, Label, Segment};
use crate::syntax::{RawField, RawModel};

/// The separator of segments in ordered code.
pub(in crate::check) const ORDERED_CODE: &str = "\0\u{1}";

/// Names that SQL uses for other things than columns of the key.
const TAKEN: [&str; 2] = ["_key", "_timestamp"];

/// The encoding that the attributes declare.
pub(in crate::check) fn encoding(raw: &RawModel, errors: &mut Errors) -> Encoding {
    let Some(declared) = &raw.encoding else {
        return Encoding::Own;
    };
    if declared.value != "structured" {
        errors.at_span(
            declared.span,
            format!(
                "unknown encoding `{}`: write `encoding = \"structured\"` for Bigtable's own, or remove it",
                declared.value
            ),
        );
    }
    match raw.separator {
        Some(_) => Encoding::Delimited,
        None => Encoding::OrderedCode,
    }
}

/// Reports segments that the encoding cannot express. Returns the encoding; a delimited one with
/// mistakes becomes `Encoding::Own`, so that types are not checked for it.
pub(in crate::check) fn judge<'f>(
    encoding: Encoding,
    raw: &RawModel,
    (segments, separator): (&[Segment], &str),
    families: impl Iterator<Item = &'f str> + Clone,
    errors: &mut Errors,
) -> Encoding {
    if encoding == Encoding::Own {
        return encoding;
    }
    let before = errors.count();
    if let Some(enclosed) = raw.enclosed {
        errors.at_span(
            enclosed,
            "Bigtable's own encodings have no separator in front of the key and at its end: remove `enclosed` or `encoding`",
        );
    }
    let lowest = separator.bytes().next().unwrap_or_default();
    if let Some(prefix) = &raw.prefix
        && prefix.value.bytes().any(|byte| byte <= lowest)
    {
        low(prefix.span, "prefix", lowest, errors);
    }
    for segment in segments {
        names(segment, raw, families.clone(), errors);
        let field = raw.fields.iter().find(|one| one.ident == segment.ident);
        if let Some(field) = field {
            binary(encoding, field, segment, errors);
            stays_above(field, segment, lowest, errors);
        }
    }
    match encoding {
        Encoding::Delimited if errors.count() > before => Encoding::Own,
        encoding => encoding,
    }
}

/// A field of the key is a column in SQL, besides the families and SQL's own columns.
fn names<'f>(
    segment: &Segment,
    raw: &RawModel,
    mut families: impl Iterator<Item = &'f str>,
    errors: &mut Errors,
) {
    let name = segment.ident.unraw().to_string();
    let salted = raw.salt.is_some() || raw.fields.iter().any(|field| field.salt.is_some());
    let holder = match name.as_str() {
        name if TAKEN.contains(&name) => "SQL has a column of its own by that name".to_owned(),
        "prefix" if raw.prefix.is_some() => "it is the name of the literal prefix".to_owned(),
        "salt" if salted => "it is the name of the shard's number".to_owned(),
        name if families.any(|family| family == name) => "a family has that name".to_owned(),
        _ => return,
    };
    errors.at(
        &segment.ident,
        format!("a segment of a structured key is a column in SQL and cannot be named `{name}`: {holder}, rename the field"),
    );
}

/// Segments between separators are text, and buckets are text in both encodings.
fn binary(encoding: Encoding, field: &RawField, segment: &Segment, errors: &mut Errors) {
    let of_bucket = segment.bucket().is_some();
    if let Some(binary) = field.binary
        && (encoding == Encoding::Delimited || of_bucket)
    {
        let instead = match of_bucket {
            true => "remove `binary`, and the bucket is text",
            false => "remove `binary`, or `separator` for ordered code",
        };
        errors.at_span(
            binary,
            format!("bytes of a binary segment may be those of the separator, which Bigtable's encoding refuses: {instead}"),
        );
    }
    if let (Some(escape), Encoding::Delimited) = (field.escape, encoding) {
        errors.at_span(
            escape,
            "Bigtable does not know this library's escapes: remove `escape`, or remove `separator` for ordered code, which holds any text",
        );
    }
}

/// No byte of a text is at or below the separator.
fn stays_above(field: &RawField, segment: &Segment, lowest: u8, errors: &mut Errors) {
    if let Some(pad) = field.pad.as_ref().filter(|pad| pad.value <= lowest) {
        low(pad.span, "pad", lowest, errors);
    }
    let is_low = |text: &str| text.bytes().any(|byte| byte <= lowest);
    let has_low = |items: &[FormatItem]| items.iter().filter_map(format::literal).any(is_low);
    let of_time = segment.options.format.as_deref().is_some_and(has_low);
    if let Some(format) = field.format.as_ref().filter(|_| of_time) {
        low(format.span, "format", lowest, errors);
    }
    let of_label = match segment.bucket().map(|bucket| &bucket.label) {
        Some(Label::Calendar(items)) => has_low(items),
        Some(Label::Counted { before, after, .. }) => is_low(before) || is_low(after),
        _ => false,
    };
    if let Some(label) = field.label.as_ref().filter(|_| of_label) {
        low(label.span, "label", lowest, errors);
    }
}

fn low(span: Span, word: &str, lowest: u8, errors: &mut Errors) {
    errors.at_span(
        span,
        format!(
            "this `{word}` holds a byte at or below the separator `{}`, which Bigtable's encoding refuses: write other characters, or a lower `separator` such as \"!\"",
            char::from(lowest)
        ),
    );
}
