//! Filters in words.

use std::fmt::{self, Display};
use std::ops::Bound;

use bytes::Bytes;

use crate::data::RowFilter;

/// A filter in words, for people who read an explanation.
pub(in crate::query) struct Words<'a>(pub(in crate::query) &'a RowFilter);

impl Display for Words<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            RowFilter::Chain(filters) => join(f, filters, ", "),
            RowFilter::Interleave(filters) => join(f, filters, "; or "),
            RowFilter::Condition {
                predicate,
                if_true,
                if_false,
            } => {
                write!(f, "where a row has ({}): ", Words(predicate))?;
                branch(f, if_true.as_deref())?;
                f.write_str("; elsewhere: ")?;
                branch(f, if_false.as_deref())
            }
            RowFilter::Sink => f.write_str("straight to the result"),
            RowFilter::PassAll => f.write_str("everything"),
            RowFilter::BlockAll => f.write_str("nothing"),
            RowFilter::RowSample(probability) => {
                write!(f, "a random share of {probability} of the rows")
            }
            RowFilter::CellsPerRowOffset(cells) => {
                write!(f, "without the first {cells} cells of a row")
            }
            RowFilter::CellsPerRowLimit(cells) => write!(f, "the first {cells} cells of a row"),
            RowFilter::CellsPerColumnLimit(1) => f.write_str("the newest cell of each column"),
            RowFilter::CellsPerColumnLimit(cells) => {
                write!(f, "the newest {cells} cells of each column")
            }
            RowFilter::StripValue => f.write_str("without values"),
            RowFilter::Label(label) => write!(f, "labelled {label}"),
            matching => write_matching(f, matching),
        }
    }
}

/// The filters that compare with a pattern or a range.
fn write_matching(f: &mut fmt::Formatter<'_>, filter: &RowFilter) -> fmt::Result {
    match filter {
        RowFilter::RowKeyRegex(pattern) => {
            write!(f, "row keys like \"{}\"", pattern.escape_ascii())
        }
        RowFilter::FamilyRegex(pattern) => write!(f, "of families like \"{pattern}\""),
        RowFilter::QualifierRegex(pattern) => {
            write!(f, "columns like \"{}\"", pattern.escape_ascii())
        }
        RowFilter::ValueRegex(pattern) => write!(f, "values like \"{}\"", pattern.escape_ascii()),
        RowFilter::ValueBitmask(mask) => {
            write!(f, "values with the bits \"{}\"", mask.escape_ascii())
        }
        RowFilter::QualifierRange {
            family,
            start: Bound::Included(start),
            end: Bound::Included(end),
        } if start == end => write!(f, "column {family}:{}", start.escape_ascii()),
        RowFilter::QualifierRange { family, start, end } => {
            write!(f, "columns of {family} ")?;
            interval(f, start, end)
        }
        RowFilter::ValueRange { start, end } => {
            f.write_str("values ")?;
            interval(f, start, end)
        }
        RowFilter::TimestampRange {
            start_micros,
            end_micros,
        } => {
            write!(f, "cells stamped from {start_micros} us")?;
            match end_micros {
                0 => f.write_str(" on"),
                end => write!(f, " to before {end} us"),
            }
        }
        other => write!(f, "{other:?}"),
    }
}

fn join(f: &mut fmt::Formatter<'_>, filters: &[RowFilter], by: &str) -> fmt::Result {
    for (index, filter) in filters.iter().enumerate() {
        if index > 0 {
            f.write_str(by)?;
        }
        match filter {
            RowFilter::Interleave(_) | RowFilter::Condition { .. } => {
                write!(f, "({})", Words(filter))?
            }
            _ => write!(f, "{}", Words(filter))?,
        }
    }
    Ok(())
}

fn branch(f: &mut fmt::Formatter<'_>, filter: Option<&RowFilter>) -> fmt::Result {
    match filter {
        Some(filter) => write!(f, "{}", Words(filter)),
        None => f.write_str("nothing"),
    }
}

fn interval(f: &mut fmt::Formatter<'_>, start: &Bound<Bytes>, end: &Bound<Bytes>) -> fmt::Result {
    match start {
        Bound::Included(start) => write!(f, "from \"{}\"", start.escape_ascii())?,
        Bound::Excluded(start) => write!(f, "after \"{}\"", start.escape_ascii())?,
        Bound::Unbounded => f.write_str("from the first")?,
    }
    match end {
        Bound::Included(end) => write!(f, " up to \"{}\"", end.escape_ascii()),
        Bound::Excluded(end) => write!(f, " to before \"{}\"", end.escape_ascii()),
        Bound::Unbounded => f.write_str(" on"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(filter: RowFilter) -> String {
        Words(&filter).to_string()
    }

    #[test]
    fn a_projection_reads_as_a_sentence() {
        let of = |family: &str, qualifiers: &'static str| {
            RowFilter::Chain(vec![
                RowFilter::FamilyRegex(family.into()),
                RowFilter::QualifierRegex(qualifiers.into()),
                RowFilter::CellsPerColumnLimit(1),
            ])
        };
        assert_eq!(
            words(RowFilter::Interleave(vec![
                of("MD", "BID|ASK"),
                of("X", "A")
            ])),
            "of families like \"MD\", columns like \"BID|ASK\", the newest cell of each column; or \
             of families like \"X\", columns like \"A\", the newest cell of each column"
        );
    }

    #[test]
    fn ranges_and_conditions() {
        assert_eq!(
            words(RowFilter::Condition {
                predicate: Box::new(RowFilter::ValueRange {
                    start: Bound::Included("a".into()),
                    end: Bound::Unbounded,
                }),
                if_true: Some(Box::new(RowFilter::CellsPerColumnLimit(3))),
                if_false: None,
            }),
            "where a row has (values from \"a\" on): the newest 3 cells of each column; elsewhere: nothing"
        );
        assert_eq!(
            words(RowFilter::TimestampRange {
                start_micros: 1000,
                end_micros: 0
            }),
            "cells stamped from 1000 us on"
        );
    }
}
