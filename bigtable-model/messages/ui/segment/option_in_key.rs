use bigtable_model::{Model, Timestamp};

#[derive(Model)]
#[bigtable(table = "METER", family = "M")]
struct Reading {
    #[bigtable(key)]
    meter: Option<String>,
    #[bigtable(time)]
    at: Timestamp,
    value: f64,
}

fn main() {
    let _: Option<Timestamp> = None;
}
