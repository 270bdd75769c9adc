//! The fields of protobuf messages that are written and read by hand: most of the bytes of reads
//! and writes, for which messages in between would take longer than everything else.

pub(crate) mod lengths;
pub(crate) mod read;
pub(crate) mod write;
