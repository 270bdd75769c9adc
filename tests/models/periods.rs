//! Models with tables by period, in memory and on the emulator.

use std::error::Error as _;
use std::sync::Arc;

use bigtable_model::backend::grpc::{GrpcBackend, GrpcSettings};
use bigtable_model::data::{ReadRows, TableSchema};
use bigtable_model::schema::ModelSchema;
use bigtable_model::{
    Backend, BackendExt, Error, MemoryBackend, Model, Projection, QueryError, Timestamp,
};
use bigtable_model_tests::emulator::Emulator;
use futures::TryStreamExt as _;

use crate::support::at;

/// A meter's day in a row, a day in a table.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "SENSOR_{at:%Y%m%d}", family = "METER", layout = "columns")]
struct Reading {
    #[bigtable(key, width = 4)]
    meter: u16,
    #[bigtable(time, bucket = "day", offset = "%H%M")]
    at: Timestamp,
    #[bigtable(text)]
    value: u32,
}

/// A row for each event, a week in a table.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "EVENT-{at:%G-W%V}.log", family = "E")]
struct Event {
    #[bigtable(key)]
    host: String,
    #[bigtable(time, unit = "s", truncate)]
    at: Timestamp,
    text: String,
    code: Option<u32>,
}

#[derive(Debug, PartialEq, Projection)]
#[bigtable(model = Event)]
struct Code {
    host: String,
    code: Option<u32>,
}

/// The value is the qualifier; days and months are in Berlin's time zone.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "STATE_{at:%Y_%m}", family = "S", layout = "qualifiers")]
struct State {
    #[bigtable(key)]
    device: String,
    #[bigtable(time, bucket = "day", zone = "Europe/Berlin")]
    at: Timestamp,
    #[bigtable(text)]
    state: u8,
}

/// Memory, and the emulator if it is installed; `name` separates tests there.
fn backends(name: &str) -> Vec<Arc<dyn Backend>> {
    let mut backends: Vec<Arc<dyn Backend>> = vec![Arc::new(MemoryBackend::new())];
    if let Some(emulator) = Emulator::shared() {
        let settings = GrpcSettings::new("periods", name).emulator(emulator.address());
        backends.push(Arc::new(GrpcBackend::new(&settings).unwrap()));
    }
    backends
}

fn reading(meter: u16, time: &str, value: u32) -> Reading {
    Reading {
        meter,
        at: at(time),
        value,
    }
}

/// Readings of two meters on four days; the table of the third day is deleted.
async fn four_days(db: &dyn Backend) -> Vec<Reading> {
    let days = at("2017-07-25T00:00:00Z")..at("2017-07-29T00:00:00Z");
    let created = db.ensure_periods::<Reading>(days).await.unwrap();
    assert_eq!(
        created,
        [
            "SENSOR_20170725",
            "SENSOR_20170726",
            "SENSOR_20170727",
            "SENSOR_20170728"
        ]
    );
    let mut all = Vec::new();
    for (number, day) in (0..).zip(25..29) {
        for hour in [0, 12, 23] {
            for meter in [2, 1] {
                let time = format!("2017-07-{day}T{hour:02}:15:00Z");
                all.push(reading(meter, &time, number * 100 + hour));
            }
        }
    }
    // Not in the order of days.
    all.reverse();
    let outcome = db.insert_many(&all).await;
    assert_eq!((outcome.written(), outcome.failed().len()), (24, 0));
    db.tables().delete("SENSOR_20170727").await.unwrap();
    all.retain(|one| one.at < at("2017-07-27T00:00:00Z") || at("2017-07-28T00:00:00Z") <= one.at);
    all.sort_by_key(|one| (one.at, one.meter));
    all
}

