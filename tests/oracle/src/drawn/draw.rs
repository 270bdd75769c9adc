//! Choices made from numbers, which proptest draws and shrinks: the smaller the number, the earlier
//! the choice.

use proptest::prelude::*;

/// `count` numbers to draw one thing from; once they run out, every choice is the first.
pub fn words(count: usize) -> impl Strategy<Value = Vec<u16>> {
    prop::collection::vec(any::<u16>(), count)
}

/// Takes choices from numbers.
#[derive(Debug)]
pub struct Draw<'a>(std::slice::Iter<'a, u16>);

impl<'a> Draw<'a> {
    pub fn new(words: &'a [u16]) -> Self {
        Self(words.iter())
    }

    fn word(&mut self) -> u16 {
        self.0.next().copied().unwrap_or_default()
    }

    /// A number below `end`.
    pub fn below(&mut self, end: usize) -> usize {
        (usize::from(self.word()) * end) >> 16
    }

    /// Whether something with this chance in percent happens.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) + percent >= 100
    }

    pub fn one_of<T: Clone>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())].clone()
    }

    /// A number from `start` on, before `end`.
    pub fn between(&mut self, start: i64, end: i64) -> i64 {
        let words = [self.word(), self.word(), self.word(), self.word()];
        let wide = words
            .iter()
            .fold(0_u128, |wide, word| (wide << 16) | u128::from(*word));
        let span = u128::from(start.abs_diff(end));
        start.wrapping_add_unsigned(((span * wide) >> 64) as u64)
    }
}
