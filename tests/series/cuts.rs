//! Windows by brute force: the bounds of all windows that hold an event, by definition.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use bigtable_model::Timestamp;
use bigtable_model::series::{Length, Windows};
use fastrand::Rng;
use jiff::ToSpan as _;
use jiff::civil::{Date, date};
use jiff::tz::TimeZone;

use crate::events::{Event, ZONES};

/// The oracle's description of windows.
#[derive(Debug, Clone)]
pub(crate) enum Cut {
    Every {
        size: i64,
        step: i64,
    },
    Calendar {
        unit: Unit,
        size: i64,
        step: i64,
        zone: Option<&'static str>,
    },
    Events {
        size: i64,
        step: i64,
    },
    Sliding {
        micros: i64,
    },
    SlidingEvents {
        size: usize,
    },
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum Unit {
    Day,
    Week,
    Month,
    Year,
}

/// A window by definition.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Expected {
    pub(crate) start: Timestamp,
    pub(crate) end: Timestamp,
    pub(crate) events: Vec<Event>,
    /// The earlier events of the series.
    pub(crate) before: Vec<Event>,
}

impl Cut {
    pub(crate) fn random(rng: &mut Rng) -> Self {
        match rng.u8(..12) {
            0..2 => {
                let size = 10_i64.pow(rng.u32(2..12)) * rng.i64(1..10);
                Self::Every { size, step: size }
            }
            2..4 => {
                let step = 10_i64.pow(rng.u32(3..12));
                let size = step * rng.i64(1..20) / if rng.bool() { 1 } else { 4 };
                Self::Every {
                    size: size.max(1),
                    step,
                }
            }
            4..8 => {
                let unit = match rng.u8(..6) {
                    0..3 => Unit::Day,
                    3 => Unit::Week,
                    4 => Unit::Month,
                    _ => Unit::Year,
                };
                let size = if rng.bool() { 1 } else { rng.i64(1..6) };
                let step = if rng.bool() { size } else { rng.i64(1..4) };
                let zone = rng.bool().then(|| ZONES[rng.usize(..ZONES.len())]);
                Self::Calendar {
                    unit,
                    size,
                    step,
                    zone,
                }
            }
            8 => {
                let size = rng.i64(1..12);
                Self::Events { size, step: size }
            }
            9 => Self::Events {
                size: rng.i64(1..12),
                step: rng.i64(1..12),
            },
            10 => Self::Sliding {
                micros: 10_i64.pow(rng.u32(2..12)) * rng.i64(1..10),
            },
            _ => Self::SlidingEvents {
                size: rng.usize(1..12),
            },
        }
    }

    pub(crate) fn is_of_time(&self) -> bool {
        matches!(self, Self::Every { .. } | Self::Calendar { .. })
    }

    pub(crate) fn windows(&self) -> Windows {
        let length = |micros: i64| Length::from(std::time::Duration::from_micros(micros as u64));
        match self {
            Self::Every { size, step } if size == step => Windows::tumbling(length(*size)),
            Self::Every { size, step } => Windows::hopping(length(*size), length(*step)),
            Self::Calendar {
                unit,
                size,
                step,
                zone,
            } => {
                let units = |units: i64| {
                    let units = units as u32;
                    let length = match unit {
                        Unit::Day => Length::days(units),
                        Unit::Week => Length::weeks(units),
                        Unit::Month => Length::months(units),
                        Unit::Year => Length::years(units),
                    };
                    match zone {
                        Some(zone) => length.zone(*zone),
                        None => length,
                    }
                };
                Windows::hopping(units(*size), units(*step))
            }
            Self::Events { size, step } => {
                Windows::hopping(Length::events(*size as u32), Length::events(*step as u32))
            }
            Self::Sliding { micros } => Windows::sliding(length(*micros)),
            Self::SlidingEvents { size } => Windows::sliding(Length::events(*size as u32)),
        }
    }

    /// The windows of one series; with `empty`, also empty windows of time between the first and
    /// the last event.
    pub(crate) fn expected(&self, events: &[Event], empty: Option<Timestamp>) -> Vec<Expected> {
        match self {
            Self::Every { .. } | Self::Calendar { .. } => self.of_time(events, empty),
            Self::Events { size, step } => of_numbers(events, *size, *step),
            Self::Sliding { micros } => {
                let window = |(number, event): (usize, &Event)| {
                    let start = Timestamp::from_micros(event.at.as_micros() - micros);
                    let past = events.iter().take_while(|event| event.at <= start).count();
                    cut(events, past, number + 1, start, event.at)
                };
                events.iter().enumerate().map(window).collect()
            }
            Self::SlidingEvents { size } => (1..=events.len())
                .map(|end| {
                    let from = end.saturating_sub(*size);
                    cut(events, from, end, events[from].at, events[end - 1].at)
                })
                .collect(),
        }
    }

