use bigtable_model::{Model, Timestamp};

#[derive(Model)]
#[bigtable(table = "QUOTE", family = "MD")]
struct Quote {
    #[bigtable(key)]
    symbol: String,
    #[bigtable(time)]
    at: Timestamp,
    bid: f64,
    #[bigtable(text)]
    size: u32,
}

#[derive(Model)]
#[bigtable(table = "PAGE", family = "P")]
struct Page {
    #[bigtable(key)]
    path: String,
    views: u64,
}

fn main() {
    let _ = Quote::query().symbol("ZXZZT").events().matching(Page::FIELDS.views.equals(1_u64));
}
