use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use xxhash_rust::xxh64::xxh64;

use super::stable::fingerprint;
use super::text;
use crate::Timestamp;
use crate::error::QueryError;
use crate::model::ModelSchema;
use crate::query::{Place, Selection};

/// Where the next page of a query begins.
///
/// Its text is compact and can stand in a URL; it is not encrypted, and shows the last event's row key to those who decode it. It
/// survives restarts. A query with other values, order or limit refuses it, and so does a model whose table, key or
/// layout is another.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct PageToken {
    /// The hash of the query.
    pub(super) query: u64,
    /// The hash of table, key and layout.
    pub(super) layout: u64,
    /// The last event of the pages so far.
    pub(super) place: Place,
    /// How many events they held.
    pub(super) delivered: u64,
}

/// The first byte; another way to write tokens would have another.
const VERSION: u8 = 1;

/// The bytes of the checksum, the last ones.
const CHECKSUM: usize = 4;

const DAMAGED: QueryError = QueryError::PageToken {
    reason: "its text is damaged",
};

impl PageToken {
    pub(super) fn query(selection: &Selection) -> u64 {
        fingerprint(&Selection {
            // How many scans may run does not change the results.
            max_scans: 0,
            ..selection.clone()
        })
    }

    pub(super) fn layout(schema: &ModelSchema) -> u64 {
        fingerprint(&(schema.table.to_string(), &schema.key, &schema.layout))
    }

    /// Refuses a token of another query or layout.
    pub(super) fn check(&self, query: u64, layout: u64) -> Result<(), QueryError> {
        let reason = match (self.layout == layout, self.query == query) {
            (true, true) => return Ok(()),
            (false, _) => "the layout of the model has changed since",
            (true, false) => "it is of another query",
        };
        Err(QueryError::PageToken { reason })
    }

    fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = vec![VERSION];
        bytes.extend_from_slice(&self.layout.to_be_bytes());
        bytes.extend_from_slice(&self.query.to_be_bytes());
        bytes.extend_from_slice(&self.delivered.to_be_bytes());
        bytes.extend_from_slice(&self.place.nth.to_be_bytes());
        bytes.push(u8::from(self.place.time.is_some()));
        if let Some(time) = self.place.time {
            bytes.extend_from_slice(&time.as_micros().to_be_bytes());
        }
        bytes.extend_from_slice(&self.place.key);
        let checksum = checksum(&bytes);
        bytes.extend_from_slice(&checksum);
        bytes
    }

    fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (mut bytes, found) = bytes.split_last_chunk::<CHECKSUM>()?;
        if *found != checksum(bytes) || take::<1>(&mut bytes)? != [VERSION] {
            return None;
        }
        Some(Self {
            layout: u64::from_be_bytes(take(&mut bytes)?),
            query: u64::from_be_bytes(take(&mut bytes)?),
            delivered: u64::from_be_bytes(take(&mut bytes)?),
            place: Place {
                nth: u32::from_be_bytes(take(&mut bytes)?),
                time: match take(&mut bytes)? {
                    [0] => None,
                    [1] => Some(Timestamp::from_micros(i64::from_be_bytes(take(
                        &mut bytes,
                    )?))),
                    _ => return None,
                },
                key: bytes.to_vec(),
            },
        })
    }
}

fn checksum(bytes: &[u8]) -> [u8; CHECKSUM] {
    let [_, _, _, _, checksum @ ..] = xxh64(bytes, 0).to_be_bytes();
    checksum
}

fn take<const N: usize>(bytes: &mut &[u8]) -> Option<[u8; N]> {
    let (taken, rest) = bytes.split_first_chunk()?;
    *bytes = rest;
    Some(*taken)
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
        Self::from_bytes(&bytes).ok_or(DAMAGED)
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
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]

    use super::*;
    use proptest::prelude::*;

    fn token() -> impl Strategy<Value = PageToken> {
        let place = (
            prop::option::of(any::<i64>()),
            any::<Vec<u8>>(),
            any::<u32>(),
        );
        (any::<u64>(), any::<u64>(), place, any::<u64>()).prop_map(
            |(query, layout, (time, key, nth), delivered)| PageToken {
                query,
                layout,
                place: Place {
                    time: time.map(Timestamp::from_micros),
                    key,
                    nth,
                },
                delivered,
            },
        )
    }

    proptest! {
        #[test]
        fn a_token_comes_back_from_its_text(token in token()) {
            let text = token.to_string();
            prop_assert!(text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte)));
            prop_assert_eq!(text.parse::<PageToken>().unwrap(), token);
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
