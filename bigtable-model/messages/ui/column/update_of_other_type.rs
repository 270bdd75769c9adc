use bigtable_model::{Model, Timestamp};

#[derive(Model)]
#[bigtable(table = "METER", family = "M")]
struct Reading {
    #[bigtable(key)]
    meter: String,
    #[bigtable(time)]
    at: Timestamp,
    value: f64,
}

fn main() {
    let key = ReadingKey { meter: "7".into(), at: Timestamp::from_seconds(0) };
    let _ = Reading::update(&key).value("30");
}
