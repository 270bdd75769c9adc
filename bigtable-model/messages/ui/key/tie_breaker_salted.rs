use bigtable_model::{Model, Timestamp};

#[derive(Model)]
#[bigtable(table = "MESSAGE", family = "M")]
struct Message {
    #[bigtable(key)]
    room: String,
    #[bigtable(time, unit = "ms")]
    at: Timestamp,
    #[bigtable(tie_breaker, salt(shards = 4, of(id)))]
    id: u32,
    text: String,
}

fn main() {}
