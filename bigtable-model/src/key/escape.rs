/// A borrowed string segment whose key bytes may hold escapes.
#[derive(Debug, Clone, Copy)]
pub struct Escaped<'a> {
    bytes: &'a [u8],
    separator: u8,
}
