//! Days of the zone database: some are longer than others, and some are in two pieces.

use std::error::Error as _;
use std::sync::Arc;
use std::time::Duration;

use bigtable_model::data::Mutation;
use bigtable_model::key::{KeyError, SegmentError};
use bigtable_model::model::insert_mutations;
use bigtable_model::{Backend, BackendExt, Error, MemoryBackend, Model, Timestamp};

use crate::support::{at, backends, emulated, rows};

/// A station where 31 January 1994 had 31 hours, in columns named by the seconds of the day.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "STATION", family = "S", layout = "columns")]
struct Station {
    #[bigtable(key)]
    name: String,
    #[bigtable(time, unit = "s", bucket = "day", zone = "Antarctica/Vostok")]
    at: Timestamp,
    celsius: f64,
}

/// Days of Berlin begin with whole hours of UTC.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "POWER", family = "P", layout = "cells")]
struct Power {
    #[bigtable(key)]
    plant: u8,
    #[bigtable(time, bucket = "day", zone = "Europe/Berlin", label = "{start:1h}")]
    at: Timestamp,
    watts: i64,
}

#[tokio::test]
async fn days_of_a_zone_are_counted_in_hours() {
    let db = MemoryBackend::new();
    db.ensure_tables::<Power>().await.unwrap();
    // Clocks go back in the night to the 27th.
    let first = at("2024-10-25T22:00:00Z");
    let events: Vec<_> = (0..80)
        .map(|hour| Power {
            plant: 1,
            at: first + std::time::Duration::from_secs(3_600 * hour),
            watts: 1,
        })
        .collect();
    db.insert_many(&events).await.into_result().unwrap();
    let key = |event: &Power| String::from_utf8(event.key().encode().unwrap()).unwrap();
    assert_eq!(key(&events[0]), "001#0480526");
    assert_eq!(key(&events[24]), "001#0480550");
    assert_eq!(key(&events[48]), "001#0480550");
    assert_eq!(key(&events[49]), "001#0480575");
    let found = db.fetch(&Power::query().plant(1)).await.unwrap();
    assert_eq!(found, events);
}

#[tokio::test]
async fn an_offset_holds_the_longest_day_of_its_zone() {
    let db = MemoryBackend::new();
    db.ensure_tables::<Station>().await.unwrap();
    let first = at("1994-01-30T16:00:00Z").as_seconds();
    let events: Vec<_> = (0..40 * 4)
        .map(|quarter| Station {
            name: "Vostok".to_owned(),
            at: Timestamp::from_seconds(first + 900 * quarter + 899),
            celsius: -88.0,
        })
        .collect();
    db.insert_many(&events).await.into_result().unwrap();
    let found = db.fetch(&Station::query().name("Vostok")).await.unwrap();
    assert_eq!(found, events);
    let day = at("1994-01-30T17:00:00Z")..at("1994-02-01T00:00:00Z");
    let found = db.fetch(&Station::query().name("Vostok").at(day)).await;
    assert_eq!(found.unwrap().len(), 31 * 4);
}

/// A place whose clocks went back to 23:01 of 28 October 2006 after the 29th had begun.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "TIDE", family = "T", layout = "cells")]
struct Tide {
    #[bigtable(key)]
    port: String,
    #[bigtable(time, unit = "s", bucket = "day", zone = "America/St_Johns")]
    at: Timestamp,
    meters: f64,
}

fn tide(time: &str) -> Tide {
    let (port, at) = ("StJohns".to_owned(), at(time));
    Tide {
        port,
        at,
        meters: 1.2,
    }
}

