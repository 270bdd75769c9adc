//! Checks that a layout's keys sort like their values and can be decoded.

use crate::key::time::bucket::Bucket;
use crate::key::types::date::IN_ZONE;
use crate::key::{
    HotSeries, KeyError, KeyLayout, MAX_KEY_BYTES, Salt, Segment, SegmentFormat, SegmentKind,
    SegmentRole, borrow,
};

/// The maximum size of a separator, in bytes.
const MAX_SEPARATOR_BYTES: usize = 50;

impl KeyLayout {
    /// Checks that the layout's keys sort like their values and can be decoded. Layouts of
    /// `#[derive(Model)]` do; check a layout made at run time before you use it.
    ///
    /// # Errors
    /// [`KeyError::Layout`] with the problem.
    pub const fn check(&self) -> Result<(), KeyError> {
        match self.refusal() {
            Some(reason) => Err(KeyError::Layout { reason }),
            None => Ok(()),
        }
    }

    /// What is wrong with the layout, and what to write instead.
    #[must_use]
    pub const fn refusal(&self) -> Option<&'static str> {
        if let Some(reason) = refuse_separator(borrow::bytes(&self.separator)) {
            return Some(reason);
        }
        let is_code = is_code(borrow::bytes(&self.separator));
        let mut rest = self.segment_list();
        let all = rest;
        let (mut times, mut salts) = (0, 0);
        if rest.is_empty() {
            return Some("a key has one segment or more");
        }
        if is_code && self.enclosed {
            return Some("ordered code has no separators in front and at the end");
        }
        while let [segment, tail @ ..] = rest {
            if let SegmentFormat::Bucket(bucket) = &segment.format {
                if let Some(reason) = bucket.refusal() {
                    return Some(reason);
                }
                if !bucket.label.ends_before(borrow::bytes(&self.separator)) {
                    return Some(
                        "a label without a fixed width ends at the separator, and holds a byte that is not above it: write its fields or its number in their full width, or a lower separator",
                    );
                }
            }
            if let SegmentFormat::Salt(salt) = &segment.format {
                salts += 1;
                if let Some(reason) = refuse_salt(salt, all, borrow::bytes(&self.separator)) {
                    return Some(reason);
                }
            }
            if !role_fits(segment) {
                return Some("a bucket and a salt have roles and formats of their own");
            }
            let is_last = all_absent(tail) && !self.enclosed;
            if matches!(segment.format, SegmentFormat::Rest) && !is_last {
                return Some(
                    "a byte string of any length stands only last in the key: use a byte array, or a string with `escape`",
                );
            }
            if matches!(segment.kind, SegmentKind::Date) && has_zone(&segment.format) {
                return Some(IN_ZONE);
            }
            if let Some(reason) = refuse_in_code(&segment.format, is_code, all_absent(tail)) {
                return Some(reason);
            }
            if !segment.format.goes_with(segment.kind) {
                return Some("a segment's format does not go with its kind");
            }
            if segment.role.is_time() {
                times += 1;
                if !segment.kind.is_time() {
                    return Some("the segment that is the event's time holds times");
                }
            }
            rest = tail;
        }
        if let Some(reason) = refuse_ties(all) {
            return Some(reason);
        }
        if let Some(reason) = refuse_ties_in_cells(all, is_code) {
            return Some(reason);
        }
        match self.fixed_len() {
            _ if times > 1 => Some("one segment at most is the event's time"),
            _ if salts > 1 => Some("a key has one salt at most"),
            _ if all_absent(all) => {
                Some("nothing would stand in the key: it needs a segment that is no endless bucket")
            }
            Some(bytes) if bytes > MAX_KEY_BYTES => {
                Some("every key takes more than 4096 bytes: make segments narrower")
            }
            _ => None,
        }
    }

    /// The length of every key in bytes; `None` if it depends on the values.
    #[must_use]
    pub const fn fixed_len(&self) -> Option<usize> {
        let separator = borrow::bytes(&self.separator).len();
        let prefix = borrow::bytes(&self.prefix).len();
        let mut total = if prefix > 0 { prefix + separator } else { 0 };
        if self.enclosed {
            total += 2 * separator;
        }
        let mut rest = self.segment_list();
        while let [segment, tail @ ..] = rest {
            match segment.format.fixed_len() {
                Some(bytes) => total += bytes,
                None => return None,
            }
            if !segment.is_absent() && !all_absent(tail) {
                total += separator;
            }
            rest = tail;
        }
        Some(total)
    }

    const fn segment_list(&self) -> &[Segment] {
        borrow::list(&self.segments)
    }
}

