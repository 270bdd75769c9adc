//! Models whose heat is known: some from Google's documentation, which says where it comes from.

use bigtable_model::{Model, Timestamp};

use crate::{HeatMap, HotSpotKind, Load, Rate, Sizes, Writes};

const START: Timestamp = Timestamp::from_seconds(1_426_464_000);

fn days(days: i64) -> Timestamp {
    Timestamp::from_seconds(1_426_464_000 + days * 86_400)
}

/// The map of this many events over this many days.
fn map<M: Model + Clone>(
    over: i64,
    sizes: Sizes,
    events: u64,
    event: impl Fn(u64, Timestamp) -> M + Send + Sync + 'static,
) -> HeatMap {
    #[allow(clippy::cast_precision_loss, reason = "small")]
    let rate = Rate::per_second(events as f64 / (over * 86_400) as f64);
    let load = Load::over(START..days(over)).writes(Writes::of(sizes, rate, event));
    let mut maps = load.heat().unwrap();
    assert_eq!(maps.len(), 1);
    let map = maps.remove(0);
    println!("{map}");
    map
}

fn kind(map: &HeatMap) -> Option<HotSpotKind> {
    map.hot_spots().into_iter().map(|spot| spot.kind).next()
}

/// The batteries of an application of electric scooters: their times come first.
#[derive(Debug, Clone, Model)]
#[bigtable(table = "BATTERY", family = "B", allow(time_first))]
struct Battery {
    #[bigtable(time, unit = "ms", truncate)]
    at: Timestamp,
    #[bigtable(key)]
    vehicle: u64,
    level: u8,
}

#[derive(Debug, Clone, Model)]
#[bigtable(table = "BATTERY", family = "B", salt(shards = 64, of(vehicle)))]
struct Salted {
    #[bigtable(time, unit = "ms", truncate)]
    at: Timestamp,
    #[bigtable(key)]
    vehicle: u64,
    level: u8,
}

#[test]
fn the_unsalted_battery_is_hot() {
    let battery = |vehicle, at| Battery {
        at,
        vehicle,
        level: 80,
    };
    let map = map(7, Sizes::equal(5_000), 400_000, battery);
    assert!(map.writes().hottest_share() > 0.99);
    assert_eq!(
        kind(&map),
        Some(HotSpotKind::TimeFirst { time: "at".into() })
    );
    assert!(map.writes().busiest_node(10) > 9.9);
}

#[test]
fn sixty_four_shards_are_not() {
    let battery = |vehicle, at| Salted {
        at,
        vehicle,
        level: 80,
    };
    let map = map(7, Sizes::equal(5_000), 400_000, battery);
    assert_eq!(kind(&map), None);
    let share = map.writes().hottest_share();
    assert!(share * 64.0 < 1.5, "{}", share * 64.0);
    assert!(
        map.writes().busiest_node(8) < 1.5,
        "{}",
        map.writes().busiest_node(8)
    );
}

#[derive(Debug, Clone, Model)]
#[bigtable(table = "BATTERY", family = "B", salt(shards = 4, of(vehicle)))]
struct Shards4 {
    #[bigtable(time, unit = "ms", truncate)]
    at: Timestamp,
    #[bigtable(key)]
    vehicle: u64,
    level: u8,
}

#[test]
fn four_shards_are_few() {
    let battery = |vehicle, at| Shards4 {
        at,
        vehicle,
        level: 80,
    };
    let map = map(7, Sizes::equal(5_000), 200_000, battery);
    assert_eq!(kind(&map), Some(HotSpotKind::FewShards { shards: 4 }));
}

/// Times that are reversed, so that new rows come first.
#[derive(Debug, Clone, Model)]
#[bigtable(table = "BATTERY", family = "B", allow(time_first))]
struct Reversed {
    #[bigtable(time, unit = "ms", truncate, reverse)]
    at: Timestamp,
    #[bigtable(key)]
    vehicle: u64,
    level: u8,
}

#[test]
fn a_reversed_time_is_no_cure() {
    let battery = |vehicle, at| Reversed {
        at,
        vehicle,
        level: 80,
    };
    let map = map(7, Sizes::equal(5_000), 400_000, battery);
    assert!(map.writes().hottest_share() > 0.99);
    let spots = map.hot_spots();
    assert_eq!(spots[0].kind, HotSpotKind::TimeFirst { time: "at".into() });
    let text = spots[0].to_string();
    assert!(
        text.contains("A reversed time only moves that place"),
        "{text}"
    );
}

/// Bucketed by week, and the week comes first.
#[derive(Debug, Clone, Model)]
#[bigtable(table = "WEEKS", family = "W", layout = "cells", allow(time_first))]
struct WeekFirst {
    #[bigtable(time, bucket = "week", truncate)]
    at: Timestamp,
    #[bigtable(key)]
    station: u64,
    celsius: f64,
}

#[test]
fn the_week_first_is_hot_when_it_begins() {
    let event = |station, at| WeekFirst {
        at,
        station,
        celsius: 1.0,
    };
    let map = map(35, Sizes::equal(20_000), 800_000, event);
    let Some(HotSpotKind::NewPeriod { at, .. }) = kind(&map) else {
        panic!("{:?}", kind(&map));
    };
    // Monday, or the step that it is in.
    let hours = at.as_seconds().rem_euclid(7 * 86_400) / 3_600 - 4 * 24;
    assert!((-12..12).contains(&hours), "{at}");
}