#[tokio::test]
async fn a_day_in_two_pieces_is_refused() {
    let db = MemoryBackend::new();
    db.ensure_tables::<Tide>().await.unwrap();
    let (before, after) = (tide("2006-10-28T02:29:59Z"), tide("2006-10-30T03:30:00Z"));
    for sound in [&before, &after] {
        db.insert(sound).await.unwrap();
    }
    for time in [
        "2006-10-28T12:00:00Z",
        "2006-10-29T03:00:00Z",
        "2006-10-29T12:00:00Z",
    ] {
        let error = db.insert(&tide(time)).await.unwrap_err();
        let Error::Key {
            source: KeyError::Segment { segment, source },
            ..
        } = &error
        else {
            panic!("{error}: {:?}", error.source());
        };
        assert_eq!(segment, "at");
        assert!(
            matches!(source, SegmentError::SplitDay { zone, .. } if zone == "America/St_Johns")
        );
    }
    // Queries cross such days like any others.
    let days = at("2006-10-20T00:00:00Z")..at("2006-11-10T00:00:00Z");
    let found = db.fetch(&Tide::query().port("StJohns").at(days)).await;
    assert_eq!(found.unwrap(), [before, after]);
}

/// A row of a local day, named as the Portuguese edition of *time series* names it: by hundreds of
/// seconds to midnight in Los Angeles.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "METER", family = "M", layout = "cells")]
struct Meter {
    #[bigtable(key, width = 10)]
    meter: u32,
    #[bigtable(
        time,
        bucket = "day",
        zone = "America/Los_Angeles",
        label = "{start:100s}"
    )]
    at: Timestamp,
    value: u64,
}

#[tokio::test]
async fn a_local_day_is_named_by_its_midnight() {
    for db in backends("zones", "midnight") {
        db.ensure_tables::<Meter>().await.unwrap();
        // The whole day of the 16th of March 2015, every 15 minutes.
        let first = at("2015-03-16T07:00:00Z");
        let readings: Vec<_> = (0..96)
            .map(|quarter| Meter {
                meter: 987_654,
                at: first + std::time::Duration::from_secs(900 * quarter),
                value: quarter,
            })
            .collect();
        db.insert_many(&readings).await.into_result().unwrap();
        let rows = rows(&*db, "METER").await;
        let keys: Vec<_> = rows.iter().map(|row| row.key.as_ref()).collect();
        assert_eq!(keys, [b"0000987654#14264892"]);
        let found = db.fetch(&Meter::query().meter(987_654_u32)).await.unwrap();
        assert_eq!(found, readings);
    }
}

/// Local days whose hours are in no doubt have readable columns.
macro_rules! readable {
    ($name:ident, $table:literal, $zone:literal) => {
        #[derive(Debug, Clone, PartialEq, Model)]
        #[bigtable(table = $table, family = "M", layout = "columns")]
        struct $name {
            #[bigtable(key, width = 10)]
            meter: u32,
            #[bigtable(time, bucket = "day", zone = $zone, offset = "%H%M")]
            at: Timestamp,
            value: u64,
        }
    };
}

readable!(Fixed, "FIXED", "-07:00");
readable!(Gmt, "GMT", "Etc/GMT+7");
readable!(Phoenix, "PHOENIX", "America/Phoenix");
readable!(Kolkata, "KOLKATA", "Asia/Kolkata");

/// Days of zones that turn their clocks have offsets that count.
macro_rules! counted {
    ($name:ident, $table:literal, $zone:literal) => {
        #[derive(Debug, Clone, PartialEq, Model)]
        #[bigtable(table = $table, family = "M", layout = "columns")]
        struct $name {
            #[bigtable(key, width = 10)]
            meter: u32,
            #[bigtable(time, bucket = "day", zone = $zone, unit = "s")]
            at: Timestamp,
            value: u64,
        }
    };
}

counted!(LosAngeles, "LOS_ANGELES", "America/Los_Angeles");
counted!(StJohns, "ST_JOHNS", "America/St_Johns");
counted!(LordHowe, "LORD_HOWE", "Australia/Lord_Howe");

