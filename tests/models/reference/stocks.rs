//! Closing prices as versions of one cell, which the documents advise against: a series in a single
//! row.

use bigtable_model::{Model, Timestamp};
use rust_decimal::Decimal;

use super::{day, decimal, reproduces};

#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(
    table = "STOCK",
    family = "STOCK",
    layout = "cells",
    allow(endless_rows)
)]
struct Close {
    #[bigtable(key)]
    symbol: String,
    #[bigtable(time, bucket = "none")]
    date: Timestamp,
    #[bigtable(column = "PRICE", text)]
    price: Decimal,
}

#[tokio::test]
async fn closing_versions() {
    let prices = [
        ("2015-03-01", "558.40"),
        ("2015-03-02", "571.34"),
        ("2015-03-03", "573.64"),
        ("2015-03-04", "573.37"),
        ("2015-03-05", "575.33"),
    ];
    let events = prices.map(|(date, price)| Close {
        symbol: "ZXZZT".into(),
        date: day(date),
        price: decimal(price),
    });
    reproduces("stock-closing-versions", &events).await;
}
