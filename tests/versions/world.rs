//! The stored events as plain values, without keys, cells or plans.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use bigtable_model::backend::grpc::{GrpcBackend, GrpcSettings};
use bigtable_model::server::{Instances, Server, ServerOptions};
use bigtable_model::{Backend, MemoryBackend};
use bigtable_model_tests::emulator::Emulator;
use fastrand::Rng;

/// An event; its time is in milliseconds since 1970.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    pub site: u8,
    pub sensor: String,
    pub at: i64,
    pub level: i64,
    pub note: Option<String>,
}

/// The identity of an event, ordered by time and then by identifiers.
pub type Identity = (i64, u8, String);

/// All stored events.
pub type Events = BTreeMap<Identity, Event>;

/// A query.
#[derive(Debug, Clone)]
pub enum Ask {
    /// Some sensors of a site in time order, possibly reversed.
    Sensors {
        sensors: Vec<String>,
        times: Option<Range<i64>>,
        newest_first: bool,
        limit: Option<u64>,
        level_above: Option<i64>,
    },
    Latest(Vec<String>, u64),
    /// In pages of this size.
    Pages(Vec<String>, u64),
    Count(Range<i64>),
    /// A whole site in key order.
    Site {
        reversed: bool,
        page: Option<u64>,
    },
    Any,
    Series {
        level_above: Option<i64>,
    },
    LatestEach(u64),
    Before(i64),
    Get(Vec<Identity>),
}

/// Some events of each series.
pub type Each = Vec<((u8, String), Vec<Event>)>;

/// The answer to a query.
#[derive(Debug, PartialEq)]
pub enum Answer {
    Events(Vec<Event>),
    Some(Vec<Option<Event>>),
    Each(Each),
    Series(Vec<(u8, String)>),
    Count(u64),
    /// The keys of both layouts sort in different orders.
    OtherOrder,
    /// Every row of the former layout would be read.
    FullScan,
}

impl Answer {
    /// For orders in which the sensors of a site are shuffled.
    pub fn sort_by_sensor(&mut self, reversed: bool) {
        if let Self::Events(events) = self {
            events.sort_by(|one, other| match reversed {
                false => one.sensor.cmp(&other.sensor),
                true => other.sensor.cmp(&one.sensor),
            });
        }
    }
}

/// A query that no order is asked of, or of all sites.
#[derive(Debug, Clone)]
pub enum Wide {
    Count,
    CountSite,
    All,
    /// The newest event before a time of some sensors of a site.
    BeforeOf(Vec<String>, i64),
}

/// The queried site.
pub const SITE: u8 = 1;

/// 2024-03-31T21:30:00Z: in the next hours a day of Berlin, a day, a week and a month begin.
const START: i64 = 1_711_920_600_000;

/// The times of tables by period: 2024-03-27 to 2024-04-06.
pub const TABLES: Range<i64> = 1_711_497_600_000..1_712_361_600_000;

/// The order in which the keys of both layouts sort.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum KeyOrder {
    /// By identifiers, then by time.
    Ascending,
    /// By identifiers, the newest event first.
    NewestFirst,
    /// By shards of sensors, then as `Ascending`.
    #[cfg_attr(
        not(feature = "all_pairs"),
        expect(dead_code, reason = "only `product` has such")
    )]
    Salted,
    /// They sort in different orders.
    Different,
}

impl KeyOrder {
    /// The order of both, from that of each.
    #[cfg(feature = "all_pairs")]
    pub const fn of_both(self, other: Self) -> Self {
        match (self, other) {
            (Self::Ascending, Self::Ascending) => Self::Ascending,
            (Self::NewestFirst, Self::NewestFirst) => Self::NewestFirst,
            (Self::Salted, Self::Salted) => Self::Salted,
            _ => Self::Different,
        }
    }

    /// Whether series follow one another by their identifiers.
    pub fn is_by_series(self) -> bool {
        matches!(self, Self::Ascending | Self::NewestFirst)
    }
}

impl Event {
    pub fn identity(&self) -> Identity {
        (self.at, self.site, self.sensor.clone())
    }
}

/// Few values, so events meet.
pub fn identity(rng: &mut Rng) -> Identity {
    let edge = START + rng.i64(0..6) * 1_800_000;
    (edge + rng.i64(-1..2), rng.u8(1..3), sensor(rng))
}

fn sensor(rng: &mut Rng) -> String {
    ["a", "b", "bb"][rng.usize(0..3)].to_owned()
}

fn sensors(rng: &mut Rng) -> Vec<String> {
    (0..rng.usize(1..3)).map(|_| sensor(rng)).collect()
}

pub fn note(rng: &mut Rng) -> Option<String> {
    rng.bool().then(|| rng.u8(0..9).to_string())
}

pub fn event(rng: &mut Rng) -> Event {
    let (at, site, sensor) = identity(rng);
    Event {
        site,
        sensor,
        at,
        level: rng.i64(-3..4),
        note: note(rng),
    }
}

pub fn times(rng: &mut Rng) -> Range<i64> {
    let (one, other) = (identity(rng).0, identity(rng).0);
    one.min(other)..one.max(other) + 1
}

