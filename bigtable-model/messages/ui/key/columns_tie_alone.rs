use bigtable_model::{Model, Timestamp};

#[derive(Model)]
#[bigtable(table = "MESSAGE", family = "M", layout = "columns", allow(endless_rows, time_first))]
struct Message {
    #[bigtable(time, bucket = "none")]
    at: Timestamp,
    #[bigtable(tie_breaker)]
    id: u32,
    text: String,
}

fn main() {}
