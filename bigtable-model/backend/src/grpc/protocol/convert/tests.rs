#![allow(clippy::unwrap_used, reason = "tests")]

use std::fmt::Debug;
use std::ops::Bound;
use std::time::Duration;

use proptest::prelude::*;
use prost::Message;

use super::*;
use crate::data::{
    AggregateKind, Cell, FamilyChange, FamilySchema, GcRule, Mutation, ReadModifyWriteRule, Row,
    RowFilter, RowMutations, RowRange, RowSet, RuleAction,
};
use crate::grpc::protocol::wire;

/// A value goes over the wire, through bytes, and comes back.
fn over_the_wire<V, M>(value: &V) -> V
where
    V: Clone + Debug + TryFrom<M>,
    M: From<V> + Message + Default,
    V::Error: Debug,
{
    let bytes = M::from(value.clone()).encode_to_vec();
    V::try_from(M::decode(bytes.as_slice()).unwrap()).unwrap()
}

fn bytes() -> impl Strategy<Value = Bytes> {
    prop::collection::vec(any::<u8>(), 0..4).prop_map(Bytes::from)
}

fn name() -> impl Strategy<Value = ByteString> {
    "[a-z]{0,3}".prop_map(ByteString::from)
}

fn bound() -> impl Strategy<Value = Bound<Bytes>> {
    prop_oneof![
        bytes().prop_map(Bound::Included),
        bytes().prop_map(Bound::Excluded),
        Just(Bound::Unbounded),
    ]
}

fn mutation() -> impl Strategy<Value = Mutation> {
    (0..6, name(), bytes(), any::<[i64; 2]>(), bytes()).prop_map(
        |(kind, family, qualifier, [a, b], value)| match kind {
            0 => Mutation::SetCell {
                family,
                qualifier,
                timestamp_micros: a,
                value,
            },
            1 => Mutation::AddToCell {
                family,
                qualifier,
                timestamp_micros: a,
                input: b,
            },
            2 => Mutation::MergeToCell {
                family,
                qualifier,
                timestamp_micros: a,
                input: value,
            },
            3 => Mutation::DeleteFromColumn {
                family,
                qualifier,
                start_micros: a,
                end_micros: b,
            },
            4 => Mutation::DeleteFromFamily { family },
            _ => Mutation::DeleteFromRow,
        },
    )
}

fn leaf() -> impl Strategy<Value = RowFilter> {
    prop_oneof![
        Just(RowFilter::Sink),
        Just(RowFilter::PassAll),
        Just(RowFilter::BlockAll),
        Just(RowFilter::StripValue),
        bytes().prop_map(RowFilter::RowKeyRegex),
        bytes().prop_map(RowFilter::QualifierRegex),
        bytes().prop_map(RowFilter::ValueRegex),
        bytes().prop_map(RowFilter::ValueBitmask),
        (0.0..1.0).prop_map(RowFilter::RowSample),
        "[a-z]{0,3}".prop_map(RowFilter::FamilyRegex),
        "[a-z]{0,3}".prop_map(RowFilter::Label),
        any::<i32>().prop_map(RowFilter::CellsPerRowOffset),
        any::<i32>().prop_map(RowFilter::CellsPerRowLimit),
        any::<i32>().prop_map(RowFilter::CellsPerColumnLimit),
        (bound(), bound()).prop_map(|(start, end)| RowFilter::ValueRange { start, end }),
        ("[a-z]{0,3}", bound(), bound())
            .prop_map(|(family, start, end)| RowFilter::QualifierRange { family, start, end }),
        any::<[i64; 2]>().prop_map(|[start_micros, end_micros]| RowFilter::TimestampRange {
            start_micros,
            end_micros,
        }),
    ]
}

fn filter() -> impl Strategy<Value = RowFilter> {
    leaf().prop_recursive(3, 12, 3, |inner| {
        let members = prop::collection::vec(inner.clone(), 0..3);
        let branch = || prop::option::of(inner.clone().prop_map(Box::new));
        prop_oneof![
            members.clone().prop_map(RowFilter::Chain),
            members.prop_map(RowFilter::Interleave),
            (inner.clone(), branch(), branch()).prop_map(|(predicate, if_true, if_false)| {
                RowFilter::Condition {
                    predicate: Box::new(predicate),
                    if_true,
                    if_false,
                }
            }),
        ]
    })
}

fn gc_rule() -> impl Strategy<Value = GcRule> {
    let leaf = prop_oneof![
        any::<i32>().prop_map(GcRule::MaxVersions),
        (0..u64::MAX / 4, 0..1_000_000_000u32)
            .prop_map(|(seconds, nanos)| GcRule::MaxAge(Duration::new(seconds / 4, nanos))),
    ];
    leaf.prop_recursive(2, 6, 3, |inner| {
        let members = prop::collection::vec(inner, 0..3);
        prop_oneof![
            members
                .clone()
                .prop_map(|rules| GcRule::Union(rules.into())),
            members.prop_map(|rules| GcRule::Intersection(rules.into())),
        ]
    })
}

