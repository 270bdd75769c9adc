//! A struct with one value, which layout `qualifiers` supports too.

use std::fmt::Debug;
use std::ops::Range;

use bigtable_model::model::Editable;
use bigtable_model::{Backend, DeleteOutcome, Error};
use futures::future::BoxFuture;

/// Sensor, milliseconds since 1970, value.
pub type Reading = (String, i64, i64);

/// The struct in a layout.
pub trait Valued: Editable<Key: Send> + Debug + Send + Sync {
    /// Whether two events with the same identity and different values are both kept.
    const KEEPS_BOTH: bool;

    fn of(reading: &Reading) -> Self;
    fn reading(self) -> Reading;
    fn between<'a>(
        db: &'a dyn Backend,
        sensors: &'a [&str],
        times: &'a Range<i64>,
    ) -> BoxFuture<'a, Result<Vec<Self>, Error>>;
    fn newest<'a>(
        db: &'a dyn Backend,
        sensor: &'a str,
        n: u64,
    ) -> BoxFuture<'a, Result<Vec<Self>, Error>>;
    fn all(db: &dyn Backend) -> BoxFuture<'_, Result<Vec<Self>, Error>>;
    fn delete_between<'a>(
        db: &'a dyn Backend,
        sensors: &'a [String],
        times: &'a Range<i64>,
    ) -> BoxFuture<'a, DeleteOutcome>;
    fn delete_newest<'a>(
        db: &'a dyn Backend,
        sensor: &'a str,
        n: u64,
    ) -> BoxFuture<'a, DeleteOutcome>;
    fn set_level<'a>(
        db: &'a dyn Backend,
        key: &Self::Key,
        level: i64,
    ) -> BoxFuture<'a, Result<(), Error>>;
    fn delete_level<'a>(
        db: &'a dyn Backend,
        key: &'a Self::Key,
    ) -> BoxFuture<'a, Result<(), Error>>;
}

macro_rules! single {
    ($module:ident, $keeps_both:literal, [$($layout:tt)*], [$($time:tt)*]) => {
        pub mod $module {
            use bigtable_model::{Backend, BackendExt as _, DeleteOutcome, Error, Model, Timestamp};
            use futures::future::{BoxFuture, FutureExt as _};

            use super::*;
            use crate::samples::millis;

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

            impl Valued for Value {
                const KEEPS_BOTH: bool = $keeps_both;

                fn of((sensor, at, level): &Reading) -> Self {
                    Self {
                        sensor: sensor.clone(),
                        at: Timestamp::from_millis(*at),
                        level: *level,
                    }
                }

                fn reading(self) -> Reading {
                    (self.sensor, self.at.as_millis(), self.level)
                }

                fn between<'a>(
                    db: &'a dyn Backend,
                    sensors: &'a [&str],
                    times: &'a Range<i64>,
                ) -> BoxFuture<'a, Result<Vec<Self>, Error>> {
                    async move { db.fetch(&Self::query().sensor(sensors).at(millis(times))).await }.boxed()
                }

                fn newest<'a>(
                    db: &'a dyn Backend,
                    sensor: &'a str,
                    n: u64,
                ) -> BoxFuture<'a, Result<Vec<Self>, Error>> {
                    async move { db.fetch(&Self::query().sensor(sensor).events().newest_first().limit(n)).await }.boxed()
                }

                fn all(db: &dyn Backend) -> BoxFuture<'_, Result<Vec<Self>, Error>> {
                    async move { db.fetch(&Self::scan()).await }.boxed()
                }

                fn delete_between<'a>(
                    db: &'a dyn Backend,
                    sensors: &'a [String],
                    times: &'a Range<i64>,
                ) -> BoxFuture<'a, DeleteOutcome> {
                    async move { db.delete_all(&Self::query().sensor(sensors).at(millis(times))).await }.boxed()
                }

                fn delete_newest<'a>(
                    db: &'a dyn Backend,
                    sensor: &'a str,
                    n: u64,
                ) -> BoxFuture<'a, DeleteOutcome> {
                    async move {
                        let query = Self::query().sensor(sensor).events().newest_first().limit(n);
                        db.delete_all(&query).await
                    }
                    .boxed()
                }

                fn set_level<'a>(
                    db: &'a dyn Backend,
                    key: &ValueKey,
                    level: i64,
                ) -> BoxFuture<'a, Result<(), Error>> {
                    db.send(Self::update(key).level(level))
                }

                fn delete_level<'a>(
                    db: &'a dyn Backend,
                    key: &'a ValueKey,
                ) -> BoxFuture<'a, Result<(), Error>> {
                    db.delete_cell(key, Self::FIELDS.level).boxed()
                }
            }
        }
    };
}

single!(value_row, false, [], [unit = "ms"]);
single!(value_cells, false, [layout = "cells"], [bucket = "hour"]);
single!(
    value_columns,
    false,
    [layout = "columns"],
    [bucket = "hour", unit = "ms"]
);
single!(
    value_columns_written,
    false,
    [
        layout = "columns",
        cell_time = "write",
        salt(shards = 3, of(at))
    ],
    [bucket = "day", unit = "ms", reverse]
);
single!(
    value_qualifiers,
    true,
    [layout = "qualifiers"],
    [bucket = "hour"]
);
single!(
    value_qualifiers_days,
    true,
    [layout = "qualifiers", salt(shards = 4, of(sensor, at))],
    [bucket = "day", zone = "America/New_York"]
);

/// Passes the modules of all layouts to a macro.
macro_rules! every_single {
    ($callback:ident) => {
        $callback!(value_row value_cells value_columns value_columns_written);
        $callback!(value_qualifiers value_qualifiers_days);
    };
}
pub(crate) use every_single;
