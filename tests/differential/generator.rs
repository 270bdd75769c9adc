//! Random operations on one table.

use std::collections::BTreeMap;
use std::time::Duration;

use bigtable_model::data::{
    AggregateKind, CheckAndMutateRow, FamilyChange, FamilySchema, GcRule, Mutation,
    ReadModifyWriteRow, ReadModifyWriteRule, ReadRows, RowDeletion, RowFilter, RowMutations,
    RowRange, RowSet, RuleAction, SERVER_TIME, TableSchema,
};
use bytes::Bytes;

use crate::filters::Place;
use crate::operation::Operation;
use crate::random::Random;

/// The maximum number of levels of a filter.
const FILTER_DEPTH: usize = 4;

/// The table of one case and the operations on it.
#[derive(Debug)]
pub(crate) struct Case {
    pub(crate) families: BTreeMap<String, FamilySchema>,
    pub(crate) operations: Vec<Operation>,
}

impl Case {
    pub(crate) fn draw(seed: u64, operations: usize) -> Self {
        let mut random = Random::new(seed);
        // In a table of one family the order is fixed for every filter.
        let one_family = random.percent(40);
        let names: &'static [&'static str] = match one_family {
            true => &["f"],
            false => &["f", "g", "sum", "min", "max"],
        };
        let families = names
            .iter()
            .map(|name| ((*name).to_owned(), random.schema(name)));
        let families = families.collect();
        let mut generator = Generator {
            random,
            names,
            one_family,
        };
        let operations = (0..operations).map(|_| generator.operation()).collect();
        Self {
            families,
            operations,
        }
    }
}

struct Generator {
    random: Random,
    names: &'static [&'static str],
    one_family: bool,
}

impl Generator {
    fn operation(&mut self) -> Operation {
        match self.random.below(100) {
            0..=24 => Operation::MutateRow(self.entry(1)),
            25..=34 => {
                let least = usize::from(self.random.percent(97));
                Operation::MutateRows(self.list(least, 4, |this| this.entry(0)))
            }
            35..=44 => Operation::Check(self.check()),
            45..=54 => Operation::Modify(self.modify()),
            55..=93 => Operation::Read(self.read()),
            94 => Operation::GetTable,
            95 | 96 => Operation::Families(self.list(0, 2, Self::change)),
            97 => Operation::DropRows(self.drop_rows()),
            98 => Operation::DeleteTable,
            _ => Operation::CreateTable(self.table()),
        }
    }

    fn list<T>(
        &mut self,
        least: usize,
        most: usize,
        mut make: impl FnMut(&mut Self) -> T,
    ) -> Vec<T> {
        let length = self.random.length(least, most);
        (0..length).map(|_| make(self)).collect()
    }

    fn entry(&mut self, least: usize) -> RowMutations {
        let none = self.random.percent(3);
        RowMutations {
            key: self.random.key(),
            mutations: if none {
                Vec::new()
            } else {
                self.list(least, 4, Self::mutation)
            },
        }
    }

    fn mutation(&mut self) -> Mutation {
        let family = self.random.family(self.names);
        let qualifier = self.random.qualifier();
        match self.random.below(20) {
            0..=11 => Mutation::SetCell {
                qualifier,
                timestamp_micros: match self.random.percent(10) {
                    true => SERVER_TIME,
                    false => self.random.time(),
                },
                value: self.random.value_of(&family),
                family,
            },
            12 | 13 => Mutation::AddToCell {
                family: self.aggregate(family),
                qualifier,
                timestamp_micros: match self.random.percent(4) {
                    true => SERVER_TIME,
                    false => self.random.time(),
                },
                input: self.random.amount(),
            },
            14 => match self.random.percent(60) {
                true => {
                    let family = self.aggregate(family);
                    Mutation::MergeToCell {
                        qualifier,
                        timestamp_micros: self.random.time(),
                        input: self.random.value_of(&family),
                        family,
                    }
                }
                false => Mutation::DeleteFromFamily { family },
            },
            15..=18 => Mutation::DeleteFromColumn {
                family,
                qualifier,
                start_micros: self.random.time(),
                end_micros: self.random.time(),
            },
            _ => match self.random.percent(50) {
                true => Mutation::DeleteFromRow,
                false => Mutation::DeleteFromFamily { family },
            },
        }
    }

    /// Usually a family of aggregates.
    fn aggregate(&mut self, other: bytestring::ByteString) -> bytestring::ByteString {
        match self.one_family || self.random.percent(15) {
            true => other,
            false => self.random.pick(&["sum", "min", "max"]).into(),
        }
    }

