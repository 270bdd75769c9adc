//! The limits of requests with many rows, and their pace.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::{Instant, sleep_until};

use crate::Error;

/// The maximum number of rows that one request writes or looks up by their keys: a failed request
/// is repeated with all of its rows.
pub(crate) const ROWS_PER_REQUEST: usize = 1_000;

/// The maximum number of mutations of one request for a row that is packed or copied: Bigtable
/// takes 100,000.
pub(crate) const MUTATIONS_PER_REQUEST: usize = 90_000;

/// The maximum size of one bulk write, in bytes, and of the rows that a part of a copy or an insert
/// with mirrors collects: it bounds the memory for events of any size.
pub(crate) const BYTES_PER_REQUEST: usize = 8 << 20;

/// The size in bytes from which a bulk write takes no further rows, as in Google's client for
/// HBase: the start of a larger one has left the processor's caches by the time it is sent. Further
/// events of its rows may follow, so that each row is written once.
pub(crate) const BYTES_FOR_ROWS: usize = 1 << 20;

/// The maximum size of the keys in one request, in bytes: half of what Bigtable takes.
pub(crate) const KEY_BYTES_PER_REQUEST: usize = 256 << 10;

/// How many bulk writes are in flight at once, by default: the next one is built while others wait
/// for their answers.
pub(crate) const REQUESTS_IN_FLIGHT: usize = 4;

/// How many reads of many rows by their keys are in flight at once; each holds a batch of rows.
pub(crate) const READS_IN_FLIGHT: usize = 8;

/// How many reads of one row are in flight at once; each holds a row.
pub(crate) const ROW_READS_IN_FLIGHT: usize = 16;

/// The maximum number of tables by period for which bulk writes are built at once; each holds up to
/// one request.
pub(crate) const TABLES_AT_ONCE: usize = 16;

/// How many parts of a job run at once, by default; each has its own reads and writes.
pub(crate) const PARTS_AT_ONCE: usize = 8;

/// How many events are held while their copies or the marks of their buckets are written.
pub(crate) const EVENTS_AT_ONCE: usize = 1_000;

/// How many events are held while they are compared with as many others.
pub(crate) const COMPARED_AT_ONCE: usize = 500;

/// How many errors the report of a job lists. It counts the others.
const LISTED_ERRORS: usize = 100;

/// Lists errors in the report of a job while there is room.
pub(crate) fn list(errors: &mut Vec<Error>, more: impl IntoIterator<Item = Error>) {
    let room = LISTED_ERRORS.saturating_sub(errors.len());
    errors.extend(more.into_iter().take(room));
}

/// How fast a job goes on: the parts of it take turns.
#[derive(Debug)]
pub(crate) struct Pace {
    /// The time that one row or bucket takes; `None` for no limit.
    each: Option<Duration>,
    /// The beginning of the next turn.
    next: Mutex<Instant>,
}

impl Pace {
    /// So many rows or buckets a second, at least 1, or as many as there are.
    pub(crate) fn new(per_second: Option<usize>) -> Self {
        let number = per_second.map(|number| u32::try_from(number).unwrap_or(u32::MAX));
        Self {
            each: number.and_then(|number| Duration::from_secs(1).checked_div(number)),
            next: Mutex::new(Instant::now()),
        }
    }

    /// Waits for a turn of so many rows or buckets. A turn that nobody took is not made up for.
    pub(crate) async fn wait(&self, count: usize) {
        let Some(each) = self.each else {
            return;
        };
        let taken = each.saturating_mul(u32::try_from(count).unwrap_or(u32::MAX));
        let turn = {
            let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
            let turn = Instant::now().max(*next);
            *next = turn.checked_add(taken).unwrap_or(turn);
            turn
        };
        sleep_until(turn).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn turns_come_one_after_another() {
        let (pace, begun) = (Pace::new(Some(4)), Instant::now());
        let mut turns = Vec::new();
        for rows in [1, 2, 1, 1] {
            pace.wait(rows).await;
            turns.push(begun.elapsed().as_millis());
        }
        assert_eq!(turns, [0, 250, 750, 1_000]);
        tokio::time::advance(Duration::from_secs(60)).await;
        pace.wait(1).await;
        pace.wait(1).await;
        assert_eq!(begun.elapsed().as_millis(), 61_250);
    }

    #[tokio::test(start_paused = true)]
    async fn without_a_limit_nothing_waits() {
        let (pace, begun) = (Pace::new(None), Instant::now());
        for _ in 0..1_000 {
            pace.wait(1_000).await;
        }
        assert_eq!(begun.elapsed(), Duration::ZERO);
    }
}
