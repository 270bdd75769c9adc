use bigtable_model::{Model, Timestamp};

#[derive(Model)]
#[bigtable(table = "MESSAGE", family = "M", layout = "cells", gc(max_age = "30d"))]
struct Message {
    #[bigtable(key)]
    room: String,
    #[bigtable(time, bucket = "day")]
    at: Timestamp,
    #[bigtable(tie_breaker)]
    id: u32,
    text: String,
}

fn main() {}
