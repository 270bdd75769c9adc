//! Where rows are written and read: how many in each range of keys at each time.

mod grid;
mod keys;
mod map;
mod recorder;
mod sample;
mod simulate;
mod spots;
mod tablets;
mod terminal;

pub(crate) use grid::Grid;
pub(crate) use keys::{described, layout_of};
pub use map::{Heat, HeatMap, HotKey};
pub use recorder::Recorder;
pub use spots::{HotSpot, HotSpotKind};
