use bigtable_model::{Model, Timestamp};

#[derive(Model)]
#[bigtable(table = "POWER", family = "M", layout = "row", pack(after = "1h"))]
struct Power {
    #[bigtable(key)]
    meter: String,
    #[bigtable(time, unit = "s")]
    at: Timestamp,
    watts: f64,
}

fn main() {
    let _ = Power::query();
}
