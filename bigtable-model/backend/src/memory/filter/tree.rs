//! A filter in the form that is applied, and what it keeps from row to row.

use bytes::Bytes;

use super::sample::Sampler;
use super::span::Span;
use crate::Status;
use crate::memory::regex::{Matcher, Memories};
use crate::memory::steps::Steps;

/// A filter that the service would accept.
#[derive(Debug)]
pub(in crate::memory) struct Filter {
    pub(super) node: Node,
    /// The labels of cells, by number.
    pub(super) labels: Vec<String>,
    /// Whether short rows go through it in one pass.
    pub(super) in_one_pass: bool,
}

/// The value of a cell whose value was stripped.
pub(super) static STRIPPED: Bytes = Bytes::new();

/// The state that a filter keeps from row to row.
#[derive(Debug, Default)]
pub(in crate::memory) struct Work {
    pub(in crate::memory) sampler: Sampler,
    pub(in crate::memory) steps: Steps,
    pub(super) memories: Memories,
}

/// A filter in the form that is applied.
#[derive(Debug)]
pub(super) enum Node {
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
    /// Removes the labels, which the emulator does together with the values.
    Unlabel,
    /// Refused when it is applied, since the emulator evaluates a filter only then.
    Refused {
        status: Status,
        of_cells: bool,
    },
    /// A filter that the emulator does not know; it lets everything through.
    Ignored,
}
