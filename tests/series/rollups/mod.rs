//! Roll-ups: windows read through them equal those of all events, whatever was written and
//! whichever answers were lost.

mod added;
mod aged;
mod around;
mod kept;
mod merged;
mod models;
mod outlive;
mod random;
mod rows;
mod spans;
