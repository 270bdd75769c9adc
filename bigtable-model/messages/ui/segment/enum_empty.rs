use bigtable_model::KeySegment;

#[derive(Clone, KeySegment)]
enum Venue {}

fn main() {}
