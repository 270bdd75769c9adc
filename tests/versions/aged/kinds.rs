//! Pairs with tables by period and rules of garbage collection.

use bigtable_model::{Backend, BackendExt, Timestamp};
use futures::future::{BoxFuture, FutureExt as _};

use super::DAY;
use crate::pairs::Pair;

/// What the attributes of a pair say, in plain words.
pub(super) trait Aged: Pair + 'static {
    const NAME: &'static str;
    /// How long the former layout and today's keep an event, in milliseconds.
    const KEEPS: [Option<i64>; 2];
    /// Whether each day has a table in the former layout.
    const BY_DAY: bool;

    /// Deletes the former tables of the days before a time.
    fn drop_before(db: &dyn Backend, time: i64) -> BoxFuture<'_, ()>;
}

macro_rules! by_day {
    (by_day) => {
        true
    };
    ($other:ident) => {
        false
    };
    (by_day, $model:ty, $db:ident, $time:ident) => {
        $db.drop_tables_before::<$model>(Timestamp::from_millis($time))
            .await
            .map(drop)
            .unwrap()
    };
    ($other:ident, $model:ty, $db:ident, $time:ident) => {{
        let _ = ($db, $time);
    }};
}

macro_rules! aged {
    ($(
        $name:ident, $order:ident, narrows: $narrows:literal,
        $old_tables:ident $key:tt [$($old:tt)*] $old_time:tt $old_keeps:expr,
        $new_tables:ident [$($new:tt)*] $new_time:tt $new_keeps:expr;
    )+) => {
        $(
            pair_in! {
                $name, $order, narrows: $narrows,
                old: $old_tables $key [$($old)*] $old_time,
                new: $new_tables [$($new)*] $new_time
            }

            impl Aged for $name::Both {
                const NAME: &'static str = stringify!($name);
                const KEEPS: [Option<i64>; 2] = [$old_keeps, $new_keeps];
                const BY_DAY: bool = by_day!($old_tables);

                fn drop_before(db: &dyn Backend, time: i64) -> BoxFuture<'_, ()> {
                    async move { by_day!($old_tables, $name::Old, db, time); }.boxed()
                }
            }
        )+

        macro_rules! every_aged {
            ($callback:ident) => { $callback!($($name)+); };
        }
        pub(super) use every_aged;
    };
}

aged! {
    days_to_row, Ascending, narrows: true,
    by_day {site: u8, sensor: String} [table = "OLD_{at:%Y%m%d}"] [unit = "ms"] None,
    fixed [table = "NEW"] [unit = "ms"] None;

    row_to_days, Ascending, narrows: true,
    fixed {site: u8, sensor: String} [table = "OLD"] [unit = "ms"] None,
    by_day [table = "NEW_{at:%Y%m%d}", layout = "cells"] [bucket = "hour"] None;

    days_to_months, Ascending, narrows: true,
    by_day {site: u8, sensor: String} [table = "OLD_{at:%Y%m%d}", layout = "cells"] [bucket = "hour"] None,
    by_month [table = "NEW_{at:%Y_%m}"] [unit = "ms"] None;

    days_to_salted, Different, narrows: true,
    by_day {site: u8, sensor: String} [table = "OLD_{at:%Y%m%d}"] [unit = "ms"] None,
    fixed [table = "NEW", layout = "cells", salt(shards = 3, of(sensor, at))] [bucket = "hour"] None;

    kept_shorter, Ascending, narrows: true,
    fixed {site: u8, sensor: String} [table = "OLD", gc(max_age = "30d")] [unit = "ms"] Some(30 * DAY),
    fixed [table = "NEW", layout = "cells", gc(max_age = "2d")] [bucket = "hour"] Some(2 * DAY);

    kept_longer, Ascending, narrows: true,
    fixed {site: u8, sensor: String} [table = "OLD", layout = "cells", gc(max_age = "2d")] [bucket = "hour"] Some(2 * DAY),
    fixed [table = "NEW", gc(max_age = "30d")] [unit = "ms"] Some(30 * DAY);

    kept_alike, Ascending, narrows: true,
    fixed {site: u8, sensor: String} [table = "OLD", serialize(json), gc(max_age = "5d")] [unit = "ms"] Some(5 * DAY),
    fixed [table = "NEW", layout = "columns", gc(max_age = "5d")] [bucket = "day", unit = "ms"] Some(5 * DAY);

    days_kept_shorter, Ascending, narrows: true,
    by_day {site: u8, sensor: String} [table = "OLD_{at:%Y%m%d}", gc(max_age = "3d")] [unit = "ms"] Some(3 * DAY),
    by_day [table = "NEW_{at:%Y%m%d}", gc(max_age = "1d")] [unit = "ms"] Some(DAY);

    forever_to_swapped, Different, narrows: false,
    fixed {sensor: String, site: u8} [table = "OLD"] [unit = "ms"] None,
    fixed [table = "NEW", gc(max_age = "2d")] [unit = "ms"] Some(2 * DAY);

    swapped_to_forever, Different, narrows: false,
    fixed {sensor: String, site: u8} [table = "OLD", gc(max_age = "2d")] [unit = "ms"] Some(2 * DAY),
    fixed [table = "NEW"] [unit = "ms"] None;

    one_version, Ascending, narrows: true,
    fixed {site: u8, sensor: String} [table = "OLD", gc(max_versions = 1)] [unit = "ms"] None,
    fixed [table = "NEW", cell_time = "write", gc(max_versions = 1)] [unit = "ms"] None;

    reversed_to_days, Different, narrows: true,
    fixed {site: u8, sensor: String} [table = "OLD", gc(any(max_age = "3d", max_versions = 2))] [unit = "ms", reverse] Some(3 * DAY),
    by_day [table = "NEW_{at:%Y%m%d}", layout = "columns", gc(max_age = "10d")] [bucket = "hour"] Some(10 * DAY);
}
