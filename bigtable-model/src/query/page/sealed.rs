//! Tokens sealed with the application's key.

use std::fmt;
use std::time::Duration;

use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, Nonce, UnboundKey};
use ring::hkdf::{HKDF_SHA256, Salt};
use ring::rand::{SecureRandom as _, SystemRandom};

use super::token::{PageToken, Progress, SEALED, Tokens, take_time};
use crate::Timestamp;
use crate::error::QueryError;

/// Random bytes at the beginning of a token, from which its own key is derived: enough that no two
/// tokens of a key have the same.
const SALT: usize = 16;

/// The purpose of derived keys.
const PURPOSE: &[&[u8]] = &[b"bigtable-model page token 2"];

const FOREIGN: QueryError = QueryError::PageToken {
    reason: "it was not made with this key, or its text is damaged; ask for the first page again",
};

const OPEN: QueryError = QueryError::PageToken {
    reason: "it was made without a key; ask for the first page again",
};

const TOO_OLD: QueryError = QueryError::PageToken {
    reason: "it is older than the key allows; ask for the first page again",
};

const NO_RANDOM: QueryError = QueryError::PageToken {
    reason: "the system gives no random bytes to make one",
};

/// A key under which page tokens are encrypted and authenticated; see
/// [`Query::page_key`](crate::query::Query::page_key).
///
/// A token is sealed with ChaCha20-Poly1305 under its own key, which HKDF-SHA256 derives from this
/// one and 16 random bytes. Its length reveals the length of the last event's row key.
///
/// A token is bound to the query and to the table that it reads, by its name in the instance:
/// tenants of [`with_tables`](crate::BackendExt::with_tables) can share a key.
///
/// All servers that continue each other's pages need the same key. It is 32 random bytes, to be
/// kept like other secrets; a new key refuses the tokens of an old one unless
/// [`accepting`](PageKey::accepting) names that.
///
/// ```
/// use bigtable_model::query::PageKey;
///
/// let (old, new) = ([7; 32], [8; 32]); // from where the program keeps its secrets
/// let key = PageKey::new(new).accepting(old).max_age(std::time::Duration::from_secs(86_400));
/// ```
#[derive(Clone)]
pub struct PageKey {
    /// The first seals, each opens.
    keys: Vec<[u8; 32]>,
    /// How old a token may be.
    max_age: Option<Duration>,
}

impl PageKey {
    /// A key that seals tokens.
    #[must_use]
    pub fn new(key: [u8; 32]) -> Self {
        Self {
            keys: vec![key],
            max_age: None,
        }
    }

    /// Also accepts tokens that were sealed with an earlier key.
    #[must_use]
    pub fn accepting(mut self, earlier: [u8; 32]) -> Self {
        self.keys.push(earlier);
        self
    }

    /// Refuses tokens that were made longer ago, by the clock of this program. Without it, tokens
    /// have no age limit. Each page's token is a new one.
    #[must_use]
    pub fn max_age(mut self, age: Duration) -> Self {
        self.max_age = Some(age);
        self
    }

    /// The progress in a token that is read at some time.
    fn read_at(&self, token: &PageToken, now: Timestamp) -> Result<Progress, QueryError> {
        let sealed = token.sealed().ok_or(OPEN)?;
        let content = self.open(sealed).ok_or(FOREIGN)?;
        let mut content = content.as_slice();
        let made = take_time(&mut content).ok_or(FOREIGN)?;
        if self
            .max_age
            .is_some_and(|age| made < now.saturating_sub(age))
        {
            return Err(TOO_OLD);
        }
        Progress::from_sealed(content).ok_or(FOREIGN)
    }

    fn write_at(&self, progress: &Progress, now: Timestamp) -> Result<PageToken, QueryError> {
        let mut content = now.as_micros().to_be_bytes().to_vec();
        content.extend(progress.to_sealed());
        self.seal(content).map(PageToken::of_sealed)
    }

    fn seal(&self, mut content: Vec<u8>) -> Result<Vec<u8>, QueryError> {
        let key = self.keys.first().ok_or(NO_RANDOM)?;
        let mut salt = [0; SALT];
        let filled = SystemRandom::new().fill(&mut salt);
        filled.map_err(|_| NO_RANDOM)?;
        let key = derived(key, &salt).ok_or(NO_RANDOM)?;
        let sealed = key.seal_in_place_append_tag(nonce(), header(), &mut content);
        sealed.map_err(|_| NO_RANDOM)?;
        Ok([&[SEALED][..], &salt, &content].concat())
    }