impl SegmentFormat {
    /// Whether this format can hold values of `kind` and keeps their order.
    #[must_use]
    pub const fn goes_with(&self, kind: SegmentKind) -> bool {
        kind.takes(self)
    }
}

/// Whether days of the format are not those of UTC.
const fn has_zone(format: &SegmentFormat) -> bool {
    match format {
        SegmentFormat::Bucket(Bucket { zone, .. }) => zone.is_some(),
        SegmentFormat::Calendar { offset_seconds, .. } => *offset_seconds != 0,
        _ => false,
    }
}

impl SegmentFormat {
    /// Whether bytes are a text as this format of texts writes it, without an escape.
    const fn is_written_as(&self, bytes: &[u8], separator: &[u8]) -> bool {
        let separator = match separator {
            [first, ..] => *first,
            [] => 0,
        };
        match self {
            Self::Padded { width, pad } => bytes.len() == *width as usize && all_from(bytes, *pad),
            Self::Variable => all_from(bytes, separator.saturating_add(1)),
            // The byte after the separator begins an escape.
            Self::Escaped => all_from(bytes, separator.saturating_add(2)),
            Self::CodedText { .. } => !bytes.is_empty() && all_from(bytes, 1),
            _ => false,
        }
    }
}

/// Whether all bytes are at least this one.
const fn all_from(mut bytes: &[u8], least: u8) -> bool {
    while let [byte, tail @ ..] = bytes {
        if *byte < least {
            return false;
        }
        bytes = tail;
    }
    true
}

const fn all_absent(mut segments: &[Segment]) -> bool {
    while let [segment, tail @ ..] = segments {
        if !segment.is_absent() {
            return false;
        }
        segments = tail;
    }
    true
}

const fn role_fits(segment: &Segment) -> bool {
    let bucket = matches!(segment.format, SegmentFormat::Bucket(_));
    let salt = matches!(segment.format, SegmentFormat::Salt(_));
    bucket == matches!(segment.role, SegmentRole::Bucket)
        && salt == matches!(segment.role, SegmentRole::Salt)
}

/// A salt must hash other segments of the key.
const fn refuse_salt(salt: &Salt, segments: &[Segment], separator: &[u8]) -> Option<&'static str> {
    if let Some(reason) = salt.refusal() {
        return Some(reason);
    }
    let mut of = borrow::list(&salt.of);
    while let [place, tail @ ..] = of {
        let known = match segments.split_at_checked(*place) {
            Some((_, [one, ..])) => !matches!(one.role, SegmentRole::Salt) && !one.is_absent(),
            _ => false,
        };
        if !known {
            return Some("a salt is made of segments that stand in the key and are no salt");
        }
        of = tail;
    }
    match &salt.hot {
        Some(hot) => refuse_hot(hot, salt, segments, separator),
        None => None,
    }
}

/// A query finds the shards of a series by its identifiers and by the bytes of one of them: these
/// must be all identifiers of the salt, and bytes that the segment holds.
const fn refuse_hot(
    hot: &HotSeries,
    salt: &Salt,
    segments: &[Segment],
    separator: &[u8],
) -> Option<&'static str> {
    let mut series = borrow::list(&hot.series);
    let mut of = borrow::list(&salt.of);
    while let [place, tail @ ..] = of {
        let is_identifier = matches!(
            segments.split_at_checked(*place),
            Some((_, [one, ..])) if matches!(one.role, SegmentRole::Identifier)
        );
        match series {
            [one, rest @ ..] if is_identifier && *one == *place => series = rest,
            _ if is_identifier => return Some(OTHER_SERIES),
            _ => {}
        }
        of = tail;
    }
    if !series.is_empty() {
        return Some(OTHER_SERIES);
    }
    let Some((_, [segment, ..])) = segments.split_at_checked(hot.segment) else {
        return Some(OTHER_SERIES);
    };
    if !matches!(segment.kind, SegmentKind::String) {
        return Some(
            "the hot values of a salt are texts: name an identifier that holds texts in `hot(...)`",
        );
    }
    let mut values = borrow::list(&hot.values);
    while let [(value, _), tail @ ..] = values {
        if !segment
            .format
            .is_written_as(borrow::bytes(value), separator)
        {
            return Some(
                "no key holds a hot value as it is written: it is too wide for its segment, ends in the pad, or holds a byte that is escaped or separates segments",
            );
        }
        values = tail;
    }
    None
}

