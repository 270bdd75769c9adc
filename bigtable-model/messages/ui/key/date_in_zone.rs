use bigtable_model::Model;
use chrono::NaiveDate;

#[derive(Model)]
#[bigtable(table = "CLOSING", family = "C", layout = "columns")]
struct Closing {
    #[bigtable(key)]
    symbol: String,
    #[bigtable(time, bucket = "month", zone = "America/New_York")]
    day: NaiveDate,
    price: f64,
}

fn main() {}
