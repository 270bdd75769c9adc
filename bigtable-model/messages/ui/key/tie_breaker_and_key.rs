use bigtable_model::{Model, Timestamp};

#[derive(Model)]
#[bigtable(table = "MESSAGE", family = "M")]
struct Message {
    #[bigtable(key)]
    room: String,
    #[bigtable(time, unit = "ms")]
    at: Timestamp,
    #[bigtable(key, tie_breaker)]
    id: u32,
    text: String,
}

fn main() {}
