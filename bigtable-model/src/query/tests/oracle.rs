//! A key is among a plan's rows if and only if its values match the selection: random layouts,
//! events and selections.

use std::ops::Bound;

use proptest::prelude::*;
use proptest::sample::Index;

use super::*;
use crate::key::tests::strategies::{fit, layout, natural, raw_value, stored, values};
use crate::query::plan;

/// The selection drawn for one segment; most come from the events, so that they match some.
#[derive(Debug, Clone)]
struct Drawn {
    others: Vec<SegmentValue>,
    of_events: Vec<Index>,
    ends: [(SegmentValue, Option<Index>, u8); 2],
    prefix: (Index, usize),
}

#[derive(Debug, Clone, Copy)]
enum LastKind {
    Values,
    Range,
    Prefix,
}

#[derive(Debug, Clone)]
pub(super) struct Case {
    pub(super) key: KeyLayout,
    events: Vec<Vec<SegmentValue>>,
    asked: Vec<SegmentSelection>,
}

fn drawn(segment: &Segment, separator: u8) -> BoxedStrategy<Drawn> {
    let (kind, one, other) = (segment.kind, segment.clone(), segment.clone());
    let fitted = raw_value(kind).prop_map(move |value| fit(&one, value, separator));
    let end = (raw_value(kind), any::<bool>()).prop_map(move |(value, raw)| match value {
        value @ SegmentValue::String(_) => fit(&other, value, separator),
        value if raw => value,
        value => fit(&other, value, separator),
    });
    let end = (end, prop::option::weighted(0.7, any::<Index>()), 0..3_u8);
    (
        prop::collection::vec(fitted, 0..2),
        prop::collection::vec(any::<Index>(), 0..4),
        [end.clone(), end],
        (any::<Index>(), 0..4_usize),
    )
        .prop_map(|(others, of_events, ends, prefix)| Drawn {
            others,
            of_events,
            ends,
            prefix,
        })
        .boxed()
}

pub(super) fn cases() -> impl Strategy<Value = Case> {
    let last = prop_oneof![
        Just(LastKind::Values),
        Just(LastKind::Range),
        Just(LastKind::Prefix)
    ];
    layout()
        .prop_flat_map(move |mut key| {
            keep_one_time(&mut key);
            let separator = key.separator_byte();
            let segments: Vec<_> = key
                .segments
                .iter()
                .map(|one| drawn(one, separator))
                .collect();
            let depth = 0..=segments.len();
            let events = prop::collection::vec(values(&key), 1..10);
            (Just(key), events, segments, depth, last.clone())
        })
        .prop_map(|(key, mut events, drawn, depth, last)| {
            // Events that share their first segments, so that later ones decide.
            for at in 1..events.len() {
                let shared = at % (key.segments.len() + 1);
                let (first, rest) = events.split_at_mut(at);
                rest[0][..shared].clone_from_slice(&first[0][..shared]);
            }
            let asked = (0..depth)
                .map(|at| {
                    let last = if at + 1 == depth {
                        last
                    } else {
                        LastKind::Values
                    };
                    asked(&drawn[at], last, &events, at)
                })
                .collect();
            Case { key, events, asked }
        })
}

/// A model has at most one time.
fn keep_one_time(key: &mut KeyLayout) {
    let mut times = 0;
    for segment in key.segments.to_mut() {
        times += usize::from(segment.role == SegmentRole::Time);
        if times > 1 {
            segment.role = SegmentRole::Identifier;
        }
    }
}

fn asked(
    drawn: &Drawn,
    last: LastKind,
    events: &[Vec<SegmentValue>],
    at: usize,
) -> SegmentSelection {
    let of_event = |index: &Index| index.get(events)[at].clone();
    let bound = |end: &(SegmentValue, Option<Index>, u8)| {
        let value = end.1.as_ref().map_or_else(|| end.0.clone(), of_event);
        match end.2 {
            0 => Bound::Unbounded,
            1 => Bound::Included(value),
            _ => Bound::Excluded(value),
        }
    };
    match (last, of_event(&drawn.prefix.0)) {
        (LastKind::Range, _) => {
            SegmentSelection::Range(bound(&drawn.ends[0]), bound(&drawn.ends[1]))
        }
        (LastKind::Prefix, SegmentValue::String(text)) => {
            SegmentSelection::Prefix(text.chars().take(drawn.prefix.1).collect())
        }
        _ => {
            let mut values = drawn.others.clone();
            values.extend(drawn.of_events.iter().map(of_event));
            SegmentSelection::Values(values)
        }
    }
}

