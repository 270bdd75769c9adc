//! The outcomes of entries, decoded one by one from the bytes of a `MutateRowsResponse`.
//!
//! Nearly all outcomes of a bulk write are a number and no error; making a message of each took
//! longer than writing the entry.

use bytes::{Buf as _, Bytes};
use prost::Message;
use tonic::codec::DecodeBuf;

use crate::EntryOutcome;
use crate::Status;
use crate::fields::read::{Value, field, malformed};
use crate::grpc::protocol::codec::Answer;
use crate::grpc::protocol::status;
use crate::grpc::protocol::wire::{RateLimitInfo, RpcStatus};

/// The outcomes in one message that have not been taken yet.
#[derive(Debug, Default)]
pub(crate) struct Outcomes {
    message: Bytes,
    /// Where the next field begins.
    at: usize,
    rate_limit_info: Option<RateLimitInfo>,
}

impl Answer for Outcomes {
    fn decode(buffer: &mut DecodeBuf<'_>) -> Result<Self, tonic::Status> {
        Ok(Self::new(buffer.copy_to_bytes(buffer.remaining())))
    }
}

impl Outcomes {
    pub(crate) fn new(message: Bytes) -> Self {
        Self {
            message,
            ..Self::default()
        }
    }

    /// The next outcome, with the number of its entry in the request; `None` at the message's end.
    /// Malformed bytes fail when they are reached.
    pub(crate) fn next(&mut self) -> Result<Option<(i64, EntryOutcome)>, Status> {
        let mut rest = self.message.get(self.at..).unwrap_or_default();
        if let Some((number, len)) = applied(rest) {
            self.at += len;
            return Ok(Some((number, Ok(()))));
        }
        while !rest.is_empty() {
            match field(&mut rest)? {
                (1, Value::Bytes(body)) => {
                    self.at = self.message.len() - rest.len();
                    return outcome(body).map(Some);
                }
                (3, Value::Bytes(info)) => {
                    let merged = self.rate_limit_info.get_or_insert_default();
                    merged.merge(info).map_err(malformed)?;
                }
                (1 | 3, value) => return Err(value.is_unexpected()),
                _ => {}
            }
        }
        self.at = self.message.len();
        Ok(None)
    }

    /// The server's advice on the rate, known once all outcomes are taken.
    pub(crate) fn rate_limit_info(&self) -> Option<&RateLimitInfo> {
        self.rate_limit_info.as_ref()
    }
}

/// The number of an entry that was applied, and the bytes that say so: most of the outcomes, as
/// servers write them, with an empty status. Any other is taken field by field, which takes ten
/// times as long.
#[inline]
fn applied(bytes: &[u8]) -> Option<(i64, usize)> {
    const ENTRY: u8 = 0x0a;
    const INDEX: u8 = 0x08;
    const STATUS: u8 = 0x12;
    match *bytes {
        [ENTRY, 2, STATUS, 0, ..] => Some((0, 4)),
        [ENTRY, 4, INDEX, number @ ..0x80, STATUS, 0, ..] => Some((i64::from(number), 6)),
        [
            ENTRY,
            5,
            INDEX,
            low @ 0x80..=0xff,
            high @ ..0x80,
            STATUS,
            0,
            ..,
        ] => Some((i64::from(low & 0x7f) | i64::from(high) << 7, 7)),
        _ => None,
    }
}

fn outcome(mut body: &[u8]) -> Result<(i64, EntryOutcome), Status> {
    let mut index = 0;
    let mut met = None;
    while !body.is_empty() {
        match field(&mut body)? {
            (1, Value::Number(number)) => index = number.cast_signed(),
            (2, Value::Bytes([])) => {}
            (2, Value::Bytes(status)) => {
                let merged = met.get_or_insert_with(RpcStatus::default);
                merged.merge(status).map_err(malformed)?;
            }
            (1 | 2, value) => return Err(value.is_unexpected()),
            _ => {}
        }
    }
    Ok((index, status::outcome(met)))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;
    use crate::Code;
    use crate::grpc::protocol::wire::{Duration, MutateRowsOutcome, MutateRowsResponse};

    fn taken(message: Bytes) -> Result<Vec<(i64, EntryOutcome)>, Status> {
        let mut outcomes = Outcomes::new(message);
        std::iter::from_fn(|| outcomes.next().transpose()).collect()
    }

    fn response() -> impl Strategy<Value = MutateRowsResponse> {
        let status =
            (prop_oneof![Just(0), 0..17], "[a-z]{0,3}").prop_map(|(code, message)| RpcStatus {
                code,
                message,
                ..RpcStatus::default()
            });
        let index = prop_oneof![0..1_000_i64, any::<i64>()];
        let entry = (index, proptest::option::of(status));
        let entry = entry.prop_map(|(index, status)| MutateRowsOutcome { index, status });
        let info = proptest::option::of((any::<i64>(), 0.0..2.0)).prop_map(|info| {
            info.map(|(seconds, factor)| RateLimitInfo {
                period: Some(Duration { seconds, nanos: 0 }),
                factor,
            })
        });
        (vec(entry, 0..5), info).prop_map(|(entries, rate_limit_info)| MutateRowsResponse {
            entries,
            rate_limit_info,
        })
    }

    proptest! {
        #[test]
        fn they_are_those_of_the_message(response in response()) {
            let mut outcomes = Outcomes::new(response.encode_to_vec().into());
            for entry in response.entries {
                let expected = (entry.index, status::outcome(entry.status));
                prop_assert_eq!(outcomes.next().unwrap(), Some(expected));
            }
            prop_assert_eq!(outcomes.next().unwrap(), None);
            prop_assert_eq!(outcomes.rate_limit_info(), response.rate_limit_info.as_ref());
        }

        /// Bytes that a general decoder refuses are an error here too, and the error is `INTERNAL`.
        #[test]
        fn what_is_no_message_is_refused(response in response(), flipped in any::<(u8, u8)>()) {
            let mut bytes = response.encode_to_vec();
            let at = usize::from(flipped.0) % bytes.len().max(1);
            if let Some(byte) = bytes.get_mut(at) {
                *byte ^= flipped.1;
            }
            let bytes = Bytes::from(bytes);
            match (taken(bytes.clone()), <MutateRowsResponse as Message>::decode(bytes)) {
                (Ok(taken), Ok(decoded)) => prop_assert_eq!(taken.len(), decoded.entries.len()),
                (Err(error), _) => prop_assert_eq!(error.code, Code::Internal),
                (Ok(_), Err(error)) => prop_assert!(false, "decoded, but {error}"),
            }
        }
    }
}
