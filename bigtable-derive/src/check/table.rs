//! The name of a model's table, or the template of the names of its tables by period.

use syn::Ident;
use syn::ext::IdentExt as _;

use crate::errors::Errors;
use crate::model::{FormatItem, PeriodTables, Segment, Span, Table};
use crate::syntax::{RawModel, Text};

use super::names;
use super::time::format::{self, Grammar};

/// Formats of periods in tables' names.
const PERIOD: Grammar = Grammar {
    what: "a table's period",
    first: &["%Y", "%G"],
    unpadded: false,
    example: "table = \"SENSOR_{at:%Y%m%d}\"",
};

/// Periods, and formats that distinguish them, the shortest first.
const PERIODS: &[(Span, &str)] = &[
    (Span::Day, "%Y%m%d"),
    (Span::Week, "%G-W%V"),
    (Span::Month, "%Y%m"),
    (Span::Year, "%Y"),
];

/// The table, or the tables by period.
pub(super) fn table(raw: &RawModel, segments: &[Segment], errors: &mut Errors) -> Table {
    let Some(text) = &raw.table else {
        let example = shouting(&raw.ident);
        errors.at(
            &raw.ident,
            format!("a model names its table: add `#[bigtable(table = \"{example}\")]`"),
        );
        return Table::Fixed(example);
    };
    if text.value.contains(['{', '}']) {
        let before = errors.count();
        let tables = by_period(text, segments, errors);
        if let (Some(tables), true) = (&tables, errors.count() == before) {
            check_length(text, tables, errors);
        }
        return tables.map_or_else(|| Table::Fixed(shouting(&raw.ident)), Table::ByPeriod);
    }
    names::table(text, errors);
    Table::Fixed(text.value.clone())
}

/// `CurrentMetric` as `CURRENT_METRIC`, the way tables are named in Google's documents.
fn shouting(ident: &Ident) -> String {
    let mut name = String::new();
    for c in ident.to_string().chars() {
        if c.is_uppercase() && !name.is_empty() {
            name.push('_');
        }
        name.extend(c.to_uppercase());
    }
    name
}

/// The parts of `SENSOR_{at:%Y%m%d}`.
fn by_period(text: &Text, segments: &[Segment], errors: &mut Errors) -> Option<PeriodTables> {
    let refuse = |errors: &mut Errors, message: String| errors.at_span(text.span, message);
    let split = text.value.split_once('{');
    let split = split.and_then(|(before, rest)| Some((before, rest.split_once('}')?)));
    let Some((before, (placeholder, after))) = split.filter(|(before, _)| !before.contains('}'))
    else {
        let message = "a `{` in a table's name begins the event's time and its format, and a `}` ends it, as in `SENSOR_{at:%Y%m%d}`";
        refuse(errors, message.to_owned());
        return None;
    };
    if after.contains(['{', '}']) {
        let message = "a table's name holds one period: write all of its fields into one format, as in `{at:%Y%m%d}`";
        refuse(errors, message.to_owned());
        return None;
    }
    let (field, format) = match placeholder.split_once(':') {
        Some((field, format)) => (field, Some(format)),
        None => (placeholder, None),
    };
    let time = time(text, field, segments, errors)?;
    let Some(format) = format.filter(|format| !format.is_empty()) else {
        let message = format!(
            "`{{{field}}}` does not tell how long a period is: write `{{{field}:%Y%m%d}}` for a table a day"
        );
        refuse(errors, message);
        return None;
    };
    let format = Text {
        value: format.to_owned(),
        span: text.span,
    };
    let items = format::parse_as(&PERIOD, &format, errors)?;
    let literals = items.iter().filter_map(format::literal);
    names::table_text(text, literals.chain([before, after]), errors);
    let span = span(text, &items, errors)?;
    holds_rows(text, field, span, time, errors);
    let zone = zone(text, field, span, time, errors);
    Some(PeriodTables {
        before: before.to_owned(),
        field: field.to_owned(),
        items,
        span,
        zone,
        after: after.to_owned(),
    })
}

