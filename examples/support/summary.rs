//! Summaries of measurements.

/// The least, the greatest and the mean of some numbers.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Summary {
    /// How many there are.
    pub count: u32,
    /// Of all of them.
    pub sum: f64,
    /// The least; none of none.
    pub least: Option<f64>,
    /// The greatest; none of none.
    pub greatest: Option<f64>,
}

impl Summary {
    /// Takes one more number into account.
    pub fn add(&mut self, number: f64) {
        self.count += 1;
        self.sum += number;
        self.least = Some(self.least.map_or(number, |least| least.min(number)));
        self.greatest = Some(
            self.greatest
                .map_or(number, |greatest| greatest.max(number)),
        );
    }

    /// The arithmetic mean; none of none.
    #[must_use]
    pub fn mean(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum / f64::from(self.count))
    }
}

impl Extend<f64> for Summary {
    fn extend<I: IntoIterator<Item = f64>>(&mut self, numbers: I) {
        numbers.into_iter().for_each(|number| self.add(number));
    }
}

impl FromIterator<f64> for Summary {
    fn from_iter<I: IntoIterator<Item = f64>>(numbers: I) -> Self {
        let mut summary = Self::default();
        summary.extend(numbers);
        summary
    }
}

#[cfg(test)]
mod tests {
    use super::Summary;

    #[test]
    fn of_nothing_is_nothing() {
        let none = Summary::default();
        assert_eq!((none.mean(), none.least, none.greatest), (None, None, None));
    }

    #[test]
    fn of_numbers_has_their_mean_and_ends() {
        let some: Summary = [3.0, -1.0, 4.0].into_iter().collect();
        assert_eq!((some.count, some.mean()), (3, Some(2.0)));
        assert_eq!((some.least, some.greatest), (Some(-1.0), Some(4.0)));
    }
}
