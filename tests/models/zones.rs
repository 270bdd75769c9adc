//! Days of the zone database: some are longer than others, and some are in two pieces.

use std::error::Error as _;

use bigtable_model::key::{KeyError, SegmentError};
use bigtable_model::{BackendExt, Error, MemoryBackend, Model, Timestamp};

use crate::support::at;

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
