//! Dates, and chrono's zoned times, in keys and as the time of models.

use bigtable_model::testing::check_laws;
use bigtable_model::{BackendExt, KeySegment, MemoryBackend, Model, Timestamp};
use chrono::{DateTime, FixedOffset, Local, NaiveDate};
use jiff::civil::{Date, date};

/// A newtype is encoded like its date.
#[derive(Debug, Clone, PartialEq, KeySegment)]
struct Due(NaiveDate);

#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "BOND", family = "B")]
struct Bond {
    #[bigtable(key)]
    issuer: String,
    #[bigtable(key)]
    due: Due,
    #[bigtable(time, format = "%Y-%m-%d")]
    day: Date,
    price: f64,
}

macro_rules! daily {
    ($name:ident, $layout:literal, $($time:tt)*) => {
        #[derive(Debug, Clone, PartialEq, Model)]
        #[bigtable(table = "DAILY", family = "D", layout = $layout, allow(wide_rows))]
        struct $name {
            #[bigtable(key)]
            symbol: String,
            #[bigtable(time, $($time)*)]
            day: NaiveDate,
            close: f64,
        }

        impl Daily for $name {
            fn new(day: NaiveDate) -> Self {
                Self { symbol: "ZXZZT".into(), day, close: 1.5 }
            }

            fn day(&self) -> NaiveDate {
                self.day
            }
        }
    };
}

trait Daily: Model {
    fn new(day: NaiveDate) -> Self;
    fn day(&self) -> NaiveDate;
}

daily!(InRows, "row", binary);
daily!(InSeconds, "row", unit = "s", reverse);
daily!(InCells, "cells", bucket = "month");
daily!(InColumns, "columns", bucket = "year", offset = "%m%d");
daily!(InQualifiers, "qualifiers", bucket = "week");

fn day(day: u32) -> NaiveDate {
    NaiveDate::from_ymd_opt(2024, 2, 1).unwrap() + chrono::TimeDelta::days(i64::from(day))
}

#[test]
fn keys_of_dates() {
    let bond = Bond {
        issuer: "DE".into(),
        due: Due(NaiveDate::from_ymd_opt(2034, 2, 15).unwrap()),
        day: date(2024, 2, 29),
        price: 99.5,
    };
    let key = bond.key();
    assert_eq!(key.encode().unwrap(), b"DE#20340215#2024-02-29");
    assert_eq!(BondKey::decode(b"DE#20340215#2024-02-29").unwrap(), key);
    let error = BondKey::decode(b"DE#20340230#2024-02-29").unwrap_err();
    assert!(error.to_string().contains("`due`"), "{error}");
    let before = Bond {
        day: date(1969, 12, 31),
        ..bond
    };
    assert!(before.key().encode().is_err());
    let golden = [
        (
            InRows::new(day(28)).key().encode(),
            &b"ZXZZT#\x80\x06\x12\x79\xf0\xc4\x40\x00"[..],
        ),
        (
            InSeconds::new(day(28)).key().encode(),
            b"ZXZZT#9223372035145611007",
        ),
        (InCells::new(day(28)).key().encode(), b"ZXZZT#202402"),
        (InColumns::new(day(28)).key().encode(), b"ZXZZT#2024"),
        (InQualifiers::new(day(28)).key().encode(), b"ZXZZT#2024-W09"),
    ];
    for (key, bytes) in golden {
        let key = key.unwrap();
        assert_eq!(
            key.escape_ascii().to_string(),
            bytes.escape_ascii().to_string()
        );
    }
}

