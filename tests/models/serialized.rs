//! Events serialised into one column.

use bigtable_model::model::insert_mutations;
use bigtable_model::schema::Presence;
use bigtable_model::value::{CellCodec, ValueError};
use bigtable_model::{BackendExt, MemoryBackend, Model, Projection, Timestamp};

use crate::support::{at, cells};

/// The published serialised layout.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(
    table = "BALLOON",
    family = "measurements",
    serialize(json, column = "measurements_blob")
)]
struct Balloon {
    #[bigtable(key)]
    location: String,
    #[bigtable(key, column = "BALLOON", text)]
    balloon: u16,
    #[bigtable(time, format = "%Y-%m-%d-%H%M")]
    at: Timestamp,
    pressure: u32,
    #[bigtable(column = "t")]
    temperature: Option<f64>,
    #[bigtable(default = sea_level)]
    altitude: u32,
    #[bigtable(skip)]
    note: String,
}

fn sea_level() -> u32 {
    0
}

#[derive(Debug, PartialEq, Projection)]
#[bigtable(model = Balloon)]
struct Pressure {
    at: Timestamp,
    pressure: u32,
    temperature: Option<f64>,
    balloon: u16,
}

/// The same with a bucket.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(
    table = "CELLS",
    family = "measurements",
    layout = "cells",
    serialize(json)
)]
struct InCells {
    #[bigtable(key)]
    location: String,
    #[bigtable(time, bucket = "day")]
    at: Timestamp,
    pressure: u32,
    temperature: Option<f64>,
}

/// The same fields in other formats and layouts.
pub(crate) mod formats {
    use bigtable_model::{Model, Timestamp};

    #[derive(Debug, Clone, PartialEq, Model)]
    #[bigtable(
        table = "POSTCARD",
        family = "F",
        layout = "columns",
        serialize(postcard)
    )]
    pub(crate) struct Postcard {
        #[bigtable(key)]
        pub(super) name: String,
        #[bigtable(time, bucket = "hour")]
        pub(super) at: Timestamp,
        pub(super) first: f64,
        pub(super) second: Option<String>,
        pub(super) third: u32,
    }

    #[derive(Debug, Clone, PartialEq, Model)]
    #[bigtable(
        table = "PROTO",
        family = "F",
        layout = "cells",
        serialize(proto),
        salt(shards = 8, of(name))
    )]
    pub(super) struct Proto {
        #[bigtable(key)]
        pub(super) name: String,
        #[bigtable(time, bucket = "hour")]
        pub(super) at: Timestamp,
        pub(super) first: f64,
        pub(super) second: Option<String>,
        pub(super) third: u32,
    }
}

/// A codec of the whole struct.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(
    table = "PACKED",
    family = "measurements",
    layout = "columns",
    serialize(Packed)
)]
struct Own {
    #[bigtable(key)]
    location: String,
    #[bigtable(time, bucket = "day", offset = "%H%M")]
    at: Timestamp,
    pressure: u32,
}

struct Packed;

impl CellCodec<Own> for Packed {
    const NAME: &'static str = "packed";

    fn encode(value: &Own, out: &mut Vec<u8>) -> Result<(), ValueError> {
        out.extend_from_slice(&value.pressure.to_be_bytes());
        Ok(())
    }

    fn decode(bytes: &[u8]) -> Result<Own, ValueError> {
        let pressure = <[u8; 4]>::try_from(bytes);
        let pressure = pressure.map_err(|_| ValueError::malformed("4 bytes", bytes))?;
        Ok(Own {
            location: "overwritten from the key".to_owned(),
            at: Timestamp::MIN,
            pressure: u32::from_be_bytes(pressure),
        })
    }
}

fn balloon() -> Balloon {
    Balloon {
        location: "us-west2".to_owned(),
        balloon: 3698,
        at: at("2021-03-05T12:00:00Z"),
        pressure: 94_558,
        temperature: None,
        altitude: 612,
        note: String::new(),
    }
}

