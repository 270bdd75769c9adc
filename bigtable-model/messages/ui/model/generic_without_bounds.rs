use bigtable_model::{Model, Timestamp};

#[derive(Model)]
#[bigtable(table = "METER", family = "M")]
struct Reading<T> {
    #[bigtable(key)]
    meter: String,
    #[bigtable(time)]
    at: Timestamp,
    value: T,
}

fn main() {
    let _ = Reading::<f64>::query();
}
