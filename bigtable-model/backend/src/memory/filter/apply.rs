//! What a filter makes of one row.

use std::ptr;

use bytes::Bytes;
use bytestring::ByteString;

use super::Node;
use crate::Status;
use crate::data::{Cell, Row};
use crate::memory::limits;
use crate::memory::read::sample::Sampler;
use crate::memory::refusal::invalid;
use crate::memory::store::row::{ColumnName, StoredRow};

/// A cell on its way through the filter. Copies of one cell have one place.
#[derive(Debug, Clone, Copy)]
struct View<'a> {
    /// Its place among the row's cells.
    place: usize,
    column: &'a ColumnName,
    timestamp: i64,
    value: &'a Bytes,
    label: Option<&'a str>,
}

static STRIPPED: Bytes = Bytes::new();

pub(super) fn apply(
    node: &Node,
    key: &Bytes,
    row: &StoredRow,
    sampler: &mut Sampler,
) -> Result<Option<Row>, Status> {
    let mut pass = Pass {
        key,
        sampler,
        most: limits::FILTERED_CELLS.max(row.cell_count().saturating_mul(limits::FILTERED_TIMES)),
        sunk: Vec::new(),
        refused: None,
    };
    let mut output = pass.run(node, views(row));
    if let Some(status) = pass.refused {
        return Err(status);
    }
    if !pass.sunk.is_empty() {
        let mut merged = pass.sunk;
        merged.append(&mut output);
        output = in_order(merged);
    }
    if output.is_empty() {
        return Ok(None);
    }
    Ok(Some(Row {
        key: key.clone(),
        cells: output.into_iter().map(View::to_cell).collect(),
    }))
}

fn views(row: &StoredRow) -> Vec<View<'_>> {
    let mut views = Vec::with_capacity(row.cell_count());
    for (column, versions) in row.columns() {
        for version in versions.iter().rev() {
            views.push(View {
                place: views.len(),
                column,
                timestamp: version.timestamp,
                value: &version.value,
                label: None,
            });
        }
    }
    views
}

