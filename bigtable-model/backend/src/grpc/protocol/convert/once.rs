use super::invalid;
use crate::data::{Idempotency, RowMutations, RowOnce};
use crate::grpc::protocol::wire;
use crate::{Status, Timestamp};

const MICROS: i64 = 1_000_000;

impl From<Idempotency> for wire::Idempotency {
    fn from(write: Idempotency) -> Self {
        let start_time = write.start_time.map(|start| {
            let micros = start.as_micros();
            let nanos = micros.rem_euclid(MICROS) * 1_000;
            wire::Timestamp {
                seconds: micros.div_euclid(MICROS),
                nanos: i32::try_from(nanos).unwrap_or_default(),
            }
        });
        Self {
            token: write.token,
            start_time,
        }
    }
}

impl TryFrom<wire::Idempotency> for Idempotency {
    type Error = Status;

    /// A time of 0 means no time.
    fn try_from(write: wire::Idempotency) -> Result<Self, Status> {
        let start = write
            .start_time
            .filter(|start| *start != wire::Timestamp::default());
        let start_time = start.map(|start| {
            let micros = start.seconds.checked_mul(MICROS);
            let micros =
                micros.and_then(|micros| micros.checked_add(i64::from(start.nanos / 1_000)));
            let time = micros.map(Timestamp::from_micros);
            time.ok_or_else(|| invalid("the start time of an idempotency token is out of range"))
        });
        Ok(Self {
            token: write.token,
            start_time: start_time.transpose()?,
        })
    }
}

impl From<RowOnce> for wire::MutateRowsEntry {
    fn from(once: RowOnce) -> Self {
        Self {
            idempotency: once.idempotency.map(Into::into),
            ..once.row.into()
        }
    }
}

impl TryFrom<wire::MutateRowsEntry> for RowOnce {
    type Error = Status;

    fn try_from(mut entry: wire::MutateRowsEntry) -> Result<Self, Status> {
        let idempotency = entry.idempotency.take();
        Ok(Self {
            idempotency: idempotency.map(TryInto::try_into).transpose()?,
            row: RowMutations::try_from(entry)?,
        })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]

    use super::*;

    #[test]
    fn times_come_back_to_the_microsecond() {
        for micros in [1, -1, 0, 1_426_535_612_156_789, -MICROS, i64::MAX, i64::MIN] {
            let write = Idempotency {
                token: "12345678".into(),
                start_time: Some(Timestamp::from_micros(micros)),
            };
            let back = Idempotency::try_from(wire::Idempotency::from(write.clone()));
            let expected = match micros {
                0 => None,
                _ => write.start_time,
            };
            // The earliest microseconds have no whole second before them.
            match back {
                Ok(back) => assert_eq!(back.start_time, expected, "{micros}"),
                Err(_) => assert_eq!(micros, i64::MIN),
            }
        }
    }
}
