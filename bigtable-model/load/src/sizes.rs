//! How many series there are, and how large each is.

use crate::num::{count, float, index};

/// How many series there are, and how the events are shared among them.
#[derive(Debug, Clone)]
pub struct Sizes(Shares);

#[derive(Debug, Clone)]
enum Shares {
    Equal(u64),
    /// The share of each series and those before it, the last of them 1.
    Unequal(Vec<f64>),
}

impl Sizes {
    /// Series of the same size.
    #[must_use]
    pub const fn equal(series: u64) -> Self {
        Self(Shares::Equal(series))
    }

    /// Series whose sizes follow Zipf's law: the n-th largest has a share proportional to
    /// 1 / n<sup>exponent</sup>. With an exponent of 1 the first of 1,000 series has 13 % of all
    /// events. Series 0 is the largest.
    #[must_use]
    pub fn zipf(series: u64, exponent: f64) -> Self {
        Self::of((1..=series).map(|nth| float(nth).powf(-exponent)))
    }

    /// Series of these relative sizes; negative numbers and NaN count as 0.
    #[must_use]
    pub fn of(sizes: impl IntoIterator<Item = f64>) -> Self {
        let mut sum = 0.0;
        let sums = sizes.into_iter().map(|size| {
            sum += size.max(0.0);
            sum
        });
        let mut shares: Vec<f64> = sums.collect();
        let all = shares.last().copied().filter(|all| *all > 0.0);
        shares
            .iter_mut()
            .for_each(|share| *share /= all.unwrap_or(f64::INFINITY));
        Self(Shares::Unequal(shares))
    }

    /// How many series there are.
    #[must_use]
    pub fn series(&self) -> u64 {
        match &self.0 {
            Shares::Equal(series) => *series,
            Shares::Unequal(shares) => count(shares.len()),
        }
    }

    /// The share of all events that a series has.
    #[must_use]
    pub fn share(&self, series: u64) -> f64 {
        match &self.0 {
            Shares::Equal(all) if series < *all => float(*all).recip(),
            Shares::Equal(_) => 0.0,
            Shares::Unequal(shares) => {
                let up_to = |series: Option<u64>| {
                    let series = usize::try_from(series?).ok()?;
                    shares.get(series).copied()
                };
                let before = up_to(series.checked_sub(1)).unwrap_or(0.0);
                up_to(Some(series)).map_or(0.0, |share| share - before)
            }
        }
    }

    /// The series at a number between 0 and 1, as often as its share says.
    pub(crate) fn draw(&self, at: f64) -> u64 {
        match &self.0 {
            Shares::Equal(series) => {
                let end = usize::try_from(*series).unwrap_or(usize::MAX);
                count(index(at * float(*series), end))
            }
            Shares::Unequal(shares) => {
                let series = shares.partition_point(|share| *share <= at);
                count(series.min(shares.len().saturating_sub(1)))
            }
        }
    }
}
