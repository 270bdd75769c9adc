use bigtable_model::{Model, Timestamp};

#[derive(Clone)]
enum Side {
    Bid,
    Ask,
}

#[derive(Model)]
#[bigtable(table = "ORDER", family = "O")]
struct Order {
    #[bigtable(key)]
    side: Side,
    #[bigtable(time)]
    at: Timestamp,
    price: u64,
}

fn main() {
    let _ = [Side::Bid, Side::Ask];
}
