//! A table's heat map as data.

use std::collections::HashMap;
use std::ops::Range;

use bigtable_model::Timestamp;
use bigtable_model::schema::KeyLayout;

use super::grid::Grid;
use super::keys::{Labels, described};
use super::sample::{Kind, Ranges, Sampled};
use super::tablets::{Tablet, busiest, tablets};
use crate::node::Node;
use crate::num::{count, float, index, median, share};
use crate::rate::Span;

/// How many steps a map's time is cut into.
pub(super) const STEPS: usize = 512;
/// Ranges are merged until a range and step has this many sampled rows on average, so that chance
/// does not look like heat.
const ROWS_OF_A_PIXEL: f64 = 10.0;
const MOST_JUDGED: usize = 256;
/// Fewer rows are not judged at all.
const ENOUGH: u64 = 1_000;
/// The share of the time, at its beginning, when a table has too few rows to be split.
const BEGINNING: f64 = 0.125;

/// Where in a table rows are written and read: up to 512 ranges with about equally many rows, over
/// 512 steps of time. Its `Display` is a picture of characters, with its [hot
/// spots](HeatMap::hot_spots) in words.
///
/// Shares are those that remain when Bigtable splits the table as well as it can: tablets begin
/// where there are rows, and none has more than 1 % of the load of the steps before. What is still
/// hot then stays hot, however many nodes there are.
#[derive(Debug, Clone, PartialEq)]
pub struct HeatMap {
    pub(super) table: String,
    pub(super) span: Span,
    pub(super) layout: Option<KeyLayout>,
    pub(super) ranges: Ranges,
    pub(super) writes: Grid,
    pub(super) reads: Grid,
    /// Some of the rows, in the order of their keys.
    pub(super) sample: Vec<Sampled>,
    /// How many written rows were counted, and how many reads were sent.
    pub(super) written: u64,
    pub(super) asked: u64,
}

/// The writes or the reads of a [`HeatMap`].
#[derive(Debug, Clone, Copy)]
pub struct Heat<'a> {
    pub(super) map: &'a HeatMap,
    pub(super) kind: Kind,
}

/// A row key and its load, from [`Heat::hottest_keys`].
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct HotKey {
    /// The key in decoded form.
    pub key: String,
    /// The share of all rows that are written, or read.
    pub share: f64,
    /// How often that is in a second, on average over the whole time.
    pub a_second: f64,
}

impl HeatMap {
    /// A map of sampled rows, which counts each of them by its weight.
    pub(super) fn of_sample(
        table: &str,
        span: Span,
        layout: Option<&KeyLayout>,
        mut sample: Vec<Sampled>,
        asked: u64,
    ) -> Self {
        sample.sort_by(|one, other| one.key.cmp(&other.key));
        let ranges = Ranges::of(&sample);
        let (mut writes, mut reads) = (
            Grid::new(ranges.len(), STEPS),
            Grid::new(ranges.len(), STEPS),
        );
        for row in &sample {
            let grid = match row.kind {
                Kind::Write => &mut writes,
                Kind::Read => &mut reads,
            };
            grid.add(ranges.find(&row.key), row.time, row.rows);
        }
        Self {
            table: table.to_owned(),
            span,
            layout: layout.cloned(),
            ranges,
            writes,
            reads,
            written: count(sample.iter().filter(|row| row.kind == Kind::Write).count()),
            asked,
            sample,
        }
    }

    /// The table's ID.
    #[must_use]
    pub fn table(&self) -> &str {
        &self.table
    }

    /// The time that it covers.
    #[must_use]
    pub fn times(&self) -> Range<Timestamp> {
        self.span.start..self.span.end
    }

