//! Filters: checked and compiled once per request, then applied row by row.

mod apply;
mod compile;
mod empty;
mod one_pass;
mod sample;
mod span;
#[cfg(test)]
mod tests;
mod views;

use bytes::Bytes;

use self::sample::Sampler;
use self::span::Span;
use super::Profile;
use super::refusal::filter_family_not_found;
use super::regex::{Matcher, Memories};
use super::sink::Sink;
use super::steps::Steps;
use super::store::Content;
use super::store::row::StoredRow;
use crate::Status;
use crate::data::RowFilter;

/// A filter that the service would accept.
#[derive(Debug)]
pub(super) struct Filter {
    node: Node,
    /// The labels of cells, by number.
    labels: Vec<String>,
    /// Whether short rows go through it in one pass.
    in_one_pass: bool,
}

/// The value of a cell whose value was taken off.
static STRIPPED: Bytes = Bytes::new();

/// The state that a filter keeps from row to row.
#[derive(Debug, Default)]
pub(super) struct Work {
    pub(super) sampler: Sampler,
    pub(super) steps: Steps,
    memories: Memories,
}

/// A filter in the form that is applied.
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
    /// The number of the label.
    Label(u32),
    /// Takes the labels off, which the emulator does together with the values.
    Unlabel,
    /// Refused when it is applied, since the emulator evaluates a filter only then.
    Refused {
        status: Status,
        of_cells: bool,
    },
    /// A filter that the emulator does not know; it lets everything through.
    Ignored,
}

impl Filter {
    /// Checks a filter as a whole, whether or not it will be applied to a row; except for the
    /// emulator.
    pub(super) fn compile(filter: &RowFilter, profile: Profile) -> Result<Self, Status> {
        compile::compile(filter, profile)
    }

    /// A filter that lets everything through.
    pub(super) fn pass_all() -> Self {
        Self {
            node: Node::PassAll,
            labels: Vec::new(),
            in_one_pass: true,
        }
    }

    /// Refuses a filter that names a family which the table lacks. The emulator lets nothing
    /// through instead.
    pub(super) fn check_families(
        &self,
        content: &Content,
        table: &str,
        profile: Profile,
    ) -> Result<(), Status> {
        if profile == Profile::Emulator {
            return Ok(());
        }
        self.node.check_families(content, table)
    }

    /// Fails if the emulator refuses the filter even for a row without cells.
    pub(super) fn check_on_empty_row(&self) -> Result<(), Status> {
        empty::matches(&self.node).map(|_| ())
    }

    /// Delivers the part of a row that the filter lets through; nothing if that is none. It yields
    /// to other tasks after many steps. It fails if it would make too many cells of the row or take
    /// too many steps, and where the emulator refuses a filter only now.
    pub(super) async fn apply(
        &self,
        row: &StoredRow,
        work: &mut Work,
        sink: &mut impl Sink,
    ) -> Result<(), Status> {
        let Some(steps) = self.steps_of_one_pass(row) else {
            return apply::apply(self, row, work, sink).await;
        };
        work.steps.take_of_turn(steps).await;
        self.pass_once(row, sink);
        Ok(())
    }

    /// Whether it lets any cell of a row through; otherwise like [`apply`](Self::apply).
    pub(super) async fn matches(&self, row: &StoredRow, work: &mut Work) -> Result<bool, Status> {
        match self.node {
            Node::PassAll => Ok(!row.is_empty()),
            _ => apply::matches(self, row, work).await,
        }
    }

    fn label(&self, number: u32) -> Option<&str> {
        let label = self.labels.get(usize::try_from(number).ok()?)?;
        Some(label)
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
