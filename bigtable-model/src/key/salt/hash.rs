//! The hashes of salts.

use std::fmt;
use std::hash::{Hash, Hasher};

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use xxhash_rust::xxh64::{Xxh64, xxh64};

/// The hash of a [`Salt`](super::Salt). A name must always mean the same function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub enum SaltHash {
    /// XXH64 with seed 0.
    Xxh64,
    /// The program's own function.
    Own(OwnHash),
}

/// A hash of your own for salts: `salt(shards = 64, of(symbol), hash = Fnv1a)`.
///
/// It is for rows that other programs also write, with a hash of their own. Its name is part of the
/// layout and must always mean the same function: with another function, stored rows are not found,
/// and rows that are read are refused.
///
/// ```
/// use bigtable_model::key::SaltFunction;
/// use bigtable_model::{Model, Timestamp};
///
/// /// FNV-1a of 64 bits.
/// struct Fnv1a;
///
/// impl SaltFunction for Fnv1a {
///     const NAME: &'static str = "fnv1a";
///
///     fn hash(bytes: &[u8]) -> u64 {
///         bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
///             (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
///         })
///     }
/// }
///
/// #[derive(Model)]
/// #[bigtable(table = "QUOTE", family = "MD", salt(shards = 64, of(symbol), hash = Fnv1a))]
/// struct Quote {
///     #[bigtable(key)]
///     symbol: String,
///     #[bigtable(time, unit = "ms")]
///     at: Timestamp,
///     bid: f64,
/// }
///
/// // FNV-1a of "a" is af63dc4c8601ec8c, whose last six bits are 12.
/// let at = Timestamp::from_millis(1_426_535_612_156);
/// let quote = Quote { symbol: "a".to_owned(), at, bid: 1.0 };
/// assert_eq!(quote.key().encode()?, b"12#a#1426535612156");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no hash of salts",
    label = "not a `SaltFunction`",
    note = "write `impl SaltFunction for {Self}` with its name and its function, or remove `hash` for XXH64"
)]
pub trait SaltFunction: 'static {
    /// Its name in the layout: 1 to 64 letters, digits, `-`, `_` and `.`, and not `xxh64`.
    const NAME: &'static str;

    /// The hash of the encoded segments, joined by the separator. A key's shard is the hash modulo
    /// the number of shards.
    fn hash(bytes: &[u8]) -> u64;
}

/// A [`SaltFunction`] as data: the function and its name; only the name is compared.
///
/// It is serialised as its name, and cannot be deserialised.
#[derive(Clone, Copy)]
pub struct OwnHash {
    name: &'static str,
    function: fn(&[u8]) -> u64,
}

/// The maximum size of a name, in bytes.
const MOST_NAME_BYTES: usize = 64;

impl OwnHash {
    /// The hash of a type.
    #[must_use]
    pub const fn of<F: SaltFunction>() -> Self {
        Self {
            name: F::NAME,
            function: F::hash,
        }
    }

    /// Its name.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// Whether its name is valid in a layout.
    pub(super) const fn is_named(&self) -> bool {
        let mut rest = self.name.as_bytes();
        if rest.is_empty() || rest.len() > MOST_NAME_BYTES {
            return false;
        }
        if matches!(rest, b"xxh64") {
            return false;
        }
        while let [byte, tail @ ..] = rest {
            if !byte.is_ascii_alphanumeric() && !matches!(byte, b'-' | b'_' | b'.') {
                return false;
            }
            rest = tail;
        }
        true
    }
}

impl SaltHash {
    /// The hash of all bytes at once.
    #[inline]
    pub(in crate::key) fn of(self, bytes: &[u8]) -> u64 {
        match self {
            Self::Xxh64 => xxh64(bytes, 0),
            Self::Own(own) => (own.function)(bytes),
        }
    }
}

