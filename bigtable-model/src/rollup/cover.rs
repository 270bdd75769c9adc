//! Which tables answer for which times, as pure functions.

use crate::Timestamp;
use crate::series::Grid;

use super::tier::Tier;

/// A span of time in microseconds: start (inclusive) and end (exclusive).
pub(super) type Span = (i64, i64);

/// A span, and what it is read from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Piece {
    /// The index of a level; `None` for the events themselves.
    pub(super) level: Option<usize>,
    pub(super) span: Span,
}

/// Covers a span in time order: with whole buckets of the longest level, then with shorter levels
/// at both ends, and finally with events.
pub(super) fn cover(levels: &[Tier], span: Span) -> Vec<Piece> {
    let mut pieces = Vec::new();
    add(levels, span, &mut pieces);
    pieces
}

fn add(levels: &[Tier], (from, to): Span, pieces: &mut Vec<Piece>) {
    if from >= to {
        return;
    }
    let Some((longest, shorter)) = levels.split_last() else {
        let (level, span) = (None, (from, to));
        return pieces.push(Piece { level, span });
    };
    let Some((first, end)) = whole(&longest.grid, (from, to)) else {
        return add(shorter, (from, to), pieces);
    };
    add(shorter, (from, first), pieces);
    pieces.push(Piece {
        level: Some(shorter.len()),
        span: (first, end),
    });
    add(shorter, (end, to), pieces);
}

/// From the first whole bucket of a span to the end of the last; `None` without a whole bucket, or
/// outside the calendar.
fn whole(buckets: &Grid, (from, to): Span) -> Option<Span> {
    let cell = |micros| buckets.cell(Timestamp::from_micros(micros)).ok();
    let first = cell(from)?;
    let first = match first.start.as_micros() {
        start if start == from => start,
        _ => first.end.as_micros(),
    };
    let end = cell(to)?.start.as_micros();
    (first < end).then_some((first, end))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use crate::model::Level;
    use crate::rollup::tier::tiers;

    const LEVELS: &[Level] = &[Level::seconds(10), Level::seconds(60), Level::seconds(600)];

    fn cover(levels: &[Level], span: Span) -> Vec<Piece> {
        super::cover(&tiers(levels).unwrap(), span)
    }

    fn seconds(pieces: Vec<Piece>) -> Vec<(Option<usize>, i64, i64)> {
        let pieces = pieces.into_iter();
        pieces
            .map(|one| (one.level, one.span.0 / 1_000_000, one.span.1 / 1_000_000))
            .collect()
    }

    fn span(from: i64, to: i64) -> Span {
        (from * 1_000_000, to * 1_000_000)
    }

    #[test]
    fn spans_are_covered_from_the_longest_buckets_to_the_events() {
        assert_eq!(
            seconds(cover(LEVELS, span(55, 1_325))),
            [
                (None, 55, 60),
                (Some(1), 60, 600),
                (Some(2), 600, 1_200),
                (Some(1), 1_200, 1_320),
                (None, 1_320, 1_325),
            ]
        );
        assert_eq!(seconds(cover(LEVELS, span(3, 9))), [(None, 3, 9)]);
        assert_eq!(seconds(cover(LEVELS, span(-20, 0))), [(Some(0), -20, 0)]);
        assert_eq!(seconds(cover(&[], span(0, 60))), [(None, 0, 60)]);
        assert!(cover(LEVELS, span(60, 60)).is_empty());
    }

    #[test]
    fn pieces_follow_one_another_without_a_gap() {
        for from in -1_300..-1_200 {
            for to in [from + 1, from + 61, from + 599, 7, 1_201] {
                let pieces = seconds(cover(LEVELS, span(from, to)));
                let mut end = from;
                for (level, start, next) in &pieces {
                    assert_eq!(*start, end, "{from} to {to}: {pieces:?}");
                    let length = level.map_or(1, |level| *[10, 60, 600].get(level).unwrap());
                    assert!(start % length == 0 && next % length == 0 && start < next);
                    end = *next;
                }
                assert_eq!(end, to);
            }
        }
    }

    #[test]
    fn days_are_as_long_as_clocks_make_them() {
        let levels = [Level::hours(1), Level::day().zone("Europe/Berlin")];
        // 2024-03-30T12:00Z to 2024-04-01T12:30Z: 31 March has 23 hours.
        let pieces = seconds(cover(&levels, span(1_711_800_000, 1_711_974_600)));
        let midnight = 1_711_839_600; // in Berlin, 23:00Z
        assert_eq!(
            pieces,
            [
                (Some(0), 1_711_800_000, midnight),
                (Some(1), midnight, midnight + 23 * 3_600),
                (Some(0), midnight + 23 * 3_600, 1_711_972_800),
                (None, 1_711_972_800, 1_711_974_600),
            ]
        );
    }
}
