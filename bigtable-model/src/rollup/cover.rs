//! Which tables answer for which times, as pure functions: buckets and events, and the time from
//! which rules keep them.

use crate::Timestamp;
use crate::model::{ModelSchema, stamp_of};
use crate::series::Grid;

use super::tier::{Span, Tier};

/// A span and its source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Piece {
    /// The index of a level; `None` for the events themselves.
    pub(super) level: Option<usize>,
    pub(super) span: Span,
}

/// Covers a span in time order: with whole buckets of the longest level, then with shorter levels
/// at both ends, and finally with events. Buckets that end before `kept` are not used.
pub(super) fn cover(levels: &[Tier], span: Span, kept: Option<i64>) -> Vec<Piece> {
    let mut pieces = Vec::new();
    add(levels, span, kept, &mut pieces);
    pieces
}

fn add(levels: &[Tier], (from, to): Span, kept: Option<i64>, pieces: &mut Vec<Piece>) {
    if from >= to {
        return;
    }
    let Some((longest, shorter)) = levels.split_last() else {
        let (level, span) = (None, (from, to));
        return pieces.push(Piece { level, span });
    };
    let Some((first, end)) = whole(&longest.grid, (from, to), kept) else {
        return add(shorter, (from, to), kept, pieces);
    };
    add(shorter, (from, first), kept, pieces);
    pieces.push(Piece {
        level: Some(shorter.len()),
        span: (first, end),
    });
    add(shorter, (end, to), kept, pieces);
}

/// Whether no bucket of the levels has times on both sides of a time.
pub(super) fn is_edge(levels: &[Tier], micros: i64) -> bool {
    let time = Timestamp::from_micros(micros);
    let mut cells = levels.iter().map(|tier| tier.grid.cell(time));
    cells.all(|cell| cell.is_ok_and(|cell| cell.start == time))
}

/// The span from the first whole bucket that does not end before `kept` to the end of the last;
/// `None` if there is no such bucket, or outside the calendar.
fn whole(buckets: &Grid, (from, to): Span, kept: Option<i64>) -> Option<Span> {
    let cell = |micros| buckets.cell(Timestamp::from_micros(micros)).ok();
    let from = match kept {
        // The first bucket that ends at `kept` or later contains the microsecond before it.
        Some(kept) => from.max(cell(kept.saturating_sub(1))?.start.as_micros()),
        None => from,
    };
    let first = cell(from)?;
    let first = match first.start.as_micros() {
        start if start == from => start,
        _ => first.end.as_micros(),
    };
    let end = cell(to)?.start.as_micros();
    (first < end).then_some((first, end))
}

/// The first timestamps of cells that no rule deletes by age at one time; `None` if no rule deletes
/// any.
///
/// A computation keeps one value, so that it decides what to read and what is missing by the same
/// time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Edges {
    events: Option<i64>,
    buckets: Option<i64>,
    /// The first end of buckets that are read instead of their events; `None` if all are, since
    /// events are not kept longer.
    used: Option<i64>,
}

/// The timestamps of the oldest events and buckets that a computation needs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Needed {
    events: Option<i64>,
    buckets: Option<i64>,
}

impl Edges {
    /// The edges of a model, across its sources, and of its roll-up.
    pub(super) fn at(now: Timestamp, source: &ModelSchema, rollup: &ModelSchema) -> Self {
        let events = source.layouts().filter_map(|one| one.kept_from(now)).max();
        let buckets = rollup.kept_from(now);
        // Deletes of events by number leave no sign.
        let is_noticed = !source.layouts().any(ModelSchema::deletes_by_number);
        Self {
            events,
            buckets,
            used: buckets.filter(|buckets| is_noticed && is_longer(events, *buckets)),
        }
    }

    /// Covers a span with buckets and events. If buckets have expired, events are read if they are
    /// kept longer.
    pub(super) fn cover(&self, levels: &[Tier], span: Span) -> Vec<Piece> {
        cover(levels, span, self.used)
    }

    /// The time from which everything is kept, if a rule may have deleted some source of the
    /// pieces.
    pub(super) fn expired(&self, levels: &[Tier], pieces: &[Piece]) -> Option<Timestamp> {
        let mut edges = pieces.iter().filter_map(|piece| {
            let edge = self.of(piece)?;
            (oldest(levels, piece) < edge).then_some(edge)
        });
        edges.next().map(Timestamp::from_micros)
    }

    /// Whether rules still keep everything that is needed.
    pub(super) fn keep(&self, needed: &Needed) -> bool {
        let keeps = |edge: Option<i64>, needed: Option<i64>| match (edge, needed) {
            (Some(edge), Some(needed)) => edge <= needed,
            _ => true,
        };
        keeps(self.events, needed.events) && keeps(self.buckets, needed.buckets)
    }

    const fn of(&self, piece: &Piece) -> Option<i64> {
        match piece.level {
            Some(_) => self.buckets,
            None => self.events,
        }
    }
}

impl Needed {
    /// Adds pieces, except those that are no longer whole.
    pub(super) fn add(&mut self, edges: &Edges, levels: &[Tier], pieces: &[Piece]) {
        for piece in pieces {
            let oldest = oldest(levels, piece);
            if edges.of(piece).is_none_or(|edge| edge <= oldest) {
                let needed = match piece.level {
                    Some(_) => &mut self.buckets,
                    None => &mut self.events,
                };
                *needed = Some(needed.map_or(oldest, |needed| needed.min(oldest)));
            }
        }
    }

