//! The slices of time in which windows are read, as pure functions.

use crate::Timestamp;
use crate::rollup::tier::Span;
use crate::series::Grid;

/// Slices of a span, one after the other. Each ends with a window: so the windows of a slice are
/// whole, but for the first and the last of the span.
#[derive(Debug)]
pub(super) struct Slices {
    current: Span,
    /// The end of the span.
    to: i64,
    /// How much may be in a slice; `None` if the span is one.
    most: Option<usize>,
    /// Whether the current slice was longer.
    is_shorter: bool,
}

impl Slices {
    /// With `most` the first slice is one window. Others have about as many events and buckets, and
    /// begin to grow far below, since they double.
    pub(super) fn of(grid: &Grid, (from, to): Span, most: Option<usize>) -> Self {
        let end = most.map_or(to, |_| end(grid, (from, to), 1));
        Self {
            current: (from, end),
            to,
            most,
            is_shorter: false,
        }
    }

    /// The slice to be read; `None` at the end of the span.
    pub(super) fn current(&self) -> Option<Span> {
        (self.current.0 < self.current.1).then_some(self.current)
    }

    /// Goes on to the next slice, after this much was read for the current one.
    pub(super) fn advance(&mut self, grid: &Grid, read: usize) {
        let (from, next) = self.current;
        let took = next.saturating_sub(from);
        let length = match self.most {
            Some(most) if read < most / 4 => took.saturating_mul(2),
            Some(most) if read > most.saturating_mul(2) => took / 2,
            _ => took,
        };
        self.current = (next, end(grid, (next, self.to), length));
        self.is_shorter = false;
    }

    /// Ends the current slice at the beginning of a window in it. If that was not enough, since
    /// rows do not come in order of time, it ends halfway or earlier.
    pub(super) fn shorten(&mut self, grid: &Grid, end: i64) {
        let (from, to) = self.current;
        let half = grid.cell(Timestamp::from_micros(from.midpoint(to))).ok();
        let half = half.map(|cell| cell.start.as_micros());
        let half = half.filter(|start| *start > from && self.is_shorter);
        self.current.1 = half.map_or(end, |half| half.min(end));
        self.is_shorter = true;
    }
}

/// The end of a slice that begins at `from` and has about this length: that of a window, or of the
/// span. Outside the calendar no window is known.
fn end(grid: &Grid, (from, to): Span, length: i64) -> i64 {
    let last = from.saturating_add(length.max(1) - 1);
    if last >= to {
        return to;
    }
    let window = grid.cell(Timestamp::from_micros(last));
    window.map_or(to, |window| window.end.as_micros().min(to))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use crate::series::Length;

    fn hours() -> Grid {
        Grid::Every(10)
    }

    #[test]
    fn slices_double_while_little_is_in_them() {
        let mut slices = Slices::of(&hours(), (3, 1_000), Some(40));
        let mut seen = Vec::new();
        while let Some(slice) = slices.current() {
            seen.push(slice);
            slices.advance(&hours(), 9);
        }
        let ends: Vec<_> = seen.iter().map(|slice| slice.1).collect();
        assert_eq!(ends, [10, 30, 70, 150, 310, 630, 1_000]);
    }

    #[test]
    fn slices_keep_their_length_or_halve_it_down_to_one_window() {
        let mut slices = Slices::of(&hours(), (0, 1_000), Some(40));
        for (read, next) in [
            (0, (10, 30)),
            (0, (30, 70)),
            (40, (70, 110)),
            (81, (110, 130)),
            (81, (130, 140)),
            (81, (140, 150)),
        ] {
            slices.advance(&hours(), read);
            assert_eq!(slices.current(), Some(next));
        }
    }

    #[test]
    fn without_a_limit_there_is_one_slice() {
        let mut slices = Slices::of(&hours(), (3, 1_000), None);
        assert_eq!(slices.current(), Some((3, 1_000)));
        slices.advance(&hours(), 0);
        assert_eq!(slices.current(), None);
        assert_eq!(Slices::of(&hours(), (7, 7), None).current(), None);
        assert_eq!(Slices::of(&hours(), (7, 3), Some(1)).current(), None);
    }

    #[test]
    fn a_slice_is_shortened_again_to_half_at_least_and_to_one_window_at_last() {
        let mut slices = Slices::of(&hours(), (3, 1_000), Some(40));
        slices.current.1 = 1_000;
        for (end, shorter) in [(900, 900), (800, 450), (40, 40), (30, 20), (10, 10)] {
            slices.shorten(&hours(), end);
            assert_eq!(slices.current(), Some((3, shorter)));
        }
        slices.advance(&hours(), 20);
        assert_eq!(slices.current(), Some((10, 20)));
    }

    #[test]
    fn slices_follow_one_another_and_end_with_windows() {
        let grids = [
            Grid::Every(3_600_000_000),
            Grid::of(&Length::months(1).zone("Europe/Berlin"), "windows").unwrap(),
        ];
        let mut rng = fastrand::Rng::with_seed(1);
        for grid in grids {
            let span = (-5_000_000_000_000, 9_000_000_000_007);
            let mut slices = Slices::of(&grid, span, Some(40));
            let mut next = span.0;
            while let Some((from, to)) = slices.current() {
                assert!(from == next && from < to);
                let is_edge = grid
                    .cell(Timestamp::from_micros(to))
                    .unwrap()
                    .start
                    .as_micros()
                    == to;
                assert!(is_edge || to == span.1);
                next = to;
                slices.advance(&grid, rng.usize(0..100));
            }
            assert_eq!(next, span.1);
        }
    }

    #[test]
    fn times_that_no_calendar_has_are_one_slice() {
        let months = Grid::of(&Length::months(1), "windows").unwrap();
        let slices = Slices::of(&months, (i64::MIN, 5), Some(40));
        assert_eq!(slices.current(), Some((i64::MIN, 5)));
        let mut slices = Slices::of(&months, (0, i64::MAX), Some(40));
        for _ in 0..40 {
            slices.advance(&months, 0);
        }
        assert_eq!(slices.current(), None);
    }
}
