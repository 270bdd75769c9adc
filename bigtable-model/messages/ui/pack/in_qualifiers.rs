use bigtable_model::{Model, Timestamp};

#[derive(Model)]
#[bigtable(table = "POWER", family = "M", layout = "qualifiers", pack(after = "1h"))]
struct Power {
    #[bigtable(key)]
    meter: String,
    #[bigtable(time, unit = "s", bucket = "day")]
    at: Timestamp,
    watts: String,
}

fn main() {
    let _ = Power::query();
}
