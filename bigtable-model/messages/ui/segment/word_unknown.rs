use bigtable_model::KeySegment;

#[derive(Clone, KeySegment)]
enum Venue {
    #[bigtable(rename = "NASDAQ")]
    Nasdaq,
}

fn main() {}
