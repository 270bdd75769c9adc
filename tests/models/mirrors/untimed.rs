//! Copies shared by many events: the newest event's, whatever the order of the repair's query.

use std::collections::BTreeMap;

use bigtable_model::mirror::{MirrorOf, RepairReport};
use bigtable_model::{Backend, BackendExt, MemoryBackend, Model, Timestamp};

#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(
    table = "LOAD",
    family = "L",
    mirror(LoadNow, RackNow, DayLast, LoadOf)
)]
struct Load {
    #[bigtable(key)]
    host: String,
    #[bigtable(time, unit = "s")]
    at: Timestamp,
    rack: String,
    load: u32,
}

/// A row for each host.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "LOAD_NOW", family = "L")]
struct LoadNow {
    #[bigtable(key)]
    host: String,
    load: u32,
}

/// A row for hosts that are not adjacent in the source.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "RACK_NOW", family = "L")]
struct RackNow {
    #[bigtable(key)]
    rack: String,
    host: String,
    load: u32,
}

/// The last event of a day.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "DAY_LAST", family = "L")]
struct DayLast {
    #[bigtable(key)]
    host: String,
    #[bigtable(time, format = "%Y%m%d", truncate)]
    day: Timestamp,
    load: u32,
}

/// A row for each host, which knows its event.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "LOAD_OF", family = "L")]
struct LoadOf {
    #[bigtable(key)]
    host: String,
    at: i64,
    load: u32,
}

impl From<&Load> for LoadNow {
    fn from(Load { host, load, .. }: &Load) -> Self {
        let (host, load) = (host.clone(), *load);
        Self { host, load }
    }
}

impl From<&Load> for RackNow {
    fn from(load: &Load) -> Self {
        let Load {
            host, rack, load, ..
        } = load.clone();
        Self { rack, host, load }
    }
}

impl From<&Load> for DayLast {
    fn from(Load { host, at, load, .. }: &Load) -> Self {
        let (host, day, load) = (host.clone(), *at, *load);
        Self { host, day, load }
    }
}

impl MirrorOf<Load> for LoadOf {
    fn mirror_of(Load { host, at, load, .. }: &Load) -> Option<Self> {
        let (host, at, load) = (host.clone(), at.as_seconds(), *load);
        Some(Self { host, at, load })
    }

    fn source_key(&self) -> Option<LoadKey> {
        let (host, at) = (self.host.clone(), Timestamp::from_seconds(self.at));
        Some(LoadKey { host, at })
    }
}

const HOSTS: [(&str, &str); 3] = [("a", "west"), ("b", "east"), ("c", "west")];

/// Ten minutes apart, from midnight on.
fn at(number: i64) -> Timestamp {
    Timestamp::from_seconds(1_600_041_600 + number * 600)
}

/// More events of each host than are compared at a time, over five days; hosts of one rack have the
/// same times.
fn loads() -> Vec<Load> {
    let loads = (0..700).flat_map(|number| {
        HOSTS.map(|(host, rack)| Load {
            host: host.to_owned(),
            at: at(number),
            rack: rack.to_owned(),
            load: u32::try_from(number).unwrap(),
        })
    });
    loads.collect()
}

/// The events, written in an order that leaves wrong copies.
async fn written() -> MemoryBackend {
    let db = MemoryBackend::new();
    db.ensure_tables::<Load>().await.unwrap();
    let mut loads = loads();
    loads.reverse();
    db.insert_many(&loads).await.into_result().unwrap();
    db
}

type Copies = (Vec<LoadNow>, Vec<RackNow>, Vec<DayLast>, Vec<LoadOf>);

async fn copies(db: &dyn Backend) -> Copies {
    (
        db.fetch(&LoadNow::scan()).await.unwrap(),
        db.fetch(&RackNow::scan()).await.unwrap(),
        db.fetch(&DayLast::scan()).await.unwrap(),
        db.fetch(&LoadOf::scan()).await.unwrap(),
    )
}

/// The copies of the newest of some events; of two at one time, the later host's.
fn newest(mut loads: Vec<Load>) -> Copies {
    loads.sort_by(|one, other| (one.at, &one.host).cmp(&(other.at, &other.host)));
    let (mut now, mut racks) = (BTreeMap::new(), BTreeMap::new());
    let (mut days, mut of) = (BTreeMap::new(), BTreeMap::new());
    for load in &loads {
        now.insert(load.host.clone(), LoadNow::from(load));
        racks.insert(load.rack.clone(), RackNow::from(load));
        let day = load.at.as_seconds().div_euclid(86_400) * 86_400;
        let day = Timestamp::from_seconds(day);
        let last = DayLast {
            day,
            ..DayLast::from(load)
        };
        days.insert((load.host.clone(), day), last);
        of.extend(LoadOf::mirror_of(load).map(|copy| (load.host.clone(), copy)));
    }
    (
        now.into_values().collect(),
        racks.into_values().collect(),
        days.into_values().collect(),
        of.into_values().collect(),
    )
}

macro_rules! repaired_by {
    ($query:expr) => {{
        let db = written().await;
        let expected = newest(loads());
        assert_ne!(copies(&db).await, expected);
        let report: RepairReport = db.repair(&$query).await.unwrap();
        assert!(report.is_clean());
        assert_eq!(report.events, 2_100);
        assert_eq!(copies(&db).await, expected);
        let again = db.repair(&$query).await.unwrap();
        assert_eq!(copies(&db).await, expected);
        again.written()
    }};
}

#[tokio::test]
async fn a_repair_keeps_the_newest_whatever_the_order_of_its_query() {
    let hosts = || Load::query().host(["a", "b", "c"]);
    assert_eq!(repaired_by!(hosts().events().newest_first()), 0);
    assert_eq!(repaired_by!(hosts()), 0);
    // Of the hosts of a rack, the first one may not have the newest event.
    let _ = repaired_by!(hosts().events().in_key_order());
    let _ = repaired_by!(Load::scan());
    let _ = repaired_by!(Load::scan().events().reversed());
    let _ = repaired_by!(hosts().events().unordered());
    let _ = repaired_by!(hosts().events().limit(5_000));
    let _ = repaired_by!(hosts().events().newest_first().limit(5_000));
}

#[tokio::test]
async fn a_repair_of_one_series_leaves_right_copies_alone_all_the_time() {
    let db = written().await;
    let all = Load::scan();
    let _ = db.repair(&all).await.unwrap();
    for host in ["a", "b", "c"] {
        let report = db.repair(&Load::query().host(host)).await.unwrap();
        // The rack is shared with another host.
        let others = report
            .tables
            .iter()
            .filter(|table| table.table != "RACK_NOW");
        assert_eq!(others.map(|table| table.written).sum::<u64>(), 0);
    }
}

/// The newest of some events is not the newest of all: a copy that knows its event is known to be
/// newer.
#[tokio::test]
async fn a_repair_of_old_events_leaves_the_copy_of_a_newer_one_that_tells_its_event() {
    let db = written().await;
    let _ = db.repair(&Load::scan()).await.unwrap();
    let before = copies(&db).await;
    // The first day.
    let old = Load::query().host("b").at(..at(144));
    let report = db.repair(&old).await.unwrap();
    assert!(report.is_clean());
    let (now, racks, days, of) = copies(&db).await;
    assert_eq!((days, of), (before.2, before.3));
    let load = 143;
    let host = || "b".to_owned();
    assert_eq!(now[1], LoadNow { host: host(), load });
    let rack = "east".to_owned();
    assert_eq!(
        racks[0],
        RackNow {
            rack,
            host: host(),
            load
        }
    );
}
