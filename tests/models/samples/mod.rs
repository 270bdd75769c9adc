//! One struct in every layout: the same code with other attributes. Every layout must behave the
//! same.

mod single;

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::ops::Range;

use bigtable_model::model::Editable;
use bigtable_model::{Backend, BackendExt, DeleteOutcome, Error, Timestamp};
use futures::future::BoxFuture;
use proptest::prelude::*;

pub use single::*;

/// The event of every layout.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    pub site: u8,
    pub sensor: String,
    /// Milliseconds since 1970.
    pub at: i64,
    pub level: i64,
    pub gain: Option<f64>,
    pub note: Option<String>,
}

pub type Identity = (i64, u8, String);

impl Event {
    pub fn identity(&self) -> Identity {
        (self.at, self.site, self.sensor.clone())
    }
}

/// A query.
#[derive(Debug, Clone)]
pub enum Ask {
    Series(u8, String, Range<i64>),
    Sensors(u8, Vec<String>, Range<i64>),
    NewestFirst(u8, String, u64),
    Latest(u8, Vec<String>, u64),
    Site(u8),
    Count(u8, String, Range<i64>),
}

/// The answer to a query: the events, or their number.
#[derive(Debug, PartialEq)]
pub enum Answer {
    Events(Vec<Event>),
    Count(u64),
}

impl Ask {
    /// The answer, computed by comparing every event.
    pub fn expected(&self, events: &BTreeMap<Identity, Event>) -> Answer {
        let selected = self.selected(events);
        match self {
            Self::Count(..) => Answer::Count(selected.len() as u64),
            _ => Answer::Events(selected),
        }
    }

    /// The selected events.
    pub fn selected(&self, events: &BTreeMap<Identity, Event>) -> Vec<Event> {
        let select = |wanted: &dyn Fn(&Event) -> bool| {
            let events = events.values().filter(|event| wanted(event));
            events.cloned().collect::<Vec<_>>()
        };
        let newest = |mut events: Vec<Event>, n: u64| {
            events.reverse();
            events.truncate(usize::try_from(n).unwrap());
            events
        };
        match self {
            Self::Series(site, sensor, times) | Self::Count(site, sensor, times) => {
                select(&|event| {
                    event.site == *site && event.sensor == *sensor && times.contains(&event.at)
                })
            }
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
        }
    }
}

/// A change of some columns of an event; `None` does not change a column.
#[derive(Debug, Clone)]
pub struct Sets {
    pub level: Option<i64>,
    pub gain: Option<Option<f64>>,
    pub note: Option<Option<String>>,
}

/// A column.
#[derive(Debug, Clone, Copy)]
pub enum Field {
    Level,
    Gain,
    Note,
}

/// The struct in a layout.
pub trait Sampled: Editable<Key: Send> + Debug + Send + Sync {
    /// Whether fields have separate columns, which can be changed individually.
    const HAS_COLUMNS: bool;

    fn of(event: &Event) -> Self;
    fn event(self) -> Event;
    fn answer<'a>(db: &'a dyn Backend, ask: &'a Ask) -> BoxFuture<'a, Result<Answer, Error>>;
    fn all(db: &dyn Backend) -> BoxFuture<'_, Result<Vec<Self>, Error>>;
    /// Deletes the selected events.
    fn delete_asked<'a>(db: &'a dyn Backend, ask: &'a Ask) -> BoxFuture<'a, DeleteOutcome>;

    fn send_update<'a>(
        db: &'a dyn Backend,
        key: &Self::Key,
        sets: &Sets,
    ) -> BoxFuture<'a, Result<(), Error>> {
        let _ = key;
        panic!("{db:?} can\'t do {sets:?}")
    }

    fn delete_field<'a>(
        db: &'a dyn Backend,
        key: &'a Self::Key,
        field: Field,
    ) -> BoxFuture<'a, Result<(), Error>> {
        let _ = key;
        panic!("{db:?} can\'t do {field:?}")
    }
}

pub fn millis(range: &Range<i64>) -> Range<Timestamp> {
    Timestamp::from_millis(range.start)..Timestamp::from_millis(range.end)
}

