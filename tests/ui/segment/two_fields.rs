use bigtable_model::KeySegment;

#[derive(Clone, KeySegment)]
struct Venue(String, String);

fn main() {}
