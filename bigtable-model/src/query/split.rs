//! Tables cut into parts at the keys of `SampleRowKeys`.

use std::collections::BTreeMap;
use std::ops::Bound;

use bytes::Bytes;
use futures::{StreamExt as _, TryStreamExt as _};

use crate::Error;
use crate::backend::{Backend, Method};
use crate::data::{RowKeySample, RowRange, RowSet};
use crate::send::{at_table, lacks_table};

/// How many tables are sampled at once.
const AT_ONCE: usize = 8;

/// The keys at which each of some tables can be cut.
#[derive(Debug, Default)]
pub(crate) struct TableSamples(pub(crate) BTreeMap<String, Samples>);

/// Keys of a table, ascending, and about how many bytes it has before each.
#[derive(Debug, Default)]
pub(crate) struct Samples {
    inner: Vec<(Bytes, u64)>,
    /// The bytes of the whole table.
    all: u64,
}

/// The keys from one to before another; an empty end is no end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct KeySpan {
    pub(crate) from: Bytes,
    pub(crate) to: Bytes,
}

impl TableSamples {
    /// Samples tables. With `may_lack` a missing table has no samples.
    pub(crate) async fn of(
        db: &dyn Backend,
        tables: impl IntoIterator<Item = &str>,
        may_lack: bool,
    ) -> Result<Self, Error> {
        let asked = tables.into_iter().map(|table| async move {
            let samples = match db.sample_row_keys(table).await {
                Ok(samples) => Samples::new(samples),
                Err(status) if may_lack && lacks_table(&status) => Samples::default(),
                Err(status) => return Err(at_table(table, Method::SampleRowKeys, status)),
            };
            Ok((table.to_owned(), samples))
        });
        let asked: Vec<_> = asked.collect();
        let asked = futures::stream::iter(asked).buffer_unordered(AT_ONCE);
        asked.try_collect().await.map(Self)
    }
}

impl Samples {
    pub(crate) fn new(samples: Vec<RowKeySample>) -> Self {
        let bytes = |sample: &RowKeySample| u64::try_from(sample.offset_bytes).unwrap_or_default();
        let all = samples.iter().map(bytes).max().unwrap_or_default();
        let inner = samples.iter().filter(|sample| !sample.key.is_empty());
        let mut inner: Vec<_> = inner.map(|one| (one.key.clone(), bytes(one))).collect();
        // By contract they ascend, but may repeat.
        inner.sort_unstable();
        inner.dedup_by(|later, kept| later.0 == kept.0);
        Self { inner, all }
    }

    /// About how many bytes come before a key, from the last sample at or before it.
    pub(crate) fn before(&self, key: &[u8]) -> u64 {
        let passed = self
            .inner
            .partition_point(|(sample, _)| sample.as_ref() <= key);
        let last = passed.checked_sub(1).and_then(|last| self.inner.get(last));
        last.map_or(0, |(_, bytes)| *bytes)
    }

    pub(crate) fn bytes(&self, span: &KeySpan) -> u64 {
        let end = match span.to.is_empty() {
            true => self.all,
            false => self.before(&span.to),
        };
        end.saturating_sub(self.before(&span.from))
    }

    /// Cuts the rows of a read into at most `most` spans with about the same number of bytes, which
    /// together contain all keys. Empty if there are no rows.
    pub(crate) fn cut(&self, rows: &[RowSet], most: usize) -> Vec<KeySpan> {
        let pieces = self.pieces(rows);
        let weights: Vec<_> = pieces.iter().map(|(_, weight)| *weight).collect();
        let lots = lots(&weights, most);
        let mut last_lot = None;
        let mut spans: Vec<KeySpan> = Vec::new();
        for ((piece, _), lot) in pieces.into_iter().zip(lots) {
            match spans.last_mut() {
                Some(last) if last_lot == Some(lot) => last.to = piece.to,
                Some(last) => {
                    last.to = piece.from.clone();
                    spans.push(piece);
                }
                None => spans.push(KeySpan {
                    from: Bytes::new(),
                    ..piece
                }),
            }
            last_lot = Some(lot);
        }
        if let Some(last) = spans.last_mut() {
            last.to = Bytes::new();
        }
        spans
    }

    /// The spans between samples that contain rows of a read, each with its weight: its bytes, or 1
    /// if the backend does not know them.
    pub(in crate::query) fn pieces(&self, rows: &[RowSet]) -> Vec<(KeySpan, u64)> {
        let ends = self.inner.iter().map(|(key, _)| key.clone());
        let mut from = Bytes::new();
        let mut pieces = Vec::new();
        for to in ends.chain([Bytes::new()]) {
            let piece = KeySpan {
                from: std::mem::replace(&mut from, to.clone()),
                to,
            };
            if piece.meets(rows) {
                let weight = self.bytes(&piece).max(1);
                pieces.push((piece, weight));
            }
        }
        pieces
    }
}

/// Assigns each piece to a group, in order: at most `most` groups of about the same weight.
pub(in crate::query) fn lots(weights: &[u64], most: usize) -> Vec<u128> {
    let most = u128::try_from(most.max(1)).unwrap_or(u128::MAX);
    let all: u128 = weights.iter().copied().map(u128::from).sum();
    let mut before = 0;
    let lots = weights.iter().map(|weight| {
        let weight = u128::from(*weight);
        // The group that contains the piece's middle.
        let lot = (2 * before + weight).saturating_mul(most) / (2 * all.max(1));
        before += weight;
        lot
    });
    lots.collect()
}

impl KeySpan {
    /// Whether the span can contain rows of a read.
    fn meets(&self, rows: &[RowSet]) -> bool {
        let span = self.after(None);
        rows.iter().any(|rows| rows.within(&span).is_some())
    }

    /// The rows of a read within the span, after the last key that is done.
    pub(crate) fn rows_after(&self, done: Option<&Bytes>, rows: &[RowSet]) -> Vec<RowSet> {
        let rest = self.after(done);
        rows.iter().filter_map(|rows| rows.within(&rest)).collect()
    }

    fn after(&self, done: Option<&Bytes>) -> RowRange {
        let start = match done {
            Some(key) => Bound::Excluded(key.clone()),
            None => Bound::Included(self.from.clone()),
        };
        let end = Bound::Excluded(self.to.clone());
        RowRange { start, end }
    }
}