fn matches(segment: &Segment, asked: &SegmentSelection, value: &SegmentValue) -> bool {
    let value = &stored(segment, value);
    match asked {
        SegmentSelection::Values(values) => values
            .iter()
            .any(|one| natural(&stored(segment, one), value).is_eq()),
        SegmentSelection::Range(start, end) => {
            let above = match start {
                Bound::Unbounded => true,
                Bound::Included(start) => natural(value, start).is_ge(),
                Bound::Excluded(start) => natural(value, start).is_gt(),
            };
            above
                && match end {
                    Bound::Unbounded => true,
                    Bound::Included(end) => natural(value, end).is_le(),
                    Bound::Excluded(end) => natural(value, end).is_lt(),
                }
        }
        SegmentSelection::Prefix(prefix) => {
            matches!(value, SegmentValue::String(text) if text.starts_with(prefix))
        }
    }
}

impl Case {
    pub(super) fn selection(&self) -> Selection {
        Selection {
            full_scan: true,
            max_scans: usize::MAX,
            ..select(self.asked.clone())
        }
    }

    pub(super) fn schema(&self) -> ModelSchema {
        ModelSchema {
            key: self.key.clone(),
            ..quotes()
        }
    }

    /// The keys of the events, and whether each matches.
    pub(super) fn keys(&self) -> Vec<(Vec<u8>, &[SegmentValue], bool)> {
        let keyed = self.events.iter().filter_map(|values| {
            let mut key = Vec::new();
            // A single text may be empty, which is no key.
            self.key.encode(values, &mut key).ok()?;
            let segments = self.key.segments.iter().zip(&self.asked).zip(values);
            let matching = segments
                .into_iter()
                .all(|((segment, asked), value)| matches(segment, asked, value));
            Some((key, values.as_slice(), matching))
        });
        keyed.collect()
    }

    /// The values of an event that name its series.
    fn series(&self, values: &[SegmentValue]) -> Vec<SegmentValue> {
        let segments = self.key.segments.iter().zip(values);
        segments
            .filter(|(segment, _)| segment.role == SegmentRole::Identifier)
            .map(|(segment, value)| stored(segment, value))
            .collect()
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn one_scan_has_the_matching_keys_and_no_others(case in cases()) {
        let plan = plan(&case.schema(), &case.selection())?;
        prop_assert!(plan.scans.len() <= 1);
        for (key, values, matching) in case.keys() {
            let found = plan.scans.iter().any(|scan| scan.parts[0].contains(&key));
            prop_assert_eq!(found, matching, "{:?} of {}\n{:?}", values, case.key, plan);
        }
        for scan in &plan.scans {
            prop_assert!(scan.parts[0].keys.is_sorted());
            for range in &scan.parts[0].ranges {
                prop_assert!(!range.is_empty(), "the server refuses {}", range);
            }
        }
    }

    #[test]
    fn in_order_of_time_each_matching_key_is_in_the_scan_of_its_series(case in cases()) {
        let schema = case.schema();
        let Ok(plan) = plan(&schema, &by_time(case.selection())) else { return Ok(()) };
        let mut found: Vec<Vec<_>> = vec![Vec::new(); plan.scans.len()];
        for (key, values, matching) in case.keys() {
            let scans = plan.scans.iter().enumerate();
            let holding: Vec<_> = scans.filter(|(_, scan)| scan.parts[0].contains(&key)).collect();
            prop_assert_eq!(holding.len(), usize::from(matching), "{:?}", values);
            for (at, _) in holding {
                found[at].push((key.clone(), values));
            }
        }
        for mut rows in found {
            rows.sort_by(|a, b| a.0.cmp(&b.0));
            if plan.reversed {
                rows.reverse();
            }
            let times = rows.iter().map(|(key, _)| schema.key.time_of(key).unwrap().unwrap());
            prop_assert!(times.is_sorted());
            let series = |row: &(Vec<u8>, &[SegmentValue])| format!("{:?}", case.series(row.1));
            prop_assert!(rows.windows(2).all(|two| series(&two[0]) == series(&two[1])));
        }
    }

    #[test]
    fn explanations_of_any_plan_can_be_written(case in cases()) {
        let schema = case.schema();
        let plan = plan(&schema, &case.selection());
        let text = crate::query::Explanation::new(&schema, plan).to_string();
        prop_assert!(text.contains("scan"), "{}", text);
    }
}
