//! Tables cut into parts at the keys that `SampleRowKeys` gives.

use std::collections::BTreeMap;
use std::ops::Bound;

use bytes::Bytes;
use futures::{StreamExt as _, TryStreamExt as _};

use super::checkpoint::Part;
use crate::Error;
use crate::backend::Backend;
use crate::data::{RowKeySample, RowSet};
use crate::query::behind;
use crate::send::{at_table, lacks_table};

/// How many tables are asked at once where they can be cut.
const AT_ONCE: usize = 8;

/// Where each of some tables can be cut.
#[derive(Debug, Default)]
pub(super) struct TableSamples(pub(super) BTreeMap<String, Samples>);

/// Keys inside a table, ascending, and about how many bytes it has before each.
#[derive(Debug, Default)]
pub(super) struct Samples {
    inner: Vec<(Bytes, u64)>,
    /// The bytes of the whole table.
    all: u64,
}

/// The keys from one on, before another; an empty end is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct KeySpan {
    pub(super) from: Bytes,
    pub(super) to: Bytes,
}

impl TableSamples {
    /// Asks where tables can be cut. With `may_lack` a missing table is one without samples.
    pub(super) async fn of(
        db: &dyn Backend,
        tables: impl IntoIterator<Item = &str>,
        may_lack: bool,
    ) -> Result<Self, Error> {
        let asked = tables.into_iter().map(|table| async move {
            let samples = match db.sample_row_keys(table).await {
                Ok(samples) => Samples::new(samples),
                Err(status) if may_lack && lacks_table(&status) => Samples::default(),
                Err(status) => return Err(at_table(table, "SampleRowKeys", status)),
            };
            Ok((table.to_owned(), samples))
        });
        let asked: Vec<_> = asked.collect();
        let asked = futures::stream::iter(asked).buffer_unordered(AT_ONCE);
        asked.try_collect().await.map(Self)
    }

    /// Cuts the rows of a read of a table into at most `most` parts.
    pub(super) fn cut(&self, table: &str, rows: &[RowSet], most: usize) -> Vec<Part> {
        let samples = self.0.get(table).into_iter();
        let spans = samples.flat_map(|samples| samples.cut(rows, most));
        spans.map(|span| Part::new(table, span)).collect()
    }

    /// About which share of the parts is done, from 0 to 1.
    pub(super) fn share(&self, parts: &[Part]) -> f64 {
        let (mut done, mut all) = (0_u64, 0_u64);
        for part in parts {
            if let Some(samples) = self.0.get(&part.table) {
                done = done.saturating_add(samples.bytes_done(part));
                all = all.saturating_add(samples.bytes(&part.span));
            }
        }
        if all > 0 {
            return ratio(done, all);
        }
        let finished = parts.iter().filter(|part| part.finished).count();
        ratio(wide(finished), wide(parts.len()))
    }
}

impl Samples {
    pub(super) fn new(samples: Vec<RowKeySample>) -> Self {
        let bytes = |sample: &RowKeySample| u64::try_from(sample.offset_bytes).unwrap_or_default();
        let all = samples.iter().map(bytes).max().unwrap_or_default();
        let inner = samples.iter().filter(|sample| !sample.key.is_empty());
        let mut inner: Vec<_> = inner.map(|one| (one.key.clone(), bytes(one))).collect();
        // Ascending they are by contract, apart they need not be.
        inner.sort_unstable();
        inner.dedup_by(|later, kept| later.0 == kept.0);
        Self { inner, all }
    }

    /// About how many bytes come before a key, as of the last sample that is not behind it.
    fn before(&self, key: &[u8]) -> u64 {
        let passed = self
            .inner
            .partition_point(|(sample, _)| sample.as_ref() <= key);
        let last = passed.checked_sub(1).and_then(|last| self.inner.get(last));
        last.map_or(0, |(_, bytes)| *bytes)
    }

