//! Errors of a job.

use std::fmt;
use std::io;

use super::tally::Tally;
use crate::Error;

/// Why a job ended before it was done.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CopyError {
    /// Reading an event or writing one failed.
    #[error(transparent)]
    Operation(#[from] Error),
    /// The checkpoint cannot be used.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// The query has a limit.
    #[error(
        "table {table}: a copy reads its query in parts, which cannot share a limit: remove `limit`"
    )]
    Limited {
        /// The source's ID.
        table: String,
    },
    /// Source and target are the same table, or share a table by period.
    #[error("table {table} cannot be copied into itself: give the target another name")]
    SameTable {
        /// Its ID.
        table: String,
    },
    /// Writing an event twice would differ from writing it once.
    #[error(
        "table {table}: {key} would be added to stored aggregates, and counted twice if the job is killed and resumed: copy into a model without aggregates"
    )]
    NotRepeatable {
        /// The target's ID.
        table: String,
        /// The row key in decoded form.
        key: String,
    },
    /// A roll-up that the server adds would count repeated copies twice.
    #[error(
        "table {table}: the server adds its events to the roll-up `{rollup}`, and would count them twice if the job is killed and resumed: copy into another table with `into_table`, or name the roll-up after the copy and `recount` it"
    )]
    Added {
        /// The target's ID.
        table: String,
        /// The roll-up's model.
        rollup: String,
    },
    /// The target does not match what was copied.
    #[error(transparent)]
    Mismatch(#[from] Box<Mismatch>),
    /// The runtime ended while the job ran; the next run continues from the checkpoint.
    #[error("the runtime ended before the copy was done")]
    RuntimeEnded,
}

impl CopyError {
    /// Whether running the job again, unchanged, may succeed.
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        match self {
            Self::Operation(error) => error.is_retryable(),
            Self::Checkpoint(error) => matches!(error, CheckpointError::Store { .. }),
            Self::RuntimeEnded => true,
            _ => false,
        }
    }
}

/// Why a checkpoint cannot be used. The job has then read and written nothing, except after an
/// error of the store.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CheckpointError {
    /// The store failed.
    #[error("the checkpoint {name} cannot be {done}")]
    Store {
        /// Its name in the store.
        name: String,
        /// `read` or `written`.
        done: &'static str,
        /// The store's error.
        source: io::Error,
    },
    /// It was cut off or changed, or is not a checkpoint.
    #[error(
        "the checkpoint {name} is damaged in line {line}: {what}; delete it and the target to copy everything again"
    )]
    Damaged {
        /// Its name in the store.
        name: String,
        /// The line, from 1.
        line: usize,
        /// The problem there.
        what: String,
    },
    /// Another version of this library wrote it.
    #[error(
        "the checkpoint {name} has version {found} of the format, this crate reads version {known}"
    )]
    UnknownVersion {
        /// Its name in the store.
        name: String,
        /// Its version.
        found: u32,
        /// The version that can be read.
        known: u32,
    },
    /// It was made by another job.
    #[error("the checkpoint {name} belongs to another job: {difference}")]
    OtherJob {
        /// Its name in the store.
        name: String,
        /// How the jobs differ.
        difference: String,
    },
}

/// The target does not match what was copied: events are missing or changed, two became one, or
/// there are others.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Mismatch {
    /// The target's ID, or the template of its tables by period.
    pub table: String,
    /// The copied events; in layout `latest` the newest event of each series.
    pub copied: Tally,
    /// The events in the target.
    pub found: Tally,
    /// The parts that differ. Known only if parts of the source do not overlap in the target, as
    /// when its keys have the same order.
    pub differences: Vec<DifferentPart>,
    /// The first row outside all parts' keys, in decoded form; known like the differences.
    pub stray: Option<String>,
}

/// A part of a copy that differs.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct DifferentPart {
    /// The first key that was written, in decoded form.
    pub first: String,
    /// The last key that was written, in decoded form.
    pub last: String,
    /// The copied events.
    pub copied: Tally,
    /// The target's events from the first to the last key.
    pub found: Tally,
}

/// How many differences a message names.
const NAMED: usize = 3;

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            table,
            copied,
            found,
            ..
        } = self;
        write!(
            f,
            "table {table} does not hold what was copied: {} events were written, {} are there",
            copied.events, found.events
        )?;
        if copied.events == found.events {
            f.write_str(", with another checksum")?;
        }
        for one in self.differences.iter().take(NAMED) {
            let DifferentPart { first, last, .. } = one;
            write!(
                f,
                "; from {first} to {last} {} were written, {} are there",
                one.copied.events, one.found.events
            )?;
        }
        if let Some(more) = self
            .differences
            .len()
            .checked_sub(NAMED)
            .filter(|more| *more > 0)
        {
            write!(f, "; {more} more parts differ")?;
        }
        match &self.stray {
            Some(stray) => write!(f, "; {stray} is not a row of the copy"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Mismatch {}
