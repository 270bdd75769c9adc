//! A day of an electricity meter, and the nightly table of a day.

use bigtable_model::{Model, Timestamp};
use rust_decimal::Decimal;

use super::{at, decimal, reproduces};

macro_rules! reading {
    ($name:ident, $table:literal) => {
        #[derive(Debug, Clone, PartialEq, Model)]
        #[bigtable(table = $table, family = "METER", layout = "columns")]
        struct $name {
            #[bigtable(key, width = 10, column = "ID", text)]
            meter: u64,
            #[bigtable(time, bucket = "day", offset = "%H%M")]
            at: Timestamp,
            #[bigtable(text)]
            kilowatt_hours: Decimal,
        }

        impl $name {
            fn all() -> [Self; 4] {
                let values = [
                    ("00:00", "12.34"),
                    ("00:15", "13.45"),
                    ("23:30", "27.89"),
                    ("23:45", "28.90"),
                ];
                values.map(|(time, value)| Self {
                    meter: 987_654,
                    at: at(&format!("2017-07-26T{time}Z")),
                    kilowatt_hours: decimal(value),
                })
            }
        }
    };
}

reading!(Reading, "SENSOR");
// The tables by day; the documents print the one of the 26th of July.
reading!(ReadingOfDay, "SENSOR_{at:%Y%m%d}");

#[tokio::test]
async fn day() {
    reproduces("meter-day", &Reading::all()).await;
}

#[tokio::test]
async fn of_day() {
    reproduces("meter-of-day", &ReadingOfDay::all()).await;
}