/// Puts cells that came side by side into the order of the row; copies stay in the order they came.
fn in_order(mut views: Vec<View<'_>>) -> Vec<View<'_>> {
    views.sort_by_key(|view| view.place);
    views
}

/// One row's way through one filter.
struct Pass<'p, 'a> {
    key: &'a Bytes,
    sampler: &'p mut Sampler,
    /// How many cells there may be at any place of the filter.
    most: usize,
    /// What sinks took out, for the end.
    sunk: Vec<View<'a>>,
    /// Once there is a refusal nothing is let through any more.
    refused: Option<Status>,
}

impl<'a> Pass<'_, 'a> {
    fn run(&mut self, node: &'a Node, mut input: Vec<View<'a>>) -> Vec<View<'a>> {
        if self.refused.is_some() {
            return Vec::new();
        }
        match node {
            Node::Chain(nodes) => return self.chain(nodes, input),
            Node::Interleave(nodes) => return self.interleave(nodes, &input),
            Node::Condition {
                predicate,
                if_true,
                if_false,
            } => {
                let matched = !self.run(predicate, input.clone()).is_empty();
                let branch = if matched { if_true } else { if_false };
                return match branch {
                    Some(node) => self.run(node, input),
                    None => Vec::new(),
                };
            }
            Node::Sink => {
                self.sunk.append(&mut input);
                self.check_count(self.sunk.len());
            }
            Node::PassAll | Node::Ignored => {}
            Node::BlockAll => input.clear(),
            Node::RowKey(matcher) => clear_unless(&mut input, matcher.matches(self.key)),
            Node::RowSample(probability) => {
                clear_unless(&mut input, self.sampler.draw(*probability));
            }
            Node::Family(matcher) => {
                retain_families(&mut input, |family| matcher.matches(family.as_bytes()));
            }
            Node::Qualifier(matcher) => {
                retain_columns(&mut input, |column| matcher.matches(&column.qualifier));
            }
            Node::QualifierRange { family, span } => retain_columns(&mut input, |column| {
                column.family == *family.as_str() && span.contains(&column.qualifier)
            }),
            Node::Timestamps { start, end } => input.retain(|view| {
                view.timestamp >= *start && end.is_none_or(|end| view.timestamp < end)
            }),
            Node::Value(matcher) => input.retain(|view| matcher.matches(view.value)),
            Node::ValueRange(span) => input.retain(|view| span.contains(view.value)),
            Node::ValueBitmask(mask) => input.retain(|view| has_bits(view.value, mask)),
            Node::RowOffset(n) => drop(input.drain(..input.len().min(*n))),
            Node::RowLimit(n) => input.truncate(*n),
            Node::ColumnLimit(n) => limit_columns(&mut input, *n),
            Node::StripValue => input.iter_mut().for_each(|view| view.value = &STRIPPED),
            Node::Unlabel => input.iter_mut().for_each(|view| view.label = None),
            Node::Refused { status, .. } => {
                self.refused = Some(status.clone());
                input.clear();
            }
            Node::Label(label) => input
                .iter_mut()
                .for_each(|view| view.label = Some(label.as_str())),
        }
        input
    }

    fn chain(&mut self, nodes: &'a [Node], mut cells: Vec<View<'a>>) -> Vec<View<'a>> {
        for node in nodes {
            if cells.is_empty() {
                break;
            }
            cells = self.run(node, cells);
        }
        cells
    }

    fn interleave(&mut self, nodes: &'a [Node], input: &[View<'a>]) -> Vec<View<'a>> {
        let mut output = Vec::new();
        for node in nodes {
            output.append(&mut self.run(node, input.to_vec()));
            if !self.check_count(output.len()) {
                return Vec::new();
            }
        }
        in_order(output)
    }

    /// Interleaves one behind the other multiply cells: twenty pairs would make a million of one.
    fn check_count(&mut self, cells: usize) -> bool {
        if cells > self.most && self.refused.is_none() {
            self.refused = Some(invalid(format!(
                "The filter makes over {} cells of the row '{}'",
                self.most,
                self.key.escape_ascii()
            )));
        }
        self.refused.is_none()
    }
}

fn clear_unless(views: &mut Vec<View<'_>>, keep: bool) {
    if !keep {
        views.clear();
    }
}

fn retain_families(views: &mut Vec<View<'_>>, keep: impl Fn(&ByteString) -> bool) {
    // Cells of a family stand together: one question per family.
    let mut last: Option<(&ByteString, bool)> = None;
    views.retain(|view| {
        let family = &view.column.family;
        match last {
            Some((seen, kept)) if seen == family => kept,
            _ => {
                let kept = keep(family);
                last = Some((family, kept));
                kept
            }
        }
    });
}

fn retain_columns(views: &mut Vec<View<'_>>, keep: impl Fn(&ColumnName) -> bool) {
    let mut last: Option<(&ColumnName, bool)> = None;
    views.retain(|view| match last {
        Some((seen, kept)) if ptr::eq(seen, view.column) => kept,
        _ => {
            let kept = keep(view.column);
            last = Some((view.column, kept));
            kept
        }
    });
}

fn limit_columns(views: &mut Vec<View<'_>>, limit: usize) {
    let mut last: Option<&ColumnName> = None;
    let mut count = 0;
    views.retain(|view| {
        if last.is_some_and(|seen| ptr::eq(seen, view.column)) {
            count += 1;
        } else {
            last = Some(view.column);
            count = 1;
        }
        count <= limit
    });
}

/// Whether every bit of the mask is set; a value of another length has not the bits.
fn has_bits(value: &[u8], mask: &[u8]) -> bool {
    value.len() == mask.len()
        && value
            .iter()
            .zip(mask)
            .all(|(value, mask)| value & mask == *mask)
}

impl View<'_> {
    fn to_cell(self) -> Cell {
        Cell {
            family: self.column.family.clone(),
            qualifier: self.column.qualifier.clone(),
            timestamp_micros: self.timestamp,
            value: self.value.clone(),
            labels: self.label.into_iter().map(str::to_owned).collect(),
        }
    }
}
