//! A random case: events, a query, and changes between its pages.

use std::cmp::Ordering;
use std::ops::Bound;

use bigtable_model::Timestamp;
use proptest::prelude::*;

/// Midnight before the first event.
const START: i64 = 1_600_000_000 / 86_400 * 86_400;

/// Events are eight hours apart.
pub const SLOTS_A_DAY: i64 = 3;

/// Four days.
const SLOTS: i64 = 4 * SLOTS_A_DAY;

/// A day without a table, for models with tables by period.
pub const DAY_WITHOUT_TABLE: i64 = 2;

const METERS: [&str; 3] = ["m1", "m10", "m2"];

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    pub meter: String,
    pub slot: i64,
    pub value: u32,
}

pub fn time(slot: i64) -> Timestamp {
    Timestamp::from_seconds(START + slot * 28_800)
}

pub fn slot(time: Timestamp) -> i64 {
    (time.as_seconds() - START) / 28_800
}

/// What distinguishes a layout.
#[derive(Debug, Clone, Copy)]
pub struct Ways {
    /// Events of one meter and time are distinguished by value.
    pub values_tell_apart: bool,
    /// Only the newest event of a meter exists.
    pub newest_only: bool,
    pub by_period: bool,
    pub key: KeyOrder,
}

/// How keys sort.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyOrder {
    MeterTime,
    /// The newest row of a meter first.
    MeterTimeReversed,
    /// The newest day of a meter first.
    MeterDayReversed,
    DayMeter,
    /// By time only.
    TimeMeter,
    /// By a hash.
    Salted,
}

impl Ways {
    pub const fn of(key: KeyOrder) -> Self {
        Self {
            values_tell_apart: false,
            newest_only: false,
            by_period: false,
            key,
        }
    }

    pub const fn values_tell_apart(self) -> Self {
        Self {
            values_tell_apart: true,
            ..self
        }
    }

    pub const fn newest_only(self) -> Self {
        Self {
            newest_only: true,
            ..self
        }
    }

    pub const fn by_period(self) -> Self {
        Self {
            by_period: true,
            ..self
        }
    }
}

#[derive(Debug, Clone)]
pub struct Ask {
    pub meters: Vec<String>,
    pub times: Times,
    pub by_key: bool,
    pub descending: bool,
    pub limit: Option<u64>,
}

#[derive(Debug, Clone)]
pub enum Times {
    All,
    Between(Bound<Timestamp>, Bound<Timestamp>),
    In(Vec<Timestamp>),
}

impl Ask {
    /// As far as the model supports it.
    pub fn of(&self, ways: Ways) -> Self {
        let bounded = || Times::Between(Bound::Included(time(0)), Bound::Excluded(time(SLOTS)));
        let times = match (ways.key, &self.times) {
            // Buckets before an identifier are listed.
            (KeyOrder::DayMeter, Times::All) => bounded(),
            (KeyOrder::DayMeter, Times::Between(start, end)) => {
                let start = match start {
                    Bound::Unbounded => Bound::Included(time(0)),
                    start => *start,
                };
                let end = match end {
                    Bound::Unbounded => Bound::Included(time(SLOTS)),
                    end => *end,
                };
                Times::Between(start, end)
            }
            (_, times) => times.clone(),
        };
        Self {
            times,
            by_key: match ways.key {
                KeyOrder::Salted => false,
                KeyOrder::TimeMeter => true,
                _ => self.by_key,
            },
            ..self.clone()
        }
    }

    pub fn selects(&self, event: &Event) -> bool {
        let time = time(event.slot);
        let in_time = match &self.times {
            Times::All => true,
            Times::Between(start, end) => {
                std::ops::RangeBounds::contains(&(start.as_ref(), end.as_ref()), &time)
            }
            Times::In(times) => times.contains(&time),
        };
        in_time && self.meters.contains(&event.meter)
    }

    /// The order of the results; equal events share a position.
    pub fn compare(&self, ways: Ways, one: &Event, other: &Event) -> Ordering {
        let rank = |event: &Event| self.rank(ways, event);
        match self.descending {
            false => rank(one).cmp(&rank(other)),
            true => rank(other).cmp(&rank(one)),
        }
    }

    fn rank(&self, ways: Ways, event: &Event) -> (i64, String, i64, Option<u32>) {
        let Event { meter, slot, value } = event.clone();
        let value = ways.values_tell_apart.then_some(value);
        let day = slot / SLOTS_A_DAY;
        match ways.key {
            KeyOrder::TimeMeter => (slot, meter, 0, value),
            _ if !self.by_key => (slot, meter, 0, value),
            // A row is one event, whatever its time.
            KeyOrder::MeterTime if ways.newest_only => (0, meter, 0, None),
            KeyOrder::MeterTime | KeyOrder::Salted => (0, meter, slot, value),
            KeyOrder::MeterTimeReversed => (0, meter, -slot, value),
            KeyOrder::MeterDayReversed => (0, meter, slot - 1_000 * day, value),
            KeyOrder::DayMeter => (day, meter, slot, value),
        }
    }
}

#[derive(Debug, Clone)]
pub enum Action {
    Insert(Event),
    /// The nth of the currently stored events.
    Delete(usize),
}

#[derive(Debug, Clone)]
pub struct Case {
    pub events: Vec<Event>,
    pub ask: Ask,
    pub size: u64,
    /// The changes after each page.
    pub gaps: Vec<Vec<Action>>,
}

fn event() -> impl Strategy<Value = Event> {
    let meter = prop::sample::select(METERS.to_vec());
    (meter, 0..SLOTS, 0..6_u32).prop_map(|(meter, slot, value)| Event {
        meter: meter.to_owned(),
        slot,
        value,
    })
}

fn times() -> impl Strategy<Value = Times> {
    let bound = || {
        let at = (0..SLOTS).prop_map(time);
        prop_oneof![
            Just(Bound::Unbounded),
            at.clone().prop_map(Bound::Included),
            at.prop_map(Bound::Excluded),
        ]
    };
    let between = (bound(), bound()).prop_map(|(start, end)| Times::Between(start, end));
    let some = prop::collection::vec((0..SLOTS).prop_map(time), 0..8);
    prop_oneof![
        3 => Just(Times::All),
        3 => between,
        1 => some.prop_map(Times::In),
    ]
}

fn ask() -> impl Strategy<Value = Ask> {
    let meters = prop::sample::subsequence(METERS.to_vec(), 1..=METERS.len());
    let limit = prop::option::weighted(0.2, 0..20_u64);
    (meters, times(), any::<bool>(), any::<bool>(), limit).prop_map(
        |(meters, times, by_key, descending, limit)| Ask {
            meters: meters.into_iter().map(str::to_owned).collect(),
            times,
            by_key,
            descending,
            limit,
        },
    )
}

pub fn case() -> impl Strategy<Value = Case> {
    let action = prop_oneof![
        event().prop_map(Action::Insert),
        any::<usize>().prop_map(Action::Delete),
    ];
    let gap = prop::collection::vec(action, 0..6);
    (
        prop::collection::vec(event(), 0..60),
        ask(),
        1..6_u64,
        prop::collection::vec(gap, 0..12),
    )
        .prop_map(|(events, ask, size, gaps)| Case {
            events,
            ask,
            size,
            gaps,
        })
}
