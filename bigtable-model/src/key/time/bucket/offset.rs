use serde::{Deserialize, Serialize};

use super::{Bucket, label, pattern};
use crate::Timestamp;
use crate::key::encoding::digits;
use crate::key::refuse;
use crate::key::time::civil::Civil;
use crate::key::{CalendarFormat, CalendarItem, SegmentError, TimeUnit};

/// The format of an event's offset within its bucket, in a qualifier.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Offset {
    /// Units since the start of the bucket, with leading zeros; reversed: the largest value of the
    /// width minus them.
    Ticks {
        /// The unit.
        unit: TimeUnit,
        /// The digits.
        width: u16,
        /// Later events first.
        reverse: bool,
    },
    /// Calendar fields that are finer than the bucket, in its zone: `%H%M` in a day, `%-d` in a
    /// month. If a zone's clocks show two times alike, one of them is refused.
    Calendar(CalendarFormat),
}

impl Offset {
    /// Appends the offset of a time within its bucket.
    ///
    /// # Errors
    /// For a time off the bucket's grid or outside the range of buckets, and for one too late in
    /// the bucket for the digits.
    pub fn encode(
        &self,
        bucket: &Bucket,
        time: Timestamp,
        out: &mut Vec<u8>,
    ) -> Result<(), SegmentError> {
        let time = bucket.stored_time(time)?;
        match self {
            Self::Ticks {
                unit,
                width,
                reverse,
            } => {
                let start = bucket.start_of(time)?;
                let above = time.as_micros() - start.as_micros();
                if bucket.is_endless() && above < 0 {
                    return Err(refuse::before_epoch(time));
                }
                if above % unit.micros() != 0 {
                    return Err(refuse::not_exact(time, unit.name()));
                }
                let count = Timestamp::from_micros(above);
                label::ticks(*unit, *width, *reverse).encode(count, out)
            }
            Self::Calendar(format) => {
                bucket.start_of(time)?;
                let local = bucket.local(time)?;
                if bucket.zone.is_some() && bucket.instant(local) != Some(time) {
                    return Err(refuse::shown_twice(time));
                }
                pattern::encode(format, Civil::from_micros(local), out)
            }
        }
    }

    /// The time with this offset in the bucket that begins at `start`; `None` for bytes that are
    /// not an offset.
    #[must_use]
    pub fn decode(&self, bucket: &Bucket, start: Timestamp, bytes: &[u8]) -> Option<Timestamp> {
        let time = self.time_of_offset(bucket, start, bytes, &mut Vec::new())?;
        let end = bucket.next(start);
        let inside = bucket.is_endless() || start <= time && end.is_none_or(|end| time < end);
        inside.then_some(time)
    }

    /// Like [`decode`](Offset::decode), but the time may be outside the bucket, whose end the
    /// caller knows: a row has many offsets and one bucket.
    pub(crate) fn time_of_offset(
        &self,
        bucket: &Bucket,
        start: Timestamp,
        bytes: &[u8],
        scratch: &mut Vec<u8>,
    ) -> Option<Timestamp> {
        match self {
            Self::Ticks {
                unit,
                width,
                reverse,
            } => {
                if bytes.len() != usize::from(*width) {
                    return None;
                }
                let count = digits::parse_u64(bytes)?;
                let max = 10_u64
                    .checked_pow((*width).into())
                    .map_or(u64::MAX, |end| end - 1);
                let max = max.min(i64::MAX.unsigned_abs());
                let count = if *reverse {
                    max.checked_sub(count)?
                } else {
                    count
                };
                let micros = i64::try_from(count).ok()?.checked_mul(unit.micros())?;
                let micros = start.as_micros().checked_add(micros)?;
                Some(Timestamp::from_micros(micros))
            }
            Self::Calendar(format) => {
                let base = bucket.local(start).ok()?;
                let civil = pattern::decode(format, Civil::from_micros(base), bytes)?;
                let time = bucket.instant(civil.micros())?;
                scratch.clear();
                let again = Civil::from_micros(bucket.local(time).ok()?);
                pattern::encode(format, again, scratch).ok()?;
                (scratch == bytes).then_some(time)
            }
        }
    }

    /// A name and the offset after it, which a colon parts. A name may have colons of its own, and
    /// all offsets have as many as the format.
    pub(crate) fn parted<'q>(&self, qualifier: &'q [u8]) -> Option<(&'q [u8], &'q [u8])> {
        let places = (0..qualifier.len()).rev();
        let mut colons = places.filter(|at| qualifier.get(*at) == Some(&b':'));
        let (name, rest) = qualifier.split_at_checked(colons.nth(self.colons())?)?;
        Some((name, rest.get(1..)?))
    }

    /// An offset and the tie-breakers after it, which a colon parts.
    pub(crate) fn before_ties<'q>(&self, rest: &'q [u8]) -> Option<(&'q [u8], &'q [u8])> {
        let mut colons = (0..rest.len()).filter(|at| rest.get(*at) == Some(&b':'));
        let (offset, ties) = rest.split_at_checked(colons.nth(self.colons())?)?;
        Some((offset, ties.get(1..)?))
    }

    /// How many colons each offset has.
    fn colons(&self) -> usize {
        match self {
            Self::Ticks { .. } => 0,
            Self::Calendar(format) => {
                let colons = format.items.iter().map(|item| match item {
                    CalendarItem::Literal(text) => text.matches(':').count(),
                    _ => 0,
                });
                colons.sum()
            }
        }
    }

    /// An offset in words, for errors.
    pub(crate) fn described(&self) -> String {
        match self {
            Self::Ticks { unit, width, .. } => format!("{width} digits of {}s", unit.name()),
            Self::Calendar(format) => format.to_string(),
        }
    }

    /// Whether bytes consist of digits and the format's literal text, so that they are an offset or
    /// look like one.
    pub(crate) fn is_alike(&self, bytes: &[u8]) -> bool {
        let own = |byte: u8| {
            match self {
            Self::Ticks { .. } => false,
            Self::Calendar(format) => format.items.iter().any(|item| {
                matches!(item, CalendarItem::Literal(text) if text.as_bytes().contains(&byte))
            }),
        }
        };
        let is_of_one = |byte: &u8| byte.is_ascii_digit() || own(*byte);
        bytes.iter().any(u8::is_ascii_digit) && bytes.iter().all(is_of_one)
    }

    /// The length of the longest offset in bytes.
    pub(crate) const fn most_len(&self) -> usize {
        match self {
            Self::Ticks { width, .. } => *width as usize,
            Self::Calendar(format) => format.byte_len(),
        }
    }

    /// The length of every offset in bytes; `None` if it depends on the offset.
    #[must_use]
    pub const fn fixed_len(&self) -> Option<usize> {
        match self {
            Self::Calendar(format) if !format.is_padded() => None,
            _ => Some(self.most_len()),
        }
    }

    /// Whether offsets sort like times, or in reverse.
    #[must_use]
    pub const fn sorts(&self) -> bool {
        match self {
            Self::Ticks { .. } => true,
            Self::Calendar(format) => format.is_padded() && format.is_from_coarse_to_fine(),
        }
    }

    /// Whether later times sort first.
    #[must_use]
    pub const fn is_reversed(&self) -> bool {
        matches!(self, Self::Ticks { reverse: true, .. })
    }
}
