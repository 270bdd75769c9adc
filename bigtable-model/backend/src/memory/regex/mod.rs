//! Bigtable's regexes: RE2's syntax over single bytes, matched in full.
//!
//! A pattern is read byte by byte, and a byte is a character of Latin-1, as in RE2's Latin-1 mode:
//! `é` in UTF-8 is a sequence of two, and `(?i)` and `\pL` cover the characters up to U+00FF. Our
//! own parser decides what is RE2; the regex crate's automata then execute it, expressed in the few
//! constructs that mean the same in both.
//!
//! The regex crate's own parser, given a pattern with escaped bytes, would not be correct. It
//! accepts what RE2 refuses (`a**`, `(?x)`, `a{1001}`), refuses what RE2 accepts (`\Q.\E`, `\C`, a
//! lone `{`, `a{,2}`, `\pL` over bytes), and reads some patterns differently: `[a&&b]`, `[[a]b]`,
//! `\<`. A test lists them. Finding and rewriting all of them would take a parser too.
//!
//! Known differences: groups nest at most 200 levels deep here, 1,000 in RE2; scripts may be named
//! by their four-letter aliases (`\p{Grek}`), which RE2 refuses. Whether Bigtable accepts patterns
//! of the same size is unknown.

mod class;
mod escape;
mod machine;
mod parse;
mod render;
#[cfg(test)]
mod tests;
mod tree;

use machine::Machine;
pub(super) use machine::{Budget, Memories};
use parse::parse;
use tree::Node;
pub(super) use tree::RegexError;

use super::steps::{Steps, TooMany};

/// A pattern, ready to match whole texts.
#[derive(Debug)]
pub(super) enum Matcher {
    /// The pattern is one of these sorted texts: `BID|ASK`.
    Literals(Vec<Vec<u8>>),
    Machine(Box<Machine>),
}

impl Matcher {
    pub(super) fn new(pattern: &[u8], budget: &mut Budget) -> Result<Self, RegexError> {
        let node = parse(pattern)?;
        if let Some(mut literals) = literals(&node) {
            literals.sort_unstable();
            return Ok(Self::Literals(literals));
        }
        let machine = Machine::new(&node, budget)?;
        Ok(Self::Machine(Box::new(machine)))
    }

    /// Whether a text is one of those that it lists; never for a pattern with operators.
    #[inline]
    pub(super) fn lists(&self, text: &[u8]) -> bool {
        match self {
            Self::Literals(literals) => {
                let found = literals.binary_search_by(|literal| literal.as_slice().cmp(text));
                found.is_ok()
            }
            Self::Machine(_) => false,
        }
    }

    /// Whether it matches a text; short texts take a step or two.
    pub(super) async fn matches(
        &self,
        text: &[u8],
        memories: &mut Memories,
        steps: &mut Steps,
    ) -> Result<bool, TooMany> {
        match self {
            Self::Literals(_) => Ok(self.lists(text)),
            Self::Machine(machine) => machine.matches(text, memories, steps).await,
        }
    }
}

/// The texts that a pattern matches, if `|` is its only operator.
fn literals(node: &Node) -> Option<Vec<Vec<u8>>> {
    match node {
        Node::Alternate(nodes) => nodes.iter().map(literal).collect(),
        node => Some(vec![literal(node)?]),
    }
}

fn literal(node: &Node) -> Option<Vec<u8>> {
    match node {
        Node::Byte(byte) => Some(vec![*byte]),
        Node::Concat(nodes) => nodes
            .iter()
            .map(|node| match node {
                Node::Byte(byte) => Some(*byte),
                _ => None,
            })
            .collect(),
        _ => None,
    }
}
