//! A market quote's key, written by hand with the calls that a derive makes.

use std::borrow::Cow;

use bigtable_model::Timestamp;
use bigtable_model::key::{
    KeyError, KeyLayout, KeyReader, KeySegment, KeyWriter, Segment, SegmentFormat, SegmentOptions,
    SegmentRole, TimeUnit,
};

/// `NASDAQ#ZXZZT#1426535612156`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QuoteKey {
    /// Padded to 6 bytes.
    pub exchange: String,
    /// Padded to 5 bytes.
    pub symbol: String,
    /// Milliseconds in 13 digits.
    pub at: Timestamp,
}

/// The same, borrowed from the key's bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QuoteKeyRef<'a> {
    /// Padded to 6 bytes.
    pub exchange: &'a str,
    /// Padded to 5 bytes.
    pub symbol: &'a str,
    /// Milliseconds in 13 digits.
    pub at: Timestamp,
}

const fn segment<T: KeySegment>(
    name: &'static str,
    role: SegmentRole,
    options: SegmentOptions,
    last: bool,
) -> Segment {
    Segment {
        name: Cow::Borrowed(name),
        role,
        kind: <T as KeySegment>::KIND,
        format: SegmentFormat::declared(<T as KeySegment>::KIND, options, last),
    }
}

const fn width(width: u16) -> SegmentOptions {
    SegmentOptions {
        width: Some(width),
        ..SegmentOptions::NONE
    }
}

impl QuoteKey {
    const SEGMENTS: &'static [Segment; 3] = &[
        segment::<String>("exchange", SegmentRole::Identifier, width(6), false),
        segment::<String>("symbol", SegmentRole::Identifier, width(5), false),
        segment::<Timestamp>(
            "at",
            SegmentRole::Time,
            SegmentOptions {
                unit: Some(TimeUnit::Millis),
                ..SegmentOptions::NONE
            },
            true,
        ),
    ];

    /// The layout as a value.
    pub const LAYOUT: KeyLayout = KeyLayout {
        prefix: Cow::Borrowed(""),
        separator: Cow::Borrowed("#"),
        segments: Cow::Borrowed(Self::SEGMENTS),
    };

    /// Appends the key.
    ///
    /// # Errors
    /// When a segment can't hold its field; `out` is then as it was.
    #[inline]
    pub fn encode_into(&self, out: &mut Vec<u8>) -> Result<(), KeyError> {
        let mut key = KeyWriter::new("", "#", out);
        key.segment(&Self::SEGMENTS[0], self.exchange.store())?;
        key.segment(&Self::SEGMENTS[1], self.symbol.store())?;
        key.segment(&Self::SEGMENTS[2], self.at.store())?;
        key.finish()
    }
}

impl<'a> QuoteKeyRef<'a> {
    /// Reads a key without copying.
    ///
    /// # Errors
    /// When the bytes are no key of a quote.
    #[inline]
    pub fn decode(key: &'a [u8]) -> Result<Self, KeyError> {
        let [exchange, symbol, at] = QuoteKey::SEGMENTS;
        let mut reader = KeyReader::new("", "#", key)?;
        Ok(Self {
            exchange: reader.read(exchange, false)?,
            symbol: reader.read(symbol, false)?,
            at: reader.read(at, true)?,
        })
    }
}