macro_rules! days_come_back {
    ($($model:ident),*) => {$({
        let db = MemoryBackend::new();
        db.ensure_tables::<$model>().await.unwrap();
        let all: Vec<_> = (0..90).step_by(4).map(day).collect();
        let events: Vec<_> = all.iter().map(|day| $model::new(*day)).collect();
        assert_eq!(db.insert_many(&events).await.into_result().unwrap(), 23);
        for (from, to) in [(0, 90), (4, 8), (5, 8), (4, 9), (28, 60), (50, 50)] {
            let asked = day(from)..day(to);
            let found = db.fetch(&$model::query().symbol("ZXZZT").day(asked.clone())).await.unwrap();
            let found: Vec<_> = found.iter().map(Daily::day).collect();
            let expected: Vec<_> = all.iter().copied().filter(|day| asked.contains(day)).collect();
            assert_eq!(found, expected, "{} {asked:?}", stringify!($model));
        }
        let newest = db.fetch(&$model::query().symbol("ZXZZT").events().newest_first().limit(1)).await.unwrap();
        assert_eq!(newest, [$model::new(day(88))]);
        // Midnight of the 28th day, and noon.
        for (second, before) in [(1_709_164_800, 24), (1_709_208_000, 28)] {
            let time = Timestamp::from_seconds(second);
            let state = db.latest_before(&$model::scan(), time).await.unwrap();
            assert_eq!(state, [("ZXZZT".to_owned(), $model::new(day(before)))]);
        }
    })*};
}

#[tokio::test]
async fn days_come_back_in_every_layout() {
    days_come_back!(InRows, InSeconds, InCells, InColumns, InQualifiers);
}

#[test]
fn models_of_dates_keep_the_laws() {
    check_laws::<Bond>();
    check_laws::<InRows>();
    check_laws::<InSeconds>();
    check_laws::<InCells>();
    check_laws::<InColumns>();
    check_laws::<InQualifiers>();
}

/// A stored time that is not the beginning of a day is an error that names the segment.
#[tokio::test]
async fn a_time_that_is_no_date_is_refused() {
    #[derive(Debug, Model)]
    #[bigtable(table = "DAILY", family = "D")]
    struct Seconds {
        #[bigtable(key)]
        symbol: String,
        #[bigtable(time, unit = "s", reverse)]
        day: Timestamp,
        close: f64,
    }

    let db = MemoryBackend::new();
    db.ensure_tables::<Seconds>().await.unwrap();
    let noon = "2024-02-29T12:00:00Z".parse().unwrap();
    let event = Seconds {
        symbol: "ZXZZT".into(),
        day: noon,
        close: 1.5,
    };
    db.insert(&event).await.unwrap();
    let error = db
        .fetch(&InSeconds::query().symbol("ZXZZT"))
        .await
        .unwrap_err();
    let mut text = error.to_string();
    let mut source = std::error::Error::source(&error);
    while let Some(cause) = source {
        text = format!("{text}: {cause}");
        source = cause.source();
    }
    assert!(
        text.contains("segment `day`") && text.contains("beginning of a day"),
        "{text}"
    );
}

#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "CALL", family = "C")]
struct Call {
    #[bigtable(key)]
    line: u8,
    #[bigtable(time, unit = "ms")]
    at: DateTime<FixedOffset>,
    until: DateTime<Local>,
    booked: Option<DateTime<FixedOffset>>,
}

#[tokio::test]
async fn times_of_other_zones_are_the_same_instants() {
    let db = MemoryBackend::new();
    db.ensure_tables::<Call>().await.unwrap();
    let at: DateTime<FixedOffset> = "2015-03-16T20:53:32.156+01:00".parse().unwrap();
    let call = Call {
        line: 7,
        at,
        until: at.into(),
        booked: Some(at),
    };
    assert_eq!(call.key().encode().unwrap(), b"007#1426535612156");
    db.insert(&call).await.unwrap();
    let hour = chrono::TimeDelta::hours(1);
    let found = db
        .fetch(&Call::query().line(7).at(at - hour..at + hour))
        .await
        .unwrap();
    assert_eq!(found, [call]);
    assert_eq!(found[0].at.offset().local_minus_utc(), 0);

    #[derive(Debug, Model)]
    #[bigtable(table = "CALL", family = "C")]
    struct Plain {
        #[bigtable(key)]
        line: u8,
        #[bigtable(time, unit = "ms")]
        at: Timestamp,
        until: Timestamp,
    }
    let local: DateTime<Local> = at.into();
    assert_eq!(db.count(&Plain::query().line(7).at(at)).await.unwrap(), 1);
    assert_eq!(
        db.count(&Plain::query().line(7).at(local - hour..))
            .await
            .unwrap(),
        1
    );
}
