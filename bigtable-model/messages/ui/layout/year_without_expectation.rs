use bigtable_model::{Model, Timestamp};

#[derive(Model)]
#[bigtable(table = "METER", family = "M", layout = "columns")]
struct Meter {
    #[bigtable(key, width = 10)]
    id: u64,
    #[bigtable(time, bucket = "year")]
    at: Timestamp,
    value: f64,
}

fn main() {
    let _ = Meter::query();
}
