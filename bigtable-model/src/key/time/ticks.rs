//! Times counted in units since 1970, as digits or as 8 bytes.

use super::units::TimeUnit;
use crate::Timestamp;
use crate::key::SegmentError;
use crate::key::encoding::digits;
use crate::key::refuse;

/// Decimal units since 1970, with leading zeros; reversed: the largest value minus them.
#[derive(Debug, Clone, Copy)]
pub(in crate::key) struct Ticks {
    pub(in crate::key) unit: TimeUnit,
    /// In digits.
    pub(in crate::key) width: u16,
    pub(in crate::key) reverse: bool,
    /// Whether what the unit cannot hold is left out.
    pub(in crate::key) truncate: bool,
}

/// Units since 1970 as 8 bytes big-endian with the sign bit flipped; reversed: `i64::MAX` minus
/// them.
#[derive(Debug, Clone, Copy)]
pub(in crate::key) struct BinaryTicks {
    pub(in crate::key) unit: TimeUnit,
    pub(in crate::key) reverse: bool,
    /// Whether what the unit cannot hold is left out.
    pub(in crate::key) truncate: bool,
}

/// The largest number of units that `width` digits hold: `i64::MAX` from 19 digits.
#[inline(always)]
pub(in crate::key) fn max_ticks(width: u16) -> u64 {
    match digits::pow10(usize::from(width)) {
        Some(end) if width < 19 => end - 1,
        _ => i64::MAX.unsigned_abs(),
    }
}

/// The number of whole units in a time, rounded down, if a `Timestamp` holds that many.
#[inline(always)]
pub(in crate::key) fn count(
    time: Timestamp,
    unit: TimeUnit,
    truncate: bool,
) -> Result<i64, SegmentError> {
    let micros = time.as_micros();
    let ticks = micros.div_euclid(unit.micros());
    if micros.rem_euclid(unit.micros()) == 0 {
        return Ok(ticks);
    }
    if !truncate {
        return Err(refuse::not_exact(time, unit.name()));
    }
    if ticks.checked_mul(unit.micros()).is_none() {
        return Err(refuse::out_of_range(
            time,
            "what its unit can count in 64 bits of microseconds",
        ));
    }
    Ok(ticks)
}

/// The first whole unit that is not before `time`.
pub(in crate::key) fn ceil(time: Timestamp, unit: TimeUnit) -> Option<Timestamp> {
    let micros = time.as_micros();
    match micros.rem_euclid(unit.micros()) {
        0 => Some(time),
        above => micros
            .checked_add(unit.micros() - above)
            .map(Timestamp::from_micros),
    }
}

impl Ticks {
    #[inline(always)]
    pub(in crate::key) fn encode(
        self,
        time: Timestamp,
        out: &mut Vec<u8>,
    ) -> Result<(), SegmentError> {
        if time.as_micros() < 0 {
            return Err(refuse::before_epoch(time));
        }
        let ticks = count(time, self.unit, self.truncate)?.unsigned_abs();
        let max = max_ticks(self.width);
        if ticks > max {
            return Err(refuse::beyond_ticks(time, max, self.unit.name()));
        }
        let ticks = if self.reverse { max - ticks } else { ticks };
        digits::push_u64(ticks, usize::from(self.width), out)
            .map_err(|_| refuse::beyond_ticks(time, max, self.unit.name()))
    }

    /// The time in some bytes; `None` if [`encode`](Self::encode) never writes them.
    #[inline(always)]
    pub(in crate::key) fn decode(self, bytes: &[u8]) -> Option<Timestamp> {
        if bytes.len() != usize::from(self.width) {
            return None;
        }
        let max = max_ticks(self.width);
        let count = digits::parse_u64(bytes).filter(|count| *count <= max)?;
        let count = if self.reverse { max - count } else { count };
        let micros = i64::try_from(count).ok()?.checked_mul(self.unit.micros())?;
        Some(Timestamp::from_micros(micros))
    }
}

impl BinaryTicks {
    #[inline(always)]
    pub(in crate::key) fn encode(
        self,
        time: Timestamp,
        out: &mut Vec<u8>,
    ) -> Result<(), SegmentError> {
        let ordered = count(time, self.unit, self.truncate)? ^ self.flipped();
        out.extend_from_slice(&ordered.to_be_bytes());
        Ok(())
    }

    /// The time in some bytes; `None` if [`encode`](Self::encode) never writes them.
    #[inline(always)]
    pub(in crate::key) fn decode(self, bytes: &[u8]) -> Option<Timestamp> {
        let ordered = i64::from_be_bytes(bytes.try_into().ok()?);
        let micros = (ordered ^ self.flipped()).checked_mul(self.unit.micros())?;
        Some(Timestamp::from_micros(micros))
    }

    /// The bits whose bytes sort like counts.
    const fn flipped(self) -> i64 {
        if self.reverse { i64::MAX } else { i64::MIN }
    }
}
