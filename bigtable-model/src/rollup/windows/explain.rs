//! What windows are read from, in words.

use std::fmt;

use crate::Timestamp;
use crate::series::Length;

/// How windows are answered; `Display` says it in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Explained {
    /// The length of a window.
    pub window: Length,
    /// The number of windows that the time touches in each series; one more if a calendar skips a
    /// day.
    pub windows: u64,
    /// The reads, in time order.
    pub reads: Vec<ExplainedRead>,
}

/// Where a span of time is read from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExplainedRead {
    /// The ID of the table, or the template of tables by period.
    pub table: String,
    /// The length of the table's buckets; `None` if events are read.
    pub buckets: Option<Length>,
    /// Whether the server adds to the buckets; otherwise a job computes them.
    pub is_added: bool,
    /// The beginning of the span.
    pub from: Timestamp,
    /// The end of the span.
    pub before: Timestamp,
}

impl fmt::Display for Explained {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "windows of {}", self.window)?;
        for read in &self.reads {
            write!(f, "{}, ", read.table)?;
            match &read.buckets {
                Some(length) if read.is_added => {
                    write!(f, "buckets of {length} that the server adds")?;
                }
                Some(length) => write!(f, "buckets of {length}")?,
                None => f.write_str("events")?,
            }
            writeln!(f, ": from {}, before {}", read.from, read.before)?;
        }
        let may_be_marked = |read: &ExplainedRead| read.buckets.is_some() && !read.is_added;
        match self.reads.iter().any(may_be_marked) {
            true => writeln!(f, "of marked buckets what is shorter, at last events"),
            false => Ok(()),
        }
    }
}
