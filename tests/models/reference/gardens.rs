//! A vegetable garden's temperature, tall and wide.

use bigtable_model::{Model, Timestamp};
use rust_decimal::Decimal;

use super::{day, decimal, reproduces};

const TEMPERATURES: [(&str, &str); 6] = [
    ("2015-03-01", "60.4"),
    ("2015-03-02", "61.2"),
    ("2015-03-03", "61.0"),
    ("2015-03-04", "65.1"),
    ("2015-03-05", "62.2"),
    ("2015-03-31", "60.4"),
];

#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "GARDEN_TALL", family = "DAILY")]
struct Tall {
    #[bigtable(key)]
    garden: String,
    #[bigtable(time, format = "%Y%m%d")]
    date: Timestamp,
    #[bigtable(column = "TEMP", text)]
    temperature: Decimal,
}

#[tokio::test]
async fn tall() {
    let events = TEMPERATURES.map(|(date, temperature)| Tall {
        garden: "VEGGIEGARDEN".into(),
        date: day(date),
        temperature: decimal(temperature),
    });
    reproduces("garden-tall", &events).await;
}

#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "GARDEN_WIDE", family = "TEMP", layout = "columns")]
struct Wide {
    #[bigtable(key)]
    garden: String,
    #[bigtable(time, bucket = "month", label = "%Y%m%d", offset = "%-d")]
    date: Timestamp,
    #[bigtable(text)]
    temperature: Decimal,
}

#[tokio::test]
async fn wide() {
    let events = TEMPERATURES.map(|(date, temperature)| Wide {
        garden: "VEGGIEGARDEN".into(),
        date: day(date),
        temperature: decimal(temperature),
    });
    reproduces("garden-wide", &events).await;
}
