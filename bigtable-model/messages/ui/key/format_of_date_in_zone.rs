use bigtable_model::Model;
use chrono::NaiveDate;

#[derive(Model)]
#[bigtable(table = "CLOSING", family = "C")]
struct Closing {
    #[bigtable(key)]
    symbol: String,
    #[bigtable(time, format = "%Y-%m-%d", zone = "-07:00")]
    day: NaiveDate,
    price: f64,
}

fn main() {}
