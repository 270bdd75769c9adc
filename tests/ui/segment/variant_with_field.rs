use bigtable_model::KeySegment;

#[derive(Clone, KeySegment)]
enum Venue {
    Nasdaq,
    Other(String),
}

fn main() {}
