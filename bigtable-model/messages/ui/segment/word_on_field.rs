use bigtable_model::KeySegment;

#[derive(Clone, KeySegment)]
struct Host(#[bigtable(width = 6)] String);

fn main() {}