#[tokio::test]
async fn a_query_unites_tables_and_tells_which_are_missing() {
    for db in backends("unite") {
        let all = four_days(&*db).await;
        let days = at("2017-07-25T00:00:00Z")..at("2017-07-29T00:00:00Z");
        let query = Reading::query().meter([1_u16, 2]).at(days);
        let mut stream = db.stream(&query);
        assert!(stream.missing_tables().is_empty(), "nothing was read yet");
        let mut found = Vec::new();
        while let Some(event) = stream.try_next().await.unwrap() {
            found.push(event);
        }
        assert_eq!(found, all);
        assert_eq!(stream.missing_tables(), ["SENSOR_20170727"]);
        assert_eq!(
            db.missing_tables(&query).await.unwrap(),
            ["SENSOR_20170727"]
        );

        let newest: Vec<_> = all.iter().rev().cloned().collect();
        let descending = query.events().newest_first();
        assert_eq!(db.fetch(&descending).await.unwrap(), newest);
        assert_eq!(
            db.fetch(&query.events().newest_first().limit(8))
                .await
                .unwrap(),
            newest[..8]
        );
        assert_eq!(db.count(&query).await.unwrap(), 18);
        assert_eq!(db.fetch(&query.events().limit(8)).await.unwrap(), all[..8]);

        let mut by_key = all.clone();
        by_key.sort_by_key(|one| (one.meter, one.at));
        assert_eq!(
            db.fetch(&query.events().in_key_order()).await.unwrap(),
            by_key
        );
        let mut unordered = db.fetch(&query.events().unordered()).await.unwrap();
        unordered.sort_by_key(|one| (one.at, one.meter));
        assert_eq!(unordered, all);
    }
}

#[tokio::test]
async fn pages_go_on_in_the_next_table() {
    for db in backends("pages") {
        let all = four_days(&*db).await;
        let days = at("2017-07-25T06:00:00Z")..at("2017-07-29T00:00:00Z");
        let query = Reading::query().meter([1_u16, 2]).at(days);
        let (mut by_time, mut by_key) = (Vec::new(), Vec::new());
        let mut token = None;
        loop {
            let page = db.page(&query, 4, token.as_ref()).await.unwrap();
            by_time.extend(page.events);
            token = page.next;
            if token.is_none() {
                break;
            }
        }
        let ordered = query.events().in_key_order();
        loop {
            let page = db.page(&ordered, 5, token.as_ref()).await.unwrap();
            by_key.extend(page.events);
            token = page.next;
            if token.is_none() {
                break;
            }
        }
        assert_eq!(by_time, all[2..]);
        by_key.sort_by_key(|one| (one.at, one.meter));
        assert_eq!(by_key, all[2..]);
    }
}

#[tokio::test]
async fn a_query_with_an_open_time_lists_the_tables() {
    for db in backends("open") {
        let all = four_days(&*db).await;
        let schema = TableSchema {
            table: "SENSOR_OF_OTHERS".to_owned(),
            ..db.tables().get("SENSOR_20170725").await.unwrap()
        };
        db.tables().create(schema, Vec::new()).await.unwrap();
        let of = |meter: u16| {
            let all = all.iter().filter(move |one| one.meter == meter);
            all.cloned().collect::<Vec<_>>()
        };
        let query = Reading::query().meter(1_u16);
        let error = query.events().plan().unwrap_err();
        let reason = error.source().unwrap().downcast_ref::<QueryError>();
        assert!(matches!(reason, Some(QueryError::OpenPeriods { segment }) if segment == "at"));
        let plan = db.plan(&query).await.unwrap();
        let tables: Vec<_> = plan.tables().into_iter().collect();
        assert_eq!(
            tables,
            ["SENSOR_20170725", "SENSOR_20170726", "SENSOR_20170728"]
        );
        assert_eq!(db.fetch(&query).await.unwrap(), of(1));
        assert_eq!(
            db.fetch(&query.events().newest_first().limit(1))
                .await
                .unwrap(),
            of(1)[8..]
        );
        assert_eq!(db.count(&query).await.unwrap(), 9);
        let from = Reading::query()
            .meter(2_u16)
            .at(at("2017-07-26T12:15:00Z")..);
        assert_eq!(db.fetch(&from).await.unwrap(), of(2)[4..]);
        let page = db.page(&query, 2, None).await.unwrap();
        assert_eq!(page.events, of(1)[..2]);
        let page = db.page(&query, 9, page.next.as_ref()).await.unwrap();
        assert_eq!((page.events.as_slice(), page.next), (&of(1)[2..], None));
        let every = Reading::scan();
        assert_eq!(db.count(&every).await.unwrap(), 18);
        assert_eq!(db.series(&every).await.unwrap(), [1, 2]);
        assert_eq!(db.series(&every.events().limit(1)).await.unwrap(), [1]);
        let newest = db.latest_each(&every, 2).await.unwrap();
        let expected = [1, 2].map(|meter| {
            let newest = of(meter).into_iter().rev().take(2);
            (meter, newest.collect::<Vec<_>>())
        });
        assert_eq!(newest, expected);
    }
}

