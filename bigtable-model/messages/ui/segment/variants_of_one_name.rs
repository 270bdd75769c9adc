use bigtable_model::KeySegment;

#[derive(Clone, KeySegment)]
enum Venue {
    Nasdaq,
    #[bigtable(name = "Nasdaq")]
    Other,
}

fn main() {}