#[derive(Debug, Clone, Model)]
#[bigtable(table = "POWER", family = "P", allow(time_first))]
struct BoolFirst {
    #[bigtable(key)]
    on_battery: bool,
    #[bigtable(time, unit = "ms", truncate)]
    at: Timestamp,
    #[bigtable(key)]
    vehicle: u64,
    level: u8,
}

#[test]
fn a_bool_first_is_hot() {
    let event = |vehicle, at| BoolFirst {
        on_battery: vehicle % 2 == 0,
        at,
        vehicle,
        level: 80,
    };
    let map = map(7, Sizes::equal(5_000), 400_000, event);
    let fields = vec!["on_battery".to_owned()];
    assert_eq!(
        kind(&map),
        Some(HotSpotKind::FewValues { fields, values: 2 })
    );
    assert!((0.45..0.6).contains(&map.writes().hottest_share()));
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, bigtable_model::KeySegment)]
enum Kind {
    Reading,
}

#[derive(Debug, Clone, Model)]
#[bigtable(table = "KINDS", family = "K", allow(time_first))]
struct OneValue {
    #[bigtable(key)]
    kind: Kind,
    #[bigtable(time, unit = "ms", truncate)]
    at: Timestamp,
    #[bigtable(key)]
    vehicle: u64,
    level: u8,
}

#[test]
fn an_enum_of_one_value_first_is_hot() {
    let event = |vehicle, at| OneValue {
        kind: Kind::Reading,
        at,
        vehicle,
        level: 80,
    };
    let map = map(7, Sizes::equal(5_000), 400_000, event);
    let fields = vec!["kind".to_owned()];
    assert_eq!(
        kind(&map),
        Some(HotSpotKind::FewValues { fields, values: 1 })
    );
    assert!(map.writes().hottest_share() > 0.99);
}

/// The symbol promoted before the time.
#[derive(Debug, Clone, Model)]
#[bigtable(table = "QUOTE", family = "Q")]
struct Quote {
    #[bigtable(key)]
    symbol: String,
    #[bigtable(time, unit = "ms", truncate)]
    at: Timestamp,
    bid: f64,
}

fn quote(symbol: u64, at: Timestamp) -> Quote {
    let symbol = format!("S{symbol:04}");
    Quote {
        symbol,
        at,
        bid: 1.0,
    }
}

#[test]
fn many_promoted_symbols_are_spread() {
    let map = map(7, Sizes::equal(5_000), 400_000, quote);
    assert_eq!(kind(&map), None);
    assert!(map.writes().hottest_share() < 0.03);
}

#[test]
fn one_large_symbol_is_found() {
    let sizes = Sizes::of([1_500.0].into_iter().chain([1.0; 1_499]));
    let map = map(7, sizes, 400_000, quote);
    assert_eq!(kind(&map), Some(HotSpotKind::Series("symbol=S0000".into())));
    assert!((0.4..0.6).contains(&map.writes().hottest_share()));
}

#[test]
fn large_neighbours_are_parted_by_splits() {
    let sizes = Sizes::of((0..2_000).map(|n| if (990..1_030).contains(&n) { 50.0 } else { 1.0 }));
    let map = map(7, sizes.clone(), 400_000, quote);
    assert_eq!(kind(&map), None);
    let event = |sensor, at| Latest {
        sensor,
        at,
        celsius: 1.0,
    };
    assert_eq!(kind(&self::map(7, sizes, 400_000, event)), None);
}

#[test]
fn rows_in_the_order_of_their_keys_are_found() {
    // A job that writes one row after another.
    let seconds = 7 * 86_400;
    let events = (0..100_000_i64).map(|n| Latest {
        sensor: 1_000_000 + u64::try_from(n).unwrap(),
        at: Timestamp::from_seconds(START.as_seconds() + n * seconds / 100_000),
        celsius: 1.0,
    });
    let load = Load::over(START..days(7)).writes(Writes::sample(events));
    let map = &load.heat().unwrap()[0];
    let Some(HotSpotKind::Range { first, last }) = kind(map) else {
        panic!("{:?}", kind(map));
    };
    assert!(
        *first < *"sensor=1020000" && *last > *"sensor=1090000",
        "{first} {last}"
    );
}

/// One row for each sensor.
#[derive(Debug, Clone, Model)]
#[bigtable(
    table = "LATEST",
    family = "L",
    layout = "latest",
    gc(max_versions = 1)
)]
struct Latest {
    #[bigtable(key)]
    sensor: u64,
    #[bigtable(time, truncate)]
    at: Timestamp,
    celsius: f64,
}

#[test]
fn one_hot_row_is_found() {
    let sizes = Sizes::of([2_000.0].into_iter().chain([1.0; 1_999]));
    let event = |sensor, at| Latest {
        sensor,
        at,
        celsius: 1.0,
    };
    let map = map(7, sizes, 400_000, event);
    assert_eq!(kind(&map), Some(HotSpotKind::Key("sensor=0".into())));
    let hottest = &map.writes().hottest_keys(3)[0];
    assert_eq!(hottest.key, "sensor=0");
    assert!((0.45..0.55).contains(&hottest.share));
}
