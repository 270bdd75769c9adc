//! Metrics of servers, and the newest of each.

use bigtable_model::{Model, Timestamp};
use rust_decimal::Decimal;

use super::{decimal, reproduces};

#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "METRIC", family = "METRIC")]
struct Metric {
    #[bigtable(key)]
    host: String,
    #[bigtable(time, unit = "ms")]
    at: Timestamp,
    #[bigtable(column = "CPU/CPU1_USR", text)]
    user: Decimal,
    #[bigtable(column = "CPU/CPU1_NICE", text)]
    nice: Decimal,
    #[bigtable(column = "IO/BLK_READ", text)]
    read: u64,
    #[bigtable(column = "MIO/BLK_WRTN", text)]
    written: u64,
}

#[tokio::test]
async fn metric() {
    let metric = Metric {
        host: "server1.bbb.com".into(),
        at: Timestamp::from_millis(1_426_535_612_045),
        user: decimal("0.02"),
        nice: decimal("0.00"),
        read: 253_453_634,
        written: 657_365_234,
    };
    reproduces("server-metric", &[metric]).await;
}

#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "CURRENT_METRIC", family = "METRIC", layout = "latest")]
struct CurrentMetric {
    #[bigtable(key)]
    host: String,
    #[bigtable(time)]
    at: Timestamp,
    #[bigtable(column = "CPU/CPU1_USR", text)]
    user: Decimal,
    #[bigtable(column = "CPU/CPU1_NICE", text)]
    nice: Decimal,
    #[bigtable(column = "IO/BLK_READ", text)]
    read: u64,
    #[bigtable(column = "MIO/BLK_WRTN", text)]
    written: u64,
}

#[tokio::test]
async fn current_metric() {
    let metric = CurrentMetric {
        host: "server1.bbb.com".into(),
        at: Timestamp::from_millis(1_426_535_612_045),
        user: decimal("0.02"),
        nice: decimal("0.00"),
        read: 253_453_634,
        written: 657_365_234,
    };
    reproduces("server-current-metric", &[metric]).await;
}
