//! What a program can see of calls: spans and figures.

#[cfg_attr(not(feature = "metrics"), path = "meter/off.rs")]
pub(super) mod meter;
pub(super) mod trace;
