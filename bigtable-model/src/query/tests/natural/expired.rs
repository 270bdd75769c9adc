//! Which written cells the garbage-collection rules delete, according to the documents, without the
//! library's filters or comparisons of rules.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use super::draw::Draw;
use super::event::Cell;
use super::judge::{Failure, check};
use super::model::{Kind, Layout, Model};
use super::models::Drawn;
use super::question::Question;
use super::store::{Change, Entry, Identity, Store};
use super::world::World;
use super::writes::{Action, Write};
use crate::Timestamp;
use crate::backend::memory::ManualClock;
use crate::backend::{Backend, Wrapper};
use crate::data::GcRule;
use crate::model::FamilyRule;
use crate::query::Selection;
use crate::query::run::start::planned;

const MILLI: i64 = 1_000;

/// The families that drawn models have.
const FAMILIES: [&str; 5] = ["MD", "X-1", "sum", "min", "max"];

/// The place of the marker among the columns.
const MARKER: usize = usize::MAX;

/// A rule of a family.
#[derive(Debug, Clone)]
pub(super) enum Rule {
    /// The maximum number of versions of a column.
    Versions(usize),
    /// The maximum age of cells, in microseconds.
    Age(i64),
    Any(Vec<Rule>),
    All(Vec<Rule>),
}

/// The rules of a model's families.
pub(super) type Rules = BTreeMap<&'static str, Rule>;

impl Rule {
    fn draw(draw: &mut Draw<'_>, ages: &[i64], depth: usize) -> Self {
        let some = |draw: &mut Draw<'_>| {
            let count = 1 + draw.below(3);
            (0..count)
                .map(|_| Self::draw(draw, ages, depth - 1))
                .collect()
        };
        match draw.below(if depth > 0 { 8 } else { 6 }) {
            0..=3 => Self::Age(draw.one_of(ages)),
            4 | 5 => Self::Versions(draw.one_of(&[1, 2, 3, 5])),
            6 => Self::Any(some(draw)),
            _ => Self::All(some(draw)),
        }
    }

    /// Whether a cell of this age, with so many newer ones, is deleted.
    fn deletes(&self, newer: usize, age: i64) -> bool {
        match self {
            Self::Versions(kept) => newer >= *kept,
            Self::Age(most) => age > *most,
            Self::Any(rules) => rules.iter().any(|rule| rule.deletes(newer, age)),
            Self::All(rules) => rules.iter().all(|rule| rule.deletes(newer, age)),
        }
    }

    fn ages(&self) -> Vec<i64> {
        match self {
            Self::Versions(_) => Vec::new(),
            Self::Age(age) => vec![*age],
            Self::Any(rules) | Self::All(rules) => rules.iter().flat_map(Self::ages).collect(),
        }
    }

    fn to_library(&self) -> GcRule {
        let all = |rules: &[Self]| rules.iter().map(Self::to_library).collect::<Vec<_>>();
        match self {
            Self::Versions(kept) => GcRule::MaxVersions(i32::try_from(*kept).unwrap()),
            Self::Age(age) => GcRule::MaxAge(Duration::from_micros(age.unsigned_abs())),
            Self::Any(rules) => GcRule::Union(all(rules).into()),
            Self::All(rules) => GcRule::Intersection(all(rules).into()),
        }
    }
}

/// Rules with ages close to the distances between events.
pub(super) fn draw_rules(draw: &mut Draw<'_>, drawn: &Drawn) -> Rules {
    let spread = drawn.times.spread / MILLI * MILLI;
    let ages = [spread / 6, spread, spread / 2, 1, 5, spread * 3];
    let ages = ages.map(|age| (age / MILLI).max(1) * MILLI);
    let mut rules = Rules::new();
    for (place, family) in FAMILIES.into_iter().enumerate() {
        if draw.chance(if place == 0 { 85 } else { 50 }) {
            rules.insert(family, Rule::draw(draw, &ages, 2));
        }
    }
    rules
}

pub(super) fn to_library(rules: &Rules) -> Vec<FamilyRule> {
    let rules = rules.iter().map(|(family, rule)| FamilyRule {
        family: (*family).into(),
        rule: rule.to_library(),
    });
    rules.collect()
}

/// A backend with a clock that tests move.
#[derive(Debug, Clone)]
pub(super) struct Clocked {
    pub(super) inner: Arc<dyn Backend>,
    pub(super) clock: ManualClock,
}

impl Wrapper for Clocked {
    fn inner(&self) -> &dyn Backend {
        &*self.inner
    }

    fn expiry_time(&self) -> Timestamp {
        self.clock.now()
    }
}

/// When cells were written, for cells with the time of the write.
pub(super) type Stamps = BTreeMap<(Identity, usize), i64>;

