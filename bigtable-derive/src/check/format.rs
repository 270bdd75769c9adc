//! Calendar formats of times in keys.

use crate::errors::Errors;
use crate::model::FormatItem;
use crate::syntax::Text;

/// A directive: its text, the name of the runtime's field, and what may stand before it.
struct Directive {
    text: &'static str,
    field: &'static str,
    /// The directive that must be the last one before it; empty for the first.
    after: &'static [&'static str],
}

/// From coarse to fine. That each stands right behind the next coarser one is what makes the text
/// sort like the time and tell one time from another.
const DIRECTIVES: &[Directive] = &[
    Directive {
        text: "%Y",
        field: "Year",
        after: &[""],
    },
    Directive {
        text: "%m",
        field: "Month",
        after: &["%Y"],
    },
    Directive {
        text: "%d",
        field: "Day",
        after: &["%m"],
    },
    Directive {
        text: "%j",
        field: "DayOfYear",
        after: &["%Y"],
    },
    Directive {
        text: "%H",
        field: "Hour",
        after: &["%d", "%j"],
    },
    Directive {
        text: "%M",
        field: "Minute",
        after: &["%H"],
    },
    Directive {
        text: "%S",
        field: "Second",
        after: &["%M"],
    },
    Directive {
        text: "%3f",
        field: "Millisecond",
        after: &["%S"],
    },
    Directive {
        text: "%6f",
        field: "Microsecond",
        after: &["%S"],
    },
];

/// The parts of a format; none when it can't keep the order of times.
pub(super) fn parse(format: &Text, errors: &mut Errors) -> Option<Vec<FormatItem>> {
    match items(&format.value) {
        Ok(items) => Some(items),
        Err(message) => {
            errors.at_span(format.span, message);
            None
        }
    }
}

fn items(format: &str) -> Result<Vec<FormatItem>, String> {
    let mut items = Vec::new();
    let mut last = "";
    let mut rest = format;
    while !rest.is_empty() {
        let literal = rest.find('%').unwrap_or(rest.len());
        let (text, behind) = rest.split_at(literal);
        push_literal(&mut items, text)?;
        if behind.is_empty() {
            break;
        }
        let directive = directive(behind)?;
        if !directive.after.contains(&last) {
            return Err(misplaced(directive, last));
        }
        items.push(FormatItem::Field(directive.field));
        last = directive.text;
        rest = behind.get(directive.text.len()..).unwrap_or_default();
    }
    if last.is_empty() {
        return Err("a format begins with the year: write `format = \"%Y%m%d\"`".to_owned());
    }
    Ok(items)
}

fn push_literal(items: &mut Vec<FormatItem>, text: &str) -> Result<(), String> {
    if text.bytes().any(|byte| !byte.is_ascii_graphic()) {
        return Err("a format holds printable ASCII text without spaces".to_owned());
    }
    if !text.is_empty() {
        items.push(FormatItem::Literal(text.to_owned()));
    }
    Ok(())
}

fn directive(behind: &str) -> Result<&'static Directive, String> {
    DIRECTIVES
        .iter()
        .find(|directive| behind.starts_with(directive.text))
        .ok_or_else(|| {
            let texts: Vec<_> = DIRECTIVES.iter().map(|directive| directive.text).collect();
            let unknown: String = behind.chars().take(2).collect();
            format!(
                "unknown directive `{unknown}`: there are {}",
                texts.join(" ")
            )
        })
}

fn misplaced(directive: &Directive, last: &str) -> String {
    let wanted = directive.after.join("` or `");
    match (wanted.as_str(), last) {
        ("", _) => "`%Y` stands first and once, so that the text sorts like the time".to_owned(),
        (_, "") => format!(
            "`{}` needs `{wanted}` before it, a format begins with `%Y`",
            directive.text
        ),
        _ => format!(
            "`{}` needs `{wanted}` right before it, not `{last}`: from the year down, so that the text sorts like the time",
            directive.text
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
            items("%Y-%m-%d-%H%M"),
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
        assert!(items("%Y%m%d%H%M%S%3f").is_ok());
        assert!(items("%Y%j").is_ok());
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
        ] {
            assert!(items(bad).is_err(), "{bad}");
        }
    }
}