    fn open(&self, sealed: &[u8]) -> Option<Vec<u8>> {
        let (salt, sealed) = sealed.split_first_chunk::<SALT>()?;
        self.keys.iter().find_map(|key| {
            let mut content = sealed.to_vec();
            let key = derived(key, salt)?;
            let opened = key.open_in_place(nonce(), header(), &mut content);
            opened.ok().map(|content| content.to_vec())
        })
    }
}

impl Tokens for PageKey {
    fn read(&self, token: &PageToken) -> Result<Progress, QueryError> {
        self.read_at(token, Timestamp::now())
    }

    fn write(&self, progress: Progress) -> Result<PageToken, QueryError> {
        self.write_at(&progress, Timestamp::now())
    }

    fn keep_range(&self) -> bool {
        true
    }
}

/// The key of one token.
fn derived(key: &[u8; 32], salt: &[u8; SALT]) -> Option<LessSafeKey> {
    let pseudo_random = Salt::new(HKDF_SHA256, salt).extract(key);
    let expanded = pseudo_random.expand(PURPOSE, &CHACHA20_POLY1305).ok()?;
    Some(LessSafeKey::new(UnboundKey::from(expanded)))
}

/// A key seals one token.
fn nonce() -> Nonce {
    Nonce::assume_unique_for_key([0; 12])
}

fn header() -> Aad<[u8; 1]> {
    Aad::from([SEALED])
}

/// Without the keys.
impl fmt::Debug for PageKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PageKey").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    #![allow(
        clippy::unwrap_used,
        clippy::indexing_slicing,
        reason = "a test may panic"
    )]

    use proptest::prelude::*;
    use proptest::strategy::ValueTree as _;

    use super::super::token::tests::progress;
    use super::*;

    proptest! {
        #[test]
        fn what_is_sealed_comes_back_by_its_key_alone(progress in progress(), at: prop::sample::Index, bit in 0..8_u8) {
            let key = PageKey::new([1; 32]);
            let token = key.write(progress.clone()).unwrap();
            let text = token.to_string();
            prop_assert!(text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte)));
            let parsed: PageToken = text.parse().unwrap();
            prop_assert_eq!(key.read(&parsed), Ok(progress.clone()));
            prop_assert_eq!(PageKey::new([2; 32]).accepting([1; 32]).read(&parsed), Ok(progress.clone()));
            prop_assert_eq!(PageKey::new([2; 32]).read(&parsed), Err(FOREIGN));
            // No two tokens are alike, and none shows the key of a row.
            prop_assert_ne!(&key.write(progress.clone()).unwrap(), &token);
            let mut sealed = token.sealed().unwrap().to_vec();
            if progress.place.key.len() > 3 {
                let shown = sealed.windows(progress.place.key.len());
                prop_assert!(shown.into_iter().all(|part| part != progress.place.key));
            }
            let at = at.index(sealed.len());
            sealed[at] ^= 1 << bit;
            let forged = PageToken::of_sealed([&[SEALED][..], &sealed].concat());
            prop_assert_eq!(key.read(&forged), Err(FOREIGN));
        }

        #[test]
        fn any_bytes_are_refused(bytes: Vec<u8>) {
            let token = PageToken::of_sealed([&[SEALED][..], &bytes].concat());
            prop_assert_eq!(PageKey::new([1; 32]).read(&token), Err(FOREIGN));
        }
    }

    #[test]
    fn a_token_has_an_age() {
        let mut runner = proptest::test_runner::TestRunner::deterministic();
        let progress = progress().new_tree(&mut runner).unwrap().current();
        let made = Timestamp::from_seconds(1_700_000_000);
        let (minute, later) = (Duration::from_secs(60), Duration::from_micros(60_000_001));
        let key = PageKey::new([1; 32]);
        let token = key.write_at(&progress, made).unwrap();
        let limited = key.clone().max_age(minute);
        assert_eq!(limited.read_at(&token, made + minute), Ok(progress.clone()));
        assert_eq!(limited.read_at(&token, made + later), Err(TOO_OLD));
        assert_eq!(key.read_at(&token, made + later), Ok(progress.clone()));
        // The clock of the server that made it was ahead.
        assert_eq!(limited.read_at(&token, made - minute), Ok(progress));
        let ever = key.max_age(Duration::MAX);
        assert!(ever.read_at(&token, made + later).is_ok());
    }

    #[test]
    fn the_key_is_not_shown() {
        assert_eq!(format!("{:?}", PageKey::new([200; 32])), "PageKey { .. }");
    }
}
