use std::time::SystemTime;

use super::number::read_int64;
use super::{CellValue, Takes, ValueError};
use crate::Timestamp;

impl CellValue for Timestamp {
    const NAME: &'static str = "micros";

    fn encode_value(&self, out: &mut Vec<u8>) -> Result<(), ValueError> {
        out.extend_from_slice(&self.as_micros().to_be_bytes());
        Ok(())
    }

    fn decode_value(bytes: &[u8]) -> Result<Self, ValueError> {
        read_int64(
            bytes,
            "a time of 8 bytes: microseconds since 1970, big-endian",
        )
        .map(Self::from_micros)
    }

    fn samples() -> Vec<Self> {
        // 2015-03-16T19:53:32.156789Z
        vec![Self::from_micros(1_426_535_612_156_789)]
    }

    fn takes() -> Takes {
        Takes::All
    }
}

macro_rules! times {
    ($($(#[$feature:meta])? $type:ty, $name:literal;)*) => {$(
        /// Like [`Timestamp`], rounded down to whole microseconds; a time outside its range is
        /// refused.
        $(#[$feature])?
        impl CellValue for $type {
            const NAME: &'static str = <Timestamp as CellValue>::NAME;

            fn encode_value(&self, out: &mut Vec<u8>) -> Result<(), ValueError> {
                let at = Timestamp::from(*self);
                // A time beyond the range was clamped to an end.
                if at == Timestamp::MIN || at == Timestamp::MAX {
                    let limits = "what microseconds since 1970 hold in a signed 64-bit integer";
                    return Err(ValueError::out_of_range(format!("{self:?}"), limits));
                }
                at.encode_value(out)
            }

            fn decode_value(bytes: &[u8]) -> Result<Self, ValueError> {
                let at = Timestamp::decode_value(bytes)?;
                Self::try_from(at)
                    .map_err(|_| ValueError::out_of_range(at, concat!("the range of ", $name)))
            }

            fn takes() -> Takes {
                Takes::All
            }
        }
    )*};
}

times! {
    SystemTime, "SystemTime";
    jiff::Timestamp, "jiff::Timestamp";
    #[cfg(feature = "chrono")]
    chrono::DateTime<chrono::Utc>, "chrono::DateTime<Utc>";
    #[cfg(feature = "chrono")]
    chrono::DateTime<chrono::FixedOffset>, "chrono::DateTime<FixedOffset>";
    #[cfg(feature = "chrono")]
    chrono::DateTime<chrono::Local>, "chrono::DateTime<Local>";
    #[cfg(feature = "time")]
    time::OffsetDateTime, "time::OffsetDateTime";
}