/// A year of quarter hours: every event comes back, a day in a row, and a local day is one row.
macro_rules! year {
    ($db:ident, $name:ident, $table:literal, $zone:expr, $rows:expr) => {{
        $db.ensure_tables::<$name>().await.unwrap();
        let first = at("2014-12-31T12:00:00Z");
        let events: Vec<_> = (0..366 * 96_u64)
            .map(|quarter| $name {
                meter: 7,
                at: first + Duration::from_secs(900 * quarter),
                value: quarter,
            })
            .collect();
        $db.insert_many(&events).await.into_result().unwrap();
        let query = $name::query().meter(7_u32);
        assert_eq!($db.fetch(&query).await.unwrap(), events);
        let zone = $zone;
        let date = |event: &$name| {
            let instant = jiff::Timestamp::from_microsecond(event.at.as_micros()).unwrap();
            instant.to_zoned(zone.clone()).date()
        };
        let mut days: Vec<(jiff::civil::Date, usize)> = Vec::new();
        for event in &events {
            match days.last_mut() {
                Some((day, count)) if *day == date(event) => *count += 1,
                _ => days.push((date(event), 1)),
            }
        }
        let rows = rows(&*$db, $table).await;
        let found = rows.iter().map(|row| {
            let key = String::from_utf8(row.key.to_vec()).unwrap();
            let day = jiff::civil::Date::strptime("%Y%m%d", &key[11..]).unwrap();
            (day, row.cells.len())
        });
        assert_eq!(found.collect::<Vec<_>>(), days);
        // A range that begins and ends within days, over a change of the clocks.
        for (from, to) in [
            (5_000, 5_003),
            (2_000, 9_000),
            (6_500, 6_700),
            (30_000, 30_500),
        ] {
            let some = query.clone().at(events[from].at..events[to].at);
            assert_eq!($db.fetch(&some).await.unwrap(), events[from..to]);
        }
        let columns: Vec<_> = rows[40]
            .cells
            .iter()
            .take(2)
            .map(|cell| cell.qualifier.clone())
            .collect();
        assert_eq!(columns, $rows);
    }};
}

#[tokio::test]
async fn a_year_of_local_days_is_a_row_a_day() {
    use jiff::tz::{TimeZone, offset};

    let zone = |name: &str| TimeZone::get(name).unwrap();
    let db: Arc<dyn Backend> = Arc::new(MemoryBackend::new());
    year!(
        db,
        Fixed,
        "FIXED",
        TimeZone::fixed(offset(-7)),
        ["0000", "0015"]
    );
    year!(
        db,
        Gmt,
        "GMT",
        TimeZone::fixed(offset(-7)),
        ["0000", "0015"]
    );
    year!(
        db,
        Phoenix,
        "PHOENIX",
        zone("America/Phoenix"),
        ["0000", "0015"]
    );
    year!(
        db,
        Kolkata,
        "KOLKATA",
        zone("Asia/Kolkata"),
        ["0000", "0015"]
    );
    year!(
        db,
        LosAngeles,
        "LOS_ANGELES",
        zone("America/Los_Angeles"),
        ["00000", "00900"]
    );
    year!(
        db,
        StJohns,
        "ST_JOHNS",
        zone("America/St_Johns"),
        ["00000", "00900"]
    );
    year!(
        db,
        LordHowe,
        "LORD_HOWE",
        zone("Australia/Lord_Howe"),
        ["00000", "00900"]
    );
}

#[tokio::test]
async fn a_year_of_local_days_on_the_emulator() {
    let Some(db) = emulated("zones", "year") else {
        return;
    };
    let fixed = jiff::tz::TimeZone::fixed(jiff::tz::offset(-7));
    year!(db, Fixed, "FIXED", fixed, ["0000", "0015"]);
}

/// The hour of a day's beginning is 00 in a zone whose clocks are never turned.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "HOURS", family = "M", layout = "columns")]
struct WithHours {
    #[bigtable(key, width = 10)]
    meter: u32,
    #[bigtable(
        time,
        bucket = "day",
        zone = "Etc/GMT+7",
        label = "%Y%m%dT%H",
        offset = "%H%M"
    )]
    at: Timestamp,
    value: u64,
}

#[test]
fn labels_have_hours_where_clocks_are_never_turned() {
    let reading = WithHours {
        meter: 987_654,
        at: "2017-07-26T06:45:00Z".parse().unwrap(),
        value: 1,
    };
    let row = insert_mutations(&reading, Timestamp::from_seconds(0)).unwrap();
    assert_eq!(&*row.key, b"0000987654#20170725T00");
    let Mutation::SetCell { qualifier, .. } = &row.mutations[0] else {
        panic!("{row:?}");
    };
    assert_eq!(&**qualifier, b"2345");
}
