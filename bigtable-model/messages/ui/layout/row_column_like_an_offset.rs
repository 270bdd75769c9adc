use bigtable_model::{Model, Timestamp};

#[derive(Model)]
#[bigtable(table = "QUOTE", family = "MD", layout = "columns")]
struct Quote {
    #[bigtable(key, column = "0015", text)]
    meter: u32,
    #[bigtable(time, bucket = "day", offset = "%H%M")]
    at: Timestamp,
    bid: f64,
}

fn main() {
    let _ = Quote::query();
}