    /// The rows that are written.
    #[must_use]
    pub const fn writes(&self) -> Heat<'_> {
        Heat {
            map: self,
            kind: Kind::Write,
        }
    }

    /// The rows that are read.
    #[must_use]
    pub const fn reads(&self) -> Heat<'_> {
        Heat {
            map: self,
            kind: Kind::Read,
        }
    }

    /// The first key of each range in decoded form, in the order of the keys.
    pub fn ranges(&self) -> impl Iterator<Item = String> {
        let starts = (0..self.ranges.len()).filter_map(|range| self.ranges.start(range));
        starts.map(|start| self.describe(start))
    }

    /// How many nodes the load at a time is worth, by [`Node::SSD`], if all nodes share it.
    #[must_use]
    pub fn nodes_needed(&self, at: Timestamp) -> u64 {
        let step = self.step_of(at);
        let a_second = |grid: &Grid| grid.of_step(step) / self.step_seconds();
        Node::SSD.needed(a_second(&self.writes), a_second(&self.reads), 0.0)
    }

    /// The parts of the first key of each range of a merged grid.
    pub(crate) fn labels(&self, grid: &Grid) -> Labels {
        let firsts = (0..grid.ranges()).map(|range| self.ranges.start(grid.first_of(range)));
        let firsts = firsts.map(Option::unwrap_or_default);
        Labels::of(self.layout.as_ref(), firsts)
    }

    pub(super) fn describe(&self, key: &[u8]) -> String {
        described(self.layout.as_ref(), key)
    }

    pub(super) fn step_seconds(&self) -> f64 {
        self.span.seconds() / float(count(STEPS))
    }

    fn step_of(&self, at: Timestamp) -> usize {
        let share = self
            .span
            .share_at(at)
            .unwrap_or(match at < self.span.start {
                true => 0.0,
                false => 1.0,
            });
        index(share * float(count(STEPS)), STEPS)
    }
}

/// A step with its hottest tablet.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Hottest {
    /// The time of the step, as shares of the span.
    pub(super) time: Range<f64>,
    /// The share of the step's rows that this tablet has.
    pub(super) share: f64,
    /// The map's ranges in the tablet.
    pub(super) ranges: Range<usize>,
    /// How many rows the step has.
    pub(super) rows: f64,
}