pub fn ask(rng: &mut Rng) -> Ask {
    let some = |rng: &mut Rng| rng.bool().then(|| rng.i64(-3..4));
    match rng.u8(0..12) {
        0..3 => Ask::Sensors {
            sensors: sensors(rng),
            times: rng.bool().then(|| times(rng)),
            newest_first: rng.bool(),
            limit: rng.bool().then(|| rng.u64(0..6)),
            level_above: some(rng),
        },
        3 => Ask::Latest(sensors(rng), rng.u64(0..5)),
        4 => Ask::Pages(sensors(rng), rng.u64(1..4)),
        5 => Ask::Count(times(rng)),
        6 => Ask::Site {
            reversed: rng.bool(),
            page: rng.bool().then(|| rng.u64(1..4)),
        },
        7 => Ask::Any,
        8 => Ask::Series {
            level_above: some(rng),
        },
        9 => Ask::LatestEach(rng.u64(1..3)),
        10 => Ask::Before(identity(rng).0),
        _ => Ask::Get((0..4).map(|_| identity(rng)).collect()),
    }
}

impl Ask {
    /// The answer, computed by comparing every event. `narrows` says whether the former key begins
    /// with the site.
    pub fn expected(&self, events: &Events, order: KeyOrder, narrows: bool) -> Answer {
        let of_site = || events.values().filter(|event| event.site == SITE);
        let by_sensor = |wanted: &dyn Fn(&Event) -> bool| {
            let mut found: Vec<_> = of_site().filter(|event| wanted(event)).cloned().collect();
            found.sort_by_key(|event| (event.sensor.clone(), event.at));
            found
        };
        match self {
            Self::Sensors {
                sensors,
                times,
                newest_first,
                limit,
                level_above,
            } => {
                let wanted = |event: &&Event| {
                    sensors.contains(&event.sensor)
                        && times.as_ref().is_none_or(|times| times.contains(&event.at))
                        && level_above.is_none_or(|level| event.level > level)
                };
                let mut found: Vec<_> = of_site().filter(wanted).cloned().collect();
                if *newest_first {
                    found.reverse();
                }
                found.truncate(limit.map_or(usize::MAX, |limit| limit as usize));
                Answer::Events(found)
            }
            Self::Latest(sensors, n) => {
                let of_sensors = of_site().filter(|event| sensors.contains(&event.sensor));
                Answer::Events(of_sensors.rev().take(*n as usize).cloned().collect())
            }
            Self::Pages(sensors, _) => {
                let of_sensors = of_site().filter(|event| sensors.contains(&event.sensor));
                Answer::Events(of_sensors.cloned().collect())
            }
            Self::Count(times) => {
                let wanted = of_site().filter(|event| event.sensor == "a");
                Answer::Count(wanted.filter(|event| times.contains(&event.at)).count() as u64)
            }
            Self::Site { .. } if order == KeyOrder::Different => Answer::OtherOrder,
            Self::Any | Self::Series { .. } | Self::LatestEach(_) | Self::Before(_) if !narrows => {
                Answer::FullScan
            }
            Self::Site { reversed, .. } => {
                let mut found = by_sensor(&|_| true);
                if order == KeyOrder::NewestFirst {
                    found.sort_by_key(|event| (event.sensor.clone(), Reverse(event.at)));
                }
                if *reversed {
                    found.reverse();
                }
                Answer::Events(found)
            }
            Self::Any => Answer::Events(by_sensor(&|_| true)),
            Self::Series { level_above } => {
                let mut series: Vec<_> =
                    by_sensor(&|event| level_above.is_none_or(|level| event.level > level))
                        .into_iter()
                        .map(|event| (event.site, event.sensor))
                        .collect();
                series.dedup();
                Answer::Series(series)
            }
            Self::LatestEach(n) => Answer::Each(each(by_sensor(&|_| true), *n as usize)),
            Self::Before(time) => Answer::Each(each(by_sensor(&|event| event.at < *time), 1)),
            Self::Get(identities) => {
                let found = identities.iter().map(|one| events.get(one).cloned());
                Answer::Some(found.collect())
            }
        }
    }
}

impl Wide {
    /// The answer, computed by comparing every event.
    pub fn expected(&self, events: &Events) -> Answer {
        let of_site = || events.values().filter(|event| event.site == SITE);
        match self {
            Self::Count => Answer::Count(events.len() as u64),
            Self::CountSite => Answer::Count(of_site().count() as u64),
            Self::All => Answer::Events(events.values().cloned().collect()),
            Self::BeforeOf(sensors, time) => {
                let is_asked = |event: &&Event| sensors.contains(&event.sensor) && event.at < *time;
                let mut found: Vec<_> = of_site().filter(is_asked).cloned().collect();
                found.sort_by_key(|event| (event.sensor.clone(), event.at));
                Answer::Each(each(found, 1))
            }
        }
    }
}

/// The newest events of each series, newest first.
fn each(events: Vec<Event>, n: usize) -> Each {
    let series = events.chunk_by(|one, other| one.sensor == other.sensor);
    let newest = series.map(|events| {
        let newest = events.iter().rev().take(n).cloned().collect();
        ((events[0].site, events[0].sensor.clone()), newest)
    });
    newest.collect()
}

/// Memory, our server and, if it is installed, the emulator.
pub async fn backends(name: &str) -> Vec<Arc<dyn Backend>> {
    let memory = |_: &str| Arc::new(MemoryBackend::new());
    let instances = Instances::new(memory);
    let server = Server::bind("127.0.0.1:0", instances, &ServerOptions::default()).await;
    let server = server.unwrap();
    let address = server.local_addr().to_string();
    tokio::spawn(server.serve());
    let mut all: Vec<Arc<dyn Backend>> = vec![Arc::new(MemoryBackend::new())];
    let addresses = [
        Some(address),
        Emulator::shared().map(|one| one.address().to_owned()),
    ];
    for address in addresses.into_iter().flatten() {
        let settings = GrpcSettings::new("versions", name).emulator(address);
        all.push(Arc::new(GrpcBackend::new(&settings).unwrap()));
    }
    all
}
