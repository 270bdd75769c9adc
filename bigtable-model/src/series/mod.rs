//! Operations on series: windows, moving averages, gaps, grids and joins.
//!
//! They apply to any stream of `Result<E, Error>` whose events are in time order: the results of a
//! query, the results of another operation, or events in memory ([`of`]). Each begins with
//! [`timed`](SeriesExt::timed), which reads the time of an event:
//!
//! ```
//! use bigtable_model::series::{Length, SeriesExt as _, Windows, max, mean};
//! use bigtable_model::{BackendExt, MemoryBackend, Model, Timestamp};
//!
//! #[derive(Debug, Clone, Model)]
//! #[bigtable(table = "READING", family = "R")]
//! struct Reading {
//!     #[bigtable(key)]
//!     sensor: String,
//!     #[bigtable(time)]
//!     at: Timestamp,
//!     celsius: f64,
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), bigtable_model::Error> {
//! # let db = MemoryBackend::new();
//! # db.ensure_tables::<Reading>().await?;
//! # for (minute, celsius) in [(0, 19.0), (20, 20.0), (50, 24.0), (70, 22.0)] {
//! #     let at = Timestamp::from_seconds(1_714_521_600 + minute * 60);
//! #     db.insert(&Reading { sensor: "attic".into(), at, celsius }).await?;
//! # }
//! let celsius = |reading: &Reading| reading.celsius;
//! let mut hours = db.stream(&Reading::query()
//!     .sensor("attic"))
//!     .timed(|reading| reading.at)
//!     .windows(Windows::tumbling(Length::hours(1)))
//!     .aggregate((mean(celsius), max(celsius)));
//! let first = hours.try_next().await?.expect("there are readings");
//! assert_eq!(first.start.to_string(), "2024-05-01T00:00:00Z");
//! assert_eq!(first.value, (Some(21.0), Some(24.0)));
//! # Ok(())
//! # }
//! ```
//!
//! The [guide](crate::guide#series-analysis) has an example of each operation.
//!
//! | | |
//! |---|---|
//! | [`timed`](SeriesExt::timed), then [`by`](Timed::by) or [`by_run`](Timed::by_run) | the time and the series of an event; without `by` or `by_run` the stream is one series |
//! | [`windows`](Timed::windows), [`aggregate`](InWindows::aggregate) | aggregates over the events of each [window](Windows) |
//! | [`moving`](Timed::moving) | moving averages at each event |
//! | [`gap_fill`](Timed::gap_fill), [`resample`](Timed::resample), [`align`] | fill gaps, values on a grid, several series on one grid |
//! | [`asof_join`](Timed::asof_join), [`zip_by_time`](Timed::zip_by_time) | events of two series that belong together |
//!
//! # Guarantees
//!
//! - **Memory**: one window for each series, as its [state](Aggregate::State). Overlapping windows
//!   need a state for each part, one step long; sliding windows need one for each event.
//! - **Order** is required and checked: an event that is earlier than the previous one fails with
//!   [`SeriesError::Unordered`]. Events at the same time keep the order of the stream.
//! - **Empty windows** are left out unless [`with_empty`](Windows::with_empty) adds them.
//! - **NaN** is a value like any other and affects every result that includes it, as each aggregate
//!   documents. A value that was not measured is `None`.
//! - **Calendars** work as in [`bucket`](crate::schema::bucket): days, weeks, months and years have
//!   their length in the time zone.

mod aggregate;
mod fill;
mod grid;
mod grouping;
mod hours;
mod join;
mod lane;
mod length;
mod moving;
mod panes;
mod results;
mod timed;
mod windowed;
mod windows;

pub use crate::aggregate::{Measured, Number};
pub use crate::error::SeriesError;
pub use aggregate::{
    Aggregate, Frame, Ohlc, QUANTILE_ERROR, count, first, increase, last, max, mean, min, of_value,
    ohlc, or_value, quantile, quantiles, rate, std_dev, sum, time_weighted_mean,
};
pub use fill::{Fill, Point, Steps};
pub(crate) use grid::{Cell, Grid};
#[doc(hidden)]
pub use grouping::{By, ByRun, Grouping, One};
pub use hours::Hours;
pub use join::align::{Aligned, align};
pub use join::asof::{AsOf, Joined};
pub use join::zip::Zipped;
pub use length::Length;
pub use moving::{Moved, Moving, exponential_mean, exponential_mean_over, moving_mean};
pub use results::{Pull, Results};
pub use timed::{InWindows, SeriesExt, Timed, of};
pub use windowed::Window;
pub use windows::Windows;
