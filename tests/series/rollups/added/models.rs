//! Requests in several layouts, each with a roll-up that the server adds.

use bigtable_model::query::{ByKey, ByTime, Erased, Query};
use bigtable_model::rollup::Rollup;
use bigtable_model::{Model, Timestamp};

/// A request as plain values: host, millisecond, bytes, and duration.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Plain {
    pub(super) host: String,
    pub(super) millis: i64,
    pub(super) bytes: i64,
    pub(super) took: Option<i64>,
}

/// Start and host of a bucket, with count, sum, minimum and maximum.
pub(super) type PlainBucket = (i64, String, i64, i64, i64, Option<i64>);

pub(super) trait Hit: Model<Key: Clone> + Clone + Sync {
    type Traffic: Traffic<Source = Self>;
    /// The tables of the roll-up, with the lengths of their buckets as text.
    const TABLES: [(&'static str, &'static str); 3];

    fn of(plain: &Plain) -> Self;
    fn asked(hosts: &[&str], from: i64, to: i64) -> Query<Self, Erased<ByTime>, Self>;
}

pub(super) trait Traffic: Rollup + std::fmt::Debug {
    fn plain(&self) -> PlainBucket;
    fn all() -> Query<Self, Erased<ByKey>, Self>;
}

macro_rules! hits {
    ($module:ident, [$($table:tt)*], [$($time:tt)*], $own:literal, $hours:literal, $days:literal) => {
        pub(super) mod $module {
            use super::*;

            #[derive(Debug, Clone, PartialEq, Model)]
            #[bigtable(family = "T", append_only, rollup(Minute), $($table)*)]
            pub(crate) struct Request {
                #[bigtable(key)]
                host: String,
                #[bigtable($($time)*)]
                at: Timestamp,
                bytes: i64,
                took: Option<i64>,
            }

            #[derive(Debug, Clone, PartialEq, Model, Rollup)]
            #[bigtable(table = $own, family = "SUM")]
            #[rollup(
                of = Request,
                every = "1m",
                longer(every = "1h", table = $hours),
                longer(every = "day", zone = "America/New_York", table = $days),
                added
            )]
            pub(crate) struct Minute {
                #[bigtable(key)]
                host: String,
                #[bigtable(time, unit = "s")]
                start: Timestamp,
                #[bigtable(aggregate = "sum")]
                #[rollup(count)]
                requests: i64,
                #[bigtable(aggregate = "sum")]
                #[rollup(sum)]
                bytes: i64,
                #[bigtable(aggregate = "min", family = "MIN")]
                #[rollup(min(bytes))]
                least: i64,
                #[bigtable(aggregate = "max", family = "MAX")]
                #[rollup(max(took))]
                slowest: Option<i64>,
            }

            impl super::Hit for Request {
                type Traffic = Minute;
                const TABLES: [(&'static str, &'static str); 3] = [
                    ($own, "60 seconds"),
                    ($hours, "3600 seconds"),
                    ($days, "1 day in America/New_York"),
                ];

                fn of(plain: &Plain) -> Self {
                    Self {
                        host: plain.host.clone(),
                        at: Timestamp::from_millis(plain.millis),
                        bytes: plain.bytes,
                        took: plain.took,
                    }
                }

                fn asked(hosts: &[&str], from: i64, to: i64) -> Query<Self, Erased<ByTime>, Self> {
                    let at = Timestamp::from_millis;
                    Self::query().host(hosts).at(at(from)..at(to)).events().erase()
                }
            }

            impl super::Traffic for Minute {
                fn plain(&self) -> PlainBucket {
                    let start = self.start.as_millis();
                    let sums = (self.requests, self.bytes);
                    (start, self.host.clone(), sums.0, sums.1, self.least, self.slowest)
                }

                fn all() -> Query<Self, Erased<ByKey>, Self> {
                    Self::scan().events().erase()
                }
            }
        }
    };
}

hits!(
    rows,
    [table = "REQUEST"],
    [time, unit = "ms"],
    "MINUTE",
    "HOUR",
    "DAY"
);
hits!(
    cells,
    [table = "CREQUEST", layout = "cells"],
    [time, bucket = "hour"],
    "CMINUTE",
    "CHOUR",
    "CDAY"
);
hits!(
    columns,
    [
        table = "OREQUEST",
        layout = "columns",
        serialize(postcard),
        salt(shards = 3, of(host, at))
    ],
    [time, bucket = "day"],
    "OMINUTE",
    "OHOUR",
    "ODAY"
);
