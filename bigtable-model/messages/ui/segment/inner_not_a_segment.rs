use bigtable_model::KeySegment;

#[derive(Clone)]
struct Inner;

#[derive(Clone, KeySegment)]
struct Venue(Inner);

fn main() {}
