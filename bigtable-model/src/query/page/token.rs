use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use xxhash_rust::xxh64::xxh64;

use super::range::TimeRange;
use super::spans::Spans;
use super::stable::fingerprint;
use super::text;
use crate::Timestamp;
use crate::backend::Backend;
use crate::error::QueryError;
use crate::model::ModelSchema;
use crate::query::{Place, Selection};

/// Where the next page of a query begins.
///
/// Its text is compact and safe in URLs. It is not encrypted: whoever decodes it sees the last
/// event's row key, and in layout `qualifiers` its value. It survives restarts. A query with other
/// values, conditions, order or limit refuses it, and so does a model with another table, key or
/// layout; pages may have different sizes. The
/// table's name in the instance counts, so a token of one tenant of
/// [`with_tables`](crate::BackendExt::with_tables) is refused for another.
///
/// Anyone can make a token with any position. It reads nothing outside the query's selection, but
/// the token decides where the query's limit starts to count.
///
/// A moving window, such as `now - hour..now`, is a different query on each page: fix the range
/// once and pass it along with the token. With the application's key (feature `page_key`,
/// `Query::page_key`) tokens reveal only the length of that row key, cannot be forged, and keep the
/// first page's range.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct PageToken(Form);

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Form {
    /// Anyone can read it.
    Open(Progress),
    /// Only a key opens it: all of its bytes except the first.
    Sealed(Vec<u8>),
}

/// The progress of a query's pages.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Progress {
    /// The hash of the query.
    pub(super) query: u64,
    /// The hash of the table in the instance, key and layout.
    pub(super) layout: u64,
    /// The last event of the pages so far.
    pub(super) place: Place,
    /// How many events they held.
    pub(super) delivered: u64,
    /// The periods of the tables that the first page listed; `None` if it listed none, or if the
    /// next page has to list them again.
    pub(super) spans: Option<Spans>,
    /// The time range of the first page, if tokens keep it.
    pub(super) range: Option<TimeRange>,
}

/// How tokens are read and written.
pub(super) trait Tokens: Sync {
    /// The progress of the pages.
    fn read(&self, token: &PageToken) -> Result<Progress, QueryError>;

    fn write(&self, progress: Progress) -> Result<PageToken, QueryError>;

    /// Whether they keep the time range of the first page.
    fn keep_range(&self) -> bool;
}

/// Tokens that anyone can read.
pub(super) struct OpenTokens;

impl Tokens for OpenTokens {
    fn read(&self, token: &PageToken) -> Result<Progress, QueryError> {
        match &token.0 {
            Form::Open(progress) => Ok(progress.clone()),
            Form::Sealed(_) => Err(NO_KEY),
        }
    }

    fn write(&self, progress: Progress) -> Result<PageToken, QueryError> {
        Ok(PageToken(Form::Open(progress)))
    }

    fn keep_range(&self) -> bool {
        false
    }
}

/// The first byte of a sealed token.
pub(super) const SEALED: u8 = 0x82;

const NO_KEY: QueryError = QueryError::PageToken {
    reason: "it was made with a key: ask for the page by `page_key`",
};

/// The first byte: the version of the format.
const VERSION: u8 = 1;

/// The bytes of the checksum, the last ones.
const CHECKSUM: usize = 4;

const DAMAGED: QueryError = QueryError::PageToken {
    reason: "its text is damaged",
};

const OTHER: QueryError = QueryError::PageToken {
    reason: "another version of this library wrote it; ask for the first page again",
};

impl PageToken {
    pub(in crate::query) fn query(selection: &Selection) -> u64 {
        fingerprint(&Selection {
            // Neither the number of scans nor the way in which rows are found changes the results.
            max_scans: 0,
            max_seeks: 0,
            // Nor do the fields that SQL would select.
            payload: Vec::new(),
            ..selection.clone()
        })
    }

    /// The hash of the table as the instance calls it, and of the model's layout.
    pub(super) fn layout(backend: &dyn Backend, schema: &ModelSchema) -> u64 {
        let stored = backend.stored_table(&schema.table.one_of_them());
        let table = schema.table.to_string();
        fingerprint(&(stored, table, &schema.key, &schema.layout))
    }

    /// The bytes of a sealed token, without the first.
    #[cfg(feature = "page_key")]
    pub(super) fn sealed(&self) -> Option<&[u8]> {
        match &self.0 {
            Form::Open(_) => None,
            Form::Sealed(bytes) => Some(bytes),
        }
    }

