//! Reads: a stream that takes a few rows at a time and continues behind the last one.

use std::collections::VecDeque;
use std::ops::Bound;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use futures::Stream;

use super::ranges::{only_key, unite};
use super::sample::Sampler;
use crate::Status;
use crate::data::{ReadRows, Row, RowRange};
use crate::memory::Profile;
use crate::memory::filter::Filter;
use crate::memory::refusal::invalid;
use crate::memory::store::row::StoredRow;
use crate::memory::store::{Content, Store, Table};

/// Rows taken under one lock at first, so that a read of few rows does little; then four times as many each time.
pub(in crate::memory) const FIRST_BATCH: usize = 16;
/// Rows taken, or ranges looked into, under one lock at most.
pub(in crate::memory) const LARGEST_BATCH: usize = 256;

/// Rows looked at side by side before the first of them is read.
const LOOKED_AT: usize = 8;

/// A read. It begins when it is first polled.
#[derive(Debug)]
pub(in crate::memory) struct Scan {
    store: Arc<Store>,
    state: State,
}

#[derive(Debug)]
enum State {
    Waiting(ReadRows),
    Reading(Reading),
    Done,
}

#[derive(Debug)]
struct Reading {
    table: Arc<Table>,
    filter: Option<Filter>,
    sampler: Sampler,
    reversed: bool,
    /// Rows still to be delivered; `None` is no limit.
    limit: Option<u64>,
    /// What is not yet taken, in ascending order.
    ranges: VecDeque<RowRange>,
    batch: usize,
    taken: VecDeque<Arc<StoredRow>>,
    /// How many of the next rows were looked at.
    looked_at: usize,
}

impl Scan {
    pub(in crate::memory) fn new(store: Arc<Store>, request: ReadRows) -> Self {
        Self {
            store,
            state: State::Waiting(request),
        }
    }

    fn start(&self, request: ReadRows) -> Result<Reading, Status> {
        let table = self.store.table(&request.table)?;
        let limit = match u64::try_from(request.rows_limit) {
            Ok(0) => None,
            Ok(limit) => Some(limit),
            // To the emulator a negative limit is reached before the first row.
            Err(_) if self.store.profile == Profile::Emulator => Some(0),
            Err(_) => {
                return Err(invalid(
                    "Error in field 'rows_limit' : argument must be >= 0",
                ));
            }
        };
        let filter = match &request.filter {
            Some(filter) => {
                let filter = Filter::compile(filter, self.store.profile)?;
                filter.check_families(&*table.read()?, &table.id, self.store.profile)?;
                Some(filter)
            }
            None => None,
        };
        Ok(Reading {
            table,
            filter,
            sampler: Sampler::default(),
            reversed: request.reversed,
            limit,
            ranges: unite(request.rows, self.store.profile)?.into(),
            batch: FIRST_BATCH,
            taken: VecDeque::new(),
            looked_at: 0,
        })
    }
}

impl Stream for Scan {
    type Item = Result<Row, Status>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = &mut *self;
        if let State::Waiting(request) = &mut this.state {
            let request = std::mem::take(request);
            this.state = State::Done;
            match this.start(request) {
                Ok(reading) => this.state = State::Reading(reading),
                Err(status) => return Poll::Ready(Some(Err(status))),
            }
        }
        let State::Reading(reading) = &mut this.state else {
            return Poll::Ready(None);
        };
        match reading.step(&this.store) {
            Ok(Step::Row(row)) => Poll::Ready(Some(Ok(row))),
            Ok(Step::Pause) => {
                cx.waker().wake_by_ref();
                Poll::Pending
            }
            Ok(Step::End) => {
                this.state = State::Done;
                Poll::Ready(None)
            }
            Err(status) => {
                this.state = State::Done;
                Poll::Ready(Some(Err(status)))
            }
        }
    }
}

enum Step {
    Row(Row),
    /// Many rows were looked at and none was let through: other tasks get their turn.
    Pause,
    End,
}

impl Reading {
    fn step(&mut self, store: &Store) -> Result<Step, Status> {
        if self.limit == Some(0) {
            return Ok(Step::End);
        }
        if self.taken.is_empty() && !self.take(store)? {
            return Ok(Step::End);
        }
        while let Some(row) = self.next_taken() {
            if let Some(row) = self.filtered(&row)? {
                self.limit = self.limit.map(|limit| limit - 1);
                return Ok(Step::Row(row));
            }
        }
        Ok(Step::Pause)
    }

    /// The next row that was taken. What reading a row looks at is mostly not in the processor's caches, and a few rows are looked at
    /// beforehand, so that it is fetched side by side; not many, since reads that are merged have theirs in between.
    fn next_taken(&mut self) -> Option<Arc<StoredRow>> {
        if self.looked_at == 0 {
            let next = self.taken.iter().take(LOOKED_AT);
            let looked_at = next.map(|row| row.first_bytes()).max();
            std::hint::black_box(looked_at);
            self.looked_at = LOOKED_AT;
        }
        self.looked_at -= 1;
        self.taken.pop_front()
    }

    fn filtered(&mut self, row: &StoredRow) -> Result<Option<Row>, Status> {
        match &self.filter {
            None => Ok((!row.is_empty()).then(|| row.to_row())),
            Some(filter) => filter.apply(row.key(), row, &mut self.sampler),
        }
    }

    /// Takes the next rows; false when the ranges are used up.
    fn take(&mut self, store: &Store) -> Result<bool, Status> {
        let table = self.table.clone();
        let content = table.read()?;
        // Without a filter every row taken is delivered.
        let wanted = match (&self.filter, self.limit) {
            (None, Some(limit)) => self.batch.min(usize::try_from(limit).unwrap_or(usize::MAX)),
            _ => self.batch,
        };
        self.batch = (self.batch * 4).min(LARGEST_BATCH);
        self.looked_at = 0;
        for _ in 0..LARGEST_BATCH {
            let missing = wanted - self.taken.len();
            if missing == 0 {
                break;
            }
            let next = match self.reversed {
                false => self.ranges.pop_front(),
                true => self.ranges.pop_back(),
            };
            let Some(range) = next else {
                return Ok(!self.taken.is_empty());
            };
            self.take_from(store, &content, range, missing);
        }
        Ok(true)
    }

    /// Takes up to `count` rows of one range and puts back what is left of it.
    fn take_from(&mut self, store: &Store, content: &Content, range: RowRange, count: usize) {
        if let Some(key) = only_key(&range) {
            let found = content.rows.get(key);
            self.taken
                .extend(found.map(|row| store.visible(content, row)));
            return;
        }
        let before = self.taken.len();
        let bounds = range.bounds();
        let rows = content.rows.range::<[u8], _>(bounds);
        if self.reversed {
            let rows = rows.rev().take(count);
            self.taken.extend(store.share(content, rows, |_| 0));
        } else {
            self.taken
                .extend(store.share(content, rows.take(count), |_| 0));
        }
        if self.taken.len() - before < count {
            return;
        }
        let Some(last) = self.taken.back().map(|row| row.key()) else {
            return;
        };
        // Nothing is before the empty key, and a range that ended there would have no end.
        if self.reversed && last.is_empty() {
            return;
        }
        let rest = match self.reversed {
            false => RowRange {
                start: Bound::Excluded(last.clone()),
                end: range.end,
            },
            true => RowRange {
                start: range.start,
                end: Bound::Excluded(last.clone()),
            },
        };
        if rest.is_empty() {
            return;
        }
        match self.reversed {
            false => self.ranges.push_front(rest),
            true => self.ranges.push_back(rest),
        }
    }
}
