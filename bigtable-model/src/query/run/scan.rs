//! One running scan of a plan: its events one by one.

use std::cmp::Ordering;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::Bytes;

use super::check::KeyCheck;
use super::hidden::{Lacks, lacks};
use super::reading::Reading;
use super::sources::Rows;
use crate::condition::ColumnTest;
use crate::model::{EventReader, Holds, RowEvents, RowInBatch, Schema};
use crate::query::{BadRows, EventTimes, Order, Place};
use crate::{Error, Timestamp};

/// The shared means of a plan's scans to find events in rows.
pub(in crate::query) struct Reader {
    pub(in crate::query) schema: Schema,
    pub(in crate::query) events: Arc<EventReader>,
    pub(in crate::query) times: EventTimes,
    pub(in crate::query) condition: Option<ColumnTest>,
    pub(in crate::query) check: Option<KeyCheck>,
    pub(in crate::query) after: Option<Place>,
    pub(in crate::query) order: Order,
    pub(in crate::query) descending: bool,
    /// The maximum number of cells of each column that were requested.
    pub(in crate::query) newest: Option<u32>,
    pub(in crate::query) bad_rows: BadRows,
    /// Whether events of other sources are merged with these: events that are no result stay, since
    /// they hide the same events there.
    pub(in crate::query) united: bool,
}

/// The events of one scan, up to a limit. One batch of rows is held.
pub(in crate::query) struct ScanEvents {
    reader: Arc<Reader>,
    reads: Rows,
    /// The second read of a row, as a whole.
    again: Option<Reading>,
    /// The row's first read, among the rows after it, while the second is used.
    aside: Option<RowInBatch>,
    /// Whether the current row came without a limit on its cells.
    is_whole: bool,
    row: RowEvents,
    /// How many of the row's events were returned or left out, in the order of the query.
    taken: usize,
    /// Whether the row's events are taken one by one, after a run could not be taken.
    one_by_one: bool,
    /// How many events are still wanted.
    missing: Option<u64>,
    /// Whether the scan has passed the position after which results are wanted.
    passed: bool,
    ended: bool,
}

impl ScanEvents {
    pub(in crate::query) fn new(reader: Arc<Reader>, reads: Rows, limit: Option<u64>) -> Self {
        Self {
            passed: reader.after.is_none(),
            reader,
            reads,
            again: None,
            aside: None,
            is_whole: false,
            row: RowEvents::default(),
            taken: 0,
            one_by_one: false,
            missing: limit,
            ended: limit == Some(0),
        }
    }

    /// Ends the scan and cancels a read in flight. The current event stays.
    pub(in crate::query) fn stop(&mut self) {
        self.ended = true;
        self.reads.stop();
        self.again = None;
    }