fn family() -> impl Strategy<Value = FamilySchema> {
    let kind = prop_oneof![
        Just(AggregateKind::Sum),
        Just(AggregateKind::Min),
        Just(AggregateKind::Max),
    ];
    (prop::option::of(gc_rule()), prop::option::of(kind))
        .prop_map(|(gc_rule, aggregate)| FamilySchema { gc_rule, aggregate })
}

proptest! {
    #[test]
    fn mutations(key in bytes(), mutations in prop::collection::vec(mutation(), 0..4)) {
        let row = RowMutations { key, mutations };
        prop_assert_eq!(&over_the_wire::<_, wire::MutateRowsEntry>(&row), &row);
    }

    #[test]
    fn filters(filter in filter()) {
        prop_assert_eq!(&over_the_wire::<_, wire::RowFilter>(&filter), &filter);
        let size = wire::RowFilter::from(filter.clone()).encoded_len();
        prop_assert_eq!(filter.wire_size(), size);
    }

    #[test]
    fn row_sets(
        keys in prop::collection::vec(bytes(), 0..3),
        ranges in prop::collection::vec((bound(), bound()), 0..3),
    ) {
        let ranges = ranges.into_iter().map(|(start, end)| RowRange { start, end }).collect();
        let set = RowSet { keys, ranges };
        prop_assert_eq!(&over_the_wire::<_, wire::RowSet>(&set), &set);
    }

    #[test]
    fn rules(family in name(), qualifier in bytes(), value in bytes(), amount in any::<i64>()) {
        for action in [RuleAction::Append(value), RuleAction::Increment(amount)] {
            let rule = ReadModifyWriteRule {
                family: family.clone(),
                qualifier: qualifier.clone(),
                action,
            };
            prop_assert_eq!(&over_the_wire::<_, wire::ReadModifyWriteRule>(&rule), &rule);
        }
    }

    #[test]
    fn rows(key in bytes(), cells in prop::collection::vec((name(), bytes(), any::<i64>(), bytes(), "[a-z]?"), 0..5)) {
        let cells = cells.into_iter().map(|(family, qualifier, timestamp_micros, value, label)| Cell {
            family,
            qualifier,
            timestamp_micros,
            value,
            labels: Some(label).filter(|label| !label.is_empty()).into_iter().collect(),
        });
        let row = Row { key, cells: cells.collect() };
        prop_assert_eq!(&over_the_wire::<_, wire::Row>(&row), &row);
    }

    #[test]
    fn families(family in family()) {
        prop_assert_eq!(&over_the_wire::<_, wire::ColumnFamily>(&family), &family);
        for change in [
            FamilyChange::Create("f".to_owned(), family),
            FamilyChange::Drop("f".to_owned()),
        ] {
            prop_assert_eq!(&over_the_wire::<_, wire::Modification>(&change), &change);
        }
    }
}

#[test]
fn an_update_of_a_family_sends_its_rule_only() {
    let family = FamilySchema {
        gc_rule: Some(GcRule::MaxVersions(1)),
        aggregate: Some(AggregateKind::Sum),
    };
    let change = wire::Modification::from(FamilyChange::Update("f".to_owned(), family));
    let Some(wire::ModificationKind::Update(sent)) = change.kind else {
        unreachable!("{change:?}");
    };
    assert!(sent.gc_rule.is_some());
    assert_eq!(sent.value_type, None);
}

#[test]
fn messages_that_say_too_little_are_refused() {
    use wire::RowFilterKind as Kind;
    let filter = |kind| RowFilter::try_from(kind).unwrap_err();
    let rule = |kind| GcRule::try_from(kind).unwrap_err();
    let negative = wire::Duration {
        seconds: -1,
        nanos: 0,
    };
    let mutation = |kind| Mutation::try_from(wire::Mutation { kind: Some(kind) }).unwrap_err();
    let latin1 = Bytes::from_static(b"\xe9");
    for (error, words) in [
        (
            Mutation::try_from(wire::Mutation::default()).unwrap_err(),
            "says nothing",
        ),
        (
            mutation(wire::MutationKind::AddToCell(wire::AddToCell::default())),
            "not a raw value",
        ),
        (
            mutation(wire::MutationKind::DeleteFromFamily(
                wire::DeleteFromFamily {
                    family_name: latin1.clone(),
                },
            )),
            "not UTF-8",
        ),
        (
            ReadModifyWriteRule::try_from(wire::ReadModifyWriteRule::default()).unwrap_err(),
            "neither",
        ),
        (filter(Kind::Sink(false)), "sink is there but false"),
        (filter(Kind::Condition(Box::default())), "no predicate"),
        (filter(Kind::FamilyNameRegex(latin1)), "not UTF-8"),
        (rule(wire::GcRuleKind::MaxAge(negative)), "negative"),
        (
            rule(wire::GcRuleKind::Union(wire::GcRules {
                rules: vec![wire::GcRule::default()],
            })),
            "is empty",
        ),
        (
            FamilyChange::try_from(wire::Modification::default()).unwrap_err(),
            "says nothing",
        ),
    ] {
        assert_eq!(error.code, Code::InvalidArgument);
        assert!(error.message.contains(words), "{error}");
    }
}

#[test]
fn a_filter_of_no_kind_passes_everything() {
    assert_eq!(
        RowFilter::try_from(wire::RowFilter::default()),
        Ok(RowFilter::PassAll)
    );
}
