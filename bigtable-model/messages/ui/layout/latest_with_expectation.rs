use bigtable_model::{Model, Timestamp};

#[derive(Model)]
#[bigtable(table = "CURRENT", family = "MD", layout = "latest", expect(every = "5s", size = 100))]
struct Current {
    #[bigtable(key)]
    symbol: String,
    #[bigtable(time)]
    at: Timestamp,
    bid: f64,
}

fn main() {
    let _ = Current::query();
}
