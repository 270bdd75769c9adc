//! Reads: a stream that takes a few rows at a time and continues after the last one.

use std::collections::VecDeque;
use std::fmt;
use std::ops::Bound;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use futures::future::BoxFuture;
use futures::{FutureExt as _, Stream};

use super::ranges::{self, unite, unite_many};
use crate::data::{ReadRows, RowRange};
use crate::memory::Profile;
use crate::memory::check::invalid;
use crate::memory::filter::{Filter, Work};
use crate::memory::sink::Sink;
use crate::memory::steps::{TURN, steps_of_copy};
use crate::memory::store::row::StoredRow;
use crate::memory::store::{Content, Store, Table};
use crate::memory::turns::Pause;
use crate::{ReadCounts, Status};

/// Rows taken under one lock at first, so a read of few rows does little; then four times as many
/// each time.
pub(in crate::memory) const FIRST_BATCH: usize = 16;
/// The maximum number of rows taken, or ranges searched, under one lock.
pub(in crate::memory) const LARGEST_BATCH: usize = 256;

/// Steps of a range that is searched, and of a row without its cells.
const SOUGHT: usize = 16;
const ROW: usize = 8;

/// Steps of a cell that no filter looks at.
const CELL: usize = 4;

/// Steps of a row that is delivered at once without a filter, at most.
const AT_ONCE: usize = TURN / 8;

/// Rows that are prefetched before the first of them is read.
const LOOKED_AT: usize = 8;

/// A read, which delivers the items that its sink makes of the rows. It begins when it is first
/// polled.
#[derive(Debug)]
pub(in crate::memory) struct Scan<S> {
    store: Arc<Store>,
    state: State<S>,
    counts: Option<Arc<ReadCounts>>,
}

#[derive(Debug)]
enum State<S> {
    Waiting(ReadRows),
    Reading(Box<Reading<S>>),
    Done,
}

/// How a read begins.
enum Begun<S: Sink> {
    /// With everything: the row that was asked for by its key, if it exists.
    Row(Option<S::Item>),
    Reading(Box<Reading<S>>),
}

#[derive(Debug)]
struct Reading<S> {
    table: Arc<Table>,
    filter: Option<Arc<Filter>>,
    reversed: bool,
    /// Rows still to be delivered; `None` is no limit.
    limit: Option<u64>,
    /// Ranges not yet taken, in ascending order.
    ranges: VecDeque<RowRange>,
    /// The task that puts them in order, if there are many.
    uniting: Option<Task<Result<Vec<RowRange>, Status>>>,
    batch: usize,
    taken: VecDeque<Arc<StoredRow>>,
    /// How many of the next rows were prefetched.
    looked_at: usize,
    counts: Option<Arc<ReadCounts>>,
    work: Work,
    /// The end of a turn, before which nothing is done.
    pause: Option<Pause>,
    /// What the filter let through and was not delivered yet.
    sink: S,
    /// The task that filters a row, if that takes many steps.
    filtering: Option<Task<Filtered<S>>>,
    /// Why no row follows those in the sink.
    failed: Option<Status>,
}

/// The filtered row, alone, and the state for the next one.
type Filtered<S> = (Result<S, Status>, Work);

/// Work that takes several turns.
struct Task<T>(BoxFuture<'static, T>);

impl<T> Task<T> {
    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<T> {
        self.0.as_mut().poll(cx)
    }
}

impl<T> fmt::Debug for Task<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Task").finish_non_exhaustive()
    }
}

impl<S: Sink> Scan<S> {
    pub(in crate::memory) fn new(
        store: Arc<Store>,
        request: ReadRows,
        counts: Option<Arc<ReadCounts>>,
    ) -> Self {
        Self {
            store,
            state: State::Waiting(request),
            counts,
        }
    }