    /// Adds the buckets of pieces, if events would be read instead of expired ones.
    pub(super) fn add_replaceable(&mut self, edges: &Edges, levels: &[Tier], pieces: &[Piece]) {
        if edges.used.is_some() {
            let buckets = pieces.iter().filter(|piece| piece.level.is_some());
            let buckets: Vec<_> = buckets.copied().collect();
            self.add(edges, levels, &buckets);
        }
    }
}

/// Whether events are kept from before the first kept bucket. No timestamp is below 0.
fn is_longer(events: Option<i64>, buckets: i64) -> bool {
    events.map_or(0, |events| events.max(0)) < buckets
}

/// The timestamp of the oldest cell from which a piece may be read.
fn oldest(levels: &[Tier], piece: &Piece) -> i64 {
    let from = Timestamp::from_micros(piece.span.0);
    let tier = piece.level.and_then(|level| levels.get(level));
    // The cells of a bucket have its end as timestamp.
    stamp_of(tier.map_or(from, |tier| tier.level.end(from)))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use crate::model::Level;
    use crate::rollup::tier::tiers;

    const SECOND: i64 = 1_000_000;

    const LEVELS: &[Level] = &[Level::seconds(10), Level::seconds(60), Level::seconds(600)];

    fn cover(levels: &[Level], span: Span) -> Vec<Piece> {
        super::cover(&tiers(levels).unwrap(), span, None)
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
    fn buckets_that_end_too_early_are_covered_by_shorter_ones_and_events() {
        let tiers = tiers(LEVELS).unwrap();
        let kept = |from, to, kept: i64| {
            seconds(super::cover(&tiers, span(from, to), Some(kept * 1_000_000)))
        };
        assert_eq!(
            kept(0, 1_200, 95),
            // The first long bucket ends late enough, although its first minutes do not.
            [(Some(2), 0, 1_200)]
        );
        assert_eq!(
            kept(0, 590, 95),
            [(None, 0, 60), (Some(1), 60, 540), (Some(0), 540, 590)]
        );
        assert_eq!(kept(0, 590, 60), kept(0, 590, 0));
        assert_eq!(kept(0, 590, 61).first(), Some(&(None, 0, 60)));
        assert_eq!(
            kept(0, 1_790, 601),
            [
                (None, 0, 600),
                (Some(2), 600, 1_200),
                (Some(1), 1_200, 1_740),
                (Some(0), 1_740, 1_790),
            ]
        );
        assert_eq!(kept(55, 590, 2_000), [(None, 55, 590)]);
    }

    #[test]
    fn each_bucket_that_ends_late_enough_is_used() {
        let tiers = tiers(LEVELS).unwrap();
        for kept in (-700..1_300).step_by(7) {
            for (from, to) in [(-613, 1_250), (-600, 600), (3, 1_207)] {
                let pieces = super::cover(&tiers, span(from, to), Some(kept * 1_000_000));
                let mut next = from;
                for (level, start, end) in seconds(pieces) {
                    assert_eq!(start, next);
                    next = end;
                    let Some(level) = level else {
                        // No shortest bucket lies within.
                        let last = end - end.rem_euclid(10);
                        assert!(last < kept || last - 10 < start, "{kept}: {start}, {end}");
                        continue;
                    };
                    let length = *[10, 60, 600].get(level).unwrap();
                    assert!(start % length == 0 && end % length == 0);
                    assert!(start + length >= kept, "{kept}: {start}, {end}");
                }
                assert_eq!(next, to);
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

    fn edges(events: i64, buckets: i64) -> Edges {
        let (events, buckets) = (Some(events * SECOND), buckets * SECOND);
        Edges {
            events,
            buckets: Some(buckets),
            used: Some(buckets).filter(|_| is_longer(events, buckets)),
        }
    }

    fn minutes() -> Vec<Tier> {
        tiers(&[Level::seconds(60)]).unwrap()
    }

    fn needed(edges: &Edges, from: i64, to: i64) -> Needed {
        let pieces = edges.cover(&minutes(), (from * SECOND, to * SECOND));
        let mut needed = Needed::default();
        needed.add(edges, &minutes(), &pieces);
        needed
    }

    #[test]
    fn events_replace_expired_buckets_only_if_they_are_kept_longer() {
        let levels = |edges: Edges| {
            let pieces = edges.cover(&minutes(), (0, 600 * SECOND));
            let expired = edges.expired(&minutes(), &pieces);
            let levels: Vec<_> = pieces.iter().map(|piece| piece.level).collect();
            (levels, expired.map(Timestamp::as_seconds))
        };
        assert_eq!(levels(edges(0, 90)), (vec![None, Some(0)], None));
        assert_eq!(levels(edges(1, 90)), (vec![None, Some(0)], Some(1)));
        assert_eq!(levels(edges(90, 90)), (vec![Some(0)], Some(90)));
        assert_eq!(levels(edges(300, 90)), (vec![Some(0)], Some(90)));
        assert_eq!(levels(edges(300, 60)), (vec![Some(0)], None));
    }

    #[test]
    fn what_was_whole_is_needed_until_it_expires() {
        let all = needed(&edges(0, 90), 0, 600);
        assert!(edges(0, 120).keep(&all));
        assert!(!edges(0, 121).keep(&all));
        assert!(!edges(1, 120).keep(&all));
        // Its first events are already gone.
        let part = needed(&edges(1, 90), 0, 600);
        assert!(edges(50, 120).keep(&part));
        assert!(!edges(50, 121).keep(&part));
        assert!(edges(999, 999).keep(&Needed::default()));
    }
}
