//! Layouts, buckets and salts: the derive's output.

mod reads;

use bigtable_model::key::KeyError;
use bigtable_model::model::{ModelKey, insert_mutations};
use bigtable_model::schema::{Layout, Presence};
use bigtable_model::value::CellValue;
use bigtable_model::{BackendExt, KeySegment, MemoryBackend, Model, Timestamp};

use crate::support::{at, cells, deleted, rows};

/// A reading of a meter: the published day bucket with a column for each event.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(
    table = "SENSOR",
    family = "METER",
    layout = "columns",
    expect(every = "15m", size = 5)
)]
struct Reading {
    #[bigtable(key, width = 10, column = "ID", text)]
    meter: u32,
    #[bigtable(time, bucket = "day", offset = "%H%M")]
    at: Timestamp,
    #[bigtable(text)]
    value: f64,
}

/// Several fields of an event in separate columns, newest first.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "WIND", family = "M", layout = "columns", cell_time = "write")]
struct Wind {
    #[bigtable(key)]
    mast: String,
    #[bigtable(time, bucket = "hour", unit = "s", reverse)]
    at: Timestamp,
    speed: f64,
    #[bigtable(column = "G")]
    gust: Option<f64>,
}

/// The published week bucket with a cell for each event.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "BALLOON", family = "measurements", layout = "cells")]
struct Balloon {
    #[bigtable(key)]
    location: String,
    #[bigtable(key)]
    balloon: u16,
    #[bigtable(time, bucket = "week", label = "week{n}", origin = "2021-03-01")]
    at: Timestamp,
    #[bigtable(text)]
    pressure: u32,
    #[bigtable(text)]
    temp: Option<f64>,
}

/// The published week bucket with the value as qualifier, and a copy of a key field.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "PRESSURE", family = "pressure", layout = "qualifiers")]
struct Pressure {
    #[bigtable(key, column = "LOCATION", family = "row")]
    location: String,
    #[bigtable(time, bucket = "week", zone = "Europe/Berlin")]
    at: Timestamp,
    #[bigtable(text)]
    pressure: u32,
}

/// A salt before a leading bucket, and an identifier after both.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(
    table = "TICK",
    family = "MD",
    prefix = "TICK",
    layout = "cells",
    salt(shards = 64, of(at, symbol))
)]
struct Tick {
    #[bigtable(time, bucket = "15m")]
    at: Timestamp,
    #[bigtable(key, escape)]
    symbol: String,
    price: f64,
}

/// A salt in the middle of a key without a bucket.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "BATTERY", family = "METRIC", prefix = "BATTERY")]
struct Battery {
    #[bigtable(key)]
    user: String,
    #[bigtable(time, unit = "ms", salt(shards = 3, of(at)))]
    at: Timestamp,
    #[bigtable(column = "PERCENTAGE", text)]
    percentage: u8,
}

/// Foreign types, parameters, and attributes that need permission.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(
    table = "FOREIGN",
    family = "F",
    layout = "columns",
    salt(shards = 9999, of(name)),
    expect(every = "1ms", size = 1000),
    allow(time_first, wide_rows, long_qualifiers)
)]
struct Foreign<N, V>
where
    N: KeySegment + Send + Sync + 'static,
    V: CellValue + Clone + Send + Sync + 'static,
{
    #[bigtable(
        time,
        bucket = "month",
        label = "%Y/%-m",
        zone = "America/New_York",
        truncate
    )]
    at: chrono::DateTime<chrono::Utc>,
    #[bigtable(key)]
    name: N,
    #[bigtable(column = "a name that says everything there is to say about one measured value")]
    value: V,
    other: Option<V>,
}

/// A leading label of variable width.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "WEEKS", family = "F", layout = "cells", allow(time_first))]
struct WeekFirst {
    #[bigtable(time, bucket = "week", label = "week{n}", origin = "2021-03-01")]
    at: Timestamp,
    #[bigtable(key)]
    location: String,
    pressure: f64,
}

/// A copy of the time, which every event has.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "STAMPED", family = "F", layout = "cells")]
struct Stamped {
    #[bigtable(key)]
    symbol: String,
    #[bigtable(time, bucket = "month", column = "AT", text)]
    at: Timestamp,
    price: Option<f64>,
}

/// All events of a symbol in one row.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(
    table = "CLOSING",
    family = "STOCK",
    layout = "cells",
    allow(endless_rows)
)]
struct Closing {
    #[bigtable(key)]
    symbol: String,
    #[bigtable(time, bucket = "none")]
    at: Timestamp,
    #[bigtable(column = "PRICE", text)]
    price: f64,
}