    fn bytes(&self, span: &KeySpan) -> u64 {
        let end = match span.to.is_empty() {
            true => self.all,
            false => self.before(&span.to),
        };
        end.saturating_sub(self.before(&span.from))
    }

    /// About how many bytes of a part are done.
    fn bytes_done(&self, part: &Part) -> u64 {
        match (&part.done, part.finished) {
            (_, true) => self.bytes(&part.span),
            (Some(key), _) => self
                .before(key)
                .saturating_sub(self.before(&part.span.from)),
            (None, _) => 0,
        }
    }

    /// Cuts the rows of a read into at most `most` spans that hold about the same number of bytes, and together all keys. None where there
    /// are no rows.
    pub(super) fn cut(&self, rows: &[RowSet], most: usize) -> Vec<KeySpan> {
        let ends = self.inner.iter().map(|(key, _)| key.clone());
        let mut from = Bytes::new();
        let mut pieces = Vec::new();
        for to in ends.chain([Bytes::new()]) {
            let piece = KeySpan {
                from: std::mem::replace(&mut from, to.clone()),
                to,
            };
            if piece.meets(rows) {
                pieces.push(piece);
            }
        }
        self.join(pieces, wide(most.max(1)))
    }

    /// Joins neighbours to at most so many spans.
    fn join(&self, pieces: Vec<KeySpan>, most: u64) -> Vec<KeySpan> {
        // Where the backend knows no bytes, pieces count.
        let weight = |piece: &KeySpan| u128::from(self.bytes(piece).max(1));
        let all: u128 = pieces.iter().map(weight).sum();
        let mut before = 0;
        let mut lot = None;
        let mut spans: Vec<KeySpan> = Vec::new();
        for piece in pieces {
            // The lot that its middle lies in.
            let own = (2 * before + weight(&piece)) * u128::from(most) / (2 * all.max(1));
            before += weight(&piece);
            match spans.last_mut() {
                Some(last) if lot == Some(own) => last.to = piece.to,
                Some(last) => {
                    last.to = piece.from.clone();
                    spans.push(piece);
                }
                None => spans.push(KeySpan {
                    from: Bytes::new(),
                    ..piece
                }),
            }
            lot = Some(own);
        }
        if let Some(last) = spans.last_mut() {
            last.to = Bytes::new();
        }
        spans
    }
}

impl KeySpan {
    /// Whether rows of a read can lie in it.
    fn meets(&self, rows: &[RowSet]) -> bool {
        let holds = |key: &Bytes| *key >= self.from && (self.to.is_empty() || *key < self.to);
        rows.iter().any(|rows| {
            rows.is_all()
                || rows.keys.iter().any(holds)
                || rows.ranges.iter().any(|range| {
                    let rows = [RowSet::range(range.clone())];
                    !self.rows_behind(None, &rows).is_empty()
                })
        })
    }

    /// Those rows of a read that lie in it, behind a key that is done.
    pub(super) fn rows_behind(&self, done: Option<&Bytes>, rows: &[RowSet]) -> Vec<RowSet> {
        let from = match done {
            Some(key) => Bound::Excluded(key.clone()),
            None if self.from.is_empty() => Bound::Unbounded,
            None => Bound::Included(self.from.clone()),
        };
        let rows = rows.iter();
        let rows = rows.filter_map(|rows| behind(rows, from.clone(), false));
        let rows = rows.filter_map(|rows| match self.to.is_empty() {
            true => Some(rows),
            false => behind(&rows, Bound::Excluded(self.to.clone()), true),
        });
        rows.collect()
    }
}

fn wide(number: usize) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}

/// A share in millionths, which is fine enough for a bar.
pub(super) fn ratio(done: u64, all: u64) -> f64 {
    let millionths = u128::from(done.min(all)) * 1_000_000 / u128::from(all.max(1));
    let share = f64::from(u32::try_from(millionths).unwrap_or(1_000_000)) / 1_000_000.0;
    if all == 0 { 1.0 } else { share }
}