/// The field that a template names: only the event's time determines its table for ever.
fn time<'s>(
    text: &Text,
    field: &str,
    segments: &'s [Segment],
    errors: &mut Errors,
) -> Option<&'s Segment> {
    let Some(time) = segments.iter().find(|segment| segment.is_time()) else {
        errors.at_span(
            text.span,
            "tables by period go by the event's time, and no field is marked `time`: mark one, or write a name without `{}`",
        );
        return None;
    };
    let name = time.ident.unraw();
    if name == field {
        return Some(time);
    }
    let known = segments.iter().any(|one| one.ident.unraw() == field);
    let what = match known {
        true => format!("`{field}` is not the event's time"),
        false => format!("no segment of the key is named `{field}`"),
    };
    errors.at_span(
        text.span,
        format!("{what}: tables by period go by the event's time, write `{{{name}:%Y%m%d}}`"),
    );
    None
}

/// The period of the finest field; all coarser fields come before it.
fn span(text: &Text, items: &[FormatItem], errors: &mut Errors) -> Option<Span> {
    let finest = items.iter().rev().find_map(format::field);
    let message = match finest {
        Some("Year") => return Some(Span::Year),
        Some("Month") => return Some(Span::Month),
        Some("IsoWeek") => return Some(Span::Week),
        Some("Day" | "DayOfYear") => return Some(Span::Day),
        Some("Hour") => return Some(Span::Hour),
        Some("IsoYear") => {
            "`%G` is the year of an ISO week: write `%G-W%V` for a table a week, or `%Y` for one a year"
        }
        _ => {
            "a table holds an hour of events or more, and an instance at most 1,000 tables: end the format with `%H`, `%d` or a coarser field"
        }
    };
    errors.at_span(text.span, message);
    None
}

/// A row of many events must lie in one table, with its whole bucket.
fn holds_rows(text: &Text, field: &str, period: Span, time: &Segment, errors: &mut Errors) {
    let Some(bucket) = time.bucket() else {
        return;
    };
    if bucket.span.lies_in(period) {
        return;
    }
    let mut longer = PERIODS.iter();
    let advice = match longer.find(|(longer, _)| bucket.span.lies_in(*longer)) {
        Some((_, format)) => format!("write `{{{field}:{format}}}`, or a shorter bucket"),
        None => "write another bucket, or a name without `{}`".to_owned(),
    };
    errors.at_span(
        text.span,
        format!(
            "the row of a bucket lies in one table, and these buckets do not lie in one {}: {advice}",
            word(period)
        ),
    );
}

/// The zone of the periods: that of the bucket, or of the time's format.
fn zone(
    text: &Text,
    field: &str,
    period: Span,
    time: &Segment,
    errors: &mut Errors,
) -> Option<String> {
    let zone = match time.bucket() {
        Some(bucket) => return bucket.zone.clone(),
        None => time.options.zone()?,
    };
    if period == Span::Hour {
        errors.at_span(
            text.span,
            format!(
                "hours in names of tables are those of UTC, and the key has those of {zone}: write `{{{field}:%Y%m%d}}` for a table a local day, or remove `zone`"
            ),
        );
        return None;
    }
    Some(zone)
}

fn word(period: Span) -> &'static str {
    match period {
        Span::Year => "year",
        Span::Month => "month",
        Span::Week => "ISO week",
        Span::Day => "day",
        _ => "hour",
    }
}

/// All names of a template have the same length.
fn check_length(text: &Text, tables: &PeriodTables, errors: &mut Errors) {
    let format = tables.items.iter().map(|item| match item {
        FormatItem::Literal(text) => text.len(),
        FormatItem::Field(name) | FormatItem::Unpadded(name) => format::digits(name),
    });
    let len = tables.before.len() + format.sum::<usize>() + tables.after.len();
    if len > names::MOST_TABLE_BYTES {
        errors.at_span(
            text.span,
            format!(
                "a table ID has 1 to {} characters, these have {len}",
                names::MOST_TABLE_BYTES
            ),
        );
    }
}