#[tokio::test]
async fn writes_of_one_event_go_to_its_table() {
    for db in backends("single") {
        let event = Event {
            host: "a".to_owned(),
            at: at("2021-01-03T23:59:59.5Z"),
            text: "x".to_owned(),
            code: Some(7),
        };
        let stored = Event {
            at: at("2021-01-03T23:59:59Z"),
            ..event.clone()
        };
        // The previous week is the last of 2020, which has 53.
        let next = at("2021-01-04T00:00:00Z");
        db.ensure_periods::<Event>(stored.at..next).await.unwrap();
        assert_eq!(db.tables().list().await.unwrap(), ["EVENT-2020-W53.log"]);
        db.insert(&event).await.unwrap();
        assert_eq!(db.get(&event.key()).await.unwrap(), Some(stored.clone()));
        let update = Event::update(&event.key()).code(8);
        db.send(update).await.unwrap();
        let codes = Event::query().host("a").at(stored.at..next);
        let codes = db.fetch(&codes.select::<Code>()).await.unwrap();
        let (host, code) = ("a".to_owned(), Some(8));
        assert_eq!(codes, [Code { host, code }]);
        let key = event.key();
        let delete = db.delete_cell(&key, Event::FIELDS.code);
        delete.await.unwrap();
        let without = Event {
            code: None,
            ..stored
        };
        assert_eq!(db.get(&event.key()).await.unwrap(), Some(without));
        db.delete::<Event>(&event.key()).await.unwrap();
        assert_eq!(db.get::<Event>(&event.key()).await.unwrap(), None);
    }
}

#[tokio::test]
async fn qualifiers_and_zones_go_to_their_tables() {
    for db in backends("qualifiers") {
        let state = |time: &str, state: u8| State {
            device: "d".to_owned(),
            at: at(time),
            state,
        };
        // Midnight in Berlin is 22:00 in summer, and 23:00 in winter.
        let states = [
            state("2021-09-30T21:59:59.999Z", 1),
            state("2021-09-30T22:00:00Z", 2),
            state("2021-10-31T22:59:59Z", 3),
            state("2021-10-31T23:00:00Z", 4),
        ];
        let created = db.ensure_periods::<State>(states[0].at..states[3].at);
        assert_eq!(created.await.unwrap(), ["STATE_2021_09", "STATE_2021_10"]);
        let outcome = db.insert_many(&states).await;
        let [failed] = outcome.failed() else {
            panic!("{outcome:?}");
        };
        assert_eq!((outcome.written(), failed.index), (3, 3));
        assert!(matches!(
            &failed.error,
            Error::MissingTable { table, .. } if table == "STATE_2021_11"
        ));
        let read = State::query().device("d").at(states[0].at..states[3].at);
        assert_eq!(db.fetch(&read).await.unwrap(), states[..3]);
        let plan = read.events().plan().unwrap();
        assert_eq!(plan.scans[0].parts[1].table, "STATE_2021_10");
        db.delete::<State>(&states[1].key()).await.unwrap();
        assert_eq!(db.get::<State>(&states[1].key()).await.unwrap(), None);
    }
}