    fn start(&self, request: ReadRows) -> Result<Begun<S>, Status> {
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
                Some(Arc::new(filter))
            }
            None => None,
        };
        if let (None, [key], []) = (&filter, &*request.rows.keys, &*request.rows.ranges)
            && let Some(row) = self.one_row(&table, key, limit)?
        {
            return Ok(row);
        }
        let (rows, profile) = (request.rows, self.store.profile);
        let (ranges, uniting) = match rows.keys.len() + rows.ranges.len() {
            0..=ranges::AT_ONCE => (unite(rows, profile)?.into(), None),
            _ => {
                let uniting = Box::pin(unite_many(rows, profile));
                (VecDeque::new(), Some(Task(uniting)))
            }
        };
        Ok(Begun::Reading(Box::new(Reading {
            table,
            filter,
            reversed: request.reversed,
            limit,
            ranges,
            uniting,
            batch: FIRST_BATCH,
            taken: VecDeque::new(),
            looked_at: 0,
            counts: self.counts.clone(),
            work: Work::default(),
            pause: None,
            sink: S::default(),
            filtering: None,
            failed: None,
        })))
    }

    /// The whole row with a key, which takes no state of its own: reads of one row are the most
    /// frequent. `None` if that takes longer than a turn.
    fn one_row(
        &self,
        table: &Table,
        key: &[u8],
        limit: Option<u64>,
    ) -> Result<Option<Begun<S>>, Status> {
        let content = table.read()?;
        let row = content.rows.get(key).filter(|_| limit != Some(0));
        let Some(row) = row.map(|row| self.store.visible(&content, row)) else {
            return Ok(Some(Begun::Row(None)));
        };
        drop(content);
        if steps_of::<S>(&row) > AT_ONCE {
            return Ok(None);
        }
        if let Some(counts) = &self.counts {
            counts.add(1, row.cell_count(), row.bytes_read());
        }
        let mut sink = S::for_one(row.cell_count(), row.key().len() + row.bytes());
        if !row.is_empty() {
            row.deliver(&mut sink);
        }
        Ok(Some(Begun::Row(sink.finish())))
    }
}

impl<S: Sink + Unpin> Stream for Scan<S> {
    type Item = Result<S::Item, Status>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = &mut *self;
        if let State::Waiting(request) = &mut this.state {
            let request = std::mem::take(request);
            this.state = State::Done;
            match this.start(request) {
                Ok(Begun::Row(row)) => return Poll::Ready(row.map(Ok)),
                Ok(Begun::Reading(reading)) => this.state = State::Reading(reading),
                Err(status) => return Poll::Ready(Some(Err(status))),
            }
        }
        let State::Reading(reading) = &mut this.state else {
            return Poll::Ready(None);
        };
        let step = ready!(reading.poll_step(&this.store, cx));
        if !matches!(step, Ok(Some(_))) {
            this.state = State::Done;
        }
        Poll::Ready(step.transpose())
    }
}

impl<S: Sink> Reading<S> {
    /// The next rows that the filter lets through; `None` at the end.
    fn poll_step(
        &mut self,
        store: &Store,
        cx: &mut Context<'_>,
    ) -> Poll<Result<Option<S::Item>, Status>> {
        if let Some(uniting) = &mut self.uniting {
            self.ranges = ready!(uniting.poll(cx))?.into();
            self.uniting = None;
        }
        loop {
            if let Some(pause) = &mut self.pause {
                ready!(Pin::new(pause).poll(cx));
                self.pause = None;
                self.work.steps.begin_turn();
            }
            if let Some(filtering) = &mut self.filtering {
                let (filtered, work) = ready!(filtering.poll(cx));
                (self.filtering, self.work) = (None, work);
                self.sink = filtered?;
            } else if self.failed.is_none() {
                if self.limit == Some(0) || self.taken.is_empty() && !self.take(store)? {
                    return Poll::Ready(Ok(None));
                }
                self.fill();
            }
            let count = u64::try_from(self.sink.count()).unwrap_or(u64::MAX);
            if let Some(rows) = self.sink.take() {
                self.limit = self.limit.map(|limit| limit.saturating_sub(count));
                return Poll::Ready(Ok(Some(rows)));
            }
            if let Some(failed) = self.failed.take() {
                return Poll::Ready(Err(failed));
            }
            if self.work.steps.are_few() {
                self.pause = Some(Pause::begin());
            }
        }
    }