/// Records the timestamps of a write.
pub(super) fn note(stamps: &mut Stamps, write: &Write, identity: &Identity, now: i64) {
    let columns: Vec<usize> = match &write.action {
        Action::Insert(cells) => {
            let named = (0..cells.len()).filter(|at| cells[*at].is_some());
            named.chain([MARKER]).collect()
        }
        Action::Update(changes) => {
            let set = |(column, change): &(usize, Change)| {
                matches!(change, Change::Set(_)).then_some(*column)
            };
            changes.iter().filter_map(set).collect()
        }
        Action::Delete => Vec::new(),
    };
    for column in columns {
        stamps.insert((identity.clone(), column), now);
    }
}

impl World {
    /// The store without the cells that the rules delete by now.
    pub(super) fn visible(&self) -> Store {
        let mut visible = self.store.clone();
        if self.rules.is_empty() {
            return visible;
        }
        for (identity, entries) in &mut visible.entries {
            for entry in entries {
                let columns = 0..entry.cells.len();
                let stored = columns.filter(|at| entry.cells[*at].is_some());
                let gone = stored.filter(|at| self.is_gone(identity, entry, *at));
                for column in gone.collect::<Vec<_>>() {
                    entry.cells[column] = None;
                }
                entry.marked = entry.marked && !self.is_gone(identity, entry, MARKER);
            }
        }
        visible
    }

    fn is_gone(&self, identity: &Identity, entry: &Entry, column: usize) -> bool {
        let columns = self.model().columns.get(column);
        let family = columns.map_or("MD", |column| column.family);
        let Some(rule) = self.rules.get(family) else {
            return false;
        };
        let now = self.clock_of_reads.now().as_micros();
        let age = now.saturating_sub(self.stamp(identity, column));
        rule.deletes(self.newer(identity, entry, column), age)
    }

    /// The timestamp of an event's cell, in whole milliseconds since 1970.
    fn stamp(&self, identity: &Identity, column: usize) -> i64 {
        let model = self.model();
        let of_event = identity.1.max(0) / MILLI * MILLI;
        let column_of = model.columns.get(column);
        let added = column_of.is_some_and(|one| one.kind.is_aggregate());
        match model.write_time && !added {
            true => self.stamps[&(identity.clone(), column)],
            false => of_event,
        }
    }

    /// How many cells of one column are newer than an event's: if the events of a row share
    /// columns, the cells of later events.
    fn newer(&self, identity: &Identity, entry: &Entry, column: usize) -> usize {
        let model = self.model();
        if matches!(model.layout, Layout::Row | Layout::Columns { .. }) {
            return 0;
        }
        let row = self.row_name(&identity.0, identity.1);
        let own = column_value(model, entry, column);
        let others =
            self.store.entries.iter().filter(|((names, time), _)| {
                *time > identity.1 && self.row_name(names, *time) == row
            });
        let entries = others.flat_map(|(_, entries)| entries);
        let cells = entries.filter(|other| match column {
            MARKER => other.marked,
            _ => other.cells[column].is_some() && column_value(model, other, column) == own,
        });
        cells.count()
    }

    /// Sets the clock of reads to the end of some cell's life, or somewhere near it.
    pub(super) fn move_clock(&mut self, draw: &mut Draw<'_>) {
        let ages: Vec<i64> = self.rules.values().flat_map(Rule::ages).collect();
        let identities = self.store.identities();
        if ages.is_empty() || identities.is_empty() {
            return;
        }
        let identity = draw.one_of(&identities);
        let stamped = self.stamps.keys().filter(|(one, _)| *one == identity);
        let columns: Vec<usize> = stamped.map(|(_, column)| *column).collect();
        let stamp = match columns.is_empty() {
            true => identity.1.max(0) / MILLI * MILLI,
            false => self.stamp(&identity, draw.one_of(&columns)),
        };
        let beside = [0, 1, -1, MILLI, -MILLI, 0, draw.between(-9, 10) * MILLI];
        let end = stamp.saturating_add(draw.one_of(&ages));
        let now = end.saturating_add(draw.one_of(&beside));
        self.clock_of_reads.set(Timestamp::from_micros(now));
    }

    /// Asks for expired events too.
    pub(super) async fn ask_with_expired(&self, question: &Question) -> Result<(), Failure> {
        let selection = Selection {
            with_expired: true,
            ..self.to_selection(question)
        };
        let Ok(plan) = planned(&*self.db, &self.schema, &selection).await else {
            return Ok(());
        };
        check!(plan.expiry.is_none(), "expired cells are left out");
        let expected = question.answer(self.model(), &self.store.events(self.model()));
        let found = self.run(plan).await?;
        self.compare(question, &expected, &found)
    }
}

/// What distinguishes columns of one name: the value, if it is the qualifier.
fn column_value<'a>(model: &Model, entry: &'a Entry, column: usize) -> Option<&'a Cell> {
    let is_qualifier = model.layout == Layout::Qualifiers;
    let own = model.columns.get(column)?;
    debug_assert!(!is_qualifier || own.kind == Kind::Plain);
    entry.cells[column].as_ref().filter(|_| is_qualifier)
}
