//! Options that a segment's type does not allow, if its name shows what it holds: numbers, `bool`,
//! `char`, `String` and bytes. All other types, such as aliases and newtypes, are known only to the
//! compiler; constants in the generated code check them by the same rules, with the same messages.

use syn::{Expr, ExprLit, GenericArgument, Lit, PathArguments, Type};

use crate::errors::Errors;
use crate::model::{Encoding, Model, Segment, SegmentOptions, Unit};

/// No ASCII letter or digit is above this byte.
const ABOVE_LETTERS: u8 = b'z';

/// What a type with a well-known name holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Known {
    Text,
    Integer { bits: u16, signed: bool },
    Float,
    Bool,
    Char,
    Bytes,
    Array,
}

/// The place of a segment in its key.
struct Place<'m> {
    encoding: Encoding,
    separator: &'m str,
    last: bool,
}

/// Checks each segment of a model whose attributes have no mistake.
pub(in crate::check) fn judge(model: &Model, errors: &mut Errors) {
    for (index, segment) in model.segments.iter().enumerate() {
        let place = Place {
            encoding: model.encoding,
            separator: &model.separator,
            last: model.is_last(index),
        };
        if let Some(message) = refusal(segment, &place) {
            errors.at(&segment.ty, message);
        }
    }
}

