//! Applies a filter to one row.

use std::ptr;

use bytes::Bytes;

use super::tree::{Filter, Node, Work};
use super::views::{self, PIECE, Stored, View};
use crate::Status;
use crate::data::RowBatch;
use crate::memory::check::invalid;
use crate::memory::limits;
use crate::memory::regex::Matcher;
use crate::memory::sink::Sink;
use crate::memory::steps::{Steps, TooMany};
use crate::memory::store::row::{ColumnName, StoredRow};

/// Bytes of a value that one step compares.
const COMPARED: usize = 64;
/// Steps that matching a short text takes.
const MATCHED: usize = 3;
/// Bytes of a value that are copied in one step.
const COPIED: usize = 64;
/// The lengths of values whose copies take steps; longer ones are shared.
const COPIES: std::ops::Range<usize> = COPIED..RowBatch::WORTH_SHARING;
/// Steps that a cell of the result takes.
const RESULT: usize = 4;

pub(super) async fn apply(
    filter: &Filter,
    row: &StoredRow,
    work: &mut Work,
    sink: &mut impl Sink,
) -> Result<(), Status> {
    let mut pass = Pass::begin(filter, row, work);
    let filtered = pass.filtered(row, sink).await;
    filtered.map_err(|stop| stop.status(row.key()))
}

pub(super) async fn matches(
    filter: &Filter,
    row: &StoredRow,
    work: &mut Work,
) -> Result<bool, Status> {
    let mut pass = Pass::begin(filter, row, work);
    let views = pass.views(row).await;
    let matches = views.map(|views| !views.is_empty());
    matches.map_err(|stop| stop.status(row.key()))
}

/// Why a row cannot be filtered.
enum Stop {
    /// It would take this many steps.
    Steps(usize),
    /// It would become this many cells.
    Cells(usize),
    Refused(Status),
}

impl From<TooMany> for Stop {
    fn from(TooMany(most): TooMany) -> Self {
        Self::Steps(most)
    }
}

impl Stop {
    fn status(self, key: &[u8]) -> Status {
        let key = key.escape_ascii();
        match self {
            Self::Steps(most) => invalid(format!(
                "The filter takes over {most} steps for the row '{key}'"
            )),
            Self::Cells(most) => invalid(format!(
                "The filter makes over {most} cells of the row '{key}'"
            )),
            Self::Refused(status) => status,
        }
    }
}

/// One row on its way through one filter.
struct Pass<'p, 'a> {
    filter: &'a Filter,
    key: &'a Bytes,
    /// The row's cells; views refer to them by index.
    stored: Vec<Stored<'a>>,
    work: &'p mut Work,
    /// The maximum number of cells anywhere in the filter.
    most: usize,
    /// Cells that sinks took out, for the final output.
    sunk: Vec<View>,
}

/// A filter with inner filters that is not done: what to do next with the output of an inner
/// filter.
enum Open<'a> {
    Chain {
        rest: &'a [Node],
    },
    Interleave {
        rest: &'a [Node],
        input: Vec<View>,
        output: Vec<View>,
    },
    Condition {
        if_true: Option<&'a Node>,
        if_false: Option<&'a Node>,
        input: Vec<View>,
    },
}

/// The next step: into a filter with these cells, or out of one with those that it let through.
enum At<'a> {
    Into(&'a Node, Vec<View>),
    OutOf(Vec<View>),
}

impl<'p, 'a> Pass<'p, 'a> {
    fn begin(filter: &'a Filter, row: &'a StoredRow, work: &'p mut Work) -> Self {
        let size = row.cell_count() + row.bytes() / limits::STEP_BYTES;
        let most = limits::FILTER_STEPS.max(size.saturating_mul(limits::FILTER_PASSES));
        work.steps.begin_row(most);
        let copies = row.cell_count().saturating_mul(limits::FILTERED_TIMES);
        Self {
            filter,
            key: row.key(),
            stored: Vec::new(),
            work,
            most: limits::FILTERED_CELLS.max(copies),
            sunk: Vec::new(),
        }
    }

    /// The cells that the filter lets through.
    async fn views(&mut self, row: &'a StoredRow) -> Result<Vec<View>, Stop> {
        let (stored, input) = views::of(row, &mut self.work.steps).await?;
        self.stored = stored;
        let mut output = self.run(&self.filter.node, input).await?;
        if self.sunk.is_empty() {
            return Ok(output);
        }
        let mut merged = std::mem::take(&mut self.sunk);
        merged.append(&mut output);
        self.in_order(merged).await
    }

    async fn filtered<S: Sink>(&mut self, row: &'a StoredRow, sink: &mut S) -> Result<(), Stop> {
        let views = self.views(row).await?;
        sink.begin_row(views.len());
        let mut column: Option<(&ColumnName, S::Column)> = None;
        for piece in views.chunks(PIECE) {
            self.work.steps.take(RESULT * piece.len()).await?;
            for view in piece {
                let Some(at) = self.stored.get(view.place()).copied() else {
                    continue;
                };
                // The cells of a column are adjacent.
                let names = match column {
                    Some((last, names)) if ptr::eq(last, at.column) => names,
                    _ => sink.column(&at.column.family, &at.column.qualifier),
                };
                column = Some((at.column, names));
                let label = view.label().and_then(|label| self.filter.label(label));
                let labels = label.into_iter().map(str::to_owned).collect();
                let value = view.value(at);
                if !S::SHARES && COPIES.contains(&value.len()) {
                    self.work.steps.take(value.len() / COPIED).await?;
                }
                sink.cell(names, at.version.timestamp, value, labels);
            }
        }
        if !views.is_empty() {
            sink.end(self.key);
        }
        Ok(())
    }

