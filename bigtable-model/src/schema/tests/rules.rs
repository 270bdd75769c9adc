use std::time::Duration;

use proptest::collection::vec;
use proptest::prelude::*;

use super::*;
use crate::schema::{RuleChange, compare_rules};

/// Rules with few numbers, so that many pairs are equal or nested, including rules that the service
/// refuses.
fn rule() -> impl Strategy<Value = GcRule> {
    let leaf = prop_oneof![
        (0..5).prop_map(GcRule::MaxVersions),
        (0..5_u64).prop_map(|millis| GcRule::MaxAge(Duration::from_millis(millis))),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        let members = vec(inner, 0..4);
        prop_oneof![
            members
                .clone()
                .prop_map(|rules| GcRule::Union(rules.into())),
            members.prop_map(|rules| GcRule::Intersection(rules.into())),
        ]
    })
}

/// Whether a rule literally deletes a cell of this age with so many newer ones.
fn deletes(rule: &GcRule, newer: i64, micros: i64) -> bool {
    match rule {
        GcRule::MaxVersions(kept) => newer >= i64::from(*kept),
        GcRule::MaxAge(age) => micros > i64::try_from(age.as_micros()).unwrap(),
        GcRule::Union(rules) => rules.iter().any(|rule| deletes(rule, newer, micros)),
        GcRule::Intersection(rules) => {
            !rules.is_empty() && rules.iter().all(|rule| deletes(rule, newer, micros))
        }
    }
}

/// Every cell that the numbers of [`rule`] distinguish: ages at and between them, and cells from
/// the future.
fn cells() -> impl Iterator<Item = (i64, i64)> {
    (0..7).flat_map(|newer| (-2..12).map(move |half| (newer, half * 500)))
}

fn by_looking(have: Option<&GcRule>, want: Option<&GcRule>) -> RuleChange {
    let deleted = |rule: Option<&GcRule>, (newer, micros): (i64, i64)| {
        rule.is_some_and(|rule| deletes(rule, newer, micros))
    };
    let goes = cells().any(|cell| deleted(want, cell) && !deleted(have, cell));
    let stays = cells().any(|cell| deleted(have, cell) && !deleted(want, cell));
    match (goes, stays) {
        (true, _) => RuleChange::MayDelete,
        (false, true) => RuleChange::KeepsMore,
        (false, false) => RuleChange::Same,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn a_comparison_is_what_looking_at_every_cell_gives(
        have in prop::option::weighted(0.9, rule()),
        want in prop::option::weighted(0.9, rule()),
    ) {
        let (have, want) = (have.as_ref(), want.as_ref());
        prop_assert_eq!(compare_rules(have, want), by_looking(have, want));
        prop_assert_eq!(compare_rules(have, have), RuleChange::Same);
    }
}

/// Checks that the rules above are not all trivial.
#[test]
fn random_pairs_are_of_all_sorts() {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let mut draw =
        || proptest::strategy::ValueTree::current(&rule().new_tree(&mut runner).unwrap());
    let changes: Vec<_> = (0..2000)
        .map(|_| compare_rules(Some(&draw()), Some(&draw())))
        .collect();
    for sort in [
        RuleChange::Same,
        RuleChange::KeepsMore,
        RuleChange::MayDelete,
    ] {
        let count = changes.iter().filter(|one| **one == sort).count();
        assert!(count > 100, "{sort:?}: {count}");
    }
}

#[test]
fn words() {
    for (rule, words) in [
        (versions(1), "beyond the newest version"),
        (versions(3), "beyond the newest 3 versions"),
        (days(30), "older than 30d"),
        (age(36 * 3_600_000), "older than 36h"),
        (age(90_000), "older than 90s"),
        (age(1_500), "older than 1500ms"),
        (
            either([versions(3), days(7)]),
            "beyond the newest 3 versions or older than 7d",
        ),
        (
            both([versions(1), either([versions(9), days(7)])]),
            "beyond the newest version and also (beyond the newest 9 versions or older than 7d)",
        ),
        (
            either([either([days(7)]), versions(2)]),
            "older than 7d or beyond the newest 2 versions",
        ),
        (either([]), "of no kind"),
        (
            GcRule::MaxAge(Duration::from_micros(1_001)),
            "older than 1001us",
        ),
        (age(0), "older than 0us"),
    ] {
        assert_eq!(rule.to_string(), words);
    }
}
