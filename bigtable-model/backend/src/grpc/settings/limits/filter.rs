//! The size of a filter.

use super::refused;
use crate::Status;
use crate::data::RowFilter;

/// Refuses a filter with too many bytes or levels.
pub(super) fn check(filter: &RowFilter, bytes: usize, levels: usize) -> Result<(), Status> {
    if filter.levels() > levels {
        return Err(refused(format!(
            "a filter of more levels than the limit, which is {levels}"
        )));
    }
    let size = filter.wire_size();
    if size > bytes {
        return Err(refused(format!(
            "a filter of {size} bytes; the limit is {bytes}"
        )));
    }
    Ok(())
}
