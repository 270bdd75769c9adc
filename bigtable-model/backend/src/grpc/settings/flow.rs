//! How bulk writes follow the server's advice on their rate.

use std::time::Duration;

use super::checks::{not_below, positive};
use crate::InvalidSetting;
use crate::status::setting::check;

/// How bulk writes follow the server's advice on their rate (`RateLimitInfo`), so that a batch job
/// does not slow down those who read. See
/// [`GrpcSettings::flow_control`](crate::grpc::GrpcSettings::flow_control).
///
/// Requests are sent at a rate. With its answers the server sends factors for it, each with a
/// period; until that is over, other factors are ignored. A request that fails with
/// `DEADLINE_EXCEEDED`, `UNAVAILABLE` or `RESOURCE_EXHAUSTED` counts as advice too. Requests take
/// turns in the order in which they came; a request cancelled before its turn uses none.
///
/// All rates and factors are positive numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FlowControl {
    /// Requests a second before the first advice: 10; between `min_rate` and `max_rate`.
    pub initial_rate: f64,
    /// The fewest requests a second: 0.1.
    pub min_rate: f64,
    /// The most requests a second: 100,000.
    pub max_rate: f64,
    /// The smallest factor of one advice: 0.7.
    pub min_factor: f64,
    /// The largest factor of one advice: 1.3.
    pub max_factor: f64,
    /// The factor of a failed request: 0.7.
    pub failure_factor: f64,
    /// The period of that factor: 10 s.
    pub failure_period: Duration,
}

impl Default for FlowControl {
    fn default() -> Self {
        Self {
            initial_rate: 10.0,
            min_rate: 0.1,
            max_rate: 100_000.0,
            min_factor: 0.7,
            max_factor: 1.3,
            failure_factor: 0.7,
            failure_period: Duration::from_secs(10),
        }
    }
}

impl FlowControl {
    pub(crate) fn check(&self) -> Result<(), InvalidSetting> {
        let rates = [
            ("FlowControl::initial_rate", self.initial_rate),
            ("FlowControl::min_rate", self.min_rate),
            ("FlowControl::max_rate", self.max_rate),
            ("FlowControl::min_factor", self.min_factor),
            ("FlowControl::max_factor", self.max_factor),
            ("FlowControl::failure_factor", self.failure_factor),
        ];
        for (field, number) in rates {
            positive(field, number)?;
        }
        let [(initial, rate), least, most, min_factor, max_factor, _] = rates;
        not_below(most, least)?;
        not_below(max_factor, min_factor)?;
        let within = (self.min_rate..=self.max_rate).contains(&rate);
        let instead = format!("give {:?} to {:?}", self.min_rate, self.max_rate);
        check(initial, rate, within, instead)
    }
}