    /// The token of bytes that begin with [`SEALED`].
    pub(super) fn of_sealed(mut bytes: Vec<u8>) -> Self {
        bytes.drain(..1);
        Self(Form::Sealed(bytes))
    }

    fn to_bytes(&self) -> Vec<u8> {
        match &self.0 {
            Form::Open(progress) => progress.to_bytes(),
            Form::Sealed(bytes) => [&[SEALED][..], bytes].concat(),
        }
    }
}

impl From<Progress> for PageToken {
    fn from(progress: Progress) -> Self {
        Self(Form::Open(progress))
    }
}

impl Progress {
    /// Refuses a token of another query or layout.
    pub(super) fn check(&self, query: u64, layout: u64) -> Result<(), QueryError> {
        let reason = match (self.layout == layout, self.query == query) {
            (true, true) => return Ok(()),
            (false, _) => "it is of another table, or the layout of the model has changed since",
            (true, false) => "it is of another query",
        };
        Err(QueryError::PageToken { reason })
    }

    fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = vec![VERSION];
        self.write_content(&mut bytes);
        let checksum = checksum(&bytes);
        bytes.extend_from_slice(&checksum);
        bytes
    }

    /// The bytes to be sealed.
    #[cfg(feature = "page_key")]
    pub(super) fn to_sealed(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        TimeRange::write(self.range, &mut bytes);
        self.write_content(&mut bytes);
        bytes
    }

    /// The progress in unsealed bytes.
    #[cfg(feature = "page_key")]
    pub(super) fn from_sealed(mut bytes: &[u8]) -> Option<Self> {
        let range = TimeRange::read(&mut bytes)?;
        let progress = Self::from_content(bytes)?;
        Some(Self { range, ..progress })
    }

    /// Appends all but the range.
    fn write_content(&self, bytes: &mut Vec<u8>) {
        let Place {
            time,
            key,
            qualifier,
        } = &self.place;
        bytes.extend_from_slice(&self.layout.to_be_bytes());
        bytes.extend_from_slice(&self.query.to_be_bytes());
        bytes.extend_from_slice(&self.delivered.to_be_bytes());
        bytes.push(u8::from(time.is_some()));
        if let Some(time) = time {
            bytes.extend_from_slice(&time.as_micros().to_be_bytes());
        }
        bytes.push(u8::from(qualifier.is_some()));
        if let Some(qualifier) = qualifier {
            let length = u32::try_from(qualifier.len()).unwrap_or(u32::MAX);
            bytes.extend_from_slice(&length.to_be_bytes());
            bytes.extend_from_slice(qualifier);
        }
        Spans::write(self.spans.as_ref(), bytes);
        bytes.extend_from_slice(key);
    }

    fn from_bytes(bytes: &[u8]) -> Result<Self, QueryError> {
        let (bytes, found) = bytes.split_last_chunk::<CHECKSUM>().ok_or(DAMAGED)?;
        match bytes {
            _ if *found != checksum(bytes) => Err(DAMAGED),
            [VERSION, content @ ..] => Self::from_content(content).ok_or(DAMAGED),
            [_, ..] => Err(OTHER),
            [] => Err(DAMAGED),
        }
    }

    /// The token of the bytes between version and checksum.
    fn from_content(mut bytes: &[u8]) -> Option<Self> {
        let layout = u64::from_be_bytes(take(&mut bytes)?);
        let query = u64::from_be_bytes(take(&mut bytes)?);
        let delivered = u64::from_be_bytes(take(&mut bytes)?);
        let time = match is_there(&mut bytes)? {
            true => Some(take_time(&mut bytes)?),
            false => None,
        };
        let qualifier = match is_there(&mut bytes)? {
            true => {
                let length = u32::from_be_bytes(take(&mut bytes)?);
                let (qualifier, rest) = bytes.split_at_checked(usize::try_from(length).ok()?)?;
                bytes = rest;
                Some(qualifier.to_vec())
            }
            false => None,
        };
        Some(Self {
            query,
            layout,
            delivered,
            spans: Spans::read(&mut bytes)?,
            range: None,
            place: Place {
                time,
                qualifier,
                key: bytes.to_vec(),
            },
        })
    }
}

