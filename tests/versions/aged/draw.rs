//! What is drawn: few values, so that events meet.

use std::ops::Range;

use super::natural::Write;
use super::{DAY, HOUR, Round, START};
use crate::world::{self, Ask, Event, Identity, Wide};

impl Round {
    pub(super) fn identity(&mut self) -> Identity {
        let rng = &mut self.rng;
        let day = START + rng.i64(0..5) * DAY;
        let hour = [0, 1, 12, 23][rng.usize(0..4)] * HOUR;
        let sensor = ["a", "b", "bb"][rng.usize(0..3)];
        (day + hour + rng.i64(0..2), rng.u8(1..3), sensor.to_owned())
    }

    /// A known event, or another.
    pub(super) fn known(&mut self) -> Identity {
        let known: Vec<_> = self.events.keys().cloned().collect();
        match known.is_empty() || self.rng.u8(0..5) == 0 {
            true => self.identity(),
            false => known[self.rng.usize(..known.len())].clone(),
        }
    }

    pub(super) fn event(&mut self) -> Event {
        let (at, site, sensor) = self.known();
        let rng = &mut self.rng;
        let (level, note) = (rng.i64(-3..4), world::note(rng));
        Event {
            site,
            sensor,
            at,
            level,
            note,
        }
    }

    pub(super) fn times(&mut self) -> Range<i64> {
        let (one, other) = (self.identity().0, self.identity().0);
        one.min(other)..one.max(other) + 1
    }

    pub(super) fn write(&mut self) -> Write {
        match self.rng.u8(0..16) {
            0..4 => Write::Insert(self.event()),
            4..8 => {
                // Changing a missing event would create a part of one.
                let visible: Vec<_> = self.visible().into_keys().collect();
                match visible.is_empty() {
                    true => Write::Insert(self.event()),
                    false => {
                        let one = visible[self.rng.usize(..visible.len())].clone();
                        Write::Note(one, world::note(&mut self.rng))
                    }
                }
            }
            8..12 => Write::Delete(self.known()),
            12 | 13 => Write::DeleteMany((0..2).map(|_| self.known()).collect()),
            14 => Write::DeleteTimes(self.times()),
            _ => match self.rng.u8(0..4) {
                // It would read the whole former table otherwise.
                0 if self.narrows => Write::DeleteSite(self.rng.u8(1..3)),
                _ => Write::Insert(self.event()),
            },
        }
    }

    pub(super) fn sensors(&mut self) -> Vec<String> {
        (0..self.rng.usize(1..3))
            .map(|_| self.identity().2)
            .collect()
    }

    pub(super) fn wide(&mut self) -> Wide {
        match self.rng.u8(0..4) {
            0 => Wide::Count,
            1 => Wide::CountSite,
            2 => Wide::All,
            _ => Wide::BeforeOf(self.sensors(), self.identity().0),
        }
    }

    pub(super) fn ask(&mut self) -> Ask {
        let (sensors, times, time) = (self.sensors(), self.times(), self.identity().0);
        let identities = (0..4).map(|_| self.known()).collect();
        let rng = &mut self.rng;
        let level_above = rng.bool().then(|| rng.i64(-3..4));
        match rng.u8(0..10) {
            0 | 1 => Ask::Sensors {
                sensors,
                times: Some(times),
                newest_first: rng.bool(),
                limit: rng.bool().then(|| rng.u64(0..6)),
                level_above,
            },
            2 => Ask::Latest(sensors, rng.u64(0..5)),
            3 => Ask::Pages(sensors, rng.u64(1..4)),
            4 => Ask::Count(times),
            5 => Ask::Site {
                reversed: rng.bool(),
                page: rng.bool().then(|| rng.u64(1..4)),
            },
            6 => Ask::Any,
            7 => Ask::Series { level_above },
            8 => match rng.bool() {
                true => Ask::LatestEach(rng.u64(1..3)),
                false => Ask::Before(time),
            },
            _ => Ask::Get(identities),
        }
    }
}
