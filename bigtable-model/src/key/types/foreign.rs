//! Key segments of the standard library's and other crates' types.

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use bytestring::ByteString;

use crate::Timestamp;
use crate::key::{KeySegment, SegmentError};

macro_rules! stored_as_itself {
    ($($(#[$on:meta])* $type:ty,)+) => {$(
        $(#[$on])*
        impl KeySegment for $type {
            const __IS_OWN: bool = false;

            type Stored<'a> = Self;

            #[inline]
            fn store(&self) -> Self {
                *self
            }

            #[inline]
            fn restore(stored: Self) -> Result<Self, SegmentError> {
                Ok(stored)
            }
        }
    )+};
}

stored_as_itself! {
    u8, u16, u32, u64, u128, i8, i16, i32, i64, i128, f32, f64, bool, char, Timestamp,
    #[cfg(feature = "uuid")]
    uuid::Uuid,
}

impl<const N: usize> KeySegment for [u8; N] {
    const __IS_OWN: bool = false;

    type Stored<'a> = Self;

    #[inline]
    fn store(&self) -> Self {
        *self
    }

    #[inline]
    fn restore(stored: Self) -> Result<Self, SegmentError> {
        Ok(stored)
    }
}

macro_rules! stored_as_text {
    ($($type:ty,)+) => {$(
        impl KeySegment for $type {
            const __IS_OWN: bool = false;

            type Stored<'a> = &'a str;

            #[inline]
            fn store(&self) -> &str {
                self
            }

            #[inline]
            fn restore(stored: &str) -> Result<Self, SegmentError> {
                Ok(stored.into())
            }
        }
    )+};
}

stored_as_text!(String, Box<str>, Arc<str>, ByteString,);

macro_rules! stored_as_bytes {
    ($($type:ty => $restore:expr;)+) => {$(
        impl KeySegment for $type {
            const __IS_OWN: bool = false;

            type Stored<'a> = &'a [u8];

            #[inline]
            fn store(&self) -> &[u8] {
                self
            }

            #[inline]
            fn restore(stored: &[u8]) -> Result<Self, SegmentError> {
                Ok($restore(stored))
            }
        }
    )+};
}

stored_as_bytes! {
    Vec<u8> => <[u8]>::to_vec;
    Bytes => Bytes::copy_from_slice;
}

/// Stored in whole microseconds, rounded down; a time beyond the range of [`Timestamp`] becomes its
/// end.
impl KeySegment for SystemTime {
    const __IS_OWN: bool = false;

    type Stored<'a> = Timestamp;

    #[inline]
    fn store(&self) -> Timestamp {
        (*self).into()
    }

    fn restore(stored: Timestamp) -> Result<Self, SegmentError> {
        let span = Duration::from_micros(stored.as_micros().unsigned_abs());
        let time = if stored < Timestamp::UNIX_EPOCH {
            UNIX_EPOCH.checked_sub(span)
        } else {
            UNIX_EPOCH.checked_add(span)
        };
        time.ok_or_else(|| beyond(stored, "SystemTime"))
    }
}

/// Stored in whole microseconds, rounded down.
impl KeySegment for jiff::Timestamp {
    const __IS_OWN: bool = false;

    type Stored<'a> = Timestamp;

    #[inline]
    fn store(&self) -> Timestamp {
        (*self).into()
    }

    fn restore(stored: Timestamp) -> Result<Self, SegmentError> {
        Self::try_from(stored).map_err(|_| beyond(stored, "jiff::Timestamp"))
    }
}

macro_rules! chrono_times {
    ($($(#[doc = $doc:literal])+ $zone:ident;)+) => {$(
        $(#[doc = $doc])+
        #[cfg(feature = "chrono")]
        impl KeySegment for chrono::DateTime<chrono::$zone> {
            const __IS_OWN: bool = false;

            type Stored<'a> = Timestamp;

            #[inline]
            fn store(&self) -> Timestamp {
                Timestamp::from_micros(self.timestamp_micros())
            }

            fn restore(stored: Timestamp) -> Result<Self, SegmentError> {
                Self::try_from(stored).map_err(|_| beyond(stored, "chrono::DateTime"))
            }
        }
    )+};
}

chrono_times! {
    /// Stored in whole microseconds, rounded down.
    Utc;
    /// Stored in whole microseconds, rounded down, without the offset: the same instant is read
    /// back in UTC.
    FixedOffset;
    /// Stored in whole microseconds, rounded down, and read back as the same instant in the reading
    /// machine's zone.
    Local;
}

/// Stored in whole microseconds, rounded down, and read back in UTC; a time beyond the range of
/// [`Timestamp`] becomes its end.
#[cfg(feature = "time")]
impl KeySegment for time::OffsetDateTime {
    const __IS_OWN: bool = false;

    type Stored<'a> = Timestamp;

    fn store(&self) -> Timestamp {
        let micros = self.unix_timestamp_nanos().div_euclid(1_000);
        let end = if micros < 0 { i64::MIN } else { i64::MAX };
        Timestamp::from_micros(i64::try_from(micros).unwrap_or(end))
    }

    fn restore(stored: Timestamp) -> Result<Self, SegmentError> {
        Self::from_unix_timestamp_nanos(i128::from(stored.as_micros()) * 1_000)
            .map_err(|_| beyond(stored, "time::OffsetDateTime"))
    }
}

#[cold]
fn beyond(time: Timestamp, holder: &str) -> SegmentError {
    SegmentError::Refused(format!("{time} is beyond the range of {holder}"))
}
