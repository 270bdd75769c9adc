//! What goes over the wire: messages, names and statuses, and their conversions from and to plain
//! data.

pub(super) mod assemble;
pub(super) mod call_error;
pub(super) mod causes;
pub(super) mod chunk;
pub(super) mod codec;
pub(super) mod convert;
pub(super) mod departure;
pub(super) mod entries;
pub(super) mod failure;
mod frame;
pub(crate) mod method;
pub(crate) mod names;
pub(super) mod request;
pub(super) mod routing;
pub(super) mod sql;
pub(crate) mod status;
pub mod wire;
