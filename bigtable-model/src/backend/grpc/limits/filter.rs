//! The size of a filter.

use prost::Message;

use super::refused;
use crate::Status;
use crate::backend::grpc::wire;
use crate::data::RowFilter;

/// Refuses a filter with too many bytes or levels.
pub(super) fn check(filter: &RowFilter, bytes: usize, levels: usize) -> Result<(), Status> {
    if !fits(filter, levels) {
        return Err(refused(format!(
            "a filter of more levels than the limit, which is {levels}"
        )));
    }
    let size = wire::RowFilter::from(filter.clone()).encoded_len();
    if size > bytes {
        return Err(refused(format!(
            "a filter of {size} bytes; the limit is {bytes}"
        )));
    }
    Ok(())
}

/// Whether it has no more than so many levels; nothing deeper is looked at.
fn fits(filter: &RowFilter, levels: usize) -> bool {
    let Some(below) = levels.checked_sub(1) else {
        return false;
    };
    match filter {
        RowFilter::Chain(filters) | RowFilter::Interleave(filters) => {
            filters.iter().all(|filter| fits(filter, below))
        }
        RowFilter::Condition {
            predicate,
            if_true,
            if_false,
        } => {
            let branches = [if_true, if_false].into_iter().flatten();
            fits(predicate, below) && branches.into_iter().all(|filter| fits(filter, below))
        }
        _ => true,
    }
}
