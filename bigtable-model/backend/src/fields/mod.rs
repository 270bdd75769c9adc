//! The fields of protobuf messages that are written and read by hand. They are most of the bytes of
//! reads and writes; making messages of them would take longer than everything else.

pub(crate) mod lengths;
#[cfg_attr(
    not(feature = "grpc"),
    allow(dead_code, reason = "what a server answers has fields of more kinds")
)]
pub(crate) mod read;
pub(crate) mod write;
