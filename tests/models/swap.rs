//! A model moves from one layout to another by changing the attribute: the same writes and the same queries give the same
//! events. Here random events, many at edges of buckets and some of them twice, are written through every layout, and every
//! layout has to answer as a filter over all events does.

use std::collections::BTreeMap;
use std::ops::Range;

use bigtable_model::{BackendExt, Error, MemoryBackend, Model, Timestamp};
use futures::TryStreamExt as _;
use proptest::prelude::*;

/// What every layout holds.
#[derive(Debug, Clone, PartialEq)]
struct Event {
    site: u8,
    sensor: String,
    /// Milliseconds since 1970.
    at: i64,
    level: i64,
    gain: Option<f64>,
    note: Option<String>,
}

type Identity = (i64, u8, String);

impl Event {
    fn identity(&self) -> Identity {
        (self.at, self.site, self.sensor.clone())
    }
}

/// A write: an insert, or the delete of the event with the same identity.
#[derive(Debug, Clone)]
struct Change {
    event: Event,
    delete: bool,
}

/// A query.
#[derive(Debug, Clone)]
enum Ask {
    Series(u8, String, Range<i64>),
    Sensors(u8, Vec<String>, Range<i64>),
    NewestFirst(u8, String, u64),
    Latest(u8, Vec<String>, u64),
    Site(u8),
    Count(u8, String, Range<i64>),
}

/// What a query answers: the events, or their number.
#[derive(Debug, PartialEq)]
enum Answer {
    Events(Vec<Event>),
    Count(u64),
}

impl Ask {
    /// The answer by looking at every event.
    fn expected(&self, events: &BTreeMap<Identity, Event>) -> Answer {
        let select = |wanted: &dyn Fn(&Event) -> bool| {
            let events = events.values().filter(|event| wanted(event));
            events.cloned().collect::<Vec<_>>()
        };
        let newest = |mut events: Vec<Event>, n: u64| {
            events.reverse();
            events.truncate(usize::try_from(n).unwrap());
            events
        };
        Answer::Events(match self {
            Self::Series(site, sensor, times) => select(&|event| {
                event.site == *site && event.sensor == *sensor && times.contains(&event.at)
            }),
            Self::Sensors(site, sensors, times) => select(&|event| {
                event.site == *site && sensors.contains(&event.sensor) && times.contains(&event.at)
            }),
            Self::NewestFirst(site, sensor, n) => newest(
                select(&|event| event.site == *site && event.sensor == *sensor),
                *n,
            ),
            Self::Latest(site, sensors, n) => newest(
                select(&|event| event.site == *site && sensors.contains(&event.sensor)),
                *n,
            ),
            Self::Site(site) => {
                let mut events = select(&|event| event.site == *site);
                events.sort_by_key(|event| (event.sensor.clone(), event.at));
                events
            }
            Self::Count(site, sensor, times) => {
                let events = select(&|event| {
                    event.site == *site && event.sensor == *sensor && times.contains(&event.at)
                });
                return Answer::Count(events.len() as u64);
            }
        })
    }
}

fn millis(range: &Range<i64>) -> Range<Timestamp> {
    Timestamp::from_millis(range.start)..Timestamp::from_millis(range.end)
}

/// A model in one layout, with its writes and queries: the same text for each.
macro_rules! layout {
    ($module:ident, [$($layout:tt)*], [$($time:tt)*]) => {
        mod $module {
            use super::*;

            #[derive(Debug, Clone, PartialEq, Model)]
            #[bigtable(table = "SAMPLE", family = "M", $($layout)*)]
            pub struct Sample {
                #[bigtable(key)]
                site: u8,
                #[bigtable(key)]
                sensor: String,
                #[bigtable(time, $($time)*)]
                at: Timestamp,
                level: i64,
                gain: Option<f64>,
                note: Option<String>,
            }

            pub async fn answers(changes: &[Change], asks: &[Ask]) -> Result<Vec<Answer>, Error> {
                let db = MemoryBackend::new();
                db.ensure_table::<Sample>().await?;
                for Change { event, delete } in changes {
                    let sample = Sample {
                        site: event.site,
                        sensor: event.sensor.clone(),
                        at: Timestamp::from_millis(event.at),
                        level: event.level,
                        gain: event.gain,
                        note: event.note.clone(),
                    };
                    match delete {
                        true => db.delete::<Sample>(&sample.key()).await?,
                        false => db.insert(&sample).await?,
                    }
                }
                let mut answers = Vec::new();
                for ask in asks {
                    answers.push(answer(&db, ask).await?);
                }
                Ok(answers)
            }

            async fn answer(db: &MemoryBackend, ask: &Ask) -> Result<Answer, Error> {
                let found: Vec<Sample> = match ask {
                    Ask::Series(site, sensor, times) => {
                        Sample::query().site(*site).sensor(sensor).at(millis(times)).fetch(db).await?
                    }
                    Ask::Sensors(site, sensors, times) => {
                        let query = Sample::query().site(*site).sensor(&sensors[..]).at(millis(times));
                        query.stream(db).try_collect().await?
                    }
                    Ask::NewestFirst(site, sensor, n) => {
                        Sample::query().site(*site).sensor(sensor).newest_first().limit(*n).fetch(db).await?
                    }
                    Ask::Latest(site, sensors, n) => {
                        Sample::query().site(*site).sensor(&sensors[..]).latest(*n, db).await?
                    }
                    Ask::Site(site) => Sample::query().site(*site).fetch(db).await?,
                    Ask::Count(site, sensor, times) => {
                        let query = Sample::query().site(*site).sensor(sensor).at(millis(times));
                        return Ok(Answer::Count(query.count(db).await?));
                    }
                };
                Ok(Answer::Events(found.into_iter().map(|sample| Event {
                    site: sample.site,
                    sensor: sample.sensor,
                    at: sample.at.as_millis(),
                    level: sample.level,
                    gain: sample.gain,
                    note: sample.note,
                }).collect()))
            }
        }
    };
}

