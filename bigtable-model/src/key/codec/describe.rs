use std::fmt;

use crate::key::KeyLayout;

/// Displays a key as its values; made by [`KeyLayout::describe`].
///
/// Text that is empty, or has spaces, quotes or control characters, is quoted. Bytes that are not a
/// key of the layout are displayed in quotes, with escapes for bytes that are not printable.
#[derive(Debug, Clone, Copy)]
pub struct DescribedKey<'a> {
    layout: &'a KeyLayout,
    key: &'a [u8],
}

impl<'a> DescribedKey<'a> {
    pub(in crate::key) fn new(layout: &'a KeyLayout, key: &'a [u8]) -> Self {
        Self { layout, key }
    }
}

impl fmt::Display for DescribedKey<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Ok(values) = self.layout.decode_either(self.key) else {
            return write!(f, "\"{}\"", self.key.escape_ascii());
        };
        let shown = self.layout.valued().zip(&values);
        let shown = shown.filter(|((_, segment), _)| !segment.is_absent());
        for (at, ((_, segment), value)) in shown.enumerate() {
            let space = if at > 0 { " " } else { "" };
            write!(f, "{space}{}={value}", segment.name)?;
        }
        Ok(())
    }
}
