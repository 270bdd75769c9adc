use std::any::type_name;

use bytes::Bytes;
use prost::Message;

use super::codec::check_length;
use super::{CellCodec, ValueError};

/// Values as messages of protocol buffers (`#[bigtable(with = Prost)]`). Reading shares the cell's bytes with fields that are `Bytes`.
#[derive(Debug, Clone, Copy)]
pub struct Prost;

#[diagnostic::do_not_recommend] // The message of `CellCodec` says more than the bound that is not met.
impl<T: Message + Default> CellCodec<T> for Prost {
    const NAME: &'static str = "prost";

    fn encode(value: &T, out: &mut Vec<u8>) -> Result<(), ValueError> {
        check_length(value.encoded_len())?;
        value
            .encode(out)
            .map_err(|error| ValueError::refused("prost", error))
    }

    fn decode(bytes: &Bytes) -> Result<T, ValueError> {
        T::decode(bytes.clone()).map_err(|error| {
            let expected = format!("the message {} ({error})", type_name::<T>());
            ValueError::malformed(expected, bytes)
        })
    }
}
