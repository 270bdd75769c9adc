use bigtable_model::KeySegment;

#[derive(Clone, Copy, KeySegment)]
union Venue {
    code: u8,
}

fn main() {}