    /// Moves to the next event; `None` at the end. An error of the backend ends the scan, other
    /// errors are about one row.
    pub(in crate::query) fn poll_next(
        &mut self,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<(), Error>>> {
        loop {
            if self.ended {
                return Poll::Ready(None);
            }
            if self.taken < self.row.len() {
                self.taken += 1;
                return Poll::Ready(Some(Ok(())));
            }
            match ready!(self.poll_row(context)) {
                Some(Ok(())) => {}
                // The error is about one event, and the others follow.
                Some(Err(error)) if self.reads.goes_on_after(&error) => {
                    return Poll::Ready(Some(Err(error)));
                }
                end => {
                    self.stop();
                    return Poll::Ready(end);
                }
            }
            if let Err(error) = self.load() {
                self.taken = self.row.len();
                if !self.was_told()
                    && let Err(error) = self.judge(error)
                {
                    return Poll::Ready(Some(Err(error)));
                }
            }
        }
    }

    /// Whether the current event was deleted, or the condition does not hold for it. A row of a
    /// union keeps such events, since they hide the same events of other sources.
    pub(in crate::query) fn is_no_result(&self) -> bool {
        let (row, index) = self.current();
        row.is_deleted(index)
            || self
                .reader
                .condition
                .as_ref()
                .is_some_and(|condition| !row.holds_at(index, |cells| condition.holds_of(cells)))
    }

    /// Takes up to `most` events that follow the current one in its row, or all of a row of blocks,
    /// up to the limit, if `add` takes all of them; then they are results.
    pub(in crate::query) fn take_run(
        &mut self,
        most: usize,
        add: impl FnOnce(&RowEvents, Range<usize>) -> bool,
    ) {
        // Blocks are decoded as a whole, so parting their events would save nothing.
        let most = match self.row.has_only_blocks() {
            true => usize::MAX,
            false => most,
        };
        let wanted = self.missing.map_or(most, |missing| {
            most.min(usize::try_from(missing).unwrap_or(most))
        });
        let end = self.row.len().min(self.taken.saturating_add(wanted));
        let run = self.taken..end;
        // A row of a union may have tombstones and other events that hide events.
        let goes_on = !self.ended && !self.one_by_one;
        let in_order = !self.reader.united && !self.reader.descending;
        if !(goes_on && in_order) || run.is_empty() || !self.row.are_events(run.clone()) {
            return;
        }
        let taken = u64_of(run.len());
        if add(&self.row, run) {
            self.taken = end;
            self.count(taken);
        } else {
            self.one_by_one = true;
        }
    }

    /// Counts events, and stops after the last wanted one.
    #[inline]
    pub(in crate::query) fn count(&mut self, events: u64) {
        if let Some(missing) = &mut self.missing {
            *missing = missing.saturating_sub(events);
            if *missing == 0 {
                self.stop();
            }
        }
    }

    /// Whether the current row is at the position itself: the previous page was its error.
    #[cold]
    fn was_told(&self) -> bool {
        let after = self.reader.after.as_ref();
        let layout = &self.reader.schema.key;
        !self.passed && after.is_some_and(|after| self.row.key() == after.row(layout))
    }

    /// Skips a row or an event that does not fit the model, or returns the error. It does not count
    /// towards a limit.
    #[cold]
    pub(in crate::query) fn judge(&self, error: Error) -> Result<(), Error> {
        self.reader.bad_rows.take(error.in_table(self.table()))
    }

    /// What identifies the current event.
    pub(in crate::query) fn identity(&self) -> (Bytes, Option<Timestamp>) {
        let (row, index) = self.current();
        (
            row.shared_key_at(index),
            row.time(index).unwrap_or_default(),
        )
    }

    /// The current event.
    pub(in crate::query) fn current(&self) -> (&RowEvents, usize) {
        (&self.row, self.index(self.taken.saturating_sub(1)))
    }

    /// The index in the row of the `nth` event in the order of the query.
    fn index(&self, nth: usize) -> usize {
        match self.reader.descending {
            true => self.row.len().saturating_sub(nth + 1),
            false => nth,
        }
    }

    /// The time of the current event, by which scans are merged; `None` if they are merged by keys.
    #[inline]
    pub(in crate::query) fn time(&self) -> Result<Option<Timestamp>, Error> {
        if self.reader.order == Order::Key {
            return Ok(None);
        }
        let (row, index) = self.current();
        row.time(index)
    }

    /// The table of the current row.
    pub(in crate::query) fn table(&self) -> &str {
        self.reads.table()
    }

    /// The order of the current events of two scans at the same time: by their identifiers. In
    /// order of keys, where each table by period has a scan, it is by the keys: no two tables share
    /// a key, but other sources have events of the same rows.
    pub(in crate::query) fn compare_ties(&self, other: &Self) -> Ordering {
        let ((row, at), (other_row, other_at)) = (self.current(), other.current());
        let ties = || self.compare_keys(row.key_at(at), other_row.key_at(other_at));
        match self.reader.order {
            Order::Key => row.key().cmp(other_row.key()).then_with(|| {
                let time = row.time(at).unwrap_or_default();
                let other_time = other_row.time(other_at).unwrap_or_default();
                time.cmp(&other_time).then_with(ties)
            }),
            _ => ties(),
        }
    }

    fn compare_keys(&self, a: &[u8], b: &[u8]) -> Ordering {
        self.reader.schema.key.compare_ties(a, b)
    }

    /// Moves to the next row; a row that is read again comes whole.
    fn poll_row(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<(), Error>>> {
        if let Some(again) = &mut self.again {
            let batch = ready!(again.poll_batch(context));
            self.again = None;
            match batch {
                Some(Ok(batch)) => {
                    self.is_whole = true;
                    self.aside = Some(self.row.put_aside());
                    self.row.put(batch);
                    self.row.advance();
                    return Poll::Ready(Some(Ok(())));
                }
                // The row may have been deleted meanwhile, even with its table.
                Some(Err(error)) if !self.reads.is_missing(&error) => {
                    return Poll::Ready(Some(Err(error)));
                }
                _ => {}
            }
        }
        self.is_whole = self.reader.newest.is_none();
        if let Some(row) = self.aside.take() {
            self.row.put_back(row);
        }
        while !self.row.advance() {
            match ready!(self.reads.poll_batch(self.missing, context)) {
                Some(Ok(batch)) => self.row.put(batch),
                Some(Err(error)) => return Poll::Ready(Some(Err(error))),
                None => return Poll::Ready(None),
            }
        }
        Poll::Ready(Some(Ok(())))
    }

    /// Finds the events of a row, or reads it again.
    fn load(&mut self) -> Result<(), Error> {
        let reader = &self.reader;
        let row = self.row.row();
        let wanted = reader.check.as_ref();
        if wanted.is_some_and(|check| !check.lets_through(row.key())) {
            return Ok(());
        }
        let newest = reader.newest.filter(|_| !self.is_whole);
        let lacks = newest.map_or(Lacks::Nothing, |newest| lacks(&reader.schema, row, newest));
        self.taken = 0;
        self.one_by_one = false;
        reader.events.find(&reader.times, &mut self.row)?;
        if let Some(check) = &reader.check {
            self.row.retain_keys(|key| check.lets_event_through(key));
        }
        let few = newest.is_some_and(|newest| match reader.schema.holds() {
            Holds::Newest => !self.row.knows_newest(),
            _ => u64_of(self.row.events()) < u64::from(newest),
        });
        if lacks == Lacks::Columns || lacks == Lacks::OlderEvents && few {
            let key = self.row.shared_key();
            self.again = self.reads.whole(key);
            self.taken = self.row.len();
            return Ok(());
        }
        // In a union an event stays even if the condition does not hold, since it hides the same
        // event in other sources.
        if let Some(condition) = &reader.condition
            && !reader.united
        {
            self.row.retain(|cells| condition.holds_of(cells));
        }
        match self.passed {
            true => Ok(()),
            false => self.skip(),
        }
    }

    /// Leaves out the events up to the position after which results are wanted.
    fn skip(&mut self) -> Result<(), Error> {
        let Some(after) = &self.reader.after else {
            return Ok(());
        };
        let row = after.row(&self.reader.schema.key);
        let mut left_out = 0;
        for nth in 0..self.row.len() {
            let index = self.index(nth);
            let time = self.row.time(index)?;
            let ties = || self.compare_keys(self.row.key_at(index), &after.key);
            let place = match self.reader.order {
                Order::Time => time.cmp(&after.time).then_with(ties),
                Order::Key | Order::Any => (self.row.key(), time)
                    .cmp(&(row, after.time))
                    .then_with(ties),
            };
            let place = place.then_with(|| match &after.qualifier {
                Some(qualifier) => self.row.qualifier(index).cmp(&Some(qualifier.as_slice())),
                None => Ordering::Equal,
            });
            let place = match self.reader.descending {
                true => place.reverse(),
                false => place,
            };
            if place.is_gt() {
                self.passed = true;
                break;
            }
            left_out = nth + 1;
        }
        self.taken = left_out;
        Ok(())
    }
}

fn u64_of(len: usize) -> u64 {
    u64::try_from(len).unwrap_or(u64::MAX)
}

impl fmt::Debug for ScanEvents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ScanEvents")
            .field("reads", &self.reads)
            .field("missing", &self.missing)
            .finish_non_exhaustive()
    }
}
