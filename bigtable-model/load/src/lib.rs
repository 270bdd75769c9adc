//! Before production: what a model's load costs, and where its tables get hot.
//!
//! Google's advice on schemas ends with: write down your questions, test under load, and look at
//! Key Visualizer, which shows tables of 1 GB after up to an hour. A model knows its keys before the
//! first row is written. So a [`Load`] is data: series and how large each is, rates, and typed
//! queries with how often they are asked.
//!
//! ```
//! use bigtable_load::{HotSpotKind, Load, Picture, Rate, Sizes, Writes};
//! use bigtable_model::{Model, Timestamp};
//! use std::time::Duration;
//!
//! #[derive(Debug, Clone, Model)]
//! #[bigtable(table = "SENSOR", family = "METER", layout = "cells", gc(max_age = "90d"))]
//! struct Reading {
//!     #[bigtable(key)]
//!     sensor: u32,
//!     #[bigtable(time, unit = "s", bucket = "day", truncate)]
//!     at: Timestamp,
//!     celsius: f64,
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let (start, end): (Timestamp, Timestamp) = ("2026-11-02T00:00:00Z".parse()?, "2026-11-04T00:00:00Z".parse()?);
//! let reading = |series: u64, at| Reading { sensor: series as u32, at, celsius: 19.5 };
//! let rate = Rate::every(Duration::from_secs(600)).times(100); // 100 sensors, each every ten minutes
//! let load = Load::over(start..end)
//!     .writes(Writes::of(Sizes::zipf(100, 0.5), rate, reading))
//!     .asks("an hour", Rate::per_second(2.0), |asked| {
//!         let hour = asked.at..asked.at.saturating_add(Duration::from_secs(3_600));
//!         Reading::query().sensor(asked.series as u32).at(hour)
//!     });
//!
//! let prices = load.prices().await?; // counted on the memory backend
//! println!("{prices}");
//! let hour = prices.question("an hour").unwrap();
//! // Of each row, a day, the hour is wanted: the days should be shorter, or it is asked rarely.
//! assert!(hour.read_for_wanted() > 20.0);
//! assert!(prices.tables[0].largest.bytes < 100_000);
//!
//! let maps = load.heat()?; // by the keys alone: ten million take some seconds
//! println!("{}", maps[0]);
//! assert!(maps[0].writes().hottest_share() < 0.1);
//! assert!(maps[0].writes().busiest_node(3) < 1.5);
//! assert!(maps[0].hot_spots().is_empty());
//! let html = Picture::new("Sensors").maps("a day a row", &maps).prices("a day a row", &prices).html()?;
//! # assert!(html.len() < 300_000);
//! # let _ = |kind: HotSpotKind| kind;
//! # Ok(())
//! # }
//! ```
//!
//! | to | use |
//! |---|---|
//! | know what is stored a day, what each question reads, how many nodes that is | [`Load::prices`] |
//! | see the same events in several layouts or keys side by side | [`compare`] |
//! | find what will be hot, and the attribute that cures it | [`Load::heat`], [`HeatMap::hot_spots`] |
//! | say in a test that no node takes more than 1.5 times its share | [`Heat::busiest_node`] |
//! | write and ask the load on Bigtable, the emulator or in memory, with latencies | [`Load::run`] |
//! | see what a program really writes and reads | [`Recorder`] |
//! | look at all of it | [`Picture`], or the `Display` of each |
//!
//! # What is counted, and what is assumed
//!
//! Rows, cells and bytes are counted on the memory backend, which stores the load's events and
//! answers its questions; [`Cost`](bigtable_model::query::Cost) says how. Bytes are those of keys,
//! qualifiers, values and timestamps before compression. What a node does is an assumption,
//! [`Node::SSD`], and printed as one.
//!
//! A heat map assumes that Bigtable splits a table as well as it can. What it calls hot is still
//! hot then:
//!
//! | hot | since | what cures it |
//! |---|---|---|
//! | [`TimeFirst`](HotSpotKind::TimeFirst) | all new rows are neighbours | a `#[bigtable(key)]` field before the time, or a salt; not a reversed time |
//! | [`FewValues`](HotSpotKind::FewValues) | a `bool` or an enum comes before the time | a field with more values, or a salt |
//! | [`Series`](HotSpotKind::Series) | one series has much of the load | a salt of its identifiers and the time |
//! | [`FewShards`](HotSpotKind::FewShards) | the salt has few shards | more of them |
//! | [`NewPeriod`](HotSpotKind::NewPeriod) | keys begin with a week, and a new one has no rows to split | a field before the bucket |
//! | [`Key`](HotSpotKind::Key) | one row has much of the load | a shorter bucket, one more field in the key |
//! | [`Range`](HotSpotKind::Range) | a program goes through neighbours | another order, or a salt |

mod batch;
mod compare;
mod error;
mod heat;
mod load;
mod node;
mod num;
mod picture;
mod prices;
mod rate;
mod run;
mod sizes;
mod table;
mod writes;

pub use compare::{Comparison, compare};
pub use error::LoadError;
pub use heat::{Heat, HeatMap, HotKey, HotSpot, HotSpotKind, Recorder};
pub use load::{Asked, Load};
pub use node::Node;
pub use picture::Picture;
pub use prices::{LargestRow, PackingPrice, Prices, QuestionPrice, TablePrice};
pub use rate::Rate;
pub use run::{Operation, Pace, Report};
pub use sizes::Sizes;
pub use writes::Writes;

#[cfg(test)]
#[allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests"
)]
mod tests;