/// A `macro_rules` macro passes literals on.
macro_rules! passed_on {
    ($name:ident, $table:literal, $width:literal, $every:literal, $codec:path) => {
        #[derive(Debug, Clone, PartialEq, Model)]
        #[bigtable(
                                                            table = $table,
                                                            family = "F",
                                                            layout = "cells",
                                                            salt(shards = $width, of(name)),
                                                            expect(every = $every, size = 10),
                                                            allow(kept_forever)
                                                        )]
        struct $name {
            #[bigtable(key, width = $width, pad = '_')]
            name: String,
            #[bigtable(time, bucket = "day")]
            at: Timestamp,
            #[bigtable(with = $codec)]
            value: f64,
        }
    };
}

passed_on!(PassedOn, "PASSED", 8, "5s", bigtable_model::value::Text);

fn text(key: &impl ModelKey) -> String {
    key.encode().unwrap().escape_ascii().to_string()
}

#[test]
fn keys() {
    let at = at("2021-03-10T12:34:56Z");
    let location = "asia-south2".to_owned();
    let balloon = BalloonKey {
        location: location.clone(),
        balloon: 3698,
        at,
    };
    assert_eq!(text(&balloon), "asia-south2#03698#week2");
    let week = "2021-03-08T00:00:00Z".parse().unwrap();
    assert_eq!(
        BalloonKey::decode(b"asia-south2#03698#week2").unwrap().at,
        week
    );
    assert_eq!(text(&PressureKey { location, at }), "asia-south2#2021-W10");
    let mast = "m1".to_owned();
    assert_eq!(text(&WindKey { mast, at }), "m1#9223372035239398207");
    let passed_on = PassedOn {
        name: "n".to_owned(),
        at,
        value: 1.0,
    };
    assert_eq!(PassedOn::SCHEMA.table, "PASSED");
    assert!(text(&passed_on.key()).ends_with("#n_______#20210310"));
    let week_first = WeekFirstKey {
        at,
        location: "asia-south2".to_owned(),
    };
    assert_eq!(text(&week_first), "week2#asia-south2");
    // The first of the month in UTC is the last day of a month in New York.
    let foreign = ForeignKey {
        at: "2021-03-01T01:00:00Z".parse().unwrap(),
        name: 7_u8,
    };
    let key = text(&foreign);
    assert!(key.ends_with("#2021/2#007") && key.len() == 4 + "#2021/2#007".len());
    let symbol = "ZXZZT".to_owned();
    assert_eq!(text(&ClosingKey { symbol, at }), "ZXZZT");
    assert_eq!(
        ClosingKey::decode(b"ZXZZT").unwrap().at,
        Timestamp::UNIX_EPOCH
    );
}

#[test]
fn salted_keys() {
    let key = TickKey {
        at: at("2021-03-10T12:34:56Z"),
        symbol: "A#B".to_owned(),
    };
    let bytes = key.encode().unwrap();
    let shown = bytes.escape_ascii().to_string();
    let (salt, rest) = shown["TICK#".len()..].split_once('#').unwrap();
    assert!(salt.len() == 2 && salt.parse::<u8>().unwrap() < 64);
    assert_eq!(rest, "1615379400#A$HB");
    let decoded = TickKeyRef::decode(&bytes).unwrap();
    assert_eq!(decoded.at, at("2021-03-10T12:30:00Z"));
    let other = format!(
        "TICK#{:02}#1615379400#A",
        (salt.parse::<u8>().unwrap() + 1) % 64
    );
    let refused = TickKeyRef::decode(other.as_bytes());
    assert!(refused.is_err());

    let key = BatteryKey {
        user: "Corrie".to_owned(),
        at: at("2015-03-01T12:45:01.001Z"),
    };
    let bytes = key.encode().unwrap();
    let shard = bytes["BATTERY#Corrie#".len()] - b'0';
    assert!(shard < 3);
    assert_eq!(text(&key), format!("BATTERY#Corrie#{shard}#1425213901001"));
    let moved = format!("BATTERY#Corrie#{}#1425213901001", (shard + 1) % 3);
    assert!(matches!(
        BatteryKey::decode(moved.as_bytes()),
        Err(KeyError::Salt { .. })
    ));
    assert_eq!(BatteryKey::decode(&bytes).unwrap(), key);
}

#[test]
fn the_order_of_keys_is_that_of_their_bytes() {
    let mut keys: Vec<_> = (0..20_u8)
        .map(|minute| TickKey {
            at: Timestamp::from_seconds(1_615_379_400 + 60 * i64::from(minute)),
            symbol: char::from(b'A' + minute % 7).to_string(),
        })
        .collect();
    keys.sort();
    let encoded: Vec<_> = keys.iter().map(|key| key.encode().unwrap()).collect();
    assert!(encoded.is_sorted());
    let same_row = keys
        .windows(2)
        .filter(|pair| pair[0].encode().unwrap() == pair[1].encode().unwrap());
    assert!(same_row.clone().count() > 0);
    for pair in same_row {
        assert!(pair[0].at < pair[1].at);
    }
    for pair in encoded.windows(2) {
        let [a, b] = [&pair[0], &pair[1]].map(|key| TickKey::decode(key).unwrap());
        assert_eq!(a.cmp(&b), pair[0].cmp(&pair[1]));
    }
}