    /// Takes cells through a filter. Open filters are a list, not nested calls, so all of them can
    /// wait while other tasks have their turn.
    async fn run(&mut self, node: &'a Node, input: Vec<View>) -> Result<Vec<View>, Stop> {
        let mut open = Vec::new();
        let mut at = At::Into(node, input);
        loop {
            at = match at {
                At::Into(node, input) => self.enter(node, input, &mut open).await?,
                At::OutOf(output) => match open.pop() {
                    Some(outer) => self.go_on(outer, output, &mut open).await?,
                    None => return Ok(output),
                },
            };
        }
    }

    async fn enter(
        &mut self,
        node: &'a Node,
        mut input: Vec<View>,
        open: &mut Vec<Open<'a>>,
    ) -> Result<At<'a>, Stop> {
        self.work.steps.take(1).await?;
        match node {
            Node::Chain(nodes) => Ok(chain(nodes, input, open)),
            Node::Interleave(nodes) => self.interleave(nodes, input, Vec::new(), open).await,
            Node::Condition {
                predicate,
                if_true,
                if_false,
            } => {
                let asked = views::copy(&input, &mut self.work.steps).await?;
                open.push(Open::Condition {
                    if_true: if_true.as_deref(),
                    if_false: if_false.as_deref(),
                    input,
                });
                Ok(At::Into(predicate, asked))
            }
            leaf => {
                self.leaf(leaf, &mut input).await?;
                Ok(At::OutOf(input))
            }
        }
    }

    async fn go_on(
        &mut self,
        outer: Open<'a>,
        mut inner: Vec<View>,
        open: &mut Vec<Open<'a>>,
    ) -> Result<At<'a>, Stop> {
        match outer {
            Open::Chain { rest } => Ok(chain(rest, inner, open)),
            Open::Interleave {
                rest,
                input,
                mut output,
            } => {
                output.append(&mut inner);
                self.check_count(output.len())?;
                self.interleave(rest, input, output, open).await
            }
            Open::Condition {
                if_true,
                if_false,
                input,
            } => {
                let branch = if inner.is_empty() { if_false } else { if_true };
                Ok(match branch {
                    Some(node) => At::Into(node, input),
                    None => At::OutOf(Vec::new()),
                })
            }
        }
    }

    /// Into the next filter of an interleave, or out after the last one.
    async fn interleave(
        &mut self,
        nodes: &'a [Node],
        mut input: Vec<View>,
        output: Vec<View>,
        open: &mut Vec<Open<'a>>,
    ) -> Result<At<'a>, Stop> {
        let Some((node, rest)) = nodes.split_first() else {
            return self.in_order(output).await.map(At::OutOf);
        };
        let cells = match rest {
            [] => std::mem::take(&mut input),
            _ => views::copy(&input, &mut self.work.steps).await?,
        };
        open.push(Open::Interleave {
            rest,
            input,
            output,
        });
        Ok(At::Into(node, cells))
    }

    async fn in_order(&mut self, views: Vec<View>) -> Result<Vec<View>, Stop> {
        Ok(views::in_order(views, self.stored.len(), &mut self.work.steps).await?)
    }

    /// Interleaves in sequence multiply cells: twenty pairs would turn one cell into a million.
    fn check_count(&self, cells: usize) -> Result<(), Stop> {
        match cells > self.most {
            true => Err(Stop::Cells(self.most)),
            false => Ok(()),
        }
    }

    /// Takes cells through a filter without inner filters.
    async fn leaf(&mut self, node: &'a Node, cells: &mut Vec<View>) -> Result<(), Stop> {
        let Self { stored, work, .. } = self;
        let steps = &mut work.steps;
        match node {
            Node::Sink => {
                self.sunk.append(cells);
                self.check_count(self.sunk.len())?;
            }
            Node::BlockAll => cells.clear(),
            Node::RowKey(matcher) => {
                let matches = matcher.matches(self.key, &mut work.memories, steps);
                clear_unless(cells, matches.await?);
            }
            Node::RowSample(probability) => clear_unless(cells, work.sampler.draw(*probability)),
            Node::Family(matcher) => self.matching(matcher, Part::Family, cells).await?,
            Node::Qualifier(matcher) => self.matching(matcher, Part::Qualifier, cells).await?,
            Node::Value(matcher) => self.matching(matcher, Part::Value, cells).await?,
            Node::QualifierRange { span, .. } => {
                let cost = 1 + span.len() / COMPARED;
                let keep = |at: Stored<'_>, _: View| node.admits(at.column);
                retain(stored, cells, cost, steps, keep).await?;
            }
            Node::Timestamps { .. } => {
                let keep = |at: Stored<'_>, _: View| node.has_time(at.version.timestamp);
                retain(stored, cells, 1, steps, keep).await?;
            }
            Node::ValueRange(span) => {
                let cost = 1 + span.len() / COMPARED;
                let keep = |at: Stored<'_>, view: View| span.contains(view.value(at));
                retain(stored, cells, cost, steps, keep).await?;
            }
            Node::ValueBitmask(mask) => {
                let cost = 1 + mask.len() / limits::STEP_BYTES;
                let keep = |at: Stored<'_>, view: View| has_bits(view.value(at), mask);
                retain(stored, cells, cost, steps, keep).await?;
            }
            Node::RowOffset(n) => drop(cells.drain(..cells.len().min(*n))),
            Node::RowLimit(n) => cells.truncate(*n),
            Node::ColumnLimit(n) => retain(stored, cells, 1, steps, first_of_column(*n)).await?,
            Node::StripValue => views::mark(cells, steps, View::strip).await?,
            Node::Unlabel => views::mark(cells, steps, View::unlabel).await?,
            Node::Label(label) => views::mark(cells, steps, |view| view.set_label(*label)).await?,
            Node::Refused { status, .. } => return Err(Stop::Refused(status.clone())),
            // Filters with inner filters are handled by `run`.
            Node::PassAll
            | Node::Ignored
            | Node::Chain(_)
            | Node::Interleave(_)
            | Node::Condition { .. } => {}
        }
        Ok(())
    }

    /// Keeps the cells with a part that matches. Cells of a column are adjacent, and so are those
    /// of a family: a part that equals the previous cell's is not matched again.
    async fn matching(
        &mut self,
        matcher: &Matcher,
        part: Part,
        cells: &mut Vec<View>,
    ) -> Result<(), TooMany> {
        let Work {
            memories, steps, ..
        } = &mut *self.work;
        let mut last: Option<(Stored<'_>, bool)> = None;
        let mut kept = 0;
        for index in 0..cells.len() {
            if index % PIECE == 0 {
                let piece = PIECE.min(cells.len() - index);
                steps.take(MATCHED * piece).await?;
            }
            let Some(view) = cells.get(index).copied() else {
                break;
            };
            let Some(at) = self.stored.get(view.place()).copied() else {
                break;
            };
            let keep = match last {
                Some((seen, keep)) if part.is_same(seen, at) => keep,
                _ => {
                    let text = part.of(at, view);
                    let keep = matcher.matches(text, memories, steps).await?;
                    last = Some((at, keep));
                    keep
                }
            };
            if keep {
                views::put(cells, &mut kept, view);
            }
        }
        cells.truncate(kept);
        Ok(())
    }
}

