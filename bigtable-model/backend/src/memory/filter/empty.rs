//! The emulator's answer for a row without cells: a bad filter is refused there too, if it is
//! evaluated at all.

use super::tree::Node;
use crate::Status;

/// Whether a filter matches, which decides what is evaluated after it.
pub(super) fn matches(node: &Node) -> Result<bool, Status> {
    match node {
        Node::Chain(nodes) => {
            for node in nodes {
                if !matches(node)? {
                    return Ok(false);
                }
            }
            Ok(true)
        }
        Node::Interleave(nodes) => {
            for node in nodes {
                matches(node)?;
            }
            Ok(false)
        }
        Node::Condition {
            predicate,
            if_true,
            if_false,
        } => {
            let branch = if matches(predicate)? {
                if_true
            } else {
                if_false
            };
            branch.as_ref().map_or(Ok(false), |node| matches(node))
        }
        Node::PassAll | Node::RowLimit(_) | Node::ColumnLimit(_) => Ok(true),
        Node::Refused {
            status,
            of_cells: false,
        } => Err(status.clone()),
        _ => Ok(false),
    }
}
