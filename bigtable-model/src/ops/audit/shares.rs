//! The names with the largest shares, in bounded memory.

use std::collections::HashMap;

/// The maximum number of names that are counted at a time.
const MOST: usize = 4_096;

/// Sums by name. A sum is too small by at most 1 / 4,096 of the total, so no name with a larger
/// share is missing (Misra and Gries, *Finding repeated elements*).
#[derive(Debug, Default)]
pub(super) struct Shares {
    sums: HashMap<String, f64>,
    all: f64,
    /// Whether names were dropped.
    dropped: bool,
}

impl Shares {
    pub(super) fn add(&mut self, name: String, weight: f64) {
        self.all += weight;
        if let Some(sum) = self.sums.get_mut(&name) {
            *sum += weight;
            return;
        }
        let mut rest = weight;
        if self.sums.len() >= MOST {
            let least = self.sums.values().copied().fold(weight, f64::min);
            self.sums.values_mut().for_each(|sum| *sum -= least);
            self.sums.retain(|_, sum| *sum > 0.0);
            self.dropped = true;
            rest -= least;
        }
        if rest > 0.0 && self.sums.len() < MOST {
            self.sums.insert(name, rest);
        }
    }

    /// The minimum number of names.
    pub(super) fn len(&self) -> usize {
        match self.dropped {
            true => MOST,
            false => self.sums.len(),
        }
    }

    /// The names with the largest shares, the largest first.
    pub(super) fn largest(&self, most: usize) -> Vec<(String, f64)> {
        let shares = self
            .sums
            .iter()
            .map(|(name, sum)| (name.clone(), sum / self.all));
        let mut shares: Vec<_> = shares.collect();
        shares.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
        shares.truncate(most);
        shares
    }
}

#[cfg(test)]
#[expect(clippy::indexing_slicing, reason = "a test")]
mod tests {
    use super::*;

    #[test]
    fn a_large_name_among_many_is_kept() {
        let mut shares = Shares::default();
        for name in 0..100_000 {
            shares.add(format!("small {name}"), 1.0);
            shares.add("large".to_owned(), 0.5);
        }
        let (name, share) = &shares.largest(1)[0];
        assert_eq!(name, "large");
        assert!((0.332..0.334).contains(share), "{share}");
        assert_eq!(shares.len(), MOST);
    }

    #[test]
    fn few_names_are_exact() {
        let mut shares = Shares::default();
        for (name, weight) in [("a", 1.0), ("b", 2.0), ("a", 1.0)] {
            shares.add(name.to_owned(), weight);
        }
        assert_eq!(
            shares.largest(5),
            [("a".to_owned(), 0.5), ("b".to_owned(), 0.5)]
        );
        assert_eq!(shares.len(), 2);
    }
}
