//! Garbage-collection rules and kinds of aggregates in words.

use std::fmt;
use std::time::Duration;

use super::{AggregateKind, FamilySchema, GcRule};

/// The cells that are deleted: `beyond the newest 3 versions or older than 7d`.
impl fmt::Display for GcRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::MaxVersions(1) => f.write_str("beyond the newest version"),
            Self::MaxVersions(kept) => write!(f, "beyond the newest {kept} versions"),
            Self::MaxAge(age) => write!(f, "older than {}", Span(*age)),
            Self::Union(rules) => joined(rules, "or", f),
            Self::Intersection(rules) => joined(rules, "and also", f),
        }
    }
}

fn joined(rules: &[GcRule], word: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    if rules.is_empty() {
        return f.write_str("of no kind");
    }
    for (index, rule) in rules.iter().enumerate() {
        if index > 0 {
            write!(f, " {word} ")?;
        }
        match rule {
            GcRule::Union(inner) | GcRule::Intersection(inner) if inner.len() > 1 => {
                write!(f, "({rule})")?;
            }
            _ => write!(f, "{rule}")?,
        }
    }
    Ok(())
}

/// The microseconds in each unit, the longest first.
const UNITS: &[(&str, u128)] = &[
    ("d", 86_400_000_000),
    ("h", 3_600_000_000),
    ("m", 60_000_000),
    ("s", 1_000_000),
    ("ms", 1_000),
];

/// A duration in the longest unit that divides it, as attributes write it.
struct Span(Duration);

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let micros = self.0.as_micros();
        let whole = |(_, unit): &&(&str, u128)| micros > 0 && micros.is_multiple_of(*unit);
        match UNITS.iter().find(whole) {
            Some((word, unit)) => write!(f, "{}{word}", micros / unit),
            None => write!(f, "{micros}us"),
        }
    }
}

/// What the cells are: `sums`.
impl fmt::Display for AggregateKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Sum => "sums",
            Self::Min => "minima",
            Self::Max => "maxima",
        })
    }
}

/// What the cells are, and which are deleted: `of sums, keeps every cell`.
impl fmt::Display for FamilySchema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(kind) = self.aggregate {
            write!(f, "of {kind}, ")?;
        }
        match &self.gc_rule {
            Some(rule) => write!(f, "deletes cells {rule}"),
            None => f.write_str("keeps every cell"),
        }
    }
}
