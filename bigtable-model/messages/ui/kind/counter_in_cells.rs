use bigtable_model::{Model, Timestamp};

#[derive(Model)]
#[bigtable(table = "PAGE", family = "P", layout = "cells")]
struct Page {
    #[bigtable(key)]
    path: String,
    #[bigtable(time, bucket = "day", unit = "ms")]
    at: Timestamp,
    #[bigtable(counter)]
    views: i64,
}

fn main() {}
