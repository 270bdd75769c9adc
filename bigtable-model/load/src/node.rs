//! What a node of Bigtable can do.

use std::fmt;

use crate::num::{brief, bytes, whole};

/// What a node of Bigtable can do, as Google's documentation says: an assumption, since rows are
/// larger or smaller than 1 KB, and not every load is spread over all nodes.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Node {
    /// Rows of 1 KB that are read one by one, a second.
    pub reads: f64,
    /// Rows of 1 KB that are written, a second.
    pub writes: f64,
    /// Bytes that are scanned, a second.
    pub scanned_bytes: f64,
    /// When the documentation said so.
    pub as_of: &'static str,
}

impl Node {
    /// A node with SSD, from <https://cloud.google.com/bigtable/docs/performance>.
    pub const SSD: Self = Self {
        reads: 17_000.0,
        writes: 14_000.0,
        scanned_bytes: 220e6,
        as_of: "2026-11",
    };

    /// How many nodes a load is worth: at least one. It does not apply to a load in one place,
    /// which more nodes do not help.
    #[must_use]
    pub fn needed(&self, writes: f64, reads: f64, scanned_bytes: f64) -> u64 {
        let nodes =
            writes / self.writes + (reads / self.reads).max(scanned_bytes / self.scanned_bytes);
        whole(nodes.ceil()).max(1)
    }
}

impl fmt::Display for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (writes, reads) = (brief(self.writes), brief(self.reads));
        let scanned = bytes(self.scanned_bytes);
        write!(
            f,
            "assuming that one writes {writes} rows/s, or reads {reads} rows/s or scans {scanned}/s \
             (SSD, rows of 1 KB, as Google's documentation said in {})",
            self.as_of
        )
    }
}
