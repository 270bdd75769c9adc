//! Conversions between the transport's statuses and [`Status`].

use std::error::Error;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use prost::Message;

use crate::grpc::protocol::causes;
use crate::grpc::protocol::wire::{Any, ErrorInfo, PreconditionFailure, RetryInfo, RpcStatus};
use crate::{Code, Status};

#[cfg(feature = "server")]
mod short;
mod transport;

pub(crate) use transport::Fate;

/// A failed call. The transport's own failures carry their causes in the message.
pub(crate) fn from_tonic(status: &tonic::Status) -> Status {
    let details = RpcStatus::decode(status.details())
        .map(|details| details.details)
        .unwrap_or_default();
    Status {
        code: transport::code(status).unwrap_or(Code::from_number(status.code() as i32)),
        message: message(status),
        retry_delay: retry_delay(&details),
    }
}

/// Whether the transport failed: the connection could not be made or broke.
pub(crate) fn is_unreached(status: &tonic::Status) -> bool {
    match transport::code(status) {
        Some(code) => code == Code::Unavailable,
        // A status with a cause was made on this side: an unavailable server sends none.
        None => status.code() == tonic::Code::Unavailable && status.source().is_some(),
    }
}

/// The key of the row that was too large for a read, from the details of the failure.
pub(crate) fn large_row(details: &[u8]) -> Option<Bytes> {
    let details = RpcStatus::decode(details).ok()?.details;
    let any = (details.iter()).find(|any| any.type_url.ends_with("/google.rpc.ErrorInfo"))?;
    let mut info = ErrorInfo::decode(any.value.clone()).ok()?;
    if info.reason != "LargeRowReadError" {
        return None;
    }
    let key = info.metadata.remove("rowKeyBase64Encoded")?;
    STANDARD.decode(key).ok().map(Bytes::from)
}

/// Whether a query failed because its plan has expired: `FAILED_PRECONDITION`, with a violation
/// that says so.
pub(crate) fn is_plan_expired(status: &tonic::Status) -> bool {
    if status.code() != tonic::Code::FailedPrecondition {
        return false;
    }
    let Ok(details) = RpcStatus::decode(status.details()) else {
        return false;
    };
    (details.details.iter())
        .filter(|any| any.type_url.ends_with("/google.rpc.PreconditionFailure"))
        .filter_map(|any| PreconditionFailure::decode(any.value.clone()).ok())
        .flat_map(|failure| failure.violations)
        .any(|violation| violation.r#type == "PREPARED_QUERY_EXPIRED")
}

/// The outcome of one entry of a bulk write; `Ok` for code 0 and for no status at all.
pub(crate) fn outcome(status: Option<RpcStatus>) -> Result<(), Status> {
    match status {
        Some(status) if status.code != 0 => Err(Status {
            code: Code::from_number(status.code),
            retry_delay: retry_delay(&status.details),
            message: status.message,
        }),
        _ => Ok(()),
    }
}

/// A status as a server sends it, for a call or for one entry. `OK` would mean success, so a
/// failure with this code is sent as `UNKNOWN`. A message that is too long for a call is cut.
#[cfg(feature = "server")]
pub(crate) fn to_rpc(status: Status) -> RpcStatus {
    let code = match status.code {
        Code::Ok => Code::Unknown,
        code => code,
    };
    RpcStatus {
        code: code as i32,
        message: short::short(status.message),
        details: status.retry_delay.map(retry_info).into_iter().collect(),
    }
}

#[cfg(feature = "server")]
fn retry_info(delay: Duration) -> Any {
    let info = RetryInfo {
        retry_delay: Some(delay.into()),
    };
    Any {
        type_url: "type.googleapis.com/google.rpc.RetryInfo".to_owned(),
        value: info.encode_to_vec().into(),
    }
}

/// A failed call as the transport sends it, with advice on when to retry.
#[cfg(feature = "server")]
pub(crate) fn to_tonic(status: Status) -> tonic::Status {
    let status = to_rpc(status);
    let code = tonic::Code::from_i32(status.code);
    if status.details.is_empty() {
        return tonic::Status::new(code, status.message);
    }
    let details = status.encode_to_vec();
    tonic::Status::with_details(code, status.message, details.into())
}

/// The delay of a `RetryInfo`; without a delay it means at once.
fn retry_delay(details: &[Any]) -> Option<Duration> {
    let any = (details.iter()).find(|any| any.type_url.ends_with("/google.rpc.RetryInfo"))?;
    let info = RetryInfo::decode(any.value.clone()).ok()?;
    info.retry_delay.unwrap_or_default().to_std()
}

fn message(status: &tonic::Status) -> String {
    let mut message = causes::text_with_causes(status.message().to_owned(), status.source());
    if transport::is_reset(status) {
        message.push_str(": RST_STREAM");
    }
    message
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use crate::grpc::protocol::wire;

    fn with_retry_info(delay: Option<wire::Duration>) -> RpcStatus {
        let info = RetryInfo { retry_delay: delay };
        RpcStatus {
            code: 8,
            message: "slow down".to_owned(),
            details: vec![
                Any {
                    type_url: "type.googleapis.com/google.rpc.ErrorInfo".to_owned(),
                    value: Bytes::from_static(b"\xff"),
                },
                Any {
                    type_url: "type.googleapis.com/google.rpc.RetryInfo".to_owned(),
                    value: info.encode_to_vec().into(),
                },
            ],
        }
    }

    #[test]
    fn a_failed_call_keeps_code_message_and_advice() {
        let details = with_retry_info(Some(wire::Duration {
            seconds: 1,
            nanos: 500_000_000,
        }));
        let status = tonic::Status::with_details(
            tonic::Code::ResourceExhausted,
            "slow down",
            details.encode_to_vec().into(),
        );
        let status = from_tonic(&status);
        assert_eq!(status.code, Code::ResourceExhausted);
        assert_eq!(status.message, "slow down");
        assert_eq!(status.retry_delay, Some(Duration::from_millis(1500)));
    }

    #[cfg(feature = "server")]
    #[test]
    fn statuses_go_out_as_they_come_in() {
        for number in 1..=16 {
            for retry_delay in [None, Some(Duration::from_millis(1500))] {
                let status = Status {
                    retry_delay,
                    ..Status::new(Code::from_number(number), "words")
                };
                assert_eq!(from_tonic(&to_tonic(status.clone())), status);
                assert_eq!(outcome(Some(to_rpc(status.clone()))), Err(status));
            }
        }
        let claimed = to_tonic(Status::new(Code::Ok, "words"));
        assert_eq!(claimed.code(), tonic::Code::Unknown);
    }

    #[test]
    fn details_that_are_no_message_are_ignored() {
        let status = tonic::Status::with_details(
            tonic::Code::NotFound,
            "no table",
            Bytes::from_static(b"\xff\xff\xff"),
        );
        assert_eq!(from_tonic(&status), Status::new(Code::NotFound, "no table"));
    }

    #[test]
    fn an_entry_has_its_own_outcome() {
        assert_eq!(outcome(None), Ok(()));
        assert_eq!(outcome(Some(RpcStatus::default())), Ok(()));
        let failed = outcome(Some(with_retry_info(None))).unwrap_err();
        assert_eq!(failed.code, Code::ResourceExhausted);
        assert_eq!(failed.retry_delay, Some(Duration::ZERO));
        let negative = with_retry_info(Some(wire::Duration {
            seconds: -1,
            nanos: 0,
        }));
        assert_eq!(outcome(Some(negative)).unwrap_err().retry_delay, None);
    }
}