    fn of_time(&self, events: &[Event], empty: Option<Timestamp>) -> Vec<Expected> {
        let (Some(first), Some(last)) = (events.first(), events.last()) else {
            return Vec::new();
        };
        let numbers: BTreeSet<i64> = match empty {
            None => events
                .iter()
                .flat_map(|event| self.numbers_near(event.at))
                .collect(),
            Some(end) => {
                let (first, last) = (self.numbers_near(first.at), self.numbers_near(end));
                (*first.start()..=*last.end()).collect()
            }
        };
        let last = empty.unwrap_or(last.at);
        let mut windows = Vec::new();
        for number in numbers {
            let (start, end) = self.bounds(number);
            if start > last || end <= first.at || start == end {
                continue;
            }
            let from = events.partition_point(|event| event.at < start);
            let to = events.partition_point(|event| event.at < end);
            if from < to || empty.is_some() {
                windows.push(cut(events, from, to, start, end));
            }
        }
        windows.sort_by_key(|window| (window.end, window.start));
        windows
    }

    /// The numbers of windows that may hold a time, and of some others.
    fn numbers_near(&self, at: Timestamp) -> RangeInclusive<i64> {
        let (index, size, step) = match self {
            Self::Every { size, step } => (at.as_micros(), *size, *step),
            Self::Calendar {
                unit,
                size,
                step,
                zone,
            } => {
                let time = jiff::Timestamp::try_from(at).unwrap();
                let date = time.in_tz(zone.unwrap_or("UTC")).unwrap().date();
                let days = i64::from((date - jiff::civil::date(1970, 1, 1)).get_days());
                let year = i64::from(date.year()) - 1970;
                let index = match unit {
                    Unit::Day => days,
                    Unit::Week => (days + 3).div_euclid(7),
                    Unit::Month => 12 * year + i64::from(date.month()) - 1,
                    Unit::Year => year,
                };
                (index, *size, *step)
            }
            _ => unreachable!(),
        };
        (index - size).div_euclid(step) - 2..=index.div_euclid(step) + 2
    }

    /// The window with a number: it begins at a multiple of the step.
    fn bounds(&self, number: i64) -> (Timestamp, Timestamp) {
        match self {
            Self::Every { size, step } => {
                let start = number * step;
                (
                    Timestamp::from_micros(start),
                    Timestamp::from_micros(start + size),
                )
            }
            Self::Calendar {
                unit,
                size,
                step,
                zone,
            } => {
                let at = |index| begins(*unit, index, zone.unwrap_or("UTC"));
                (at(number * step), at(number * step + size))
            }
            _ => unreachable!(),
        }
    }
}

/// The beginning of the unit with an index, counted from that of 1970-01-01.
fn begins(unit: Unit, index: i64, zone: &str) -> Timestamp {
    let epoch = date(1970, 1, 1);
    let day: Date = match unit {
        Unit::Day => epoch + index.days(),
        Unit::Week => date(1969, 12, 29) + index.weeks(),
        Unit::Month => epoch + index.months(),
        Unit::Year => epoch + index.years(),
    };
    let zone = TimeZone::get(zone).unwrap();
    day.to_datetime(jiff::civil::Time::midnight())
        .to_zoned(zone)
        .unwrap()
        .timestamp()
        .into()
}

/// Windows by count: those that begin at multiples of the step and are full, and the first one that
/// is not.
fn of_numbers(events: &[Event], size: i64, step: i64) -> Vec<Expected> {
    let count = events.len() as i64;
    let mut windows = Vec::new();
    let mut number = -size;
    let mut end_of_last = 0;
    loop {
        let start = number * step;
        number += 1;
        let (from, end) = (start.max(0), start + size);
        if end <= 0 {
            continue;
        }
        let to = end.min(count);
        let is_wanted = end <= count || end_of_last < count;
        if is_wanted && from < to {
            let (from, to) = (from as usize, to as usize);
            windows.push(cut(events, from, to, events[from].at, events[to - 1].at));
        }
        if end >= count {
            return windows;
        }
        end_of_last = end;
    }
}

fn cut(events: &[Event], from: usize, to: usize, start: Timestamp, end: Timestamp) -> Expected {
    Expected {
        start,
        end,
        events: events[from..to].to_vec(),
        before: events[..from].to_vec(),
    }
}
