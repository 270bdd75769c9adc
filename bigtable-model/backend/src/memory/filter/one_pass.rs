//! Filters that judge a cell by itself, or by how many cells of its column came before it. A short
//! row goes through them in one pass, without a list of its cells: most filters of queries are
//! chains of such filters.

use std::slice;

use bytes::Bytes;

use super::tree::{Filter, Node, STRIPPED};
use crate::memory::regex::Matcher;
use crate::memory::sink::Sink;
use crate::memory::store::row::{ColumnName, StoredRow, VersionRef};

#[cfg(test)]
mod tests;

/// The maximum number of steps of a row that is filtered in one pass.
const MOST: usize = 1 << 10;

/// Steps of a cell, besides one for each filter.
const CELL: usize = 4;

/// Bytes of values that are compared or copied in one step.
const BYTES: usize = 32;

/// The maximum number of cells expected of a row.
const EXPECTED: usize = 8;

/// Whether a filter may be applied in one pass.
pub(super) fn is_fit(node: &Node) -> bool {
    let filters = nodes(node).iter();
    let limits = filters.filter(|node| matches!(node, Node::ColumnLimit(_)));
    limits.count() <= 1 && nodes(node).iter().all(is_simple)
}

fn is_simple(node: &Node) -> bool {
    match node {
        Node::Family(names) | Node::Qualifier(names) => matches!(names, Matcher::Literals(_)),
        Node::PassAll
        | Node::Ignored
        | Node::QualifierRange { .. }
        | Node::Timestamps { .. }
        | Node::ValueRange(_)
        | Node::ColumnLimit(_)
        | Node::StripValue => true,
        _ => false,
    }
}

/// The filters, one after another.
fn nodes(node: &Node) -> &[Node] {
    match node {
        Node::Chain(nodes) => nodes,
        leaf => slice::from_ref(leaf),
    }
}

impl Filter {
    /// The steps of applying it in one pass; `None` if that is not possible, or the row is long.
    pub(super) fn steps_of_one_pass(&self, row: &StoredRow) -> Option<usize> {
        let cells = row
            .cell_count()
            .saturating_mul(nodes(&self.node).len() + CELL);
        let steps = cells.saturating_add(row.bytes() / BYTES);
        (self.in_one_pass && steps <= MOST).then_some(steps)
    }

    /// Delivers the part of a row that it lets through, in one pass.
    pub(super) fn pass_once<S: Sink>(&self, row: &StoredRow, sink: &mut S) {
        let nodes = nodes(&self.node);
        sink.begin_row(row.cell_count().min(EXPECTED));
        let mut is_empty = true;
        for (name, versions) in row.columns() {
            if !nodes.iter().all(|node| node.admits(name)) {
                continue;
            }
            let (mut column, mut counted) = (None, 0);
            for version in versions.iter().rev() {
                let value = match judge(nodes, version, &mut counted) {
                    Judged::Passes(value) => value,
                    Judged::Not => continue,
                    Judged::NoneFollows => break,
                };
                let column =
                    *column.get_or_insert_with(|| sink.column(&name.family, &name.qualifier));
                sink.cell(column, version.timestamp, value, Vec::new());
                is_empty = false;
            }
        }
        if !is_empty {
            sink.end(row.key());
        }
    }
}

impl Node {
    /// Whether it lets cells through that have this time.
    #[inline]
    pub(super) fn has_time(&self, micros: i64) -> bool {
        match self {
            Self::Timestamps { start, end } => {
                micros >= *start && end.is_none_or(|end| micros < end)
            }
            _ => true,
        }
    }

    /// Whether it may let cells of a column through.
    #[inline]
    pub(super) fn admits(&self, column: &ColumnName) -> bool {
        match self {
            Self::Family(names) => names.lists(column.family.as_bytes()),
            Self::Qualifier(names) => names.lists(&column.qualifier),
            Self::QualifierRange { family, span } => {
                column.family == *family.as_str() && span.contains(&column.qualifier)
            }
            _ => true,
        }
    }
}

/// What filters do with a cell.
enum Judged<'a> {
    /// They let it through, with this value.
    Passes(&'a Bytes),
    Not,
    /// They let neither this nor a later cell of the column through.
    NoneFollows,
}

/// Judges a cell. `counted` is how many cells of the column have reached the limit filter.
#[inline]
fn judge<'a>(nodes: &[Node], version: VersionRef<'a>, counted: &mut usize) -> Judged<'a> {
    let mut value = version.value;
    for node in nodes {
        let passes = match node {
            Node::Timestamps { .. } => node.has_time(version.timestamp),
            Node::ValueRange(span) => span.contains(value),
            Node::ColumnLimit(most) => {
                *counted += 1;
                if *counted > *most {
                    return Judged::NoneFollows;
                }
                true
            }
            Node::StripValue => {
                value = &STRIPPED;
                true
            }
            _ => true,
        };
        if !passes {
            return Judged::Not;
        }
    }
    Judged::Passes(value)
}