layout!(row, [], [unit = "ms"]);
layout!(row_json, [serialize(json)], [unit = "ms"]);
layout!(row_postcard, [serialize(postcard)], [unit = "ms"]);
layout!(row_prost, [serialize(prost)], [unit = "ms"]);
layout!(cells, [layout = "cells"], [bucket = "hour"]);
layout!(
    cells_weeks,
    [layout = "cells"],
    [bucket = "week", label = "w{n:04}", origin = "2020-01-01"]
);
layout!(
    cells_json,
    [layout = "cells", serialize(json)],
    [bucket = "day"]
);
layout!(
    cells_postcard,
    [layout = "cells", serialize(postcard)],
    [bucket = "day", zone = "Europe/Berlin"]
);
layout!(columns, [layout = "columns"], [bucket = "day", unit = "ms"]);
layout!(
    columns_reversed,
    [layout = "columns"],
    [bucket = "15m", unit = "ms", reverse]
);
layout!(
    columns_json,
    [layout = "columns", serialize(json)],
    [bucket = "month", unit = "ms"]
);
layout!(
    columns_endless,
    [layout = "columns", allow(endless_rows)],
    [bucket = "none", unit = "ms"]
);
layout!(cells_reversed, [layout = "cells"], [bucket = "1h", reverse]);
layout!(
    cells_prost,
    [layout = "cells", serialize(prost)],
    [bucket = "month"]
);
layout!(
    columns_by_fields,
    [layout = "columns"],
    [bucket = "day", offset = "%H:%M:%S%3f"]
);
layout!(
    columns_written,
    [layout = "columns", cell_time = "write"],
    [bucket = "month", unit = "ms"]
);
layout!(
    salted,
    [layout = "cells", salt(shards = 4, of(sensor, at))],
    [bucket = "hour"]
);
layout!(
    salted_row,
    [salt(shards = 4, of(sensor, at))],
    [unit = "ms"]
);

const HOUR: i64 = 3_600_000;
/// An hour before a Monday on which clocks change in Berlin.
const START: i64 = 1_711_832_400_000;

fn time() -> impl Strategy<Value = i64> + Clone {
    let around = prop_oneof![Just(0), Just(-1), Just(1), -HOUR..HOUR];
    (0_i64..40, around).prop_map(|(hours, around)| START + hours * HOUR + around)
}

fn sensor() -> impl Strategy<Value = String> + Clone {
    prop::sample::select(vec!["a", "b", "bb"]).prop_map(str::to_owned)
}

fn event() -> impl Strategy<Value = Event> {
    let gain = prop::option::of(prop::sample::select(vec![0.5, -1.25, 1e300]));
    let note = prop::option::of("[a-z]{0,3}");
    (0_u8..2, sensor(), time(), any::<i64>(), gain, note).prop_map(
        |(site, sensor, at, level, gain, note)| Event {
            site,
            sensor,
            at,
            level,
            gain,
            note,
        },
    )
}

fn change() -> impl Strategy<Value = Change> {
    (event(), prop::bool::weighted(0.2)).prop_map(|(event, delete)| Change { event, delete })
}

fn ask() -> impl Strategy<Value = Ask> {
    let range = (time(), time()).prop_map(|(a, b)| a.min(b)..a.max(b) + 1);
    let sensors = prop::collection::vec(sensor(), 0..4);
    prop_oneof![
        (0_u8..2, sensor(), range.clone())
            .prop_map(|(site, sensor, times)| Ask::Series(site, sensor, times)),
        (0_u8..2, sensors.clone(), range.clone())
            .prop_map(|(site, sensors, times)| Ask::Sensors(site, sensors, times)),
        (0_u8..2, sensor(), 0_u64..6)
            .prop_map(|(site, sensor, n)| Ask::NewestFirst(site, sensor, n)),
        (0_u8..2, sensors, 0_u64..6).prop_map(|(site, sensors, n)| Ask::Latest(site, sensors, n)),
        (0_u8..2).prop_map(Ask::Site),
        (0_u8..2, sensor(), range)
            .prop_map(|(site, sensor, times)| Ask::Count(site, sensor, times)),
    ]
}