const OTHER_SERIES: &str = "the series of a hot salt are all identifiers that the salt hashes";

/// Tie-breakers order the events at one time: they follow the time, with no salt in between, and
/// only tie-breakers follow them.
const fn refuse_ties(segments: &[Segment]) -> Option<&'static str> {
    let (mut after_time, mut after_salt, mut after_tie) = (false, false, false);
    let mut rest = segments;
    while let [segment, tail @ ..] = rest {
        match segment.role {
            SegmentRole::TieBreaker if !after_time => {
                return Some("a tie-breaker follows the event's time");
            }
            SegmentRole::TieBreaker if after_salt => {
                return Some(
                    "a salt between the time and a tie-breaker would order events of one time by their shards: put it before the time",
                );
            }
            SegmentRole::TieBreaker => after_tie = true,
            _ if after_tie => return Some("nothing but tie-breakers follows a tie-breaker"),
            SegmentRole::Time | SegmentRole::Bucket => after_time = true,
            SegmentRole::Salt => after_salt = after_time,
            SegmentRole::Identifier => {}
        }
        rest = tail;
    }
    None
}

/// Tie-breakers after a bucket are in the qualifiers of its row, not in the row's key.
const fn refuse_ties_in_cells(segments: &[Segment], is_code: bool) -> Option<&'static str> {
    let (mut first, mut has_bucket) = (0, false);
    let mut rest = segments;
    while let [segment, tail @ ..] = rest {
        if matches!(segment.role, SegmentRole::TieBreaker) {
            break;
        }
        has_bucket |= matches!(segment.role, SegmentRole::Bucket);
        first += 1;
        rest = tail;
    }
    if !has_bucket || rest.is_empty() {
        return None;
    }
    if is_code {
        return Some(
            "ordered code encodes a key as a whole, and a row would have only a part of it",
        );
    }
    let (mut in_key, mut is_empty) = (segments, true);
    while let [segment, tail @ ..] = in_key {
        if in_key.len() == rest.len() {
            break;
        }
        is_empty &= segment.is_absent();
        if let SegmentFormat::Salt(salt) = &segment.format {
            let mut of = borrow::list(&salt.of);
            while let [place, others @ ..] = of {
                if *place >= first {
                    return Some(
                        "a salt hashes what the key of a row has, and a tie-breaker after a bucket is in qualifiers",
                    );
                }
                of = others;
            }
        }
        in_key = tail;
    }
    match is_empty {
        true => Some("nothing would be in the key of a row: its tie-breakers are in qualifiers"),
        false => None,
    }
}

/// Whether segments are joined in ordered code.
const fn is_code(separator: &[u8]) -> bool {
    matches!(separator, [0, 1])
}

/// Ordered code has its own formats, and allows texts of other formats with a known end.
const fn refuse_in_code(format: &SegmentFormat, is_code: bool, last: bool) -> Option<&'static str> {
    match (format, is_code) {
        (SegmentFormat::CodedText { last: says, .. }, true) if *says != last => {
            Some("a text in ordered code says whether it ends the key")
        }
        (
            SegmentFormat::CodedText { .. }
            | SegmentFormat::CodedInt
            | SegmentFormat::CodedTicks { .. }
            | SegmentFormat::CodedBytes { .. },
            _,
        ) => match is_code {
            true => None,
            false => Some("formats of ordered code stand between its separator, the bytes 00 01"),
        },
        (SegmentFormat::Variable, true) => {
            Some("a text of any length has a format of its own in ordered code")
        }
        (format, true) if format.inexpressible(KeyLayout::ORDERED_CODE).is_some() => {
            Some("in ordered code a segment has one of its formats, or is a text without a byte 00")
        }
        _ => None,
    }
}

const fn refuse_separator(separator: &[u8]) -> Option<&'static str> {
    if is_code(separator) {
        return None;
    }
    if separator.is_empty() || separator.len() > MAX_SEPARATOR_BYTES {
        return Some("a separator has 1 to 50 characters");
    }
    let mut rest = separator;
    while let [byte, tail @ ..] = rest {
        if !matches!(byte, b' '..=b'~') {
            return Some("a separator is printable ASCII");
        }
        rest = tail;
    }
    None
}
