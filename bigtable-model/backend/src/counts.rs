use std::sync::atomic::{AtomicU64, Ordering};

/// What a read has read so far, whether or not its filter let it through.
#[derive(Debug, Default)]
pub struct ReadCounts {
    rows: AtomicU64,
    cells: AtomicU64,
}

impl ReadCounts {
    /// Counts a row with this many cells.
    pub fn add_row(&self, cells: usize) {
        let cells = u64::try_from(cells).unwrap_or(u64::MAX);
        self.rows.fetch_add(1, Ordering::Relaxed);
        self.cells.fetch_add(cells, Ordering::Relaxed);
    }

    /// The rows.
    #[must_use]
    pub fn rows(&self) -> u64 {
        self.rows.load(Ordering::Relaxed)
    }

    /// The cells of these rows.
    #[must_use]
    pub fn cells(&self) -> u64 {
        self.cells.load(Ordering::Relaxed)
    }
}