/// Into the next filter of a chain, or out of it: after the last one, or if nothing is left.
fn chain<'a>(nodes: &'a [Node], cells: Vec<View>, open: &mut Vec<Open<'a>>) -> At<'a> {
    match nodes.split_first() {
        Some((node, rest)) if !cells.is_empty() => {
            open.push(Open::Chain { rest });
            At::Into(node, cells)
        }
        _ => At::OutOf(cells),
    }
}

fn clear_unless(views: &mut Vec<View>, keep: bool) {
    if !keep {
        views.clear();
    }
}

async fn retain<'a>(
    stored: &[Stored<'a>],
    cells: &mut Vec<View>,
    cost: usize,
    steps: &mut Steps,
    mut keep: impl FnMut(Stored<'a>, View) -> bool,
) -> Result<(), TooMany> {
    let keep = |view: View| {
        let at = stored.get(view.place());
        at.is_some_and(|at| keep(*at, view))
    };
    views::retain(cells, cost, steps, keep).await
}

/// Keeps the first cells of each column.
fn first_of_column<'a>(limit: usize) -> impl FnMut(Stored<'a>, View) -> bool {
    let mut last: Option<&ColumnName> = None;
    let mut count = 0;
    move |at, _| {
        if last.is_none_or(|last| !ptr::eq(last, at.column)) {
            (last, count) = (Some(at.column), 0);
        }
        count += 1;
        count <= limit
    }
}

/// The part of a cell that a regex matches.
#[derive(Clone, Copy)]
enum Part {
    Family,
    Qualifier,
    Value,
}

impl Part {
    fn of<'a>(self, at: Stored<'a>, view: View) -> &'a [u8] {
        match self {
            Self::Family => at.column.family.as_bytes(),
            Self::Qualifier => &at.column.qualifier,
            Self::Value => view.value(at),
        }
    }

    fn is_same(self, one: Stored<'_>, other: Stored<'_>) -> bool {
        match self {
            Self::Family => one.column.family == other.column.family,
            Self::Qualifier => ptr::eq(one.column, other.column),
            Self::Value => false,
        }
    }
}

/// Whether every bit of the mask is set; never for a value of another length.
fn has_bits(value: &[u8], mask: &[u8]) -> bool {
    value.len() == mask.len()
        && value
            .iter()
            .zip(mask)
            .all(|(value, mask)| value & mask == *mask)
}
