use bigtable_model::{Model, Timestamp};

#[derive(Model)]
#[bigtable(table = "MESSAGE", family = "M")]
struct Message {
    #[bigtable(key)]
    room: String,
    #[bigtable(tie_breaker)]
    id: u32,
    #[bigtable(time, unit = "ms")]
    at: Timestamp,
    text: String,
}

fn main() {}