fn refusal(segment: &Segment, place: &Place<'_>) -> Option<&'static str> {
    match known(&segment.ty) {
        Some(_) if segment.is_time() => {
            Some("`time` is for a field that holds a time: write `key` for other types")
        }
        None if segment.bucket().is_none() && segment.is_time() => of_time(&segment.options, place),
        None => None,
        Some(known) => of_words(known, &segment.options)
            .or_else(|| in_code(known, &segment.options, place))
            .or_else(|| of_form(known, &segment.options, place))
            .or_else(|| by_separator(known, &segment.options, place)),
    }
}

/// A time in the key, whatever its type.
fn of_time(options: &SegmentOptions, place: &Place<'_>) -> Option<&'static str> {
    let unit = options.unit.unwrap_or(Unit::Micros);
    let is_narrow = |width: u16| options.format.is_none() && width < unit.digits();
    if options.width.is_some_and(is_narrow) {
        return Some(
            "no time of today has so few digits: a time takes 10 in `s`, 13 in `ms`, 16 in `us`",
        );
    }
    let is_text = options.width.is_some() || options.format.is_some();
    (place.encoding == Encoding::OrderedCode && options.reverse && !is_text && !options.binary).then_some(
        "ordered code has no descending order: remove `reverse` and read with `newest_first()`, or write `width = 19` as well, which makes it text",
    )
}

/// Options that are for other types.
fn of_words(known: Known, options: &SegmentOptions) -> Option<&'static str> {
    let of_time =
        options.unit.is_some() || options.format.is_some() || options.reverse || options.truncate;
    if of_time {
        return Some(
            "`unit`, `format`, `reverse` and `truncate` are for times: remove them, or make the field a time",
        );
    }
    if known != Known::Text && options.escape {
        return Some("`escape` is for strings: only text has bytes to escape");
    }
    (known != Known::Text && options.pad.is_some())
        .then_some("`pad` is for strings: numbers are padded with zeros")
}

/// Types and options that Bigtable's ordered code cannot express.
fn in_code(known: Known, options: &SegmentOptions, place: &Place<'_>) -> Option<&'static str> {
    if place.encoding != Encoding::OrderedCode {
        return None;
    }
    match known {
        Known::Bytes => Some(
            "a byte string of any length cannot be borrowed from a key in ordered code: use `[u8; N]`, or a string with `escape`",
        ),
        Known::Float => Some(
            "Bigtable's ordered code has no floats: store a whole number of a smaller unit, such as cents, or remove `encoding`",
        ),
        Known::Integer { .. } | Known::Bool | Known::Char if options.binary => Some(
            "in ordered code numbers and times are binary without a word, `bool` and `char` are text: remove `binary`",
        ),
        Known::Integer {
            bits: 64,
            signed: false,
        }
        | Known::Integer { bits: 128, .. }
            if options.width.is_none() =>
        {
            Some(
                "Bigtable's integers are those of `i64`: use `i64` or `u32`, or write `width = ...`, which makes it text",
            )
        }
        _ => None,
    }
}

/// How the type itself is written.
fn of_form(known: Known, options: &SegmentOptions, place: &Place<'_>) -> Option<&'static str> {
    match known {
        Known::Text if options.binary => Some("a string is its bytes already: remove `binary`"),
        Known::Bytes if !place.last => Some(
            "a byte string of any length stands only last in the key: use `[u8; N]`, or a string with `escape`",
        ),
        Known::Bytes if options.width.is_some() => {
            Some("a byte string has no `width`: use `[u8; N]`")
        }
        Known::Array if options.width.is_some() => {
            Some("`width` is given by the array's length: remove it")
        }
        Known::Integer { signed: true, .. } if options.width == Some(1) => {
            Some("`width` of a signed integer counts its sign: write 2 or more")
        }
        Known::Float if !options.binary => {
            Some("a float has no text form that keeps order: write `binary`")
        }
        Known::Float | Known::Bool | Known::Char if options.width.is_some() => {
            Some("`width` is for strings, integers and times: remove it")
        }
        _ => None,
    }
}

/// Types and options that cannot be before or after the separator.
fn by_separator(known: Known, options: &SegmentOptions, place: &Place<'_>) -> Option<&'static str> {
    let separator = place.separator.bytes().next().unwrap_or_default();
    let is_variable = options.width.is_none() && !options.escape;
    match known {
        Known::Text if is_variable && separator >= ABOVE_LETTERS => Some(
            "text ends at the separator, and no letter or digit is above this one: write `escape` or a `width`, or a lower `separator` such as \"#\"",
        ),
        Known::Char if !options.binary && separator >= ABOVE_LETTERS => Some(
            "a character ends at the separator, and no letter or digit is above this one: write `binary`, or a lower `separator` such as \"#\"",
        ),
        Known::Text
            if place.encoding == Encoding::Delimited
                && options.width.is_some()
                && options.pad.unwrap_or(b' ') <= separator =>
        {
            Some(
                "a segment of a structured key holds no byte at or below the separator, and this one's `pad`, `label`, `format` or text does: write a lower `separator`, such as \"!\", or other characters",
            )
        }
        Known::Bytes if place.encoding == Encoding::Delimited => Some(
            "a segment of a structured key with a `separator` is text, and this one is binary: write it as text, or remove `separator` for ordered code",
        ),
        _ => None,
    }
}

/// What a type holds, if it has one of the well-known names.
fn known(ty: &Type) -> Option<Known> {
    let path = match ty {
        Type::Path(ty) if ty.qself.is_none() => &ty.path,
        Type::Array(array) if is_u8(&array.elem) => return of_length(&array.len),
        _ => return None,
    };
    if let (1, Some(vec)) = (path.segments.len(), path.segments.last())
        && vec.ident == "Vec"
        && let PathArguments::AngleBracketed(arguments) = &vec.arguments
        && let Some(GenericArgument::Type(of)) = arguments.args.first()
    {
        return is_u8(of).then_some(Known::Bytes);
    }
    let name = path.get_ident()?.to_string();
    let integer = |signed| {
        let bits = name.get(1..)?.parse().ok()?;
        let is_one = matches!(bits, 8 | 16 | 32 | 64 | 128);
        is_one.then_some(Known::Integer { bits, signed })
    };
    match name.as_str() {
        "String" => Some(Known::Text),
        "f32" | "f64" => Some(Known::Float),
        "bool" => Some(Known::Bool),
        "char" => Some(Known::Char),
        name if name.starts_with('u') => integer(false),
        name if name.starts_with('i') => integer(true),
        _ => None,
    }
}

/// An array with a literal length; the runtime refuses an empty one.
fn of_length(length: &Expr) -> Option<Known> {
    let Expr::Lit(ExprLit {
        lit: Lit::Int(length),
        ..
    }) = length
    else {
        return None;
    };
    (length.base10_parse::<u16>().ok()? > 0).then_some(Known::Array)
}

fn is_u8(ty: &Type) -> bool {
    matches!(ty, Type::Path(ty) if ty.path.is_ident("u8"))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]

    use super::*;

    #[test]
    fn names_of_the_prelude_are_known() {
        let of = |ty: &str| known(&syn::parse_str(ty).unwrap());
        let integer = |bits, signed| Some(Known::Integer { bits, signed });
        assert_eq!(of("String"), Some(Known::Text));
        assert_eq!(of("u8"), integer(8, false));
        assert_eq!(of("i128"), integer(128, true));
        assert_eq!(of("f32"), Some(Known::Float));
        assert_eq!(of("Vec<u8>"), Some(Known::Bytes));
        assert_eq!(of("[u8; 4]"), Some(Known::Array));
    }

    #[test]
    fn other_names_are_left_to_the_compiler() {
        let unknown = [
            "Timestamp",
            "my::String",
            "u7",
            "usize",
            "Vec<u16>",
            "[u16; 4]",
            "[u8; N]",
            "[u8; 0]",
            "&str",
            "T",
            "Option<u8>",
            "<T as Of>::u8",
        ];
        for ty in unknown {
            assert_eq!(known(&syn::parse_str(ty).unwrap()), None, "{ty}");
        }
    }
}
