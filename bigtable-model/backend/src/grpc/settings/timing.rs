//! How long calls may take, and when they are repeated.

use std::time::Duration;

use super::checks::{lasting, not_below};
use crate::InvalidSetting;
use crate::status::setting::check;

/// Forever, as far as a program is concerned. Timers and headers do not take much more.
const CENTURY: Duration = Duration::from_secs(100 * 365 * 24 * 60 * 60);

/// A time that timers and headers can hold.
pub(crate) fn bounded(time: Duration) -> Duration {
    time.min(CENTURY)
}

const fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

const fn minutes(minutes: u64) -> Duration {
    Duration::from_secs(60 * minutes)
}

/// When a failed attempt is repeated.
///
/// The pause before an attempt is drawn uniformly between a bound, which grows with each failure,
/// and the next bound. A server that sends `google.rpc.RetryInfo` decides instead: it makes any
/// status retryable, and its delay replaces the pause. A delay of less than 10 ms does not replace
/// it: then pauses grow as usual.
///
/// What is repeated is fixed: reads, bulk writes entry by entry, and writes that are
/// [idempotent](crate::data::RowMutations::is_idempotent). `CheckAndMutateRow`,
/// `ReadModifyWriteRow` and other writes are sent once. The one exception is a call that the server
/// has certainly not begun to process, as HTTP/2 shows for refused streams and for streams after a
/// `GOAWAY`: it is sent once more, whatever it is. A call that was not sent at all, since there was
/// no connection or, for the moment, no token, is tried for a minute.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RetrySettings {
    /// Whether failed attempts are repeated at all: true.
    pub enabled: bool,
    /// The shortest first pause: 10 ms. With [`Duration::ZERO`] there are no pauses.
    pub first_delay: Duration,
    /// The factor by which pauses grow with each failure: 2; at least 1.
    pub factor: f64,
    /// The longest pause: 60 s; at least `first_delay`.
    pub max_delay: Duration,
}

impl RetrySettings {
    pub(crate) fn check(&self) -> Result<(), InvalidSetting> {
        let grows = self.factor.is_finite() && self.factor >= 1.0;
        check(
            "RetrySettings::factor",
            self.factor,
            grows,
            "give at least 1",
        )?;
        not_below(
            ("RetrySettings::max_delay", self.max_delay),
            ("RetrySettings::first_delay", self.first_delay),
        )
    }
}

impl Default for RetrySettings {
    fn default() -> Self {
        Self {
            enabled: true,
            first_delay: Duration::from_millis(10),
            factor: 2.0,
            max_delay: seconds(60),
        }
    }
}

/// How long one kind of call may take: more than zero. [`Duration::MAX`] is no limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timeout {
    /// One attempt; it is sent to the server.
    pub attempt: Duration,
    /// The whole operation: all its attempts and the pauses between them.
    pub total: Duration,
}

impl Timeout {
    const fn new(attempt: Duration, total: Duration) -> Self {
        Self { attempt, total }
    }
}

/// How long each kind of call may take: more than zero. [`Duration::MAX`] is no limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timeouts {
    /// Reads of more than one row: 30 min, 12 h.
    pub read_rows: Timeout,
    /// How long a read waits for the server's next message before it begins another attempt: 5 min.
    pub read_rows_idle: Duration,
    /// Reads of one key: 20 s, 10 min.
    pub read_row: Timeout,
    /// Writes of one row: 60 s, 60 s.
    pub mutate_row: Timeout,
    /// Bulk writes: 60 s, 10 min.
    pub mutate_rows: Timeout,
    /// Samples of row keys: 5 min, 10 min.
    pub sample_row_keys: Timeout,
    /// Plans of queries: 20 s, 60 s.
    pub prepare_query: Timeout,
    /// Queries, including plans that are replaced on the way: 30 min, 12 h.
    pub execute_query: Timeout,
    /// How long a query waits for the server's next message before it begins another attempt: 5
    /// min.
    pub execute_query_idle: Duration,
    /// The only attempt: 20 s.
    pub check_and_mutate_row: Duration,
    /// The only attempt: 20 s.
    pub read_modify_write_row: Duration,
    /// The only attempt: 30 s.
    pub ping_and_warm: Duration,
    /// Calls that only read the definitions of tables: 60 s, 10 min.
    pub admin_read: Timeout,
    /// The only attempt of a call that changes tables or deletes rows: 1 h, since the service
    /// deletes while the call waits.
    pub admin_write: Duration,
}

impl Timeouts {
    pub(crate) fn check(&self) -> Result<(), InvalidSetting> {
        let times = [
            ("Timeouts::read_rows.attempt", self.read_rows.attempt),
            ("Timeouts::read_rows.total", self.read_rows.total),
            ("Timeouts::read_rows_idle", self.read_rows_idle),
            ("Timeouts::read_row.attempt", self.read_row.attempt),
            ("Timeouts::read_row.total", self.read_row.total),
            ("Timeouts::mutate_row.attempt", self.mutate_row.attempt),
            ("Timeouts::mutate_row.total", self.mutate_row.total),
            ("Timeouts::mutate_rows.attempt", self.mutate_rows.attempt),
            ("Timeouts::mutate_rows.total", self.mutate_rows.total),
            (
                "Timeouts::sample_row_keys.attempt",
                self.sample_row_keys.attempt,
            ),
            (
                "Timeouts::sample_row_keys.total",
                self.sample_row_keys.total,
            ),
            (
                "Timeouts::prepare_query.attempt",
                self.prepare_query.attempt,
            ),
            ("Timeouts::prepare_query.total", self.prepare_query.total),
            (
                "Timeouts::execute_query.attempt",
                self.execute_query.attempt,
            ),
            ("Timeouts::execute_query.total", self.execute_query.total),
            ("Timeouts::execute_query_idle", self.execute_query_idle),
            ("Timeouts::check_and_mutate_row", self.check_and_mutate_row),
            (
                "Timeouts::read_modify_write_row",
                self.read_modify_write_row,
            ),
            ("Timeouts::ping_and_warm", self.ping_and_warm),
            ("Timeouts::admin_read.attempt", self.admin_read.attempt),
            ("Timeouts::admin_read.total", self.admin_read.total),
            ("Timeouts::admin_write", self.admin_write),
        ];
        (times.into_iter()).try_for_each(|(field, time)| lasting(field, time))
    }
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            read_rows: Timeout::new(minutes(30), minutes(12 * 60)),
            read_rows_idle: minutes(5),
            read_row: Timeout::new(seconds(20), minutes(10)),
            mutate_row: Timeout::new(seconds(60), seconds(60)),
            mutate_rows: Timeout::new(seconds(60), minutes(10)),
            sample_row_keys: Timeout::new(minutes(5), minutes(10)),
            prepare_query: Timeout::new(seconds(20), seconds(60)),
            execute_query: Timeout::new(minutes(30), minutes(12 * 60)),
            execute_query_idle: minutes(5),
            check_and_mutate_row: seconds(20),
            read_modify_write_row: seconds(20),
            ping_and_warm: seconds(30),
            admin_read: Timeout::new(seconds(60), minutes(10)),
            admin_write: minutes(60),
        }
    }
}
