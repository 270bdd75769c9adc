//! The job that computes marked buckets.

use std::fmt;
use std::marker::PhantomData;
use std::ops::Bound;
use std::time::Duration;

use bytes::Bytes;
use futures::StreamExt as _;

use super::Rollup;
use super::fill::{Fill, Names, bucket, of_buckets};
use super::kept::Kept;
use super::report::{Done, RollupReport};
use super::row::{bucket_mutations, incomplete, mark_of, marked_at, marks, written_sources};
use super::tier::{Span, Tier, tiers};
use super::windows::rolled;
use crate::Timestamp;
use crate::backend::setting::at_least_one;
use crate::backend::{Backend, InvalidSetting, Method};
use crate::data::{CheckAndMutateRow, Mutation, ReadRows, Row, RowFilter};
use crate::error::Error;
use crate::query::BadRows;
use crate::send::limits::{PARTS_AT_ONCE, Pace};
use crate::send::{at_row, at_table, unmark};

/// The default age of a mark before its bucket is computed: 10 minutes.
pub const DEFAULT_SETTLE: Duration = Duration::from_secs(600);

/// Computes the marked buckets of the roll-up `R` from their events: see the
/// [module](crate::rollup).
///
/// This only describes the job; [`run`](RollupJob::run) does the work, and can be called again.
pub struct RollupJob<R> {
    settle: Duration,
    at_once: usize,
    per_second: Option<usize>,
    rollup: PhantomData<fn() -> R>,
}

impl<R: Rollup> RollupJob<R> {
    /// A job for all levels of a roll-up.
    #[must_use]
    pub const fn new() -> Self {
        const {
            assert!(
                !R::ADDED,
                "the server adds to this roll-up, and no bucket is marked: `recount` recomputes buckets"
            );
        }
        Self {
            settle: DEFAULT_SETTLE,
            at_once: PARTS_AT_ONCE,
            per_second: None,
            rollup: PhantomData,
        }
    }

    /// Skips marks younger than this: by default [10 minutes](DEFAULT_SETTLE). A bucket is marked
    /// before its event is written, so the event of a young mark may not be stored yet. Choose more
    /// than a write with all its attempts may take, and more than the difference between clocks.
    /// Until then queries read the events of marked buckets.
    ///
    /// Events count as expired this much earlier, so that the job never misses one that the server
    /// has already deleted: choose more than an [expiry
    /// margin](crate::BackendExt::with_expiry_margin).
    #[must_use]
    pub const fn settle(mut self, age: Duration) -> Self {
        self.settle = age;
        self
    }

    /// The number of buckets computed at once; 8 by default.
    ///
    /// # Errors
    /// [`InvalidSetting`] for 0.
    pub fn parallelism(mut self, buckets: usize) -> Result<Self, InvalidSetting> {
        at_least_one("RollupJob::parallelism", buckets)?;
        self.at_once = buckets;
        Ok(self)
    }

    /// The maximum number of buckets that are computed a second, so that the job leaves the cluster
    /// to others; there is none by default.
    ///
    /// # Errors
    /// [`InvalidSetting`] for 0.
    pub fn buckets_per_second(mut self, buckets: usize) -> Result<Self, InvalidSetting> {
        at_least_one("RollupJob::buckets_per_second", buckets)?;
        self.per_second = Some(buckets);
        Ok(self)
    }

    /// Computes marked buckets, shorter ones first, since longer ones are computed from them.
    ///
    /// The future may be dropped at any time: a bucket is either computed and unmarked, or
    /// unchanged. Several jobs may run at once; they may then compute the same bucket twice.
    ///
    /// It reads the marks of whole tables. For each marked bucket it reads unmarked shorter
    /// buckets, or the events. If some of these are no longer stored, a bucket with values keeps
    /// its values: see [`RollupReport::kept`].
    ///
    /// # Errors
    /// [`Error::Backend`] if marks cannot be read. A bucket that cannot be computed is in the
    /// report, and stays marked.
    pub async fn run(&self, backend: &dyn Backend) -> Result<RollupReport, Error> {
        let mut report = RollupReport::default();
        let pace = Pace::new(self.per_second);
        for at in 0..R::LEVELS.len() {
            self.level(backend, at, &pace, &mut report).await?;
        }
        Ok(report)
    }

    async fn level(
        &self,
        backend: &dyn Backend,
        at: usize,
        pace: &Pace,
        report: &mut RollupReport,
    ) -> Result<(), Error> {
        let levels = tiers(R::LEVELS)?;
        let Some((shorter, [tier, ..])) = levels.split_at_checked(at) else {
            return Ok(());
        };
        let table = rolled::<R>().table(&tier.level);
        let rows = backend
            .read_rows(ReadRows {
                table: table.to_owned(),
                filter: Some(marks(R::SCHEMA)),
                ..ReadRows::default()
            })
            .rows();
        let settle = self.settle;
        let buckets = rows.map(|row| async move {
            let row = row.map_err(|source| at_table(table, Method::ReadRows, source))?;
            Ok::<_, Error>(one::<R>(backend, (shorter, tier), row, (settle, pace)).await)
        });
        let mut done = buckets.buffer_unordered(self.at_once);
        while let Some(one) = done.next().await {
            report.add(one?);
        }
        Ok(())
    }
}

