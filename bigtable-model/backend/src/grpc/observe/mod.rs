//! What a program can observe of calls: spans and metrics.

#[cfg_attr(not(feature = "metrics"), path = "meter/off.rs")]
pub(super) mod meter;
pub(super) mod trace;