/// Layouts whose keys have the site and the sensor in front answer a site in order of sensor and time; a salt in front
/// stands before them, and labels that do not sort come as they are.
fn in_one_order(answer: Answer) -> Answer {
    match answer {
        Answer::Events(mut events) => {
            events.sort_by_key(|event| (event.sensor.clone(), event.at));
            Answer::Events(events)
        }
        count => count,
    }
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn every_layout_answers_alike(
        changes in prop::collection::vec(change(), 0..40),
        asks in prop::collection::vec(ask(), 1..8),
    ) {
        let mut all = BTreeMap::new();
        for Change { event, delete } in &changes {
            match delete {
                true => all.remove(&event.identity()),
                false => all.insert(event.identity(), event.clone()),
            };
        }
        let expected: Vec<Answer> = asks.iter().map(|ask| ask.expected(&all)).collect();
        macro_rules! check {
            ($($layout:ident)*) => {$(
                let answers = runtime().block_on($layout::answers(&changes, &asks)).unwrap();
                for ((ask, answer), expected) in asks.iter().zip(answers).zip(&expected) {
                    let answer = match ask {
                        Ask::Site(_) => in_one_order(answer),
                        _ => answer,
                    };
                    prop_assert_eq!(&answer, expected, "{} to {:?}", stringify!($layout), ask);
                }
            )*};
        }
        check!(row row_json row_postcard row_prost cells cells_weeks cells_json cells_postcard cells_prost);
        check!(cells_reversed columns columns_reversed columns_json columns_endless columns_by_fields);
        check!(columns_written salted salted_row);
    }
}

/// The one value that `qualifiers` holds, in every layout.
macro_rules! single {
    ($module:ident, [$($layout:tt)*], [$($time:tt)*]) => {
        mod $module {
            use super::*;

            #[derive(Debug, Clone, PartialEq, Model)]
            #[bigtable(table = "VALUE", family = "M", $($layout)*)]
            pub struct Value {
                #[bigtable(key)]
                sensor: String,
                #[bigtable(time, $($time)*)]
                at: Timestamp,
                #[bigtable(text)]
                level: i64,
            }

            pub async fn answers(events: &[Event], ranges: &[Range<i64>]) -> Result<Vec<Vec<(i64, i64)>>, Error> {
                let db = MemoryBackend::new();
                db.ensure_table::<Value>().await?;
                let values: Vec<_> = events
                    .iter()
                    .map(|event| Value {
                        sensor: event.sensor.clone(),
                        at: Timestamp::from_millis(event.at),
                        level: event.level,
                    })
                    .collect();
                db.insert_many(&values).await.into_result()?;
                let mut answers = Vec::new();
                for range in ranges {
                    let query = Value::query().sensor(["a", "b", "bb"]).at(millis(range));
                    let found = query.fetch(&db).await?;
                    answers.push(found.iter().map(|one| (one.at.as_millis(), one.level)).collect());
                    let newest = Value::query().sensor("a").newest_first().limit(3).fetch(&db).await?;
                    answers.push(newest.iter().map(|one| (one.at.as_millis(), one.level)).collect());
                }
                Ok(answers)
            }
        }
    };
}

single!(value_row, [], [unit = "ms"]);
single!(value_cells, [layout = "cells"], [bucket = "hour"]);
single!(
    value_columns,
    [layout = "columns"],
    [bucket = "hour", unit = "ms"]
);
single!(value_qualifiers, [layout = "qualifiers"], [bucket = "hour"]);
single!(
    value_qualifiers_days,
    [layout = "qualifiers"],
    [bucket = "day", zone = "America/New_York"]
);

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn one_value_in_every_layout(
        events in prop::collection::vec(event(), 0..40),
        ranges in prop::collection::vec((time(), time()).prop_map(|(a, b)| a.min(b)..a.max(b) + 1), 1..4),
    ) {
        // `qualifiers` keeps both of two events with one identity: here each comes once.
        let unique: BTreeMap<_, _> = events.iter().map(|event| ((event.sensor.clone(), event.at), event.clone())).collect();
        let events: Vec<_> = unique.into_values().collect();
        let expected = runtime().block_on(value_row::answers(&events, &ranges)).unwrap();
        macro_rules! check {
            ($($layout:ident)*) => {$(
                let answers = runtime().block_on($layout::answers(&events, &ranges)).unwrap();
                prop_assert_eq!(&answers, &expected, "{}", stringify!($layout));
            )*};
        }
        check!(value_cells value_columns value_qualifiers value_qualifiers_days);
    }
}
