//! Times in keys by the fields of a clock at an offset from UTC.

use bigtable_model::dynamic::{AnyModel, AnyQuery};
use bigtable_model::lock::Locked;
use bigtable_model::{BackendExt, MemoryBackend, Model, Timestamp};

use crate::support::{at, backends, rows};

/// A row for each event, named by the clock of Arizona, in a table for each of its days.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "LOG_{at:%Y%m%d}", family = "L")]
pub(crate) struct Log {
    #[bigtable(key)]
    host: String,
    #[bigtable(
        time,
        format = "%Y-%m-%dT%H:%M",
        zone = "America/Phoenix",
        column = "AT",
        text
    )]
    at: Timestamp,
    level: u8,
}

/// Days and minutes of India, where the clock is half an hour from whole hours.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "SHIFT", family = "S", salt(shards = 3, of(plant, day)))]
pub(crate) struct Shift {
    #[bigtable(key)]
    plant: String,
    #[bigtable(key, format = "%Y%m%d", zone = "+05:30")]
    day: Timestamp,
    #[bigtable(time, format = "%Y%m%dT%H%M", zone = "Asia/Kolkata", truncate)]
    at: Timestamp,
    workers: u32,
}

fn log(time: &str) -> Log {
    Log {
        host: "web1".to_owned(),
        at: at(time),
        level: 3,
    }
}

#[tokio::test]
async fn a_format_shows_the_time_of_a_clock() {
    for db in backends("zones", "formats") {
        let events = [
            log("2015-03-16T07:00:00Z"),
            log("2015-03-17T06:59:00Z"),
            log("2015-03-17T07:00:00Z"),
            log("2015-03-18T06:00:00Z"),
        ];
        let days = at("2015-03-16T07:00:00Z")..at("2015-03-18T07:00:00Z");
        db.ensure_periods::<Log>(days).await.unwrap();
        db.insert_many(&events).await.into_result().unwrap();
        for (table, first, last) in [
            (
                "LOG_20150316",
                "web1#2015-03-16T00:00",
                "web1#2015-03-16T23:59",
            ),
            (
                "LOG_20150317",
                "web1#2015-03-17T00:00",
                "web1#2015-03-17T23:00",
            ),
        ] {
            let rows = rows(&*db, table).await;
            let keys: Vec<_> = rows.iter().map(|row| row.key.as_ref()).collect();
            assert_eq!(keys, [first.as_bytes(), last.as_bytes()]);
            // A copy of the time is as the key has it.
            let copied = rows[0].cells.iter().find(|cell| &*cell.qualifier == b"AT");
            assert_eq!(&*copied.unwrap().value, &first.as_bytes()[5..]);
        }
        // Ends on the edge of a day, within a minute, and in between.
        for (from, to, found) in [
            ("2015-03-16T07:00:00Z", "2015-03-18T07:00:00Z", 0..4),
            ("2015-03-16T07:00:01Z", "2015-03-17T07:00:00Z", 1..2),
            ("2015-03-17T06:59:00Z", "2015-03-17T07:00:01Z", 1..3),
            ("2015-03-17T06:59:30Z", "2015-03-18T06:00:00Z", 2..3),
        ] {
            let query = Log::query().host("web1").at(at(from)..at(to));
            assert_eq!(db.fetch(&query).await.unwrap(), events[found.clone()]);
            let newest = db.fetch(&query.events().newest_first()).await.unwrap();
            assert!(newest.iter().eq(events[found].iter().rev()));
        }
        let one = Log::query().host("web1").at(events[1].at);
        assert_eq!(db.fetch(&one).await.unwrap(), events[1..2]);
    }
}

#[tokio::test]
async fn ranges_are_those_of_the_clock() {
    let day = at("2015-03-16T18:30:00Z");
    let shift = Shift {
        plant: "pune".to_owned(),
        day,
        at: at("2015-03-16T19:53:32Z"),
        workers: 40,
    };
    let key = shift.key().encode().unwrap();
    assert_eq!(key[1..], *b"#pune#20150317#20150317T0123");
    let stored = Shift {
        at: at("2015-03-16T19:53:00Z"),
        ..shift.clone()
    };
    assert_eq!(ShiftKey::decode(&key).unwrap(), stored.key());
    let query = Shift::query()
        .plant("pune")
        .day(day)
        .at(at("2015-03-16T19:53:32Z")..at("2015-03-17T00:00:00Z"));
    let plan = query.events().plan().unwrap();
    let range = plan.scans[0].parts[0].ranges[0].to_string();
    let shard = char::from(key[0]);
    assert_eq!(
        range,
        format!(
            r#"["{shard}#pune#20150317#20150317T0124", "{shard}#pune#20150317#20150317T0530")"#
        )
    );
    // Where an identifier is open, the pattern of keys has the text too.
    let db = MemoryBackend::new();
    db.ensure_tables::<Shift>().await.unwrap();
    db.insert(&shift).await.unwrap();
    let model = AnyModel::of::<Shift>();
    let named = AnyQuery::of(&model).set("day", day).scan();
    let filter = format!("{:?}", named.plan().unwrap().filter);
    assert!(filter.contains("20150317"), "{filter}");
    assert_eq!(db.count(&named).await.unwrap(), 1);
    let before = AnyQuery::of(&model).set("day", at("2015-03-15T18:30:00Z"));
    assert_eq!(db.count(&before.scan()).await.unwrap(), 0);
    // A day of UTC is no day of this clock.
    let utc = Shift {
        day: at("2015-03-16T00:00:00Z"),
        ..shift
    };
    assert!(db.insert(&utc).await.is_err());
}

#[test]
fn a_clock_is_a_part_of_the_key() {
    assert_eq!(
        Shift::SCHEMA.key.to_string(),
        "{salt:01 of 3}#{plant}#{day:%Y%m%d in +05:30}#{at:%Y%m%dT%H%M in +05:30}"
    );
    // A row that holds whole days has one in the lock file too.
    let locked = Locked::of::<Shift>();
    assert!(!locked.golden.key.is_empty(), "{locked:?}");
    let formats = locked.segments.iter().map(|one| one.format.as_str());
    assert!(formats.eq([
        "01 of 3",
        "variable",
        "%Y%m%d in +05:30",
        "%Y%m%dT%H%M in +05:30"
    ]));
}
