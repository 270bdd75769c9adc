//! The deadline of one call, as sent to its server.

use std::time::Duration;

use tokio::time::Instant;
use tonic::metadata::{Ascii, MetadataMap, MetadataValue};

use crate::Code;
use crate::grpc::protocol::failure::Failure;
use crate::grpc::settings::timing::bounded;

/// The time this long from now, at most a century.
pub(crate) fn far(timeout: Duration) -> Instant {
    Instant::now() + bounded(timeout)
}

const TIMEOUT: &str = "grpc-timeout";

/// How much sooner the time may be over at the server than here: no two clocks run at the same
/// speed.
const MARGIN: Duration = Duration::from_millis(5);

/// The part of such a timeout by which the server's end may differ from ours.
pub(super) fn margin(timeout: Duration) -> Duration {
    MARGIN.min(timeout / 4)
}

/// How long a request and its answer may be on their way.
const ON_THE_WAY: Duration = Duration::from_millis(20);

/// How much longer than such a timeout we wait for a call once its answer has begun; before that
/// tonic ends the call when the timeout that was sent is over. The server's time begins when the
/// call arrives, and its answer takes time too: a call that ended here at its deadline would end
/// before the server's deadline, and hide the server's own answer.
pub(super) fn on_the_way(timeout: Duration) -> Duration {
    ON_THE_WAY.min(timeout / 20)
}

/// The units of a timeout, the finest first: gRPC's letter and the length in nanoseconds.
const UNITS: [(char, u64); 6] = [
    ('n', 1),
    ('u', 1_000),
    ('m', 1_000_000),
    ('S', 1_000_000_000),
    ('M', 60 * 1_000_000_000),
    ('H', 60 * 60 * 1_000_000_000),
];

/// A timeout has at most eight digits on the wire.
const MOST: u32 = 99_999_999;

/// When the time of a call is over.
///
/// The server counts too, from the arrival of the call, and ends the call at about the same time.
/// Go's and Java's servers then reset the stream with `CANCEL`, others answer `CANCELLED`. Nobody
/// has cancelled the call: they mean `DEADLINE_EXCEEDED`, which is retried.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Deadline {
    timeout: Duration,
    sent: Sent,
    /// When the timeout that was sent ends.
    end: Instant,
}

impl Deadline {
    /// The deadline this long from now.
    pub(crate) fn after(timeout: Duration) -> Self {
        let sent = Sent::of(timeout);
        Self {
            timeout,
            sent,
            end: far(sent.duration()),
        }
    }

    /// Sends it to the server.
    pub(crate) fn write(&self, metadata: &mut MetadataMap) {
        metadata.insert(TIMEOUT, self.sent.header());
    }

    /// Corrects a failure of the call: a cancellation when the time is over is an exceeded
    /// deadline.
    pub(crate) fn judge(&self, mut failure: Failure) -> Failure {
        let over = Instant::now() + margin(self.sent.duration()) >= self.end;
        if over && failure.status.code == Code::Cancelled {
            failure.status.code = Code::DeadlineExceeded;
            failure.status.message = format!(
                "the server ended the call after its {:?}: {}",
                self.timeout, failure.status.message
            );
        }
        failure
    }
}

/// A timeout as it is sent: rounded down to the finest unit in which it has at most eight digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Sent {
    count: u32,
    letter: char,
    /// The length of one unit, in nanoseconds.
    unit: u64,
}

impl Sent {
    fn of(timeout: Duration) -> Self {
        let nanos = timeout.as_nanos();
        let sent = UNITS.into_iter().find_map(|(letter, unit)| {
            let count = u32::try_from(nanos / u128::from(unit)).ok()?;
            (count <= MOST).then_some(Self {
                count,
                letter,
                unit,
            })
        });
        // Eleven thousand years are as good as forever.
        sent.unwrap_or(Self {
            count: MOST,
            letter: 'H',
            unit: 60 * 60 * 1_000_000_000,
        })
    }

    fn duration(self) -> Duration {
        Duration::from_nanos(self.unit).saturating_mul(self.count)
    }

    fn header(self) -> MetadataValue<Ascii> {
        let text = format!("{}{}", self.count, self.letter);
        // Digits and a letter are always a valid header value.
        MetadataValue::try_from(text).unwrap_or_else(|_| MetadataValue::from_static("0n"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn millis(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    fn cancelled() -> Failure {
        Failure::new(Code::Cancelled, "reset")
    }

    #[test]
    fn timeouts_are_sent_as_the_protocol_has_them() {
        let seconds = Duration::from_secs;
        for (timeout, sent, duration) in [
            (Duration::ZERO, "0n", Duration::ZERO),
            (
                Duration::from_nanos(99_999_999),
                "99999999n",
                Duration::from_nanos(99_999_999),
            ),
            (millis(100), "100000u", millis(100)),
            (Duration::from_nanos(100_000_999), "100000u", millis(100)),
            (seconds(20), "20000000u", seconds(20)),
            (seconds(1800), "1800000m", seconds(1800)),
            (
                Duration::new(1799, 999_999_999),
                "1799999m",
                millis(1_799_999),
            ),
            (seconds(1_000_000), "1000000S", seconds(1_000_000)),
            (seconds(100_000_019), "1666666M", seconds(99_999_960)),
            (seconds(6_000_000_059), "1666666H", seconds(5_999_997_600)),
            (Duration::MAX, "99999999H", seconds(99_999_999 * 3600)),
        ] {
            let of = Sent::of(timeout);
            assert_eq!(of.header(), sent);
            assert_eq!(of.duration(), duration, "{timeout:?}");
        }
    }

    #[test]
    fn a_deadline_is_told_once_whatever_it_is() {
        for timeout in [
            Duration::ZERO,
            Duration::from_nanos(1),
            millis(100),
            Duration::MAX,
        ] {
            let mut metadata = MetadataMap::new();
            Deadline::after(timeout).write(&mut metadata);
            Deadline::after(timeout).write(&mut metadata);
            assert_eq!(metadata.get_all(TIMEOUT).iter().count(), 1);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_call_that_is_cancelled_when_its_time_is_over_has_exceeded_its_deadline() {
        for (timeout, margin) in [(20, 5), (100, 5), (2_000, 5), (1_800_000, 6), (8, 2)] {
            let deadline = Deadline::after(millis(timeout));
            tokio::time::sleep(millis(timeout - margin - 2)).await;
            let early = deadline.judge(cancelled()).status;
            assert_eq!((early.code, &*early.message), (Code::Cancelled, "reset"));
            for _ in 0..3 {
                tokio::time::sleep(millis(margin)).await;
                let late = deadline.judge(cancelled()).status;
                assert_eq!(late.code, Code::DeadlineExceeded, "{timeout} ms");
                let words = format!("after its {:?}: reset", millis(timeout));
                assert!(late.message.ends_with(&words), "{late}");
            }
            let other = deadline.judge(Failure::new(Code::Internal, "broke"));
            assert_eq!(other.status.code, Code::Internal);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_call_without_an_end_is_cancelled_as_it_says() {
        let deadline = Deadline::after(Duration::MAX);
        tokio::time::sleep(Duration::from_secs(1_000_000)).await;
        assert_eq!(deadline.judge(cancelled()).status.code, Code::Cancelled);
    }
}
