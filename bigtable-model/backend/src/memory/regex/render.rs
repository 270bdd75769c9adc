//! A tree as the regex crate's `Hir`, in the few constructs that mean the same in both.

use regex_syntax::hir::{self, Class, ClassBytes, ClassBytesRange, Hir, Repetition};

use super::class::ByteSet;
use super::tree::{Look, Node};

/// The pattern, anchored at both ends.
pub(super) fn render(node: &Node) -> Hir {
    Hir::concat(vec![
        Hir::look(hir::Look::Start),
        inner(node),
        Hir::look(hir::Look::End),
    ])
}

fn inner(node: &Node) -> Hir {
    match node {
        Node::Byte(byte) => Hir::literal([*byte]),
        Node::Class(set) => class(set),
        Node::Look(look) => Hir::look(match look {
            Look::TextStart => hir::Look::Start,
            Look::TextEnd => hir::Look::End,
            Look::LineStart => hir::Look::StartLF,
            Look::LineEnd => hir::Look::EndLF,
            Look::WordBoundary => hir::Look::WordAscii,
            Look::NoWordBoundary => hir::Look::WordAsciiNegate,
        }),
        Node::Concat(nodes) => Hir::concat(nodes.iter().map(inner).collect()),
        Node::Alternate(nodes) => Hir::alternation(nodes.iter().map(inner).collect()),
        Node::Repeat { node, min, max } => Hir::repetition(Repetition {
            min: *min,
            max: *max,
            greedy: true,
            sub: Box::new(inner(node)),
        }),
    }
}

/// The negation of all bytes is a class that nothing matches.
fn class(set: &ByteSet) -> Hir {
    let ranges = set.ranges().into_iter();
    let ranges = ranges.map(|(first, last)| ClassBytesRange::new(first, last));
    Hir::class(Class::Bytes(ClassBytes::new(ranges)))
}
