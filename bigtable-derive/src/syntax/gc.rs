//! Garbage-collection rules: `gc(family = "MD", any(max_versions = 3, max_age = "7d"))`.

use proc_macro2::Span;
use syn::spanned::Spanned;

use crate::errors::Errors;

use super::attribute::{self as read, At, Item, Text};
use super::keyword;
use super::nested::meant;

/// One `gc(...)` on the struct.
pub(crate) struct RawGc {
    pub(crate) span: Span,
    pub(crate) family: Option<Text>,
    /// The rules in it; there should be one.
    pub(crate) rules: Vec<RawRule>,
    /// Whether no mistake was found in it: otherwise a missing part may be the wrong one.
    pub(crate) is_sound: bool,
}

/// A rule and its token.
pub(crate) struct RawRule {
    pub(crate) span: Span,
    pub(crate) kind: RawRuleKind,
}

/// What a rule says.
pub(crate) enum RawRuleKind {
    MaxVersions(At<i32>),
    MaxAge(Text),
    Any(Vec<RawRule>),
    All(Vec<RawRule>),
}

impl RawGc {
    pub(super) fn read(meta: &Item, errors: &mut Errors) -> Self {
        let before = errors.count();
        let mut raw = Self {
            span: meta.span(),
            family: None,
            rules: Vec::new(),
            is_sound: true,
        };
        for item in read::list(meta, "gc(max_versions = 1)", errors) {
            match meant(&item, keyword::IN_GC, errors) {
                keyword::FAMILY => {
                    let value = read::text(&item, "MD", errors);
                    read::once(&mut raw.family, value, &item, errors);
                }
                word => add(word, &item, &mut raw.rules, errors),
            }
        }
        raw.is_sound = errors.count() == before;
        raw
    }
}

/// Reads a rule after the others in the same parentheses, where a second number of versions or age
/// is a mistake.
fn add(word: &str, item: &Item, into: &mut Vec<RawRule>, errors: &mut Errors) {
    let kind = match word {
        keyword::MAX_VERSIONS => {
            read::number(item, "versions", 1, errors).map(RawRuleKind::MaxVersions)
        }
        keyword::MAX_AGE => read::text(item, "30d", errors).map(RawRuleKind::MaxAge),
        keyword::ANY => Some(RawRuleKind::Any(rules(item, errors))),
        keyword::ALL => Some(RawRuleKind::All(rules(item, errors))),
        _ => None,
    };
    let Some(kind) = kind else { return };
    let is_again = into.iter().any(|one| one.kind.is_number_like(&kind));
    if is_again {
        errors.at(item, format!("`{word}` stands twice, remove one"));
        return;
    }
    let span = item.span();
    into.push(RawRule { span, kind });
}

/// The rules inside `any(...)` or `all(...)`.
fn rules(item: &Item, errors: &mut Errors) -> Vec<RawRule> {
    let before = errors.count();
    let word = read::word(item);
    let example = format!("{word}(max_versions = 3, max_age = \"7d\")");
    let mut rules = Vec::new();
    for inner in read::list(item, &example, errors) {
        let word = meant(&inner, keyword::IN_RULES, errors);
        add(word, &inner, &mut rules, errors);
    }
    if rules.is_empty() && errors.count() == before {
        errors.at(item, format!("`{word}` joins rules, write `{example}`"));
    }
    rules
}

impl RawRuleKind {
    /// Whether both are numbers of versions, or both are ages.
    fn is_number_like(&self, other: &Self) -> bool {
        matches!(
            (self, other),
            (Self::MaxVersions(_), Self::MaxVersions(_)) | (Self::MaxAge(_), Self::MaxAge(_))
        )
    }
}
