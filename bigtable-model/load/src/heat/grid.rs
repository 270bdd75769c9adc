//! Counts by range and step.

use crate::num::{count, float, index, share};

/// Counts of rows, for each range of keys and each step of time.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Grid {
    steps: usize,
    /// For each range, the first of the map's ranges that belongs to it.
    firsts: Vec<usize>,
    /// The counts, those of the first range first.
    counts: Vec<f64>,
}

impl Grid {
    pub(crate) fn new(ranges: usize, steps: usize) -> Self {
        Self {
            steps,
            firsts: (0..ranges).collect(),
            counts: vec![0.0; ranges * steps],
        }
    }

    /// The first of the map's ranges that belongs to a range.
    pub(crate) fn first_of(&self, range: usize) -> usize {
        self.firsts.get(range).copied().unwrap_or(0)
    }

    pub(crate) fn ranges(&self) -> usize {
        self.counts.len() / self.steps.max(1)
    }

    pub(crate) fn steps(&self) -> usize {
        self.steps
    }

    pub(crate) fn get(&self, range: usize, step: usize) -> f64 {
        let at = range * self.steps + step;
        self.counts.get(at).copied().unwrap_or(0.0)
    }

    /// Counts rows at a share of the time.
    pub(crate) fn add(&mut self, range: usize, time: f64, rows: f64) {
        let step = index(time * float(count(self.steps)), self.steps);
        self.add_to(range, step, rows);
    }

    fn add_to(&mut self, range: usize, step: usize, rows: f64) {
        if let Some(found) = self.counts.get_mut(range * self.steps + step) {
            *found += rows;
        }
    }

    pub(crate) fn total(&self) -> f64 {
        self.counts.iter().sum()
    }

    pub(crate) fn of_step(&self, step: usize) -> f64 {
        (0..self.ranges()).map(|range| self.get(range, step)).sum()
    }

    pub(crate) fn highest(&self) -> f64 {
        self.counts.iter().copied().fold(0.0, f64::max)
    }

    /// The same counts in at most this many ranges and steps, each joined from equally many of
    /// these.
    pub(crate) fn merged(&self, ranges: usize, steps: usize) -> Self {
        let each = self.ranges().div_ceil(ranges.max(1)).max(1);
        let groups: Vec<usize> = (0..self.ranges()).map(|range| range / each).collect();
        self.grouped(&groups, steps)
    }

    /// The same counts with some ranges joined: neighbours of the same group.
    pub(crate) fn grouped(&self, groups: &[usize], steps: usize) -> Self {
        let each = self.steps.div_ceil(steps.max(1)).max(1);
        let mut firsts: Vec<usize> = Vec::new();
        let mut merged_of = Vec::with_capacity(groups.len());
        for (range, group) in groups.iter().enumerate() {
            let before = range.checked_sub(1).and_then(|before| groups.get(before));
            if before != Some(group) {
                firsts.push(self.first_of(range));
            }
            merged_of.push(firsts.len() - 1);
        }
        let mut merged = Self::new(firsts.len(), self.steps.div_ceil(each));
        merged.firsts = firsts;
        for (range, merged_range) in merged_of.into_iter().enumerate() {
            for step in 0..self.steps {
                let rows = self.get(range, step);
                if rows > 0.0 {
                    merged.add_to(merged_range, step / each, rows);
                }
            }
        }
        merged
    }

    /// Groups of ranges that have about equally many rows, and about equally many ranges: a range
    /// with a large share of the rows is a group by itself.
    pub(crate) fn groups(&self, most: usize) -> Vec<usize> {
        let all = self.total();
        let each = float(count(self.ranges())).recip();
        let mut before = 0.0;
        let weights = (0..self.ranges()).map(|range| {
            let weight = (share(self.of_range(range), all) + each) / 2.0;
            before += weight;
            index((before - weight / 2.0) * float(count(most)), most)
        });
        weights.collect()
    }

    fn of_range(&self, range: usize) -> f64 {
        (0..self.steps).map(|step| self.get(range, step)).sum()
    }
}