    fn check(&mut self) -> CheckAndMutateRow {
        CheckAndMutateRow {
            key: self.random.key(),
            predicate: self.random.percent(80).then(|| self.filter()),
            if_true: self.list(0, 3, Self::mutation),
            if_false: self.list(0, 3, Self::mutation),
            ..Default::default()
        }
    }

    fn filter(&mut self) -> RowFilter {
        let place = Place {
            one_family: self.one_family,
            depth: self.random.length(1, FILTER_DEPTH),
        };
        self.random.filter(place)
    }

    fn modify(&mut self) -> ReadModifyWriteRow {
        ReadModifyWriteRow {
            // The emulator accepts an empty key, and then has a row that it can neither return nor
            // delete.
            key: self.random.good_key(),
            rules: self.list(0, 3, Self::rule),
            ..Default::default()
        }
    }

    fn rule(&mut self) -> ReadModifyWriteRule {
        let family = self.random.family(self.names);
        // A number with appended bytes is no longer a number.
        let append = self.random.percent(50) && !is_aggregate(&family);
        ReadModifyWriteRule {
            family,
            qualifier: self.random.qualifier(),
            action: match append {
                true => RuleAction::Append(self.random.value()),
                false => RuleAction::Increment(self.random.amount()),
            },
        }
    }

    fn read(&mut self) -> ReadRows {
        ReadRows {
            rows: self.rows(),
            filter: self.random.percent(75).then(|| self.filter()),
            rows_limit: match self.random.percent(70) {
                true => 0,
                false => self.random.pick(&[1, 1, 2, 3, 100, -1, i64::MIN, i64::MAX]),
            },
            reversed: self.random.percent(25),
            ..Default::default()
        }
    }

    fn rows(&mut self) -> RowSet {
        if self.random.percent(40) {
            return RowSet::all();
        }
        RowSet {
            keys: self.list(0, 3, |this| this.random.key()),
            ranges: self.list(0, 2, |this| RowRange {
                start: this.random.bound(Random::key_bound),
                end: this.random.bound(Random::key_bound),
            }),
        }
    }

    fn drop_rows(&mut self) -> RowDeletion {
        match self.random.percent(20) {
            true => RowDeletion::All,
            false => RowDeletion::Prefix(self.random.pick(&[
                Bytes::new(),
                Bytes::from_static(b"a"),
                Bytes::from_static(b"k#1"),
                Bytes::from_static(b"\xff"),
                Bytes::from_static(b"none"),
            ])),
        }
    }

    fn change(&mut self) -> FamilyChange {
        let name = match self.random.percent(10) && !self.one_family {
            true => "new",
            false => self.random.pick(self.names),
        };
        let schema = self.random.schema(name);
        match self.random.below(10) {
            0..=3 => FamilyChange::Create(name.to_owned(), schema),
            4..=6 => FamilyChange::Update(name.to_owned(), schema),
            _ => FamilyChange::Drop(name.to_owned()),
        }
    }

    fn table(&mut self) -> TableSchema {
        let families = self.names.iter();
        TableSchema {
            families: families
                .map(|name| ((*name).to_owned(), self.random.schema(name)))
                .collect(),
            ..Default::default()
        }
    }
}

/// Whether the family of this name holds aggregates.
pub(crate) fn is_aggregate(family: &str) -> bool {
    matches!(family, "sum" | "min" | "max")
}

impl Random {
    /// A family for a name. The rules delete nothing: the emulator collects garbage whenever it
    /// wants.
    fn schema(&mut self, name: &str) -> FamilySchema {
        FamilySchema {
            gc_rule: self.percent(30).then(|| self.rule(2)),
            aggregate: match name {
                "sum" => Some(AggregateKind::Sum),
                "min" => Some(AggregateKind::Min),
                "max" => Some(AggregateKind::Max),
                _ => None,
            },
        }
    }

    fn rule(&mut self, depth: usize) -> GcRule {
        match self.below(if depth == 0 { 2 } else { 4 }) {
            0 => GcRule::MaxVersions(100_000),
            // Some thousand years.
            1 => GcRule::MaxAge(Duration::new(100_000_000_000, 5_000_000)),
            2 => GcRule::Union(self.list(0, 2, |random| random.rule(depth - 1)).into()),
            _ => GcRule::Intersection(self.list(0, 2, |random| random.rule(depth - 1)).into()),
        }
    }
}