#[tokio::test]
async fn an_event_of_a_missing_table_is_not_there_and_is_not_written() {
    for db in backends("missing") {
        let one = reading(1, "2017-07-27T12:00:00Z", 5);
        let error = db.insert(&one).await.unwrap_err();
        assert_eq!(
            error.to_string(),
            "table SENSOR_20170727 does not exist, so meter=1 at=2017-07-27T12:00:00Z was not written: create tables ahead of time with `ensure_periods`"
        );
        assert!(!error.is_retryable());
        let update = Reading::update(&one.key()).value(7_u32);
        let error = db.send(update).await.unwrap_err();
        assert!(matches!(error, Error::MissingTable { .. }), "{error}");
        assert_eq!(db.get::<Reading>(&one.key()).await.unwrap(), None);
        db.delete::<Reading>(&one.key()).await.unwrap();
        // For a fixed table all of this stays an error.
        let host = "a".to_owned();
        let key = FixedKey { host };
        let error = db.get::<Fixed>(&key);
        let error = error.await.unwrap_err();
        assert!(matches!(error, Error::Backend { .. }), "{error}");
        let error = db.fetch(&Fixed::query().host("a")).await.unwrap_err();
        assert!(matches!(error, Error::Backend { .. }), "{error}");
    }
}

#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "FIXED", family = "F")]
struct Fixed {
    #[bigtable(key)]
    host: String,
    value: u32,
}

#[tokio::test]
async fn an_error_of_an_event_names_its_table() {
    let db = MemoryBackend::new();
    let week = at("2021-03-08T00:00:00Z")..at("2021-03-15T00:00:00Z");
    db.ensure_periods::<Event>(week.clone()).await.unwrap();
    let key = EventKey {
        host: "a".to_owned(),
        at: week.start,
    };
    db.send(Event::update(&key).code(1)).await.unwrap();
    // An event lacks its text, but the column that marks it exists.
    let marked = Event::update(&key).text("x".to_owned());
    db.send(marked).await.unwrap();
    let table = "EVENT-2021-W10.log";
    let row = bigtable_model::data::RowMutations {
        key: "not a key".into(),
        mutations: vec![bigtable_model::data::Mutation::SetCell {
            family: "E".into(),
            qualifier: "text".into(),
            timestamp_micros: 0,
            value: "x".into(),
        }],
    };
    db.mutate_row(table, row).await.unwrap();
    let error = db.fetch(&Event::scan()).await.unwrap_err();
    assert!(
        matches!(&error, Error::ForeignKey { table: named, .. } if named == table),
        "{error}"
    );
    let too_early = EventKey {
        at: at("1969-12-01T00:00:00Z"),
        ..key
    };
    let error = db.get::<Event>(&too_early).await.unwrap_err();
    assert!(
        matches!(&error, Error::Key { table, .. } if table == "EVENT-{at:%G-W%V}.log"),
        "{error}"
    );
}

