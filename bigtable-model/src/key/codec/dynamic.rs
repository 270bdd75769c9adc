//! Values as data, encoded and decoded according to a segment's description.

use crate::key::{Segment, SegmentError, SegmentFormat, SegmentValue};

impl Segment {
    /// Appends a value. `separator` is the first byte of the layout's separator.
    ///
    /// # Errors
    /// If the format cannot hold the value, or the value has another kind; `out` may then hold a
    /// part of it.
    pub fn encode(
        &self,
        value: &SegmentValue,
        separator: u8,
        out: &mut Vec<u8>,
    ) -> Result<(), SegmentError> {
        let format = &self.format;
        if let (SegmentFormat::Salt(salt), SegmentValue::Unsigned(shard)) = (format, value) {
            let shard = u16::try_from(*shard).ok();
            let shard = shard.filter(|one| salt.numbers().contains(one));
            salt.encode(shard.ok_or_else(|| other_kind(value, self))?, out);
            return Ok(());
        }
        let encoded = self.kind.encode(value, format, separator, out);
        encoded.unwrap_or_else(|| Err(other_kind(value, self)))
    }

    /// Decodes a value from exactly its bytes.
    ///
    /// # Errors
    /// If [`encode`](Segment::encode) writes these bytes for no value.
    pub fn decode(&self, bytes: &[u8], separator: u8) -> Result<SegmentValue, SegmentError> {
        let format = &self.format;
        if let SegmentFormat::Salt(salt) = format {
            let shard = salt.decode(bytes)?;
            return Ok(SegmentValue::Unsigned(shard.into()));
        }
        self.kind.decode(format, separator, bytes)
    }
}

#[cold]
fn other_kind(value: &SegmentValue, segment: &Segment) -> SegmentError {
    SegmentError::Mismatch {
        kind: value.kind_name().to_owned(),
        format: format!("{} {{:{}}}", segment.kind, segment.format),
    }
}