/// Operations on fields with columns.
macro_rules! of_columns {
    (columns) => {
        const HAS_COLUMNS: bool = true;

        fn send_update<'a>(
            db: &'a dyn Backend,
            key: &SampleKey,
            sets: &Sets,
        ) -> BoxFuture<'a, Result<(), Error>> {
            let mut update = Sample::update(key);
            if let Some(level) = sets.level {
                update = update.level(level);
            }
            if let Some(gain) = sets.gain {
                update = update.gain(gain);
            }
            if let Some(note) = &sets.note {
                update = update.note(note.clone());
            }
            db.send(update)
        }

        fn delete_field<'a>(
            db: &'a dyn Backend,
            key: &'a SampleKey,
            field: Field,
        ) -> BoxFuture<'a, Result<(), Error>> {
            match field {
                Field::Level => BackendExt::delete_cell(db, key, Sample::FIELDS.level).boxed(),
                Field::Gain => BackendExt::delete_cell(db, key, Sample::FIELDS.gain).boxed(),
                Field::Note => BackendExt::delete_cell(db, key, Sample::FIELDS.note).boxed(),
            }
        }
    };
    (serialized) => {
        const HAS_COLUMNS: bool = false;
    };
}

/// A model in one layout, with its writes and queries.
macro_rules! layout {
    ($module:ident, $kind:ident, [$($layout:tt)*], [$($time:tt)*]) => {
        pub mod $module {
            use bigtable_model::{Backend, DeleteOutcome, Error, Model, Timestamp};
            use futures::future::{BoxFuture, FutureExt as _};

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

            impl Sampled for Sample {
                of_columns!($kind);

                fn of(event: &Event) -> Self {
                    Self {
                        site: event.site,
                        sensor: event.sensor.clone(),
                        at: Timestamp::from_millis(event.at),
                        level: event.level,
                        gain: event.gain,
                        note: event.note.clone(),
                    }
                }

                fn event(self) -> Event {
                    Event {
                        site: self.site,
                        sensor: self.sensor,
                        at: self.at.as_millis(),
                        level: self.level,
                        gain: self.gain,
                        note: self.note,
                    }
                }

                fn answer<'a>(db: &'a dyn Backend, ask: &'a Ask) -> BoxFuture<'a, Result<Answer, Error>> {
                    let events = |found: Vec<Self>| {
                        Answer::Events(found.into_iter().map(Sampled::event).collect())
                    };
                    async move {
                        let found = match ask {
                            Ask::Series(site, sensor, times) => {
                                db.fetch(&Self::query().site(*site).sensor(sensor).at(millis(times))).await
                            }
                            Ask::Sensors(site, sensors, times) => {
                                let query = Self::query().site(*site).sensor(&sensors[..]);
                                db.fetch(&query.at(millis(times))).await
                            }
                            Ask::NewestFirst(site, sensor, n) => {
                                let query = Self::query().site(*site).sensor(sensor);
                                db.fetch(&query.events().newest_first().limit(*n)).await
                            }
                            Ask::Latest(site, sensors, n) => {
                                db.fetch(&Self::query().site(*site).sensor(&sensors[..]).events().newest_first().limit(*n)).await
                            }
                            Ask::Site(site) => db.fetch(&Self::query().site(*site)).await,
                            Ask::Count(site, sensor, times) => {
                                let query = Self::query().site(*site).sensor(sensor).at(millis(times));
                                return Ok(Answer::Count(db.count(&query).await?));
                            }
                        };
                        Ok(events(found?))
                    }
                    .boxed()
                }

                fn all(db: &dyn Backend) -> BoxFuture<'_, Result<Vec<Self>, Error>> {
                    async move { db.fetch(&Self::scan()).await }.boxed()
                }

                fn delete_asked<'a>(db: &'a dyn Backend, ask: &'a Ask) -> BoxFuture<'a, DeleteOutcome> {
                    async move {
                        match ask {
                            Ask::Series(site, sensor, times) | Ask::Count(site, sensor, times) => {
                                db.delete_all(&Self::query().site(*site).sensor(sensor).at(millis(times))).await
                            }
                            Ask::Sensors(site, sensors, times) => {
                                let query = Self::query().site(*site).sensor(&sensors[..]);
                                db.delete_all(&query.at(millis(times))).await
                            }
                            Ask::NewestFirst(site, sensor, n) => {
                                let query = Self::query().site(*site).sensor(sensor);
                                db.delete_all(&query.events().newest_first().limit(*n)).await
                            }
                            Ask::Latest(site, sensors, n) => {
                                let query = Self::query().site(*site).sensor(&sensors[..]);
                                db.delete_all(&query.events().newest_first().limit(*n)).await
                            }
                            Ask::Site(site) => db.delete_all(&Self::query().site(*site)).await,
                        }
                    }
                    .boxed()
                }
            }
        }
    };
}

