//! What is stored, and what windows may hold, as plain values.
//!
//! Each write has a value of its own, a power of two. So a sum shows which events were counted, and
//! one that is counted twice shows.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::kinds::Kind;
use crate::rollups::spans;

pub(super) const HOUR: i64 = 3_600_000;
pub(super) const DAY: i64 = 24 * HOUR;

/// An event; its time is in milliseconds since 1970.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Event {
    pub(super) series: &'static str,
    pub(super) at: i64,
    pub(super) value: i64,
}

/// A write of a model.
#[derive(Debug, Clone)]
pub(super) enum Write {
    Insert(Event),
    InsertMany(Vec<Event>),
    InsertIfAbsent(Event),
    Update(Event),
    Delete(&'static str, i64),
    DeleteMany(Vec<(&'static str, i64)>),
    DeleteTimes(&'static str, Range<i64>),
}

impl Write {
    /// Whether it may mark a bucket of a series with this span.
    fn touches(&self, series: &str, span: &Range<i64>) -> bool {
        let is_in = |one: &str, at: i64| one == series && span.contains(&at);
        match self {
            Self::Insert(one) | Self::InsertIfAbsent(one) | Self::Update(one) => {
                is_in(one.series, one.at)
            }
            Self::InsertMany(events) => events.iter().any(|one| is_in(one.series, one.at)),
            Self::Delete(one, at) => is_in(one, *at),
            Self::DeleteMany(events) => events.iter().any(|(one, at)| is_in(one, *at)),
            Self::DeleteTimes(one, times) => {
                *one == series && times.start < span.end && span.start < times.end
            }
        }
    }
}

/// A window as it is read.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Bar {
    pub(super) series: String,
    pub(super) start: i64,
    pub(super) samples: u64,
    pub(super) total: i64,
    /// The least, the greatest, the first and the last value.
    pub(super) ends: [i64; 4],
}

/// Which events a rule keeps.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Keeps {
    All,
    /// Events up to this many milliseconds old.
    For(i64),
    /// This many of the newest events of each hour.
    Newest(usize),
}

/// A series and a time.
pub(super) type Identity = (&'static str, i64);

/// A bucket: its level, its series, and its beginning.
type Place = (usize, &'static str, i64);

/// What was written, and what roll-ups have counted of it.
#[derive(Debug, Clone)]
pub(super) struct World {
    pub(super) kind: &'static Kind,
    /// The time of garbage collection.
    pub(super) now: i64,
    /// Tables of days before this are dropped.
    pub(super) dropped: i64,
    /// The value of each event that was written and not deleted, whether or not it still exists.
    pub(super) known: BTreeMap<Identity, i64>,
    /// The events of all values.
    values: BTreeMap<i64, Identity>,
    /// The events that have expired, or whose table was dropped, at some time.
    gone: BTreeSet<Identity>,
    /// What a bucket certainly counts: all of its events existed when a job computed it. What was
    /// replaced or deleted since is left out.
    counted: BTreeMap<Place, i64>,
    /// What it may count.
    perhaps: BTreeMap<Place, i64>,
    /// What it counts exactly, as long as no event of it is written or deleted.
    exact: BTreeMap<Place, i64>,
}

/// What a window may hold.
#[derive(Debug)]
pub(super) enum Expected {
    Exactly(i64),
    Between(i64, i64),
}

impl std::fmt::Debug for Kind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

impl World {
    pub(super) fn new(kind: &'static Kind, now: i64) -> Self {
        Self {
            kind,
            now,
            dropped: i64::MIN,
            known: BTreeMap::new(),
            values: BTreeMap::new(),
            gone: BTreeSet::new(),
            counted: BTreeMap::new(),
            perhaps: BTreeMap::new(),
            exact: BTreeMap::new(),
        }
    }

    /// The number of values that are left.
    pub(super) fn values_left(&self) -> usize {
        60 - self.values.len()
    }

    /// A value that no event has.
    pub(super) fn value_for(&mut self, identity: Identity) -> i64 {
        let value = 1 << self.values.len();
        self.values.insert(value, identity);
        value
    }

    pub(super) fn stored_time(&self, at: i64) -> i64 {
        at - at.rem_euclid(self.kind.unit)
    }

    /// Whether a table for a time was dropped.
    pub(super) fn is_dropped(&self, at: i64) -> bool {
        self.kind.by_day && at - at.rem_euclid(DAY) < self.dropped
    }

    pub(super) fn is_alive(&self, (series, at): Identity) -> bool {
        if self.is_dropped(at) {
            return false;
        }
        match self.kind.keeps {
            Keeps::All => true,
            Keeps::For(age) => self.now - at <= age,
            Keeps::Newest(most) => {
                let hour = |at: i64| at - at.rem_euclid(HOUR);
                let newer = self.known.keys().filter(|(other, time)| {
                    *other == series && hour(*time) == hour(at) && *time > at
                });
                newer.count() < most
            }
        }
    }

    /// Notes which events are gone: after each change.
    pub(super) fn note_gone(&mut self) {
        let known = self.known.keys().copied();
        let gone: Vec<_> = known.filter(|one| !self.is_alive(*one)).collect();
        self.gone.extend(gone);
    }

    /// An event is written. One that was replaced is counted no more.
    fn put(&mut self, Event { series, at, value }: Event) {
        let identity = (series, self.stored_time(at));
        match self.known.insert(identity, value) {
            Some(before) if before == value => {}
            Some(before) => self.forget(identity, before),
            None => self.forget(identity, 0),
        }
    }

    fn remove(&mut self, identity: Identity) {
        if let Some(value) = self.known.remove(&identity) {
            self.forget(identity, value);
        }
    }

    /// An event is counted no more with this value, and its buckets are known no more.
    fn forget(&mut self, (series, at): Identity, value: i64) {
        let starts =
            (0..self.kind.lengths.len()).map(|level| (level, series, self.start(level, at)));
        for place in starts.collect::<Vec<_>>() {
            self.exact.remove(&place);
        }
        for counted in self.counted.values_mut() {
            *counted &= !value;
        }
    }

    /// A write succeeds; events at the `failed` places were not written.
    pub(super) fn apply(&mut self, write: &Write, failed: &[usize]) {
        match write {
            Write::Insert(event) | Write::Update(event) => self.put(*event),
            Write::InsertMany(events) => {
                for (place, event) in events.iter().enumerate() {
                    if !failed.contains(&place) {
                        self.put(*event);
                        self.note_gone();
                    }
                }
            }
            Write::InsertIfAbsent(event) => {
                let identity = (event.series, self.stored_time(event.at));
                if !self.known.contains_key(&identity) || !self.is_alive(identity) {
                    self.put(*event);
                }
            }
            Write::Delete(series, at) => self.remove((series, self.stored_time(*at))),
            Write::DeleteMany(events) => {
                for (series, at) in events {
                    self.remove((series, self.stored_time(*at)));
                }
            }
            Write::DeleteTimes(series, times) => {
                let of_times = |(one, at): &&Identity| one == series && times.contains(at);
                let asked: Vec<_> = self.known.keys().filter(of_times).copied().collect();
                for identity in asked {
                    if self.is_alive(identity) {
                        self.remove(identity);
                    }
                }
            }
        }
        self.note_gone();
    }

    fn start(&self, level: usize, at: i64) -> i64 {
        spans::start(self.kind.lengths[level], at)
    }

    pub(super) fn end(&self, level: usize, start: i64) -> i64 {
        spans::end(self.kind.lengths[level], start)
    }

    /// The buckets of a level that ever had an event, and those that hold a time.
    fn places(&self, level: usize) -> BTreeSet<Place> {
        let identities = self.values.values();
        let places = identities.map(|(series, at)| {
            let at = self.stored_time(*at);
            (level, *series, self.start(level, at))
        });
        places.collect()
    }

    /// The events of a series at some times.
    fn events(&self, series: &str, times: &Range<i64>) -> i64 {
        let of = |((one, at), value): (&Identity, &i64)| {
            (*one == series && times.contains(at)).then_some(*value)
        };
        self.known.iter().filter_map(of).sum()
    }

    fn span(&self, (level, _, start): Place) -> Range<i64> {
        start..self.end(level, start)
    }

    /// Whether all events of these times are there: no rule deletes any by age, no table that may
    /// have had some was dropped, and no rule by number deleted one.
    fn is_whole(&self, series: &str, times: &Range<i64>) -> bool {
        let is_young = match self.kind.keeps {
            Keeps::For(age) => self.now - times.start <= age,
            Keeps::All | Keeps::Newest(_) => true,
        };
        let mut gone = self.gone.iter();
        is_young
            && !self.is_dropped(times.start)
            && !gone.any(|(one, at)| *one == series && times.contains(at))
    }

    /// Whether a bucket is as old as its rule lets it be.
    fn has_expired(&self, end: i64) -> bool {
        self.kind
            .keeps_bars
            .is_some_and(|keeps| self.now - end > keeps)
    }

    /// Whether a bucket can be known exactly: from its events, since all are there; since a job
    /// computed it, and no event of it was written or deleted; or from the shortest buckets in it,
    /// or their events where the roll-up's own rule has taken some.
    fn is_exact(&self, place: Place) -> bool {
        let (level, series, _) = place;
        let span = self.span(place);
        if matches!(self.kind.keeps, Keeps::Newest(_)) {
            return self.is_whole(series, &span);
        }
        if self.is_whole(series, &span)
            || self.exact.get(&place) == Some(&self.events(series, &span))
        {
            return true;
        }
        if level == 0 || !self.has_first(place) {
            return false;
        }
        let shortest = self.places(0).into_iter();
        let mut shortest =
            shortest.filter(|(_, one, start)| *one == series && span.contains(start));
        let is_exact = |one| {
            let times = self.span(one);
            self.is_whole(series, &times) || !self.has_expired(times.end) && self.is_exact(one)
        };
        shortest.all(is_exact)
    }

    /// Whether the first of the shortest buckets in a longer one is there, or its events are.
    /// Otherwise it is not known whether it was empty. The longer one then keeps its values even if
    /// all others are there: a late event or a delete does not change it.
    fn has_first(&self, (_, series, start): Place) -> bool {
        let first = start..self.end(0, start);
        !self.has_expired(first.end) || self.is_whole(series, &first)
    }

    /// Whether some bucket may miss events.
    pub(super) fn has_gone(&self) -> bool {
        self.values
            .values()
            .any(|identity| self.misses_some(*identity))
    }

    /// Whether a bucket of a time may miss events.
    pub(super) fn misses_some(&self, (series, at): Identity) -> bool {
        let at = self.stored_time(at);
        let levels = 0..self.kind.lengths.len();
        let mut places = levels.map(|level| (level, series, self.start(level, at)));
        places.any(|place| !self.is_whole(series, &self.span(place)))
            || !self.is_alive((series, at))
    }

    /// A job ran, from the state `before` to this one; `ended` unless it was killed. What a write
    /// marked again meanwhile is perhaps not computed.
    pub(super) fn job_ran(&mut self, before: &Self, ended: bool, meanwhile: Option<&Write>) {
        for level in 0..self.kind.lengths.len() {
            for place in self.places(level) {
                let span = self.span(place);
                let (then, now) = (before.events(place.1, &span), self.events(place.1, &span));
                let is_exact = before.is_exact(place) && self.is_exact(place);
                let is_marked = meanwhile.is_some_and(|write| write.touches(place.1, &span));
                if ended && is_exact && !is_marked && then == now {
                    self.exact.insert(place, now);
                    self.counted.insert(place, now);
                    self.perhaps.insert(place, now);
                } else {
                    *self.perhaps.entry(place).or_default() |= then | now;
                }
            }
        }
    }

    /// What a window that begins and ends here may hold, read from these times.
    ///
    /// - If no rule and no drop of a table deletes events of its time, it holds exactly its events,
    ///   although the roll-up's own rule may have taken it.
    /// - The same if a job has computed it while its events were there, and no event of it was
    ///   written or deleted since; or if this is so for all of the shortest buckets in it that the
    ///   roll-up's own rule has not taken, and the events of the others are there.
    /// - Otherwise it holds at least what was counted when all events were there, unless it was
    ///   replaced or deleted; and nothing that was never written.
    /// - Nothing but the last is promised of a window older than the roll-up's own rule, and of one
    ///   that lost events to a rule by number, which is not noticed.
    pub(super) fn expected(
        &self,
        level: usize,
        (series, start): (&'static str, i64),
        asked: &Range<i64>,
    ) -> Expected {
        let place = (level, series, start);
        let window = self.span(place);
        let read = window.start.max(asked.start)..window.end.min(asked.end);
        let events = self.events(series, &read);
        let is_read_as_a_whole = read == window;
        let expired = self.has_expired(window.end);
        if self.is_whole(series, &window) || !expired && is_read_as_a_whole && self.is_exact(place)
        {
            return Expected::Exactly(events);
        }
        let of_times = |value: &i64| {
            self.values
                .get(value)
                .is_some_and(|(_, at)| read.contains(&self.stored_time(*at)))
        };
        let perhaps = self.perhaps.iter();
        let perhaps = perhaps.filter(|((_, one, _), _)| *one == series);
        let perhaps = perhaps.fold(0, |all, (_, some)| all | some);
        let perhaps = bits(perhaps)
            .filter(of_times)
            .fold(events, |all, one| all | one);
        let is_noticed = !matches!(self.kind.keeps, Keeps::Newest(_));
        let least = match is_noticed && is_read_as_a_whole && !expired {
            true => self.counted.get(&place).copied().unwrap_or_default(),
            false => 0,
        };
        Expected::Between(least, perhaps)
    }

    /// The beginnings of windows of a level that ever had an event of a series in a span.
    pub(super) fn windows(&self, level: usize, series: &str, asked: &Range<i64>) -> BTreeSet<i64> {
        let times = self.values.values().filter(|(one, _)| *one == series);
        let times = times.map(|(_, at)| self.stored_time(*at));
        let asked = times.filter(|at| asked.contains(at));
        asked.map(|at| self.start(level, at)).collect()
    }

    /// The bucket of a level that holds a time.
    pub(super) fn bucket(&self, level: usize, at: i64) -> Range<i64> {
        let start = self.start(level, at);
        start..self.end(level, start)
    }

    /// The first and the last of some events by time.
    pub(super) fn first_and_last(&self, values: i64) -> Option<(i64, i64)> {
        let at = |value: &i64| {
            self.values
                .get(value)
                .map_or(0, |(_, at)| self.stored_time(*at))
        };
        Some((bits(values).min_by_key(at)?, bits(values).max_by_key(at)?))
    }
}

/// The values in a sum.
pub(super) fn bits(sum: i64) -> impl Iterator<Item = i64> {
    (0..62)
        .map(|place| 1_i64 << place)
        .filter(move |bit| sum & bit != 0)
}
