//! What a job tells while it runs and at its end.

/// How far a job is.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Progress {
    /// What it does.
    pub stage: Stage,
    /// Into how many parts the rows of the stage are cut.
    pub parts: usize,
    /// How many of them are done.
    pub parts_done: usize,
    /// The rows done, of the source while copying, of the target while comparing; those of earlier
    /// runs are in it. In layout `latest` the comparison begins with the source, whose rows do not
    /// count.
    pub rows: u64,
    /// The events done.
    pub events: u64,
    /// About which share of the stage is done, from 0 to 1, by the bytes that the table has before
    /// the rows at hand. It moves when one of the keys that `SampleRowKeys` gives is passed.
    pub share: f64,
}

/// What a job does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Stage {
    /// It reads the source and writes the target.
    Copying,
    /// It reads the target back.
    Verifying,
}

/// What a job did.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct CopyReport {
    /// The target's ID, or the template of its tables by period.
    pub table: String,
    /// The rows of the source that held events.
    pub rows: u64,
    /// The events written, in layout `latest` also those that a newer one replaces.
    pub events: u64,
    /// Their checksum, as [`Tally::checksum`](super::Tally::checksum).
    pub checksum: u64,
    /// The bytes of them: keys, families, qualifiers and values.
    pub bytes: u64,
    /// Into how many parts the source was cut.
    pub parts: usize,
    /// What earlier runs had done, if this one went on from a checkpoint.
    pub resumed: Option<Resumed>,
    /// Whether the target was read back, and held what was copied.
    pub verified: bool,
}

/// What earlier runs of a job had done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Resumed {
    /// The rows of the source.
    pub rows: u64,
    /// The events written.
    pub events: u64,
    /// The parts that were done.
    pub parts: usize,
}
