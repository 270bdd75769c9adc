//! Writes a tree in the syntax of the regex crate, with nothing in it that could be read otherwise.

use std::fmt::Write;

use super::class::ByteSet;
use super::{Look, Node};

/// The pattern for `regex::bytes` with Unicode off, anchored at both ends.
pub(super) fn render(node: &Node) -> String {
    let mut out = String::from(r"\A");
    group(node, &mut out);
    out.push_str(r"\z");
    out
}

fn group(node: &Node, out: &mut String) {
    out.push_str("(?:");
    write_node(node, out);
    out.push(')');
}

fn write_node(node: &Node, out: &mut String) {
    match node {
        Node::Byte(byte) => write_byte(*byte, out),
        Node::Class(set) => write_set(set, out),
        Node::Look(look) => out.push_str(match look {
            Look::TextStart => r"\A",
            Look::TextEnd => r"\z",
            Look::LineStart => "(?m:^)",
            Look::LineEnd => "(?m:$)",
            Look::WordBoundary => r"\b",
            Look::NoWordBoundary => r"\B",
        }),
        Node::Concat(nodes) => nodes.iter().for_each(|node| match node {
            Node::Alternate(_) => group(node, out),
            node => write_node(node, out),
        }),
        Node::Alternate(nodes) => {
            for (at, node) in nodes.iter().enumerate() {
                if at > 0 {
                    out.push('|');
                }
                write_node(node, out);
            }
        }
        Node::Repeat { node, min, max } => {
            group(node, out);
            let max = max.map(|max| max.to_string()).unwrap_or_default();
            write_all(out, format_args!("{{{min},{max}}}"));
        }
    }
}

fn write_set(set: &ByteSet, out: &mut String) {
    let ranges = set.ranges();
    if ranges.is_empty() {
        out.push_str(r"[^\x00-\xFF]");
        return;
    }
    out.push('[');
    for (first, last) in ranges {
        write_byte(first, out);
        if first != last {
            out.push('-');
            write_byte(last, out);
        }
    }
    out.push(']');
}

fn write_byte(byte: u8, out: &mut String) {
    write_all(out, format_args!(r"\x{byte:02X}"));
}

fn write_all(out: &mut String, text: std::fmt::Arguments<'_>) {
    // Writing into a string does not fail.
    let _ = out.write_fmt(text);
}
