use bigtable_model::{Model, Timestamp};

#[derive(Model)]
#[bigtable(table = "MESSAGE", family = "M", was(Old))]
struct Message {
    #[bigtable(key)]
    room: String,
    #[bigtable(time, unit = "ms")]
    at: Timestamp,
    #[bigtable(tie_breaker)]
    id: u32,
    text: String,
}

#[derive(Model)]
#[bigtable(table = "OLD", family = "M", layout = "columns")]
struct Old {
    #[bigtable(key)]
    room: String,
    #[bigtable(time, bucket = "day", unit = "ms")]
    at: Timestamp,
    #[bigtable(tie_breaker)]
    id: u32,
    text: String,
}

impl From<Old> for Message {
    fn from(old: Old) -> Self {
        let Old { room, at, id, text } = old;
        Self { room, at, id, text }
    }
}

fn main() {}
