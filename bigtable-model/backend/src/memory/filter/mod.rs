//! Filters: checked and compiled once per request, then applied row by row.

mod apply;
mod compile;
mod empty;
#[cfg(test)]
mod tests;

use bytes::Bytes;

use super::Profile;
use super::read::ranges::Span;
use super::read::sample::Sampler;
use super::refusal::filter_family_not_found;
use super::regex::Matcher;
use super::store::Content;
use super::store::row::StoredRow;
use crate::Status;
use crate::data::{Row, RowFilter};

/// A filter that the service would take.
#[derive(Debug)]
pub(super) struct Filter(Node);

/// A filter in the form in which it is applied.
#[derive(Debug)]
enum Node {
    Chain(Vec<Node>),
    Interleave(Vec<Node>),
    Condition {
        predicate: Box<Node>,
        if_true: Option<Box<Node>>,
        if_false: Option<Box<Node>>,
    },
    Sink,
    PassAll,
    BlockAll,
    RowKey(Matcher),
    RowSample(f64),
    Family(Matcher),
    Qualifier(Matcher),
    QualifierRange {
        family: String,
        span: Span,
    },
    /// An end of `None` is no end.
    Timestamps {
        start: i64,
        end: Option<i64>,
    },
    Value(Matcher),
    ValueRange(Span),
    ValueBitmask(Bytes),
    RowOffset(usize),
    RowLimit(usize),
    ColumnLimit(usize),
    StripValue,
    Label(String),
    /// Takes the labels off, which the emulator does together with the values.
    Unlabel,
    /// Refused when it is applied, which is when the emulator looks at a filter.
    Refused {
        status: Status,
        of_cells: bool,
    },
    /// What the emulator does not know and lets everything through.
    Ignored,
}

impl Filter {
    /// Checks a filter as a whole: whether rows will be read makes no difference, except to the emulator.
    pub(super) fn compile(filter: &RowFilter, profile: Profile) -> Result<Self, Status> {
        compile::compile(filter, profile).map(Self)
    }

    /// Refuses a filter that names a family which the table lacks. The emulator lets nothing through instead.
    pub(super) fn check_families(
        &self,
        content: &Content,
        table: &str,
        profile: Profile,
    ) -> Result<(), Status> {
        if profile == Profile::Emulator {
            return Ok(());
        }
        self.0.check_families(content, table)
    }

    /// Fails where the emulator refuses the filter even for a row without cells.
    pub(super) fn check_on_empty_row(&self) -> Result<(), Status> {
        empty::matches(&self.0).map(|_| ())
    }

    /// What the filter lets through of a row; `None` is nothing. Fails when it makes too many cells of the row, and where the
    /// emulator looks at a filter no earlier.
    pub(super) fn apply(
        &self,
        key: &Bytes,
        row: &StoredRow,
        sampler: &mut Sampler,
    ) -> Result<Option<Row>, Status> {
        apply::apply(&self.0, key, row, sampler)
    }
}

impl Node {
    fn check_families(&self, content: &Content, table: &str) -> Result<(), Status> {
        match self {
            Self::QualifierRange { family, .. } if content.family(family).is_none() => {
                Err(filter_family_not_found(family, table))
            }
            Self::Chain(nodes) | Self::Interleave(nodes) => nodes
                .iter()
                .try_for_each(|node| node.check_families(content, table)),
            Self::Condition {
                predicate,
                if_true,
                if_false,
            } => [Some(predicate), if_true.as_ref(), if_false.as_ref()]
                .into_iter()
                .flatten()
                .try_for_each(|node| node.check_families(content, table)),
            _ => Ok(()),
        }
    }
}
