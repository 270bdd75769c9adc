//! Joins compared with brute force.

use std::time::Duration;

use bigtable_model::series::{self, AsOf, SeriesExt as _, Zipped};

use crate::events::{Event, cases, events, now};

/// Two series over about the same time, and a tolerance similar to their steps.
fn sides(rng: &mut fastrand::Rng) -> (Vec<Event>, Vec<Event>, u64) {
    let all = events(rng, 60, 0);
    let share = rng.u8(1..4);
    let (left, right): (Vec<_>, Vec<_>) = all.iter().partition(|event| event.series < share);
    let steps = all
        .windows(2)
        .map(|pair| pair[1].at.as_micros() - pair[0].at.as_micros());
    let longest = steps.max().unwrap_or(1) as u64;
    let tolerance = match rng.u8(..4) {
        0 => 0,
        1 => u64::MAX,
        _ => rng.u64(..=longest),
    };
    (left, right, tolerance)
}

fn apart(one: &Event, other: &Event) -> u64 {
    one.at.as_micros().abs_diff(other.at.as_micros())
}

#[test]
fn as_of() {
    cases(|rng| {
        let (left, right, tolerance) = sides(rng);
        for direction in [AsOf::Backward, AsOf::Forward, AsOf::Nearest] {
            let joined = series::of(left.clone()).timed(|event| event.at).asof_join(
                series::of(right.clone()).timed(|event| event.at),
                direction,
                Duration::from_micros(tolerance),
            );
            let found = now(joined.fetch()).unwrap();
            assert_eq!(found.len(), left.len());
            for (found, event) in found.iter().zip(&left) {
                assert_eq!((found.left, found.at), (*event, event.at));
                let near: Vec<&Event> = right
                    .iter()
                    .filter(|other| apart(event, other) <= tolerance)
                    .collect();
                let before = near.iter().rfind(|other| other.at <= event.at).copied();
                let after = near.iter().find(|other| other.at >= event.at).copied();
                let wanted = match (direction, before, after) {
                    (AsOf::Backward, before, _) => before,
                    (AsOf::Forward, _, after) => after,
                    (AsOf::Nearest, Some(before), Some(after)) => {
                        let is_after = apart(after, event) < apart(before, event);
                        Some(if is_after { after } else { before })
                    }
                    (AsOf::Nearest, before, after) => before.or(after),
                };
                assert_eq!(
                    found.right.as_ref(),
                    wanted,
                    "{direction:?} {event:?} of {right:?}"
                );
            }
        }
    });
}

#[test]
fn zipped() {
    cases(|rng| {
        let (left, right, tolerance) = sides(rng);
        let zipped = series::of(left.clone())
            .timed(|event| event.at)
            .zip_by_time(
                series::of(right.clone()).timed(|event| event.at),
                Duration::from_micros(tolerance),
            );
        let found = now(zipped.fetch()).unwrap();
        let (mut lefts, mut rights) = (&left[..], &right[..]);
        let mut wanted = Vec::new();
        loop {
            wanted.push(match (lefts, rights) {
                ([one, ..], [other, ..]) if apart(one, other) <= tolerance => {
                    (lefts, rights) = (&lefts[1..], &rights[1..]);
                    Zipped::Both(*one, *other)
                }
                ([one, ..], [other, ..]) if other.at < one.at => {
                    rights = &rights[1..];
                    Zipped::Right(*other)
                }
                ([one, ..], _) => {
                    lefts = &lefts[1..];
                    Zipped::Left(*one)
                }
                ([], [other, ..]) => {
                    rights = &rights[1..];
                    Zipped::Right(*other)
                }
                ([], []) => break,
            });
        }
        assert_eq!(found, wanted);
    });
}
