use bigtable_model::{Model, Timestamp};

#[derive(Model)]
#[bigtable(table = "MESSAGE", family = "M", layout = "columns", pack(after = "1h"))]
struct Message {
    #[bigtable(key)]
    room: String,
    #[bigtable(time, bucket = "day", unit = "ms")]
    at: Timestamp,
    #[bigtable(tie_breaker)]
    id: u32,
    text: String,
}

fn main() {}