layout!(row, columns, [], [unit = "ms"]);
layout!(row_written, columns, [cell_time = "write"], [unit = "ms"]);
layout!(row_reversed, columns, [], [unit = "ms", reverse]);
layout!(row_json, serialized, [serialize(json)], [unit = "ms"]);
layout!(
    row_postcard,
    serialized,
    [serialize(postcard)],
    [unit = "ms"]
);
layout!(row_proto, serialized, [serialize(proto)], [unit = "ms"]);
layout!(cells, columns, [layout = "cells"], [bucket = "hour"]);
layout!(
    cells_weeks,
    columns,
    [layout = "cells"],
    [bucket = "week", label = "w{n:04}", origin = "2020-01-01"]
);
layout!(
    cells_json,
    serialized,
    [layout = "cells", serialize(json)],
    [bucket = "day"]
);
layout!(
    cells_postcard,
    serialized,
    [layout = "cells", serialize(postcard)],
    [bucket = "day", zone = "Europe/Berlin"]
);
layout!(
    columns,
    columns,
    [layout = "columns"],
    [bucket = "day", unit = "ms"]
);
layout!(
    columns_reversed,
    columns,
    [layout = "columns"],
    [bucket = "15m", unit = "ms", reverse]
);
layout!(
    columns_json,
    serialized,
    [layout = "columns", serialize(json)],
    [bucket = "month", unit = "ms"]
);
layout!(
    columns_endless,
    columns,
    [layout = "columns", allow(endless_rows)],
    [bucket = "none", unit = "ms"]
);
layout!(
    cells_reversed,
    columns,
    [layout = "cells"],
    [bucket = "1h", reverse]
);
layout!(
    cells_proto,
    serialized,
    [layout = "cells", serialize(proto)],
    [bucket = "month"]
);
layout!(
    columns_by_fields,
    columns,
    [layout = "columns"],
    [bucket = "day", offset = "%H:%M:%S%3f"]
);
layout!(
    columns_written,
    columns,
    [layout = "columns", cell_time = "write"],
    [bucket = "month", unit = "ms"]
);
layout!(
    salted,
    columns,
    [layout = "cells", salt(shards = 4, of(sensor, at))],
    [bucket = "hour"]
);
layout!(
    salted_row,
    columns,
    [salt(shards = 4, of(sensor, at))],
    [unit = "ms"]
);

/// Passes the modules of all layouts to a macro.
macro_rules! every_layout {
    ($callback:ident) => {
        $callback!(row row_written row_reversed row_json row_postcard row_proto);
        $callback!(cells cells_weeks cells_json cells_postcard cells_proto cells_reversed);
        $callback!(columns columns_reversed columns_json columns_endless columns_by_fields columns_written);
        $callback!(salted salted_row);
    };
}
pub(crate) use every_layout;

const HOUR: i64 = 3_600_000;
/// An hour before a Monday on which clocks change in Berlin.
const START: i64 = 1_711_832_400_000;

pub fn time() -> impl Strategy<Value = i64> + Clone {
    let around = prop_oneof![Just(0), Just(-1), Just(1), -HOUR..HOUR];
    (0_i64..40, around).prop_map(|(hours, around)| START + hours * HOUR + around)
}

pub fn range() -> impl Strategy<Value = Range<i64>> + Clone {
    (time(), time()).prop_map(|(a, b)| a.min(b)..a.max(b) + 1)
}

pub fn sensor() -> impl Strategy<Value = String> + Clone {
    prop::sample::select(vec!["a", "b", "bb"]).prop_map(str::to_owned)
}

pub fn gain() -> impl Strategy<Value = Option<f64>> {
    prop::option::of(prop::sample::select(vec![0.5, -1.25, 1e300]))
}

pub fn note() -> impl Strategy<Value = Option<String>> {
    prop::option::of("[a-z]{0,3}")
}

pub fn event_at(time: impl Strategy<Value = i64>) -> impl Strategy<Value = Event> {
    (0_u8..2, sensor(), time, any::<i64>(), gain(), note()).prop_map(
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

pub fn event() -> impl Strategy<Value = Event> {
    event_at(time())
}

pub fn ask() -> impl Strategy<Value = Ask> {
    let sensors = prop::collection::vec(sensor(), 0..4);
    prop_oneof![
        (0_u8..2, sensor(), range())
            .prop_map(|(site, sensor, times)| Ask::Series(site, sensor, times)),
        (0_u8..2, sensors.clone(), range())
            .prop_map(|(site, sensors, times)| Ask::Sensors(site, sensors, times)),
        (0_u8..2, sensor(), 0_u64..6)
            .prop_map(|(site, sensor, n)| Ask::NewestFirst(site, sensor, n)),
        (0_u8..2, sensors, 0_u64..6).prop_map(|(site, sensors, n)| Ask::Latest(site, sensors, n)),
        (0_u8..2).prop_map(Ask::Site),
        (0_u8..2, sensor(), range())
            .prop_map(|(site, sensor, times)| Ask::Count(site, sensor, times)),
    ]
}