fn checksum(bytes: &[u8]) -> [u8; CHECKSUM] {
    let [_, _, _, _, checksum @ ..] = xxh64(bytes, 0).to_be_bytes();
    checksum
}

pub(super) fn take<const N: usize>(bytes: &mut &[u8]) -> Option<[u8; N]> {
    let (taken, rest) = bytes.split_first_chunk()?;
    *bytes = rest;
    Some(*taken)
}

pub(super) fn take_time(bytes: &mut &[u8]) -> Option<Timestamp> {
    let micros = i64::from_be_bytes(take(bytes)?);
    Some(Timestamp::from_micros(micros))
}

/// Whether an optional part follows.
fn is_there(bytes: &mut &[u8]) -> Option<bool> {
    match take(bytes)? {
        [0] => Some(false),
        [1] => Some(true),
        _ => None,
    }
}

impl fmt::Display for PageToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&text::encode(&self.to_bytes()))
    }
}

impl FromStr for PageToken {
    type Err = QueryError;

    fn from_str(token: &str) -> Result<Self, QueryError> {
        let bytes = text::decode(token).ok_or(DAMAGED)?;
        match bytes.first() {
            Some(&SEALED) => Ok(Self::of_sealed(bytes)),
            _ => Progress::from_bytes(&bytes).map(Self::from),
        }
    }
}

impl Serialize for PageToken {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for PageToken {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
pub(super) mod tests {
    #![allow(
        clippy::unwrap_used,
        clippy::indexing_slicing,
        reason = "a test may panic"
    )]

    use super::*;
    use proptest::prelude::*;

    /// Progress as in tokens of a key.
    #[cfg(feature = "page_key")]
    pub(in crate::query::page) fn progress() -> impl Strategy<Value = Progress> {
        let range = prop::option::of(TimeRange::any());
        (open(), range).prop_map(|(progress, range)| Progress { range, ..progress })
    }

    fn token() -> impl Strategy<Value = PageToken> {
        open().prop_map(PageToken::from)
    }

    fn open() -> impl Strategy<Value = Progress> {
        let place = (
            prop::option::of(any::<i64>()),
            any::<Vec<u8>>(),
            prop::option::of(any::<Vec<u8>>()),
        );
        let place = place.prop_map(|(time, key, qualifier)| Place {
            time: time.map(Timestamp::from_micros),
            key,
            qualifier,
        });
        let spans = prop::option::of(Spans::any());
        (any::<[u64; 3]>(), place, spans).prop_map(|([query, layout, delivered], place, spans)| {
            Progress {
                query,
                layout,
                place,
                delivered,
                spans,
                range: None,
            }
        })
    }

    fn text_of(version: u8, token: &PageToken) -> String {
        let mut bytes = token.to_bytes();
        bytes[0] = version;
        let content = bytes.len() - CHECKSUM;
        let sum = checksum(&bytes[..content]);
        bytes[content..].copy_from_slice(&sum);
        text::encode(&bytes)
    }

    proptest! {
        #[test]
        fn a_token_comes_back_from_its_text(token in token()) {
            let text = token.to_string();
            prop_assert!(text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte)));
            prop_assert_eq!(text.parse::<PageToken>().unwrap(), token);
        }

        #[test]
        fn a_token_of_another_version_is_refused(token in token(), version in 0..=u8::MAX) {
            let expected = match version {
                VERSION => Ok(token.clone()),
                // Only a key can check its bytes.
                SEALED => return Ok(()),
                _ => Err(OTHER),
            };
            prop_assert_eq!(text_of(version, &token).parse::<PageToken>(), expected);
        }

        #[test]
        fn any_bytes_are_read_without_a_panic(version in 0..4_u8, bytes: Vec<u8>) {
            let mut bytes = [[version].as_slice(), &bytes].concat();
            let sum = checksum(&bytes);
            bytes.extend_from_slice(&sum);
            if let Ok(token) = text::encode(&bytes).parse::<PageToken>() {
                prop_assert_eq!(token.to_bytes(), bytes);
            }
        }

        #[test]
        fn a_damaged_text_is_refused(token in token(), at: prop::sample::Index, letter in "[A-Za-z0-9_-]") {
            let text = token.to_string();
            let at = at.index(text.len());
            let damaged = format!("{}{letter}{}", &text[..at], &text[at + 1..]);
            prop_assert!(damaged == text || damaged.parse::<PageToken>().is_err());
        }
    }
}
