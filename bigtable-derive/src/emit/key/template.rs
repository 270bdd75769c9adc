//! The key's template, for the docs of generated types. The notation is that of the runtime's
//! `KeyLayout`, as far as it can be known without the fields' types.

use quote::ToTokens;
use syn::ext::IdentExt;

use crate::check::time::format::directive_text;
use crate::model::{Encoding, FormatItem, Label, Model, Salt, Segment, SegmentOptions, Unit};

/// The key as people write it: segments in braces, each with how it is written.
pub(in crate::emit) fn template(model: &Model) -> String {
    let written = model.segments.iter().enumerate();
    let segments = written.flat_map(|(index, segment)| {
        let salt = model.salt.as_ref().filter(|salt| salt.place == index);
        let segment = (!segment.is_absent()).then(|| segment_template(model, segment));
        salt.map(salt_template).into_iter().chain(segment)
    });
    let prefix = Some(model.prefix.clone()).filter(|prefix| !prefix.is_empty());
    let parts: Vec<_> = prefix.into_iter().chain(segments).collect();
    let around = if model.enclosed {
        model.separator.as_str()
    } else {
        ""
    };
    match model.encoding {
        Encoding::OrderedCode => parts.join(r"\x00\x01"),
        Encoding::Own | Encoding::Delimited => {
            format!("{around}{}{around}", parts.join(&model.separator))
        }
    }
}

/// `{salt:02 of 64}`.
fn salt_template(salt: &Salt) -> String {
    let digits = (salt.shards - 1 + salt.first).to_string().len();
    let from = match salt.first {
        0 => String::new(),
        first => format!(" from {first}"),
    };
    let by = salt.hash.as_ref().and_then(|own| own.segments.last());
    let by = by.map_or_else(String::new, |own| format!(" by {}", own.ident));
    format!("{{salt:0{digits} of {}{from}{by}}}", salt.shards)
}

/// A bucket by its label.
fn label_form(label: &Label) -> String {
    match label {
        Label::Calendar(items) => format_text(items),
        Label::Start {
            unit,
            width,
            reverse,
        } => format!("{}0{width}{}", reversed(*reverse), unit.word()),
        Label::BinaryStart { unit, reverse } => {
            format!("{}be8 {}", reversed(*reverse), unit.word())
        }
        Label::Units {
            micros,
            width,
            reverse,
            ..
        } => format!("{}0{width} of {}", reversed(*reverse), written(*micros)),
        Label::Counted {
            before,
            after,
            width: 0,
            ..
        } => format!("{before}{{n}}{after}"),
        Label::Counted {
            before,
            after,
            width,
            ..
        } => format!("{before}{{n:0{width}}}{after}"),
        Label::Absent => String::new(),
    }
}

/// Microseconds in the coarsest unit that divides them: `100s`.
fn written(micros: i64) -> String {
    let units = [
        ("d", 86_400_000_000),
        ("h", 3_600_000_000),
        ("m", 60_000_000),
        ("s", 1_000_000),
        ("ms", 1_000),
    ];
    let whole = units.iter().find(|(_, unit)| micros % unit == 0);
    let (unit, of) = whole.copied().unwrap_or(("us", 1));
    format!("{}{unit}", micros / of)
}

fn reversed(is_reversed: bool) -> &'static str {
    if is_reversed { "rev " } else { "" }
}

fn segment_template(model: &Model, segment: &Segment) -> String {
    let name = segment.ident.unraw();
    let options = &segment.options;
    let is_coded = model.encoding == Encoding::OrderedCode
        && segment.bucket().is_none()
        && options.width.is_none()
        && options.format.is_none();
    if is_coded {
        return format!("{{{name}:{}}}", coded_form(segment));
    }
    let is_time = segment.is_time() || options.unit.is_some() || options.reverse;
    let form = if let Some(bucket) = segment.bucket() {
        Some(label_form(&bucket.label))
    } else if let Some(items) = &options.format {
        let zone = options.zone().map(|zone| format!(" in {zone}"));
        Some(format_text(items) + &zone.unwrap_or_default())
    } else if is_time {
        Some(time_form(options))
    } else if options.binary {
        Some("binary".to_owned())
    } else if options.escape {
        Some("escape".to_owned())
    } else {
        options.width.map(|width| width_form(segment, width))
    };
    let form = form.map_or_else(String::new, |form| format!(":{form}"));
    format!("{{{name}{form}}}")
}

/// In ordered code.
fn coded_form(segment: &Segment) -> String {
    let options = &segment.options;
    match options.unit {
        _ if options.escape => "code escape".to_owned(),
        _ if options.binary => "code binary".to_owned(),
        None if !segment.is_time() => "code".to_owned(),
        unit => format!("code {}", unit.unwrap_or(Unit::Micros).word()),
    }
}

fn time_form(options: &SegmentOptions) -> String {
    let unit = options.unit.unwrap_or(Unit::Micros);
    let (digits, unit) = (unit.digits(), unit.word());
    let reverse = reversed(options.reverse);
    if options.binary {
        return format!("{reverse}be8 {unit}");
    }
    let by_default = if options.reverse { 19 } else { digits };
    format!("{reverse}0{}{unit}", options.width.unwrap_or(by_default))
}

/// Numbers are padded on the left, all else on the right. For docs the type's name is enough to
/// decide.
fn width_form(segment: &Segment, width: u16) -> String {
    let ty = segment.ty.to_token_stream().to_string();
    let bits = ty.strip_prefix(['u', 'i']).unwrap_or_default();
    let is_number = matches!(bits, "8" | "16" | "32" | "64" | "128");
    match (is_number, ty.starts_with('i'), pad_of(segment)) {
        (true, true, _) => format!("+0{width}"),
        (true, false, _) => format!("0{width}"),
        (false, _, pad) => format!("{pad}<{width}"),
    }
}

fn pad_of(segment: &Segment) -> String {
    let pad = segment.options.pad.filter(|pad| *pad != b' ');
    pad.map_or_else(String::new, |pad| char::from(pad).to_string())
}

fn format_text(items: &[FormatItem]) -> String {
    let text = |item: &FormatItem| match item {
        FormatItem::Literal(text) => text.clone(),
        FormatItem::Field(name) => directive_text(name).to_owned(),
        FormatItem::Unpadded(name) => directive_text(name).replace('%', "%-"),
    };
    items.iter().map(text).collect()
}
