//! Calendar formats of times in keys.

use crate::errors::Errors;
use crate::model::FormatItem;
use crate::syntax::Text;

/// A directive: its text, the name of the runtime's field, and what may come before it.
struct Directive {
    text: &'static str,
    field: &'static str,
    /// The last directive before it must be one of these; empty if it can only begin a format.
    after: &'static [&'static str],
    /// The microseconds that it counts, if their number is fixed.
    grain: Option<i64>,
}

const fn directive_of(
    text: &'static str,
    field: &'static str,
    after: &'static [&'static str],
    grain: Option<i64>,
) -> Directive {
    Directive {
        text,
        field,
        after,
        grain,
    }
}

/// From coarse to fine. Since each directly follows the next coarser one, the text sorts like the
/// time and distinguishes times.
const DIRECTIVES: &[Directive] = &[
    directive_of("%Y", "Year", &[], None),
    directive_of("%m", "Month", &["%Y"], None),
    directive_of("%d", "Day", &["%m"], Some(86_400_000_000)),
    directive_of("%j", "DayOfYear", &["%Y"], Some(86_400_000_000)),
    directive_of("%H", "Hour", &["%d", "%j"], Some(3_600_000_000)),
    directive_of("%M", "Minute", &["%H"], Some(60_000_000)),
    directive_of("%S", "Second", &["%M"], Some(1_000_000)),
    directive_of("%3f", "Millisecond", &["%S"], Some(1_000)),
    directive_of("%6f", "Microsecond", &["%S"], Some(1)),
    directive_of("%G", "IsoYear", &[], None),
    directive_of("%V", "IsoWeek", &["%G"], Some(7 * 86_400_000_000)),
];

/// Fields that may be without leading zeros.
const UNPADDED: &[&str] = &["%m", "%d", "%j", "%H", "%M", "%S", "%V"];

/// What a format is for.
pub(in crate::check) struct Grammar {
    /// With its article, for messages.
    pub(in crate::check) what: &'static str,
    /// The directives that it may begin with.
    pub(in crate::check) first: &'static [&'static str],
    /// Whether fields may be without leading zeros, as in `%-d`.
    pub(in crate::check) unpadded: bool,
    pub(in crate::check) example: &'static str,
}

/// Formats of whole times in keys.
const KEY: Grammar = Grammar {
    what: "a format",
    first: &["%Y"],
    unpadded: false,
    example: "format = \"%Y%m%d\"",
};

/// The parts of a format; `None` if it does not keep the order of times.
pub(in crate::check) fn parse(format: &Text, errors: &mut Errors) -> Option<Vec<FormatItem>> {
    parse_as(&KEY, format, errors)
}

/// The parts of a format; `None` if it does not follow the grammar.
pub(in crate::check) fn parse_as(
    grammar: &Grammar,
    format: &Text,
    errors: &mut Errors,
) -> Option<Vec<FormatItem>> {
    match items(grammar, &format.value) {
        Ok(items) => Some(items),
        Err(message) => {
            errors.at_span(format.span, message);
            None
        }
    }
}

/// The text of a field's directive.
pub(crate) fn directive_text(field: &str) -> &'static str {
    let directive = DIRECTIVES.iter().find(|one| one.field == field);
    directive.map_or("", |directive| directive.text)
}

/// The digits that a field takes.
pub(in crate::check) fn digits(field: &str) -> usize {
    match field {
        "Year" | "IsoYear" => 4,
        "DayOfYear" | "Millisecond" => 3,
        "Microsecond" => 6,
        _ => 2,
    }
}

/// The microseconds that the last field counts; `None` for months and years, whose lengths differ.
pub(in crate::check) fn grain(items: &[FormatItem]) -> Option<i64> {
    let last = items.iter().rev().find_map(field)?;
    DIRECTIVES.iter().find(|one| one.field == last)?.grain
}

/// The name of a part that is a field.
pub(in crate::check) fn field(item: &FormatItem) -> Option<&'static str> {
    match item {
        FormatItem::Field(name) | FormatItem::Unpadded(name) => Some(name),
        FormatItem::Literal(_) => None,
    }
}

/// A part that is text.
pub(in crate::check) fn literal(item: &FormatItem) -> Option<&str> {
    match item {
        FormatItem::Literal(text) => Some(text),
        FormatItem::Field(_) | FormatItem::Unpadded(_) => None,
    }
}

fn items(grammar: &Grammar, format: &str) -> Result<Vec<FormatItem>, String> {
    let mut items = Vec::new();
    let mut last = "";
    let mut rest = format;
    while !rest.is_empty() {
        let literal = rest.find('%').unwrap_or(rest.len());
        let (text, tail) = rest.split_at(literal);
        push_literal(grammar, &mut items, text)?;
        if tail.is_empty() {
            break;
        }
        let (directive, is_unpadded) = directive(grammar, tail)?;
        let fits = match last {
            "" => grammar.first.contains(&directive.text),
            last => directive.after.contains(&last),
        };
        if !fits {
            return Err(misplaced(grammar, directive, last));
        }
        ends_before(&items, "a field")?;
        items.push(if is_unpadded {
            FormatItem::Unpadded(directive.field)
        } else {
            FormatItem::Field(directive.field)
        });
        last = directive.text;
        let len = directive.text.len() + usize::from(is_unpadded);
        rest = tail.get(len..).unwrap_or_default();
    }
    if last.is_empty() {
        let Grammar { what, example, .. } = grammar;
        let first = firsts(grammar);
        return Err(format!("{what} begins with {first}: write `{example}`"));
    }
    Ok(items)
}

