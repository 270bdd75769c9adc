//! Filters: checked and compiled once per request, then applied row by row.

mod apply;
mod compile;
mod empty;
mod one_pass;
mod sample;
mod span;
#[cfg(test)]
mod tests;
mod tree;
mod views;

use super::Profile;
use super::sink::Sink;
use super::store::Content;
use super::store::row::StoredRow;
use crate::Status;
use crate::data::RowFilter;
use crate::memory::check::filter_family_not_found;
use tree::Node;
pub(super) use tree::{Filter, Work};

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

    /// Delivers the part of a row that the filter lets through, if any. Yields to other tasks after
    /// many steps. Fails if it would make too many cells of the row or take too many steps, and if
    /// the emulator refuses the filter only now.
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

    /// Whether it lets any cell of a row through. Yields and fails like [`apply`](Self::apply).
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
