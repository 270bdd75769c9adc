//! Where the answer of a read is cut.

/// How many bytes of a value are in a chunk, and of rows in a message, if nothing else cuts them.
const MAX_BYTES: usize = 256 << 10;

/// How many bytes of rows are in the first message. Each has twice as many as the one before, so
/// that a client reads the first rows while the next are found.
const FIRST_BYTES: usize = 4 << 10;

/// A message of this size ends in any case, even inside a row: half of what clients accept.
const MAX_ROW_BYTES: usize = 128 << 20;

/// With a seed, one value in this many is cut at a random point, and so may its rest be.
const VALUES: u64 = 4;

/// With a seed, a message ends after one chunk in this many.
const MESSAGES: u64 = 8;

/// Random cuts of one read, or only the necessary ones.
#[derive(Debug, Clone)]
pub(super) struct Cuts {
    state: Option<u64>,
    rows: bool,
    /// How many bytes of rows are in the next message.
    message_bytes: usize,
}

impl Cuts {
    /// `rows`: whether messages may end inside rows.
    pub(super) fn new(seed: Option<u64>, rows: bool) -> Self {
        Self {
            state: seed,
            rows,
            message_bytes: FIRST_BYTES,
        }
    }

    /// How much of a value's rest goes into the next chunk: as much as fits, or at least one byte
    /// less.
    pub(super) fn value(&mut self, rest: usize) -> usize {
        let most = rest.min(MAX_BYTES);
        if most < 2 || !self.one_in(VALUES) {
            return most;
        }
        1 + self.below(most - 1)
    }

    /// Whether a message of this many bytes ends here, which is inside a row or between two.
    pub(super) fn message(&mut self, bytes: usize, inside: bool) -> bool {
        if inside && !self.rows {
            return bytes >= MAX_ROW_BYTES;
        }
        if bytes >= self.message_bytes {
            self.message_bytes = MAX_BYTES.min(self.message_bytes * 2);
            return true;
        }
        self.one_in(MESSAGES)
    }

    /// Never without a seed.
    fn one_in(&mut self, count: u64) -> bool {
        self.next().is_some_and(|number| number % count == 0)
    }

    fn below(&mut self, bound: usize) -> usize {
        let bound = u64::try_from(bound).unwrap_or(u64::MAX).max(1);
        let number = self.next().unwrap_or_default() % bound;
        usize::try_from(number).unwrap_or_default()
    }

    /// splitmix64.
    fn next(&mut self) -> Option<u64> {
        let state = self.state.as_mut()?;
        *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = *state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        Some(mixed ^ (mixed >> 31))
    }
}
