//! Which tables answer for which times: pure functions.

use crate::Timestamp;
use crate::model::Level;

/// A span of time, in microseconds: from one, before the other.
pub(super) type Span = (i64, i64);

/// A span, and what answers for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Piece {
    /// The place of a level, or none for the events themselves.
    pub(super) level: Option<usize>,
    pub(super) span: Span,
}

/// Covers a span, in order of time: whole buckets of the longest level, and what is left of it at
/// both ends with shorter ones, and at last with events.
pub(super) fn cover(levels: &[Level], span: Span) -> Vec<Piece> {
    let mut pieces = Vec::new();
    add(levels, span, &mut pieces);
    pieces
}

fn add(levels: &[Level], (from, to): Span, pieces: &mut Vec<Piece>) {
    if from >= to {
        return;
    }
    let Some((longest, shorter)) = levels.split_last() else {
        let (level, span) = (None, (from, to));
        return pieces.push(Piece { level, span });
    };
    let at = Timestamp::from_micros;
    let first = longest.next_start(at(from)).as_micros();
    let end = longest.start(at(to)).as_micros();
    if first >= end {
        return add(shorter, (from, to), pieces);
    }
    add(shorter, (from, first), pieces);
    pieces.push(Piece {
        level: Some(shorter.len()),
        span: (first, end),
    });
    add(shorter, (end, to), pieces);
}

/// How long windows are so that a span has at most so many: a bucket of the shortest level of
/// which that holds, or several of the longest. None where the span has more of any length.
pub(super) fn window_of(levels: &[Level], span: Span, most: u32) -> Option<i64> {
    let fits = |micros: &i64| count(*micros, span) <= i128::from(most);
    if let Some(length) = levels.iter().map(Level::micros).find(fits) {
        return Some(length);
    }
    let longest = levels.last()?.micros();
    let (from, to) = (i128::from(span.0), i128::from(span.1));
    let buckets = (to - from) / (i128::from(longest) * i128::from(most.max(1)));
    let least = i64::try_from(buckets).ok()?.max(1);
    let near = (0..64).filter_map(|more| least.checked_add(more));
    let far = (1..63).filter_map(|times| least.checked_mul(1 << times));
    let lengths = near.chain(far);
    lengths
        .filter_map(|buckets| longest.checked_mul(buckets))
        .find(fits)
}

/// How many windows of a length a span touches.
pub(super) fn count(micros: i64, (from, to): Span) -> i128 {
    if from >= to {
        return 0;
    }
    i128::from((to - 1).div_euclid(micros)) - i128::from(from.div_euclid(micros)) + 1
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    const LEVELS: &[Level] = &[Level::seconds(10), Level::seconds(60), Level::seconds(600)];

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
                    let length =
                        level.map_or(1, |level| LEVELS.get(level).unwrap().micros() / 1_000_000);
                    assert!(start % length == 0 && next % length == 0 && start < next);
                    end = *next;
                }
                assert_eq!(end, to);
            }
        }
    }

    #[test]
    fn windows_are_as_short_as_levels_let_them_be() {
        let window =
            |from, to, most| window_of(LEVELS, span(from, to), most).map(|one| one / 1_000_000);
        assert_eq!(window(0, 600, 60), Some(10));
        assert_eq!(window(0, 600, 59), Some(60));
        assert_eq!(window(5, 605, 60), Some(60)); // it touches 61 of 10 s
        assert_eq!(window(0, 60_000, 100), Some(600));
        assert_eq!(window(0, 60_000, 99), Some(1_200));
        assert_eq!(window(0, 60_000, 1), Some(60_000));
        assert_eq!(window(-5, 5, 1), None); // 1970 is the edge of any two windows
        assert_eq!(window(-5, 5, 2), Some(10));
        assert_eq!(window(0, 60, 0), None);
    }
}