/// `xxh64`, or the name of the program's function.
impl fmt::Display for SaltHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Xxh64 => "xxh64",
            Self::Own(own) => own.name,
        })
    }
}

impl fmt::Debug for OwnHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("OwnHash").field(&self.name).finish()
    }
}

impl PartialEq for OwnHash {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for OwnHash {}

impl Hash for OwnHash {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name.hash(state);
    }
}

impl Serialize for OwnHash {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name)
    }
}

impl<'de> Deserialize<'de> for OwnHash {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        Err(D::Error::custom(format!(
            "`{name}` is a hash of a program's own, whose function only its models have"
        )))
    }
}

/// A hash in progress, of more bytes than are hashed at once.
#[derive(Clone)]
enum GoingOn {
    Xxh64(Box<Xxh64>),
    /// A function needs all bytes.
    Own(OwnHash, Vec<u8>),
}

impl GoingOn {
    fn new(hash: SaltHash) -> Self {
        match hash {
            SaltHash::Xxh64 => Self::Xxh64(Box::new(Xxh64::new(0))),
            SaltHash::Own(own) => Self::Own(own, Vec::new()),
        }
    }

    fn update(&mut self, bytes: &[u8]) {
        match self {
            Self::Xxh64(hash) => hash.update(bytes),
            Self::Own(_, gathered) => gathered.extend_from_slice(bytes),
        }
    }

    fn digest(&self) -> u64 {
        match self {
            Self::Xxh64(hash) => hash.digest(),
            Self::Own(own, gathered) => (own.function)(gathered),
        }
    }
}

/// Hashes segments one after another.
///
/// The hashed bytes are mostly shorter than the state of a streaming hash, so they are collected
/// and hashed at once.
#[derive(Clone)]
pub(in crate::key) struct SaltHasher {
    hash: SaltHash,
    gathered: [u8; GATHERED],
    len: usize,
    begun: bool,
    /// Takes the bytes for which there is no room.
    going_on: Option<GoingOn>,
}

/// The bytes that are hashed at once.
const GATHERED: usize = 64;

impl SaltHasher {
    #[inline]
    pub(in crate::key) fn new(hash: SaltHash) -> Self {
        Self {
            hash,
            gathered: [0; GATHERED],
            len: 0,
            begun: false,
            going_on: None,
        }
    }

    /// Adds the next segment's bytes, after a separator: otherwise bytes could move from one
    /// segment to the next without changing the hash.
    #[inline]
    pub(in crate::key) fn add(&mut self, bytes: &[u8], separator: &str) {
        if std::mem::replace(&mut self.begun, true) {
            self.gather(separator.as_bytes());
        }
        self.gather(bytes);
    }

    #[inline]
    fn gather(&mut self, bytes: &[u8]) {
        let end = self.len + bytes.len();
        match self.gathered.get_mut(self.len..end) {
            Some(room) if self.going_on.is_none() => {
                room.copy_from_slice(bytes);
                self.len = end;
            }
            _ => self.go_on(bytes),
        }
    }

    #[cold]
    fn go_on(&mut self, bytes: &[u8]) {
        let gathered = self.gathered.get(..self.len).unwrap_or_default();
        let hash = self.going_on.get_or_insert_with(|| {
            let mut hash = GoingOn::new(self.hash);
            hash.update(gathered);
            hash
        });
        hash.update(bytes);
    }

    #[inline]
    pub(in crate::key) fn digest(&self) -> u64 {
        match &self.going_on {
            Some(hash) => hash.digest(),
            None => {
                let gathered = self.gathered.get(..self.len).unwrap_or_default();
                self.hash.of(gathered)
            }
        }
    }
}

/// The index of the shard of a hash.
#[inline]
pub(super) fn shard(hash: u64, shards: u16) -> u16 {
    let shard = hash % u64::from(shards.max(1));
    u16::try_from(shard).unwrap_or_default()
}

impl fmt::Debug for SaltHasher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SaltHasher")
    }
}
