use super::KeyLayout;

/// Takes a key apart, segment by segment.
#[derive(Debug, Clone)]
pub struct KeyReader<'a> {
    layout: &'a KeyLayout,
    rest: &'a [u8],
}