    /// Filters rows that were taken and adds them to the sink: as many as the sink has room for,
    /// this turn has steps for, and the limit allows.
    fn fill(&mut self) {
        let most = self.limit.map_or(usize::MAX, |limit| {
            usize::try_from(limit).unwrap_or(usize::MAX)
        });
        // The counts are shared, so adding to them takes longer than adding numbers.
        let (mut rows, mut cells, mut bytes) = (0, 0, 0);
        while !self.work.steps.are_few()
            && !self.sink.is_full()
            && self.sink.count() < most
            && let Some(row) = self.next_taken()
        {
            rows += 1;
            cells += row.cell_count();
            bytes += row.bytes_read();
            self.work.steps.spend(ROW);
            match self.fill_from(row) {
                Some(Ok(())) => {}
                Some(Err(status)) => {
                    self.failed = Some(status);
                    break;
                }
                None => break,
            }
        }
        if let Some(counts) = &self.counts {
            counts.add(rows, cells, bytes);
        }
    }

    /// Adds the part of a row that the filter lets through to the sink; `None` if that takes longer
    /// than this turn.
    fn fill_from(&mut self, row: Arc<StoredRow>) -> Option<Result<(), Status>> {
        let pass_all;
        let filter = match &self.filter {
            Some(filter) => filter,
            None if steps_of::<S>(&row) <= AT_ONCE => {
                if !row.is_empty() {
                    self.work.steps.spend(steps_of::<S>(&row));
                    row.deliver(&mut self.sink);
                }
                return Some(Ok(()));
            }
            None => {
                pass_all = Arc::new(Filter::pass_all());
                &pass_all
            }
        };
        // Most rows take few steps, and need no future of their own.
        let sampler = self.work.sampler.clone();
        let applied = filter.apply(&row, &mut self.work, &mut self.sink);
        let at_once = applied.now_or_never();
        if !matches!(at_once, Some(Ok(()))) {
            self.sink.give_up();
        }
        if at_once.is_none() {
            let filter = Arc::clone(filter);
            let mut work = std::mem::take(&mut self.work);
            work.sampler = sampler;
            self.filtering = Some(Task(Box::pin(async move {
                Pause::begin().await;
                work.steps.begin_turn();
                let mut sink = S::default();
                let filtered = filter.apply(&row, &mut work, &mut sink).await;
                (filtered.map(|()| sink), work)
            })));
        }
        at_once
    }

    /// The next row that was taken. The memory of a row is mostly not in the processor's caches, so
    /// a few rows are touched beforehand and fetched in parallel. Not many, since merged reads
    /// alternate.
    fn next_taken(&mut self) -> Option<Arc<StoredRow>> {
        if self.looked_at == 0 {
            let next = self.taken.iter().take(LOOKED_AT);
            let looked_at = next.map(|row| row.first_bytes(S::SHARES)).max();
            std::hint::black_box(looked_at);
            self.looked_at = LOOKED_AT;
        }
        self.looked_at -= 1;
        self.taken.pop_front()
    }

    /// Takes the next rows; `false` if no range is left.
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
            self.work.steps.spend(SOUGHT);
            self.take_from(store, &content, range, missing);
        }
        Ok(true)
    }

    /// Takes up to `count` rows of one range and puts back the rest of it.
    fn take_from(&mut self, store: &Store, content: &Content, range: RowRange, count: usize) {
        if let Some(key) = range.only_key() {
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
        // No key sorts before the empty key, and a range that ended there would have no end.
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

/// The steps of delivering a whole row.
fn steps_of<S: Sink>(row: &StoredRow) -> usize {
    let copied = match S::SHARES {
        true => 0,
        false => row.bytes(),
    };
    row.cell_count() * CELL + steps_of_copy(copied)
}
