//! Conditions on the columns of maps, and whether they hold for plain values.

use bigtable_model::Model;
use bigtable_model::condition::Condition;
use proptest::prelude::*;

use super::OfDay;

/// A condition, in plain values.
#[derive(Debug, Clone)]
pub(super) enum Asked {
    Present(&'static str),
    Cpu(&'static str, Vec<f64>),
    /// From the first to before the second.
    Disk(&'static str, i64, i64),
    Spare(i64),
    Both(Box<[Asked; 2]>),
    Either(Box<[Asked; 2]>),
    Not(Box<Asked>),
}

impl Asked {
    pub(super) fn holds(&self, event: &OfDay) -> bool {
        match self {
            Self::Present(name) => event.cpu.contains_key(*name),
            Self::Cpu(name, values) => {
                let value = event.cpu.get(*name);
                value.is_some_and(|value| values.contains(value))
            }
            Self::Disk(name, first, end) => {
                let value = event.disk.get(*name);
                value.is_some_and(|value| (first..end).contains(&value))
            }
            Self::Spare(value) => event.spare == Some(*value),
            Self::Both(asked) => asked.iter().all(|one| one.holds(event)),
            Self::Either(asked) => asked.iter().any(|one| one.holds(event)),
            Self::Not(asked) => !asked.holds(event),
        }
    }

    pub(super) fn condition(&self) -> Condition<OfDay> {
        let fields = OfDay::FIELDS;
        match self {
            Self::Present(name) => fields.cpu.entry(name).is_present(),
            Self::Cpu(name, values) => fields.cpu.entry(name).one_of(values.iter().copied()),
            Self::Disk(name, first, end) => fields.disk.entry(name).within(first..end),
            Self::Spare(value) => fields.spare.equals(*value),
            Self::Both(asked) => Condition::all(asked.iter().map(Self::condition)),
            Self::Either(asked) => Condition::any(asked.iter().map(Self::condition)),
            Self::Not(asked) => asked.condition().negate(),
        }
    }
}

pub(super) fn cpu_name() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["user", "io:a", "", "user:00001", "00:00:01", "\u{e9}"])
}

pub(super) fn disk_name() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["user", "spare:x", "spare:00001", "a"])
}

pub(super) fn cpu_value() -> impl Strategy<Value = f64> {
    prop::sample::select(vec![0.5, 1.0, -2.25])
}

pub(super) fn asked() -> impl Strategy<Value = Asked> {
    let values = prop::collection::vec(cpu_value(), 0..3);
    let leaf = prop_oneof![
        cpu_name().prop_map(Asked::Present),
        (cpu_name(), values).prop_map(|(name, values)| Asked::Cpu(name, values)),
        (disk_name(), -3..3_i64, -3..3_i64).prop_map(|(name, one, other)| Asked::Disk(
            name,
            one.min(other),
            one.max(other)
        )),
        (0..2_i64).prop_map(Asked::Spare),
    ];
    leaf.prop_recursive(2, 6, 2, |inner| {
        let two = || [inner.clone(), inner.clone()].prop_map(Box::new);
        prop_oneof![
            two().prop_map(Asked::Both),
            two().prop_map(Asked::Either),
            inner.prop_map(|asked| Asked::Not(Box::new(asked))),
        ]
    })
}
