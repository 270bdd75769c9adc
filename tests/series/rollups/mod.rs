//! Roll-ups: windows read through them equal those of all events, whatever was written and
//! whichever answers were lost.

mod added;
mod around;
mod merged;
mod models;
mod random;
mod rows;
mod spans;
