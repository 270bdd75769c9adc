//! Choices determined by a seed.

use proptest::prelude::Rng as _;
use proptest::test_runner::{RngAlgorithm, TestRng};

/// A sequence of choices; the same seed gives the same choices.
#[derive(Debug)]
pub(crate) struct Random(TestRng);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        let mut bytes = [0; 32];
        bytes[..8].copy_from_slice(&seed.to_le_bytes());
        Self(TestRng::from_seed(RngAlgorithm::ChaCha, &bytes))
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A number below `end`, which is not 0.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        let end = u64::try_from(end).unwrap();
        usize::try_from(self.next() % end).unwrap()
    }

    /// A length from `least` to `most`.
    pub(crate) fn length(&mut self, least: usize, most: usize) -> usize {
        least + self.below(most - least + 1)
    }

    /// True with this probability in per cent.
    pub(crate) fn percent(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    pub(crate) fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())].clone()
    }

    /// A list of `least` to `most` items.
    pub(crate) fn list<T>(
        &mut self,
        least: usize,
        most: usize,
        mut make: impl FnMut(&mut Self) -> T,
    ) -> Vec<T> {
        let length = self.length(least, most);
        (0..length).map(|_| make(self)).collect()
    }
}