/// What a format may begin with, in words.
fn firsts(grammar: &Grammar) -> String {
    match grammar.first {
        ["%Y"] => "the year".to_owned(),
        first => format!("`{}`", first.join("` or `")),
    }
}

fn push_literal(grammar: &Grammar, items: &mut Vec<FormatItem>, text: &str) -> Result<(), String> {
    if text.bytes().any(|byte| !byte.is_ascii_graphic()) {
        let what = grammar.what;
        return Err(format!("{what} holds printable ASCII text without spaces"));
    }
    if text.starts_with(|c: char| c.is_ascii_digit()) {
        ends_before(items, "a digit")?;
    }
    if !text.is_empty() {
        items.push(FormatItem::Literal(text.to_owned()));
    }
    Ok(())
}

/// The text after a field without leading zeros must show where the field ends.
fn ends_before(items: &[FormatItem], what: &str) -> Result<(), String> {
    let Some(FormatItem::Unpadded(name)) = items.last() else {
        return Ok(());
    };
    let text = directive_text(name);
    Err(format!(
        "nothing tells where `{}` ends before {what}: write `{text}`, or text other than digits after it",
        text.replace('%', "%-")
    ))
}

/// The directive at the beginning of the text, and whether it is without leading zeros.
fn directive(grammar: &Grammar, tail: &str) -> Result<(&'static Directive, bool), String> {
    let padded = tail.replacen("%-", "%", 1);
    let is_unpadded = tail.starts_with("%-");
    let known = |directive: &&Directive| !matches!(directive.text, "%G" | "%V") || weeks(grammar);
    let mut directives = DIRECTIVES.iter().filter(known);
    let found = directives.find(|directive| padded.starts_with(directive.text));
    match found {
        Some(one) if is_unpadded && !grammar.unpadded => Err(format!(
            "text without leading zeros does not sort like the time: write `{}`",
            one.text
        )),
        Some(one) if is_unpadded && !UNPADDED.contains(&one.text) => Err(format!(
            "this field has all its digits: write `{}`",
            one.text
        )),
        Some(one) => Ok((one, is_unpadded)),
        None if padded.starts_with("%G") || padded.starts_with("%V") => Err(
            "`%G` and `%V` are the year and the number of an ISO week, in labels of `bucket = \"week\"`: write `%Y`"
                .to_owned(),
        ),
        None => {
            let texts = DIRECTIVES.iter().filter(known).map(|one| one.text);
            let texts: Vec<_> = texts.collect();
            let unknown: String = tail.chars().take(2).collect();
            Err(format!(
                "unknown directive `{unknown}`: there are {}",
                texts.join(" ")
            ))
        }
    }
}

/// Whether the fields of ISO weeks are known.
fn weeks(grammar: &Grammar) -> bool {
    grammar.first.contains(&"%G")
}

fn misplaced(grammar: &Grammar, directive: &Directive, last: &str) -> String {
    let Directive { text, after, .. } = directive;
    let Grammar { what, .. } = grammar;
    let wanted = after.join("` or `");
    match (wanted.as_str(), last) {
        (_, "") if grammar.first != ["%Y"] => {
            format!("{what} begins with {}, not `{text}`", firsts(grammar))
        }
        (_, "") => format!("`{text}` needs `{wanted}` before it, {what} begins with `%Y`"),
        ("", _) => format!("`{text}` stands first and once, so that the text sorts like the time"),
        _ => format!(
            "`{text}` needs `{wanted}` right before it, not `{last}`: from the year down, so that the text sorts like the time",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_go_from_the_year_down() {
        let field = FormatItem::Field;
        assert_eq!(
            items(&KEY, "%Y-%m-%d-%H%M"),
            Ok(vec![
                field("Year"),
                FormatItem::Literal("-".to_owned()),
                field("Month"),
                FormatItem::Literal("-".to_owned()),
                field("Day"),
                FormatItem::Literal("-".to_owned()),
                field("Hour"),
                field("Minute"),
            ])
        );
        assert!(items(&KEY, "%Y%m%d%H%M%S%3f").is_ok());
        assert!(items(&KEY, "%Y%j").is_ok());
    }

    #[test]
    fn formats_that_lose_order_or_parts_are_refused() {
        for bad in [
            "",
            "%m%d",
            "%Y%d",
            "%d%m%Y",
            "%Y%m%d%M",
            "%Y%Y",
            "%Y %m",
            "%Y%q",
            "day",
            "%Y%m%d%3f",
            "%",
            "%Y-%-m",
            "%G-W%V",
        ] {
            assert!(items(&KEY, bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_field_without_leading_zeros_ends_before_text() {
        let label = Grammar {
            what: "a label",
            first: &["%Y", "%G"],
            unpadded: true,
            example: "label = \"%Y%m%d\"",
        };
        for good in ["%Y-%-m-%-d", "%Y%-m", "%G-W%V", "%Y/%-j"] {
            assert!(items(&label, good).is_ok(), "{good}");
        }
        for bad in ["%Y%-m%d", "%Y%-m1", "%-Y", "%G%m", "%V", "%Y%G"] {
            assert!(items(&label, bad).is_err(), "{bad}");
        }
    }
}