#[test]
fn an_event_is_one_cell() {
    let row = insert_mutations(&balloon(), Timestamp::UNIX_EPOCH).unwrap();
    assert_eq!(row.key, "us-west2#03698#2021-03-05-1200");
    let micros = balloon().at.as_micros();
    let blob = r#"{\"pressure\":94558,\"altitude\":612}"#;
    let mut found = cells(&row);
    found.sort();
    assert_eq!(
        found,
        [
            ("measurements:BALLOON".to_owned(), "3698".to_owned(), micros),
            (
                "measurements:measurements_blob".to_owned(),
                blob.to_owned(),
                micros
            ),
        ]
    );
    assert_eq!(Balloon::SCHEMA.presence, Presence::Column(0));
    assert_eq!(Balloon::SCHEMA.columns[0].codec, "json");
    assert_eq!(Balloon::SCHEMA.columns[1].copy_of, Some(1));
}

#[tokio::test]
async fn events_come_back() {
    let db = MemoryBackend::new();
    db.ensure_tables::<Balloon>().await.unwrap();
    let mut event = balloon();
    db.insert(&event).await.unwrap();
    assert_eq!(
        db.get::<Balloon>(&event.key()).await.unwrap().unwrap(),
        event
    );
    event.temperature = Some(9.5);
    db.insert(&event).await.unwrap();
    assert_eq!(
        db.get::<Balloon>(&event.key()).await.unwrap().unwrap(),
        event
    );
    let all = Balloon::query().location("us-west2").balloon(3698_u16);
    assert_eq!(db.fetch(&all.clone()).await.unwrap(), [event.clone()]);
    let pressures = db.fetch(&all.select::<Pressure>()).await.unwrap();
    let expected = Pressure {
        at: event.at,
        pressure: event.pressure,
        temperature: Some(9.5),
        balloon: 3698,
    };
    assert_eq!(pressures, [expected]);
}

#[tokio::test]
async fn several_in_a_row() {
    let db = MemoryBackend::new();
    db.ensure_tables::<InCells>().await.unwrap();
    db.ensure_tables::<Own>().await.unwrap();
    for minute in 0..3_u32 {
        let at = Timestamp::from_seconds(1_614_945_600 + 60 * i64::from(minute));
        let location = "us-west2".to_owned();
        let event = InCells {
            location: location.clone(),
            at,
            pressure: minute,
            temperature: (minute == 1).then_some(9.5),
        };
        db.insert(&event).await.unwrap();
        let own = Own {
            location,
            at,
            pressure: minute,
        };
        db.insert(&own).await.unwrap();
        assert_eq!(db.get::<InCells>(&event.key()).await.unwrap(), Some(event));
        assert_eq!(db.get::<Own>(&own.key()).await.unwrap(), Some(own));
    }
    let query = InCells::query().location("us-west2");
    let events = db.fetch(&query).await.unwrap();
    let temperatures: Vec<_> = events.iter().map(|event| event.temperature).collect();
    assert_eq!(temperatures, [None, Some(9.5), None]);
    let own = db
        .fetch(
            &Own::query()
                .location("us-west2")
                .events()
                .newest_first()
                .limit(1),
        )
        .await
        .unwrap();
    assert_eq!((own[0].pressure, own[0].location.as_str()), (2, "us-west2"));
}

#[tokio::test]
async fn formats_hold_the_same() {
    let db = MemoryBackend::new();
    db.ensure_tables::<formats::Postcard>().await.unwrap();
    db.ensure_tables::<formats::Proto>().await.unwrap();
    let seconds = [None, Some("two"), None].map(|second| second.map(str::to_owned));
    let (mut postcards, mut protos) = (Vec::new(), Vec::new());
    for (third, second) in (0_u32..).zip(seconds) {
        let (name, first) = ("n".to_owned(), 1.5);
        let at = Timestamp::from_seconds(1_614_945_600 + i64::from(third));
        postcards.push(formats::Postcard {
            name: name.clone(),
            at,
            first,
            second: second.clone(),
            third,
        });
        protos.push(formats::Proto {
            name,
            at,
            first,
            second,
            third,
        });
    }
    for (postcard, proto) in postcards.iter().zip(&protos) {
        db.insert(postcard).await.unwrap();
        db.insert(proto).await.unwrap();
    }
    let read = db.fetch(&formats::Postcard::query().name("n")).await;
    assert_eq!(read.unwrap(), postcards);
    let read = db.fetch(&formats::Proto::query().name("n")).await;
    assert_eq!(read.unwrap(), protos);
}
