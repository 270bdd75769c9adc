//! Random filters of every deterministic kind.

use std::ops::Bound;

use bigtable_model::data::RowFilter;
use bytes::Bytes;

use crate::random::Random;

const REGEXES: &[&[u8]] = &[
    b"a",
    b"a.*",
    b".*",
    b".+",
    b".",
    b"\\C*",
    b"[a-c]+",
    b"q|qq",
    b"k#\\d+",
    b"(?i)Q+",
    b"(?s).*",
    b"[^a]*",
    b"\xff",
    b"\\xff",
    b"\\xff+",
    b"\\Qc:d\\E",
    b"v?w?",
    b"(a|b)(b|c)*",
    b"\\pL+",
    b"a{1,3}",
    b"\xc3\xa9",
    b"^a$",
    b"\\n",
    b"\\x00",
    b"[\\x00-\\xff]{8}",
    b"",
];
const BAD_REGEXES: &[&[u8]] = &[
    b"(", b"[z-a]", b"\\", b"a{1001}", b"a**", b"(?<n", b"*", b"[", b"\\8", b")",
];
const FAMILIES: &[&str] = &[
    "f", "g", "f|g", ".*", "s.*", "[fs]um|f", "absent", "f:g", "",
];
const BAD_FAMILIES: &[&str] = &["(", "f[", "*"];

/// What a filter may contain at its position.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place {
    /// Whether all incoming cells are of one family: only then is the emulator's order of cells
    /// fixed.
    pub(crate) one_family: bool,
    /// The number of further levels.
    pub(crate) depth: usize,
}

impl Place {
    fn below(self) -> Self {
        Self {
            depth: self.depth - 1,
            ..self
        }
    }
}

impl Random {
    pub(crate) fn filter(&mut self, place: Place) -> RowFilter {
        if place.depth > 1 && self.percent(55) {
            return self.branch(place.below());
        }
        self.leaf(place)
    }

    fn branch(&mut self, place: Place) -> RowFilter {
        match self.below(10) {
            0..=3 => RowFilter::Chain(self.chain(place)),
            4..=6 => {
                let least = self.fewest();
                RowFilter::Interleave(self.list(least, 3, |random| random.filter(place)))
            }
            _ => RowFilter::Condition {
                predicate: Box::new(self.filter(place)),
                if_true: self.percent(80).then(|| Box::new(self.filter(place))),
                if_false: self.percent(60).then(|| Box::new(self.filter(place))),
            },
        }
    }

    /// The minimum number: chains and interleaves of fewer than two are refused.
    fn fewest(&mut self) -> usize {
        if self.percent(2) { 0 } else { 2 }
    }

    fn chain(&mut self, mut place: Place) -> Vec<RowFilter> {
        let least = self.fewest();
        let length = self.length(least, 3);
        let mut filters = Vec::with_capacity(length);
        for _ in 0..length {
            if !place.one_family && self.percent(25) {
                filters.push(RowFilter::FamilyRegex(
                    self.pick(&["f", "g", "sum"]).to_owned(),
                ));
                place.one_family = true;
            } else {
                filters.push(self.filter(place));
            }
        }
        filters
    }

    fn leaf(&mut self, place: Place) -> RowFilter {
        let kinds = if place.one_family { 17 } else { 14 };
        match self.below(kinds) {
            0 => RowFilter::PassAll,
            1 => RowFilter::BlockAll,
            2 => RowFilter::Sink,
            3 => RowFilter::RowKeyRegex(self.regex()),
            4 => RowFilter::FamilyRegex(self.family_regex()),
            5 | 6 => RowFilter::QualifierRegex(self.regex()),
            7 => RowFilter::QualifierRange {
                family: self.pick(&["f", "g", "sum", "absent"]).to_owned(),
                start: self.bound(Self::qualifier),
                end: self.bound(Self::qualifier),
            },
            8 => RowFilter::TimestampRange {
                start_micros: self.time(),
                end_micros: self.time(),
            },
            9 => RowFilter::ValueRegex(self.regex()),
            10 => RowFilter::ValueRange {
                start: self.bound(Self::value),
                end: self.bound(Self::value),
            },
            11 => RowFilter::CellsPerColumnLimit(self.count()),
            12 => match self.percent(70) {
                true => RowFilter::StripValue,
                false => RowFilter::ValueBitmask(self.value()),
            },
            13 => RowFilter::Label(
                self.pick(&["one", "two-2", "a", "", "A", "Ab", "sixteen-letters-"])
                    .to_owned(),
            ),
            14 | 15 => RowFilter::CellsPerRowLimit(self.count()),
            // A negative offset crashes the emulator.
            _ => RowFilter::CellsPerRowOffset(self.count().max(0)),
        }
    }

    fn count(&mut self) -> i32 {
        match self.percent(4) {
            true => self.pick(&[0, -1, i32::MIN]),
            false => self.pick(&[1, 1, 2, 3, 5]),
        }
    }

    fn regex(&mut self) -> Bytes {
        let pool = if self.percent(4) {
            BAD_REGEXES
        } else {
            REGEXES
        };
        Bytes::from_static(self.pick(pool))
    }

    fn family_regex(&mut self) -> String {
        let pool = if self.percent(4) {
            BAD_FAMILIES
        } else {
            FAMILIES
        };
        self.pick(pool).to_owned()
    }

    /// A bound of any kind.
    pub(crate) fn bound(&mut self, bytes: fn(&mut Self) -> Bytes) -> Bound<Bytes> {
        match self.below(4) {
            0 => Bound::Unbounded,
            1 => Bound::Excluded(bytes(self)),
            _ => Bound::Included(bytes(self)),
        }
    }
}
