//! Reports of a job, while it runs and at its end.

use serde::Serialize;

/// The progress of a job.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Progress {
    /// The current stage.
    pub stage: Stage,
    /// The number of parts of the stage's rows.
    pub parts: usize,
    /// How many of them are done.
    pub parts_done: usize,
    /// The rows done, of the source while copying, of the target while comparing, including those
    /// of earlier runs. In layout `latest` the comparison begins with the source, whose rows are
    /// not counted.
    pub rows: u64,
    /// The events done.
    pub events: u64,
    /// The approximate share of the stage that is done, from 0 to 1, by the bytes of the table
    /// before the current rows. It changes when a key of `SampleRowKeys` is passed.
    pub share: f64,
}

/// The stage of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub enum Stage {
    /// It reads the source and writes the target.
    Copying,
    /// It reads the target back.
    Verifying,
}

/// The report of a finished job.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct CopyReport {
    /// The target's ID, or the template of its tables by period.
    pub table: String,
    /// The rows of the source that held events.
    pub rows: u64,
    /// The events written, in layout `latest` including those that a newer one replaces.
    pub events: u64,
    /// Their checksum, like [`Tally::checksum`](super::Tally::checksum).
    pub checksum: u64,
    /// Their size in bytes: keys, families, qualifiers and values.
    pub bytes: u64,
    /// The number of parts of the source.
    pub parts: usize,
    /// The progress of earlier runs, if this one resumed from their checkpoint.
    pub resumed: Option<Progress>,
    /// Whether the target was read back, and held what was copied.
    pub verified: bool,
}
