//! Events that a roll-up may lack.

use std::fmt;
use std::sync::Arc;

use crate::Status;
use crate::data::RowOnce;

/// An event was written, but may be missing from a roll-up that the server adds.
///
/// If the backend [keeps tokens](crate::backend::Capabilities::tokens),
/// [`send_again`](NotAdded::send_again) adds it, but never twice. Without tokens it is unknown
/// whether it was added, so it is not sent again: the roll-up may lack it, but counts nothing
/// twice. [`recount`](crate::rollup::recount) corrects the roll-up.
#[derive(Debug, Clone)]
pub struct NotAdded {
    pub(crate) table: String,
    pub(crate) key: String,
    pub(crate) adds: Vec<Arc<PendingAdd>>,
    pub(crate) source: Status,
}

/// The pending addition to one bucket.
#[derive(Debug)]
pub(crate) struct PendingAdd {
    pub(crate) table: String,
    pub(crate) row: RowOnce,
}

impl NotAdded {
    /// The ID of the event's own table.
    #[must_use]
    pub fn table(&self) -> &str {
        &self.table
    }

    /// The row key in decoded form, of the first event if there are several in the row.
    #[must_use]
    pub fn key(&self) -> &str {
        &self.key
    }

    /// The IDs of the roll-up's tables that may lack the event.
    pub fn rollups(&self) -> impl Iterator<Item = &str> {
        self.adds.iter().map(|add| &*add.table)
    }

    /// Whether [`send_again`](NotAdded::send_again) can send anything, since the backend keeps
    /// tokens.
    #[must_use]
    pub fn has_tokens(&self) -> bool {
        self.adds.iter().all(|add| add.row.idempotency.is_some())
    }
}

impl fmt::Display for NotAdded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { table, key, .. } = self;
        let rollups: Vec<_> = self.rollups().collect();
        let remedy = match self.has_tokens() {
            true => "send it again with `NotAdded::send_again`",
            false => {
                "without tokens it is not sent again, so correct the roll-up with `rollup::recount`"
            }
        };
        write!(
            f,
            "table {table}: {key} was written, but may be missing from the roll-up in table {}: {remedy}",
            rollups.join(" and ")
        )
    }
}

impl std::error::Error for NotAdded {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.source)
    }
}
