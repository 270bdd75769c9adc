//! Tokens of applied writes, by which a repeated write is recognised.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use crate::data::Idempotency;
use crate::memory::refusal::{invalid, precondition};
use crate::{Code, Status};

/// The maximum number of tokens of one table: about 100 MB.
const MOST: usize = 1 << 20;

/// The tokens of a table's rows, each kept as long as its write may be repeated.
#[derive(Debug, Default)]
pub(in crate::memory) struct Tokens {
    known: HashSet<Arc<[u8]>>,
    /// The same by the time after which they are no longer needed.
    until: BTreeMap<i64, Vec<Arc<[u8]>>>,
}

impl Tokens {
    /// Whether the write of a row with this token was applied.
    ///
    /// # Errors
    /// For a token that is too short, a write that is repeated too late, and if no more tokens can
    /// be kept.
    pub(in crate::memory) fn know(
        &mut self,
        key: &[u8],
        write: &Idempotency,
        now: i64,
    ) -> Result<bool, Status> {
        if write.token.len() < Idempotency::LEAST_BYTES {
            return Err(invalid(format!(
                "an idempotency token has {} bytes or more, this one has {}",
                Idempotency::LEAST_BYTES,
                write.token.len()
            )));
        }
        let apart = write
            .start_time
            .map(|start| start.as_micros().abs_diff(now));
        if apart.is_some_and(|apart| apart > window().unsigned_abs()) {
            return Err(precondition(
                "a write with an idempotency token was sent for the first time more than 15 minutes ago or ahead: whether it was applied is not known any more",
            ));
        }
        self.forget(now);
        if self.known.contains(&name(key, write)[..]) {
            return Ok(true);
        }
        match self.known.len() < MOST {
            true => Ok(false),
            false => Err(Status::new(
                Code::ResourceExhausted,
                format!("a table keeps the idempotency tokens of {MOST} writes in 15 minutes"),
            )),
        }
    }

    /// Records that the write was applied.
    pub(in crate::memory) fn keep(&mut self, key: &[u8], write: &Idempotency, now: i64) {
        let name: Arc<[u8]> = name(key, write).into();
        let start = write.start_time.map_or(now, |start| start.as_micros());
        let until = now.max(start).saturating_add(window());
        self.known.insert(name.clone());
        self.until.entry(until).or_default().push(name);
    }

    fn forget(&mut self, now: i64) {
        while let Some(first) = self.until.first_entry()
            && *first.key() < now
        {
            for name in first.remove() {
                self.known.remove(&name);
            }
        }
    }
}

fn window() -> i64 {
    i64::try_from(Idempotency::WINDOW.as_micros()).unwrap_or(i64::MAX)
}

/// Row and token as one.
fn name(key: &[u8], write: &Idempotency) -> Vec<u8> {
    let len = u32::try_from(key.len()).unwrap_or(u32::MAX).to_be_bytes();
    [&len[..], key, &write.token].concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Timestamp;

    const MINUTE: i64 = 60_000_000;
    const NOW: i64 = 100 * MINUTE;

    fn write(token: &'static str, start: Option<i64>) -> Idempotency {
        Idempotency {
            token: token.into(),
            start_time: start.map(Timestamp::from_micros),
        }
    }

    #[test]
    fn a_token_is_kept_for_as_long_as_its_write_is_taken() {
        let mut tokens = Tokens::default();
        // The writer's clock is two minutes ahead.
        let first = write("12345678", Some(NOW + 2 * MINUTE));
        assert_eq!(tokens.know(b"row", &first, NOW), Ok(false));
        tokens.keep(b"row", &first, NOW);
        for minute in [0, 1, 15, 17] {
            let now = NOW + minute * MINUTE;
            assert_eq!(tokens.know(b"row", &first, now), Ok(true), "{minute}");
        }
        assert_eq!(tokens.know(b"other", &first, NOW), Ok(false));
        let late = tokens.know(b"row", &first, NOW + 17 * MINUTE + 1);
        assert_eq!(
            late.map_err(|status| status.code),
            Err(Code::FailedPrecondition)
        );
        let untimed = write("12345678", None);
        let late = tokens.know(b"row", &untimed, NOW + 17 * MINUTE + 1);
        assert_eq!(late, Ok(false), "forgotten");
        assert!(tokens.known.is_empty() && tokens.until.is_empty());
    }

    #[test]
    fn what_is_no_token_or_comes_too_late_is_refused() {
        let mut tokens = Tokens::default();
        let mut code = |write| {
            tokens
                .know(b"row", &write, NOW)
                .map_err(|status| status.code)
        };
        assert_eq!(code(write("1234567", None)), Err(Code::InvalidArgument));
        let ago = |minutes: i64| write("12345678", Some(NOW - minutes * MINUTE));
        assert_eq!(code(ago(15)), Ok(false));
        assert_eq!(code(ago(16)), Err(Code::FailedPrecondition));
        assert_eq!(code(ago(-16)), Err(Code::FailedPrecondition));
    }
}