#[tokio::test]
async fn tables_are_created_ahead_and_dropped_after() {
    for db in backends("retention") {
        let days = at("2017-12-30T12:00:00Z")..at("2018-01-02T00:00:00Z");
        db.ensure_periods::<Reading>(days.clone()).await.unwrap();
        // Again, with one more day.
        let again = days.start..at("2018-01-02T00:00:01Z");
        let ensured = db.ensure_periods::<Reading>(again).await.unwrap();
        assert_eq!(ensured.len(), 4);
        for other in [
            "SENSOR_2017123",
            "SENSOR_20171231X",
            "SENSOR",
            "SENSOR_20171232",
        ] {
            let schema = TableSchema {
                table: other.to_owned(),
                ..db.tables().get("SENSOR_20171231").await.unwrap()
            };
            db.tables().create(schema, Vec::new()).await.unwrap();
        }
        let almost = at("2017-12-31T23:59:59.999Z");
        assert_eq!(
            db.tables_before::<Reading>(almost).await.unwrap(),
            ["SENSOR_20171230"]
        );
        let new_year = at("2018-01-01T00:00:00Z");
        let past = ["SENSOR_20171230", "SENSOR_20171231"];
        assert_eq!(db.tables_before::<Reading>(new_year).await.unwrap(), past);
        assert_eq!(db.tables().list().await.unwrap().len(), 8, "a dry run");
        let dropped = db.drop_tables_before::<Reading>(new_year);
        assert_eq!(dropped.await.unwrap(), past);
        let mut left = db.tables().list().await.unwrap();
        left.sort();
        assert_eq!(
            left,
            [
                "SENSOR",
                "SENSOR_2017123",
                "SENSOR_20171231X",
                "SENSOR_20171232",
                "SENSOR_20180101",
                "SENSOR_20180102",
            ]
        );
        let dropped = db.drop_tables_before::<Reading>(new_year);
        assert!(dropped.await.unwrap().is_empty());
        let error = db.ensure_periods::<Reading>(at("2000-01-01T00:00:00Z")..new_year);
        assert!(matches!(
            error.await.unwrap_err(),
            Error::TooManyTables { most: 1_000, .. }
        ));
    }
}

#[tokio::test]
async fn the_table_of_now_is_ensured_by_name() {
    let db = MemoryBackend::new();
    let before = Reading::SCHEMA.table_of(Some(Timestamp::now())).unwrap();
    db.ensure_tables::<Reading>().await.unwrap();
    let after = Reading::SCHEMA.table_of(Some(Timestamp::now())).unwrap();
    let tables = db.tables().list().await.unwrap();
    assert!(tables == [before] || tables == [after], "{tables:?}");
}

#[tokio::test]
async fn many_tables_are_written_at_once() {
    let db = MemoryBackend::new();
    let days = at("2020-01-01T00:00:00Z")..at("2020-02-20T00:00:00Z");
    let tables = db.ensure_periods::<Reading>(days.clone()).await.unwrap();
    assert_eq!(tables.len(), 50);
    let hours = (0..50 * 24_i64).map(|hour| hour * 7 % (50 * 24));
    let readings: Vec<_> = hours
        .map(|hour| Reading {
            meter: 1,
            at: Timestamp::from_seconds(days.start.as_seconds() + hour * 3_600),
            value: u32::try_from(hour).unwrap(),
        })
        .collect();
    let outcome = db.insert_many(&readings).await;
    assert_eq!(outcome.into_result().unwrap(), 1_200);
    let found = db.fetch(&Reading::query().meter(1_u16).at(days)).await;
    let found = found.unwrap();
    assert_eq!(found.len(), 1_200);
    assert!((0..).zip(&found).all(|(hour, one)| one.value == hour));
    for table in tables {
        let request = ReadRows {
            table,
            ..ReadRows::default()
        };
        let rows: Vec<_> = db.read_rows(request).rows().try_collect().await.unwrap();
        assert_eq!((rows.len(), rows[0].cells.len()), (1, 24));
    }
}

#[test]
fn a_schema_is_plain_data() {
    let schema: &ModelSchema = Reading::SCHEMA;
    let text = serde_json::to_string(schema).unwrap();
    let again: ModelSchema = serde_json::from_str(&text).unwrap();
    assert_eq!(&again, schema);
    assert_eq!(schema.table, "SENSOR_{at:%Y%m%d}");
    assert_eq!(Fixed::SCHEMA.table, "FIXED");
    assert_eq!(Fixed::SCHEMA.table_of(None).unwrap(), "FIXED");
}
