//! Sampled rows, and ranges with about equally many rows.

/// The maximum number of ranges of keys that a map has.
const MOST_RANGES: usize = 512;

/// Writes or reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    Write,
    Read,
}

/// A row that was written or read.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Sampled {
    pub(super) key: Box<[u8]>,
    pub(super) kind: Kind,
    /// A share of the span.
    pub(super) time: f64,
    /// How many rows it stands for.
    pub(super) rows: f64,
}

/// Ranges of keys: each begins at its key, and the first holds all before it.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Ranges {
    starts: Vec<Box<[u8]>>,
}

impl Ranges {
    /// A third of the ranges split the distinct rows evenly, a third the writes and a third the
    /// reads, so that a few rows with much load are separated. The sample is in the order of its
    /// keys.
    pub(super) fn of(sample: &[Sampled]) -> Self {
        let of_kind = |kind| {
            sample
                .iter()
                .filter(move |row| row.kind == kind)
                .map(|row| &*row.key)
        };
        let mut all: Vec<&[u8]> = sample.iter().map(|row| &*row.key).collect();
        all.dedup();
        let mut starts = match all.len() <= MOST_RANGES {
            true => all,
            false => {
                let (writes, reads) = (
                    of_kind(Kind::Write).collect(),
                    of_kind(Kind::Read).collect(),
                );
                let three: [Vec<&[u8]>; 3] = [all, writes, reads];
                let parts = three.iter().filter(|keys| !keys.is_empty()).count();
                let quantiles = three
                    .iter()
                    .map(|keys| quantiles(keys, MOST_RANGES / parts.max(1)));
                quantiles.flatten().collect()
            }
        };
        starts.sort_unstable();
        starts.dedup();
        Self {
            starts: starts.into_iter().map(Into::into).collect(),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.starts.len()
    }

    pub(super) fn start(&self, range: usize) -> Option<&[u8]> {
        self.starts.get(range).map(|start| &**start)
    }

    /// The range of a key.
    pub(super) fn find(&self, key: &[u8]) -> usize {
        let after = self.starts.partition_point(|start| **start <= *key);
        after.saturating_sub(1)
    }
}

fn quantiles<'a>(keys: &[&'a [u8]], parts: usize) -> Vec<&'a [u8]> {
    let start = |part: usize| keys.get(part * keys.len() / parts).copied();
    (0..parts).filter_map(start).collect()
}
