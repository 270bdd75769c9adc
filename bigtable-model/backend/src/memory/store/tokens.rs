//! Tokens of applied writes, by which a repeated write is recognised.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use crate::data::Idempotency;
use crate::memory::check::{invalid, precondition};
use crate::{Code, Status};

/// The maximum number of tokens of one table: about 100 MB.
const MOST: usize = 1 << 20;

/// The tokens of a table's rows, each kept as long as its write may be repeated.
#[derive(Debug, Default)]
pub(in crate::memory) struct Tokens {
    known: HashSet<Name>,
    /// The same by the time after which they are no longer needed.
    until: BTreeMap<i64, Vec<Name>>,
}

/// Row and token as one.
type Name = Arc<[u8]>;

/// A write that was not applied yet: what is kept once it is applied.
#[derive(Debug, PartialEq)]
pub(in crate::memory) struct NewWrite {
    name: Name,
    until: i64,
}

impl Tokens {
    /// What to keep of the write of a row with this token; `None` if the write was already applied.
    ///
    /// # Errors
    /// For a token that is too short, a write that is repeated too late, and if no more tokens can
    /// be kept.
    pub(in crate::memory) fn judge(
        &mut self,
        key: &[u8],
        write: &Idempotency,
        now: i64,
    ) -> Result<Option<NewWrite>, Status> {
        if write.token.len() < Idempotency::LEAST_BYTES {
            return Err(invalid(format!(
                "an idempotency token has {} bytes or more, this one has {}",
                Idempotency::LEAST_BYTES,
                write.token.len()
            )));
        }
        let start = write.start_time.map_or(now, |start| start.as_micros());
        if start.abs_diff(now) > window().unsigned_abs() {
            return Err(precondition(
                "a write with an idempotency token was sent for the first time more than 15 minutes ago or ahead: whether it was applied is not known any more",
            ));
        }
        self.forget(now);
        let name = name(key, write);
        if self.known.contains(&name) {
            return Ok(None);
        }
        let until = now.max(start).saturating_add(window());
        match self.known.len() < MOST {
            true => Ok(Some(NewWrite { name, until })),
            false => Err(Status::new(
                Code::ResourceExhausted,
                format!("a table keeps the idempotency tokens of {MOST} writes in 15 minutes"),
            )),
        }
    }

    /// Records that the write was applied.
    pub(in crate::memory) fn keep(&mut self, NewWrite { name, until }: NewWrite) {
        self.known.insert(name.clone());
        self.until.entry(until).or_default().push(name);
    }

    /// The tokens that are needed at a time, each with the last time at which it is needed.
    pub(in crate::memory) fn needed(&self, now: i64) -> impl Iterator<Item = (i64, &Name)> {
        let needed = self.until.range(now..);
        needed.flat_map(|(until, names)| names.iter().map(|name| (*until, name)))
    }

    /// Adds a token that was [needed](Tokens::needed) elsewhere; returns whether it is new.
    pub(in crate::memory) fn restore(&mut self, until: i64, name: &[u8]) -> bool {
        let name = Name::from(name);
        let is_new = !self.known.contains(&name);
        if is_new {
            self.keep(NewWrite { name, until });
        }
        is_new
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

fn name(key: &[u8], write: &Idempotency) -> Name {
    let len = u32::try_from(key.len()).unwrap_or(u32::MAX).to_be_bytes();
    [&len[..], key, &write.token].concat().into()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]

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

    /// Whether a write was applied.
    fn knows(tokens: &mut Tokens, key: &[u8], write: &Idempotency, now: i64) -> Result<bool, Code> {
        let judged = tokens.judge(key, write, now);
        judged
            .map(|new| new.is_none())
            .map_err(|status| status.code)
    }

    fn keep(tokens: &mut Tokens, key: &[u8], write: &Idempotency, now: i64) {
        let new = tokens.judge(key, write, now).unwrap();
        tokens.keep(new.unwrap());
    }

    #[test]
    fn a_token_is_kept_for_as_long_as_its_write_is_taken() {
        let mut tokens = Tokens::default();
        // The writer's clock is two minutes ahead.
        let first = write("12345678", Some(NOW + 2 * MINUTE));
        assert_eq!(knows(&mut tokens, b"row", &first, NOW), Ok(false));
        keep(&mut tokens, b"row", &first, NOW);
        for minute in [0, 1, 15, 17] {
            let now = NOW + minute * MINUTE;
            assert_eq!(
                knows(&mut tokens, b"row", &first, now),
                Ok(true),
                "{minute}"
            );
        }
        assert_eq!(knows(&mut tokens, b"other", &first, NOW), Ok(false));
        let late = knows(&mut tokens, b"row", &first, NOW + 17 * MINUTE + 1);
        assert_eq!(late, Err(Code::FailedPrecondition));
        let untimed = write("12345678", None);
        let late = knows(&mut tokens, b"row", &untimed, NOW + 17 * MINUTE + 1);
        assert_eq!(late, Ok(false), "forgotten");
        assert!(tokens.known.is_empty() && tokens.until.is_empty());
    }

    #[test]
    fn what_is_needed_is_restored() {
        let mut tokens = Tokens::default();
        let (old, young) = (write("12345678", None), write("abcdefgh", None));
        keep(&mut tokens, b"row", &old, NOW);
        keep(&mut tokens, b"row", &young, NOW + 10 * MINUTE);
        let now = NOW + 16 * MINUTE;
        let mut others = Tokens::default();
        for (until, name) in tokens.needed(now) {
            assert!(others.restore(until, name));
            assert!(!others.restore(until, name), "it is there");
        }
        assert_eq!(knows(&mut others, b"row", &old, now), Ok(false));
        assert_eq!(knows(&mut others, b"row", &young, now), Ok(true));
        let end = NOW + 25 * MINUTE;
        assert_eq!(knows(&mut others, b"row", &young, end), Ok(true));
        assert_eq!(knows(&mut others, b"row", &young, end + 1), Ok(false));
    }

    #[test]
    fn what_is_no_token_or_comes_too_late_is_refused() {
        let mut tokens = Tokens::default();
        let mut code = |write| knows(&mut tokens, b"row", &write, NOW);
        assert_eq!(code(write("1234567", None)), Err(Code::InvalidArgument));
        let ago = |minutes: i64| write("12345678", Some(NOW - minutes * MINUTE));
        assert_eq!(code(ago(15)), Ok(false));
        assert_eq!(code(ago(16)), Err(Code::FailedPrecondition));
        assert_eq!(code(ago(-16)), Err(Code::FailedPrecondition));
    }
}
