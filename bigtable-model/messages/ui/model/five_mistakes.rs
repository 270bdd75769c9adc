use bigtable_model::{Model, Timestamp};

#[derive(Model)]
#[bigtable(table = "QUOTE 2015", family = "MD", separator = "x")]
struct Quote {
    #[bigtable(key, widht = 6)]
    exchange: String,
    #[bigtable(time, unit = "minutes")]
    at: Timestamp,
    #[bigtable(column = "BID")]
    bid: f64,
    #[bigtable(column = "BID")]
    ask: f64,
}

fn main() {
    let _ = Quote::query().exchange("NASDAQ").at(Timestamp::MIN..Timestamp::MAX).events().plan();
}