impl<'a> Heat<'a> {
    pub(crate) fn map(self) -> &'a HeatMap {
        self.map
    }

    pub(crate) fn grid(self) -> &'a Grid {
        match self.kind {
            Kind::Write => &self.map.writes,
            Kind::Read => &self.map.reads,
        }
    }

    /// How many written rows were counted, or how many reads were sent.
    fn counted(self) -> u64 {
        match self.kind {
            Kind::Write => self.map.written,
            Kind::Read => self.map.asked,
        }
    }

    /// Whether there are enough to say what is hot: 1,000 written rows, or 1,000 reads.
    pub(crate) fn is_judged(self) -> bool {
        self.counted() >= ENOUGH
    }

    /// Writes and reads, merged until these can be judged.
    pub(super) fn judged(self) -> (Grid, Grid) {
        let most = (float(self.counted()) / (2.0 * ROWS_OF_A_PIXEL)).sqrt();
        let mut ranges = 1;
        while ranges < MOST_JUDGED && float(count(ranges * 2)) <= most {
            ranges *= 2;
        }
        let groups = self.grid().groups(ranges);
        let merged = |grid: &Grid| grid.grouped(&groups, 2 * ranges);
        (merged(&self.map.writes), merged(&self.map.reads))
    }

    fn of(self, tablet: &Tablet) -> f64 {
        match self.kind {
            Kind::Write => tablet.writes,
            Kind::Read => tablet.reads,
        }
    }

    /// How many rows there are.
    #[must_use]
    pub fn rows(self) -> f64 {
        self.grid().total()
    }

    /// How many rows there are in a range of keys and a step of time, of [`HeatMap::ranges`] and
    /// 512 steps.
    #[must_use]
    pub fn at(self, range: usize, step: usize) -> f64 {
        self.grid().get(range, step)
    }

    /// The mean number of rows a second.
    #[must_use]
    pub fn a_second(self) -> f64 {
        self.rows() / self.map.span.seconds()
    }

    /// The highest number of rows a second, of all steps of time.
    #[must_use]
    pub fn most_a_second(self) -> f64 {
        let steps = (0..STEPS).map(|step| self.grid().of_step(step));
        steps.fold(0.0, f64::max) / self.map.step_seconds()
    }

    /// The share of the rows that the hottest tablet has, at most times: 1 if all rows go to one
    /// place at a time. It cannot be lower than the number of rows or reads can show, about 1 / 64
    /// for 100,000 of them, and 1 / 8 for 2,000; 0 if there are no rows.
    #[must_use]
    pub fn hottest_share(self) -> f64 {
        median(self.settled().into_iter().map(|step| step.share).collect())
    }

    /// The time at which one tablet has the largest share of the rows, and that share. Times with
    /// less than half of the mean load do not count, nor does the first eighth, when a new table
    /// has too few rows to be split.
    #[must_use]
    pub fn peak_share(self) -> Option<(Timestamp, f64)> {
        let settled = self.settled();
        let steps = settled.iter();
        let peak = steps.max_by(|one, other| one.share.total_cmp(&other.share))?;
        Some((self.map.span.at(peak.time.start), peak.share))
    }

    /// How many times its fair share the busiest of this many nodes has, at most times: 1 if all
    /// have the same load, and the number of nodes if one has all of it.
    #[must_use]
    pub fn busiest_node(self, nodes: usize) -> f64 {
        let (writes, reads) = self.judged();
        let steps = tablets(&writes, &reads);
        let beginning = index(BEGINNING * float(count(steps.len())), steps.len());
        let settled = steps.iter().skip(beginning);
        let loaded = settled.filter(|step| step.iter().any(|tablet| self.of(tablet) > 0.0));
        median(
            loaded
                .map(|step| busiest(step, nodes, |tablet| self.of(tablet)))
                .collect(),
        )
    }

    /// The row keys with most rows, the hottest first. They are found in a sample, so a key with
    /// less than a few in 100,000 is left out.
    #[must_use]
    pub fn hottest_keys(self, most: usize) -> Vec<HotKey> {
        let mut keys: HashMap<&[u8], f64> = HashMap::new();
        let sample = self.map.sample.iter().filter(|row| row.kind == self.kind);
        for row in sample {
            *keys.entry(&*row.key).or_default() += row.rows;
        }
        let all: f64 = keys.values().sum();
        let mut keys: Vec<_> = keys.into_iter().collect();
        keys.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(other.0)));
        keys.truncate(most);
        let hot = |(key, rows): (&[u8], f64)| HotKey {
            key: self.map.describe(key),
            share: share(rows, all),
            a_second: share(rows, all) * self.a_second(),
        };
        keys.into_iter().map(hot).collect()
    }

    /// The hottest tablet of each step that counts.
    pub(super) fn settled(self) -> Vec<Hottest> {
        let (writes, reads) = self.judged();
        let steps = float(count(writes.steps()));
        let mut all = Vec::new();
        for (step, tablets) in tablets(&writes, &reads).iter().enumerate() {
            let rows: f64 = tablets.iter().map(|tablet| self.of(tablet)).sum();
            let hottest = tablets
                .iter()
                .max_by(|one, other| self.of(one).total_cmp(&self.of(other)));
            let Some(hottest) = hottest.filter(|_| rows > 0.0) else {
                continue;
            };
            all.push(Hottest {
                time: float(count(step)) / steps..float(count(step + 1)) / steps,
                share: self.of(hottest) / rows,
                ranges: writes.first_of(hottest.ranges.start)..match hottest.ranges.end {
                    end if end < writes.ranges() => writes.first_of(end),
                    _ => self.map.ranges.len(),
                },
                rows,
            });
        }
        let enough = self.rows() / steps / 2.0;
        all.retain(|step| step.rows >= enough && step.time.start >= BEGINNING);
        all
    }

    /// The sampled rows of a tablet in a step.
    pub(super) fn within(self, step: &Hottest) -> impl Iterator<Item = &'a Sampled> {
        let map = self.map;
        let row = |range: usize| match map.ranges.start(range) {
            Some(_) if range == 0 => 0,
            Some(start) => map.sample.partition_point(|row| &*row.key < start),
            None => map.sample.len(),
        };
        let (from, to) = (row(step.ranges.start), row(step.ranges.end));
        let rows = map.sample.get(from..to).unwrap_or_default().iter();
        let time = step.time.clone();
        rows.filter(move |row| row.kind == self.kind && time.contains(&row.time))
    }
}
