//! The fields of protobuf messages that are written and read by hand: most of the bytes of reads
//! and writes, for which messages in between would take longer than everything else.

pub(crate) mod lengths;
#[cfg_attr(
    not(feature = "grpc"),
    allow(dead_code, reason = "what a server answers has fields of more kinds")
)]
pub(crate) mod read;
pub(crate) mod write;
