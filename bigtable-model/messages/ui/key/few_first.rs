use bigtable_model::{KeySegment, Model, Timestamp};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, KeySegment)]
enum Side {
    Buy,
    Sell,
}

#[derive(Model)]
#[bigtable(table = "ORDER", family = "O")]
struct Order {
    #[bigtable(key)]
    side: Side,
    #[bigtable(time)]
    at: Timestamp,
    #[bigtable(key)]
    symbol: String,
    shares: u32,
}

fn main() {
    let _ = Order::query();
}
