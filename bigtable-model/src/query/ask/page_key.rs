//! The application's key for page tokens.

use std::fmt;
use std::time::Duration;

use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, Nonce, UnboundKey};
use ring::hkdf::{HKDF_SHA256, Salt};
use ring::rand::{SecureRandom as _, SystemRandom};

/// Random bytes at the beginning of a token, from which its own key is derived: enough that no two
/// tokens of a key share them.
const SALT: usize = 16;

/// The purpose of derived keys.
const PURPOSE: &[&[u8]] = &[b"bigtable-model page token 2"];

/// A key under which page tokens are encrypted and authenticated; see
/// [`Query::page_key`](crate::query::Query::page_key).
///
/// A token is sealed with ChaCha20-Poly1305 under its own key, which HKDF-SHA256 derives from this
/// one and 16 random bytes. Its length reveals the length of the last event's row key.
///
/// A token is bound to the query and to the table that it reads, by its name in the instance:
/// tenants of [`with_tables`](crate::BackendExt::with_tables) can share a key.
///
/// All servers that continue each other's pages need the same key: 32 random bytes, kept secret. A
/// new key refuses the tokens of an old one unless [`accepting`](PageKey::accepting) names the old
/// key.
///
/// ```
/// use bigtable_model::query::PageKey;
///
/// let (old, new) = ([7; 32], [8; 32]); // from where the program keeps its secrets
/// let key = PageKey::new(new).accepting(old).max_age(std::time::Duration::from_secs(86_400));
/// ```
#[derive(Clone)]
pub struct PageKey {
    /// The first key seals; every key opens.
    keys: Vec<[u8; 32]>,
    /// How old a token may be.
    pub(in crate::query) max_age: Option<Duration>,
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

    /// Refuses tokens older than `age`, by this program's clock. Without it, tokens have no age
    /// limit. Each page gives a new token.
    #[must_use]
    pub fn max_age(mut self, age: Duration) -> Self {
        self.max_age = Some(age);
        self
    }

    /// Encrypts `content` and authenticates it with the `form` of the token; `None` if the system
    /// provides no random bytes.
    pub(in crate::query) fn seal(&self, form: u8, mut content: Vec<u8>) -> Option<Vec<u8>> {
        let key = self.keys.first()?;
        let mut salt = [0; SALT];
        SystemRandom::new().fill(&mut salt).ok()?;
        let key = derived(key, &salt)?;
        let header = Aad::from([form]);
        key.seal_in_place_append_tag(nonce(), header, &mut content)
            .ok()?;
        Some([&[form][..], &salt, &content].concat())
    }

    /// The content of a token that one of the keys sealed, given without its first byte.
    pub(in crate::query) fn open(&self, form: u8, sealed: &[u8]) -> Option<Vec<u8>> {
        let (salt, sealed) = sealed.split_first_chunk::<SALT>()?;
        self.keys.iter().find_map(|key| {
            let mut content = sealed.to_vec();
            let key = derived(key, salt)?;
            let opened = key.open_in_place(nonce(), Aad::from([form]), &mut content);
            opened.ok().map(|content| content.to_vec())
        })
    }
}

/// The key of one token.
fn derived(key: &[u8; 32], salt: &[u8; SALT]) -> Option<LessSafeKey> {
    let pseudo_random = Salt::new(HKDF_SHA256, salt).extract(key);
    let expanded = pseudo_random.expand(PURPOSE, &CHACHA20_POLY1305).ok()?;
    Some(LessSafeKey::new(UnboundKey::from(expanded)))
}

/// A fixed nonce, since each derived key seals only one token.
fn nonce() -> Nonce {
    Nonce::assume_unique_for_key([0; 12])
}

/// Omits the keys.
impl fmt::Debug for PageKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PageKey").finish_non_exhaustive()
    }
}
