//! Tablets, as Bigtable would split them at best.

use super::grid::Grid;
use crate::num::{count, float, share};

/// Bigtable splits a tablet that has more than this share of a table's load or rows.
const MOST_OF_A_TABLET: f64 = 0.01;
/// How much of a step's load still counts one step later.
const KEPT: f64 = 0.5;

/// A tablet in a step of time.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Tablet {
    /// Its first range, and the first after it.
    pub(super) ranges: std::ops::Range<usize>,
    /// Its load in the steps before, which decides its node.
    past: f64,
    pub(super) writes: f64,
    pub(super) reads: f64,
}

/// The tablets of each step. A tablet begins only at a range that has rows; rows of other ranges
/// belong to the tablet before, as Bigtable cannot split where there are no rows.
pub(super) fn tablets(writes: &Grid, reads: &Grid) -> Vec<Vec<Tablet>> {
    let ranges = writes.ranges();
    let (mut past, mut seen) = (vec![0.0; ranges], vec![false; ranges]);
    let mut all = Vec::with_capacity(writes.steps());
    for step in 0..writes.steps() {
        let starts = split(&past, &seen);
        let ends = starts.iter().skip(1).copied().chain([ranges]);
        let of = |grid: &Grid, ranges: std::ops::Range<usize>| -> f64 {
            ranges.map(|range| grid.get(range, step)).sum()
        };
        let tablets = starts.iter().zip(ends).map(|(start, end)| Tablet {
            ranges: *start..end,
            past: past.iter().take(end).skip(*start).sum(),
            writes: of(writes, *start..end),
            reads: of(reads, *start..end),
        });
        all.push(tablets.collect());
        for (range, (past, seen)) in past.iter_mut().zip(&mut seen).enumerate() {
            let load = writes.get(range, step) + reads.get(range, step);
            *past = *past * KEPT + load;
            *seen |= load > 0.0;
        }
    }
    all
}

/// The first range of each tablet.
fn split(past: &[f64], seen: &[bool]) -> Vec<usize> {
    let load: f64 = past.iter().sum();
    let rows = float(count(seen.iter().filter(|seen| **seen).count()));
    let mut starts = vec![0];
    let (mut of_load, mut of_rows) = (0.0, 0.0);
    for (range, past) in past.iter().enumerate() {
        if !seen.get(range).is_some_and(|seen| *seen) {
            continue;
        }
        let (more_load, more_rows) = (share(*past, load), rows.recip());
        let is_full =
            of_load + more_load > MOST_OF_A_TABLET || of_rows + more_rows > MOST_OF_A_TABLET;
        if of_rows > 0.0 && is_full {
            starts.push(range);
            (of_load, of_rows) = (0.0, 0.0);
        }
        of_load += more_load;
        of_rows += more_rows;
    }
    starts
}

/// How many times the mean load the busiest node has. Each tablet goes to the node with the least
/// past load, those with the largest past load first.
pub(super) fn busiest(tablets: &[Tablet], nodes: usize, load: impl Fn(&Tablet) -> f64) -> f64 {
    let mut order: Vec<&Tablet> = tablets.iter().collect();
    order.sort_by(|one, other| other.past.total_cmp(&one.past));
    let mut of_nodes = vec![(0.0_f64, 0_u64, 0.0_f64); nodes];
    for tablet in order {
        // Tablets without a past load are spread by their number.
        let least = of_nodes
            .iter_mut()
            .min_by(|one, other| one.0.total_cmp(&other.0).then(one.1.cmp(&other.1)));
        if let Some((past, held, now)) = least {
            *past += tablet.past;
            *held += 1;
            *now += load(tablet);
        }
    }
    let all: f64 = of_nodes.iter().map(|node| node.2).sum();
    let most = of_nodes.iter().map(|node| node.2).fold(0.0, f64::max);
    share(most * float(count(nodes)), all)
}
