//! The parts of a copy: tables cut at the keys of `SampleRowKeys`, and the share of each that is
//! done.

use super::checkpoint::Part;
use crate::data::RowSet;
pub(super) use crate::query::{KeySpan, Samples, TableSamples};

impl TableSamples {
    /// Cuts the rows of a read of a table into at most `most` parts.
    pub(super) fn cut(&self, table: &str, rows: &[RowSet], most: usize) -> Vec<Part> {
        let samples = self.0.get(table).into_iter();
        let spans = samples.flat_map(|samples| samples.cut(rows, most));
        spans.map(|span| Part::new(table, span)).collect()
    }

    /// The approximate share of the parts that is done, from 0 to 1.
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
    /// The approximate number of bytes of a part that are done.
    fn bytes_done(&self, part: &Part) -> u64 {
        match (&part.done, part.finished) {
            (_, true) => self.bytes(&part.span),
            (Some(key), _) => self
                .before(key)
                .saturating_sub(self.before(&part.span.from)),
            (None, _) => 0,
        }
    }
}

fn wide(number: usize) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}

/// A share in millionths, which is fine enough for a progress bar.
pub(super) fn ratio(done: u64, all: u64) -> f64 {
    let millionths = u128::from(done.min(all)) * 1_000_000 / u128::from(all.max(1));
    let share = f64::from(u32::try_from(millionths).unwrap_or(1_000_000)) / 1_000_000.0;
    if all == 0 { 1.0 } else { share }
}
