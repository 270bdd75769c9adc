//! The form into which a pattern is parsed.

use super::class::ByteSet;

/// Why a pattern is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(in crate::memory) enum RegexError {
    #[error("missing closing ]")]
    UnclosedClass,
    #[error("missing )")]
    UnclosedGroup,
    #[error("unexpected )")]
    UnexpectedParen,
    #[error("trailing \\ at the end of the expression")]
    TrailingBackslash,
    #[error("invalid escape sequence: \\{0}")]
    BadEscape(String),
    #[error("invalid character class range: {0}")]
    BadRange(String),
    #[error("no argument for repetition operator: {0}")]
    MissingArgument(String),
    #[error("bad repetition operator: {0}")]
    StackedRepetition(String),
    #[error("invalid repetition size: {0}")]
    RepetitionSize(String),
    #[error("invalid group syntax: {0}")]
    BadGroup(String),
    #[error("groups nested more than {0} levels deep")]
    TooDeep(usize),
    #[error("the expression is too large")]
    TooLarge,
}

/// A pattern as a tree, without greediness and captures: only whether a text matches is needed.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Node {
    Byte(u8),
    Class(ByteSet),
    Look(Look),
    Concat(Vec<Node>),
    Alternate(Vec<Node>),
    Repeat {
        node: Box<Node>,
        min: u32,
        max: Option<u32>,
    },
}

/// An assertion, which consumes no bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Look {
    TextStart,
    TextEnd,
    LineStart,
    LineEnd,
    WordBoundary,
    NoWordBoundary,
}