/// Computes one bucket of a level from shorter ones and events.
async fn one<R: Rollup>(
    backend: &dyn Backend,
    (shorter, tier): (&[Tier], &Tier),
    row: Row,
    (settle, pace): (Duration, &Pace),
) -> Result<Done, Error> {
    let table = rolled::<R>().table(&tier.level);
    let Some(mark) = mark_of(&row) else {
        return Ok(Done::MarkedAgain);
    };
    let settled = Timestamp::now().saturating_sub(settle);
    if marked_at(mark) > settled {
        return Ok(Done::Young);
    }
    pace.wait(1).await;
    let (names, start) = bucket(R::SCHEMA, table, &row)?;
    let bucket = tier.grid.cell(start)?;
    let span = (bucket.start.as_micros(), bucket.end.as_micros());
    // A row from a time of other bucket lengths has no events.
    let names = (bucket.start == start).then_some(&names);
    let mut kept = Kept::of::<R>(backend, settle);
    let (if_true, done) = loop {
        match written::<R>(&kept, (shorter, tier), names, (&row.key, span)).await? {
            Some(written) => break written,
            None => kept = kept.again(),
        }
    };
    let write = CheckAndMutateRow {
        table: table.to_owned(),
        key: row.key.clone(),
        predicate: Some(is_mark::<R>(&mark.value)),
        if_true,
        if_false: Vec::new(),
    };
    let written = backend.check_and_mutate_row(write).await;
    let place = (&*row.key, None);
    let written = written
        .map_err(|source| at_row(R::SCHEMA, table, Method::CheckAndMutateRow, place, source));
    Ok(match written? {
        true => done,
        false => Done::MarkedAgain,
    })
}

/// The write to a bucket's row, and its outcome; `None` if a source of the bucket expired while it
/// was read. Without names it is a bucket without events.
async fn written<R: Rollup>(
    kept: &Kept<'_>,
    (shorter, tier): (&[Tier], &Tier),
    names: Option<&Names>,
    (key, span): (&Bytes, Span),
) -> Result<Option<(Vec<Mutation>, Done)>, Error> {
    let rolled = rolled::<R>();
    let fill = Fill::<R> {
        backend: kept.backend(),
        rolled,
        tiers: shorter,
        levels: shorter,
        window: &tier.grid,
        base: &of_buckets(),
        bad_rows: &BadRows::fail(),
        kept,
        most: None,
        rollup: PhantomData,
    };
    let windows = match names {
        Some(names) => fill.buckets(names, span).await?,
        None => Some(Vec::new()),
    };
    let Some(windows) = windows else {
        return Ok(None);
    };
    let lost = match kept.is_everything() {
        true => None,
        false => lost(&fill, rolled.table(&tier.level), (key, span)).await?,
    };
    let done = match lost {
        Some((true, why)) => {
            return Ok(Some((vec![unmark(R::SCHEMA)], Done::Kept(why))));
        }
        Some((false, why)) => Done::ComputedInPart(why),
        None => Done::Computed,
    };
    let mutations = computed(&fill, windows.first(), span).await?;
    Ok(Some((mutations, done)))
}

/// Why a bucket can no longer be computed completely, and whether it has values.
async fn lost<R: Rollup>(
    fill: &Fill<'_, R>,
    table: &str,
    (key, span): (&Bytes, Span),
) -> Result<Option<(bool, Error)>, Error> {
    let (has_values, had) = fill.stored(table, key).await?;
    // A bucket that was never computed comes from no table.
    let had = match has_values {
        true => had.as_deref(),
        false => Some(&b""[..]),
    };
    // A table may have been dropped meanwhile.
    fill.kept.forget_tables();
    let Some(source) = fill.kept.lost(fill.levels, span, had).await? else {
        return Ok(None);
    };
    Ok(Some((has_values, incomplete::<R>(table, key, source))))
}

/// Matches exactly the mark that was read.
fn is_mark<R: Rollup>(mark: &Bytes) -> RowFilter {
    RowFilter::Chain(vec![
        marks(R::SCHEMA),
        RowFilter::ValueRange {
            start: Bound::Included(mark.clone()),
            end: Bound::Included(mark.clone()),
        },
    ])
}

/// Replaces a bucket's row with the roll-up of its events, or deletes it if there are none.
async fn computed<R: Rollup>(
    fill: &Fill<'_, R>,
    rollup: Option<&R>,
    (from, to): Span,
) -> Result<Vec<Mutation>, Error> {
    let Some(rollup) = rollup else {
        return Ok(vec![Mutation::DeleteFromRow]);
    };
    let end = Timestamp::from_micros(to);
    let mut mutations = bucket_mutations(rollup, Timestamp::now(), end)?.mutations;
    mutations.push(unmark(R::SCHEMA));
    let sources = fill.kept.record(fill.levels, (from, to)).await?;
    mutations.extend(written_sources(R::SCHEMA, end, sources));
    Ok(mutations)
}

impl<R: Rollup> Default for RollupJob<R> {
    fn default() -> Self {
        Self::new()
    }
}

impl<R> Clone for RollupJob<R> {
    fn clone(&self) -> Self {
        Self { ..*self }
    }
}

impl<R> fmt::Debug for RollupJob<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RollupJob")
            .field("settle", &self.settle)
            .field("at_once", &self.at_once)
            .finish_non_exhaustive()
    }
}
