//! Messages cut to a length that gRPC can carry.
//!
//! A status is sent as HTTP/2 headers, and clients limit their size: to 8 KiB in gRPC's own
//! libraries for C++ and Java. More than that fails the call with `RESOURCE_EXHAUSTED`, whatever
//! the code was.

/// The maximum size of a message as it is sent. If a status has details, they contain the message
/// again: together they stay below 8 KiB.
const MOST: usize = 3 << 10;

/// The part of it for the message's end, which mostly says what is wrong; the beginning says with
/// what.
const END: usize = 1 << 10;

/// The message, or as much of its beginning and its end as can be sent.
pub(super) fn short(message: String) -> String {
    if sent(&message) <= MOST {
        return message;
    }
    // Room for the words in between, which give the number of bytes.
    let start = fitting(message.chars(), MOST - END - 100);
    let end = message.len() - fitting(message.chars().rev(), END);
    let (Some(first), Some(last)) = (message.get(..start), message.get(end..)) else {
        return message;
    };
    format!("{first} [{} bytes left out] {last}", end - start)
}

/// How many bytes of these characters can be sent in at most `most` bytes.
fn fitting(characters: impl Iterator<Item = char>, most: usize) -> usize {
    let mut left = most;
    let fits = |character: &char| match left.checked_sub(sent(character.encode_utf8(&mut [0; 4]))) {
        Some(rest) => {
            left = rest;
            true
        }
        None => false,
    };
    characters.take_while(fits).map(char::len_utf8).sum()
}

/// The size of a text as it is sent: all but a few bytes are written as `%` and two digits.
fn sent(text: &str) -> usize {
    let plain =
        |byte: u8| byte.is_ascii_alphanumeric() || b"!$&'()*+,-./:;=@[\\]^_|~".contains(&byte);
    text.bytes()
        .map(|byte| if plain(byte) { 1 } else { 3 })
        .sum()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use std::time::Duration;

    use proptest::prelude::*;

    use super::*;
    use crate::grpc::protocol::status::to_tonic;
    use crate::{Code, Status};

    /// The size as HTTP/2 counts headers, including those of every answer.
    fn header_bytes(status: &tonic::Status) -> usize {
        let mut headers = http::HeaderMap::new();
        status.add_header(&mut headers).unwrap();
        let bytes = headers
            .iter()
            .map(|(name, value)| name.as_str().len() + value.len() + 32);
        bytes.sum::<usize>() + 250
    }

    proptest! {
        #[test]
        fn every_message_can_be_sent(
            part in "\\PC{1,3}|[ -~]{1,8}|[\\x00-\\x1f]{1,3}",
            times in 1..6_000_usize,
            retried: bool,
        ) {
            let message = format!("begin {} end.", part.repeat(times));
            let status = Status {
                retry_delay: retried.then_some(Duration::from_millis(1_500)),
                ..Status::new(Code::NotFound, message.clone())
            };
            let sent = to_tonic(status);
            prop_assert!(header_bytes(&sent) < 8 << 10);
            prop_assert_eq!(sent.code(), tonic::Code::NotFound);
            prop_assert!(sent.message().starts_with("begin "));
            prop_assert!(sent.message().ends_with(" end."));
            // The message is shortened only if there is no room for it.
            prop_assert!(sent.message() == message || header_bytes(&sent) > MOST - 100);
        }
    }

    #[test]
    fn what_is_left_out_is_said() {
        let message = format!("no row '{}' in the table", "k".repeat(10_000));
        let sent = short(message.clone());
        let (first, rest) = sent.split_once(" [").unwrap();
        let (count, last) = rest.split_once(" bytes left out] ").unwrap();
        assert_eq!(
            first.len() + last.len() + count.parse::<usize>().unwrap(),
            message.len()
        );
        assert!(message.starts_with(first) && message.ends_with(last));
        assert_eq!(short("short".to_owned()), "short");
    }
}