#[test]
fn templates_of_generated_types_are_those_of_their_layouts() {
    assert_eq!(
        TickKey::LAYOUT.to_string(),
        "TICK#{salt:02 of 64}#{at:010s}#{symbol:escape}"
    );
    assert_eq!(
        BalloonKey::LAYOUT.to_string(),
        "{location}#{balloon:05}#{at:week{n}}"
    );
    assert_eq!(WindKey::LAYOUT.to_string(), "{mast}#{at:rev 019s}");
    assert_eq!(ClosingKey::LAYOUT.to_string(), "{symbol}");
    assert_eq!(
        BatteryKey::LAYOUT.to_string(),
        "BATTERY#{user}#{salt:1 of 3}#{at:013ms}".replace(":1 ", ":01 ")
    );
}

#[test]
fn schemas() {
    assert_eq!(Balloon::SCHEMA.layout, Layout::Cells);
    assert!(matches!(
        Reading::SCHEMA.layout,
        Layout::Columns { named: false, .. }
    ));
    assert!(matches!(
        Wind::SCHEMA.layout,
        Layout::Columns { named: true, .. }
    ));
    // Every row has a copy of the meter's number, which belongs to no event.
    assert_eq!(Reading::SCHEMA.presence, Presence::Column(1));
    assert_eq!(Reading::SCHEMA.columns[0].copy_of, Some(0));
    for schema in [
        Reading::SCHEMA,
        Wind::SCHEMA,
        Balloon::SCHEMA,
        Pressure::SCHEMA,
    ] {
        assert_eq!(schema.key.check(), Ok(()));
    }
}

fn reading(time: &str, value: f64) -> Reading {
    Reading {
        meter: 987_654,
        at: at(time),
        value,
    }
}

#[test]
fn cells_of_columns() {
    let now = Timestamp::from_millis(7);
    let row = insert_mutations(&reading("2017-07-26T23:45:00Z", 28.9), now).unwrap();
    assert_eq!(row.key, "0000987654#20170726");
    let micros = at("2017-07-26T23:45:00Z").as_micros();
    let day = at("2017-07-26T00:00:00Z").as_micros();
    let mut found = cells(&row);
    found.sort();
    assert_eq!(
        found,
        [
            ("METER:2345".to_owned(), "28.9".to_owned(), micros),
            ("METER:ID".to_owned(), "987654".to_owned(), day),
        ]
    );
    let off_grid = insert_mutations(&reading("2017-07-26T23:45:01Z", 28.9), now);
    assert!(off_grid.is_err());

    let wind = Wind {
        mast: "m1".to_owned(),
        at: at("2021-03-10T12:00:01Z"),
        speed: 1.0,
        gust: None,
    };
    let row = insert_mutations(&wind, now).unwrap();
    assert_eq!(cells(&row)[0].0, "M:speed:9998");
    assert_eq!(cells(&row)[0].2, 7_000);
    assert_eq!(deleted(&row), ["M:G:9998"]);
}

#[test]
fn a_copy_of_the_time_is_the_events() {
    let stamped = Stamped {
        symbol: "ZXZZT".to_owned(),
        at: at("2015-03-16T19:53:32.156Z"),
        price: None,
    };
    assert_eq!(Stamped::SCHEMA.presence, Presence::Column(0));
    let row = insert_mutations(&stamped, Timestamp::UNIX_EPOCH).unwrap();
    assert_eq!(row.key, "ZXZZT#201503");
    let micros = stamped.at.as_micros();
    let expected = ("F:AT".to_owned(), "1426535612156".to_owned(), micros);
    assert_eq!(cells(&row), [expected]);
}

#[test]
fn cells_of_qualifiers() {
    let pressure = Pressure {
        location: "asia-south2".to_owned(),
        at: at("2021-03-07T23:30:00Z"),
        pressure: 94_558,
    };
    let row = insert_mutations(&pressure, Timestamp::from_millis(7)).unwrap();
    // It is Monday in Berlin.
    assert_eq!(row.key, "asia-south2#2021-W10");
    let found = cells(&row);
    assert!(found.iter().any(|(column, value, time)| {
        column == "pressure:94558" && value.is_empty() && *time == pressure.at.as_micros()
    }));
}
