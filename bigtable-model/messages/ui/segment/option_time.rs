use bigtable_model::{Model, Timestamp};

#[derive(Model)]
#[bigtable(table = "METER", family = "M")]
struct Reading {
    #[bigtable(key)]
    meter: String,
    #[bigtable(time)]
    at: Option<Timestamp>,
    value: f64,
}

fn main() {
    let _: Option<Timestamp> = None;
}
