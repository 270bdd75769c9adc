//! Times as RFC 3339 text for serde: `#[serde(with = "bigtable_backend::timestamp::rfc3339")]`, in
//! programs with models `bigtable_model::timestamp::rfc3339`.
//!
//! By itself a [`Timestamp`] is its microseconds. A time outside the years -9999 to 9999 is written
//! as it is displayed, `9223372036854775807 us since 1970`, and read back. [`option`] is for fields
//! that may be absent.
//!
//! ```
//! use bigtable_backend::Timestamp;
//! use serde::{Deserialize, Serialize};
//!
//! #[derive(Debug, PartialEq, Serialize, Deserialize)]
//! struct Answer {
//!     #[serde(with = "bigtable_backend::timestamp::rfc3339")]
//!     at: Timestamp,
//!     #[serde(with = "bigtable_backend::timestamp::rfc3339::option", default)]
//!     until: Option<Timestamp>,
//! }
//!
//! let answer = Answer { at: Timestamp::from_millis(1_426_535_612_156), until: None };
//! let text = r#"{"at":"2015-03-16T19:53:32.156Z","until":null}"#;
//! assert_eq!(serde_json::to_string(&answer)?, text);
//! assert_eq!(serde_json::from_str::<Answer>(text)?, answer);
//! assert_eq!(serde_json::from_str::<Answer>(r#"{"at":"2015-03-16T20:53:32.156+01:00"}"#)?, answer);
//!
//! let error = serde_json::from_str::<Answer>(r#"{"at":"yesterday"}"#).unwrap_err();
//! assert!(error.to_string().starts_with("`yesterday` is not a time such as 2015-03-16T19:53:32.156Z"));
//! # Ok::<(), serde_json::Error>(())
//! ```

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serializer};

use super::Timestamp;

/// Writes a time as text.
///
/// # Errors
/// The serializer's.
pub fn serialize<S: Serializer>(time: &Timestamp, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(time)
}

/// Reads a time from text with an offset from UTC; finer digits than microseconds are rounded down.
///
/// # Errors
/// For any other text, and the deserializer's errors.
pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Timestamp, D::Error> {
    let text = String::deserialize(deserializer)?;
    text.parse().map_err(D::Error::custom)
}

/// The same for times that may be absent.
pub mod option {
    use serde::{Deserialize, Deserializer, Serializer};

    use crate::Timestamp;

    /// Writes a time as text, or its absence.
    ///
    /// # Errors
    /// The serializer's.
    pub fn serialize<S: Serializer>(
        time: &Option<Timestamp>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        match time {
            Some(time) => serializer.serialize_some(&time.to_string()),
            None => serializer.serialize_none(),
        }
    }

    /// Reads a time from text, or its absence.
    ///
    /// # Errors
    /// As [`deserialize`](super::deserialize) of a time.
    pub fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Timestamp>, D::Error> {
        #[derive(Deserialize)]
        #[serde(transparent)]
        struct Text(#[serde(with = "super")] Timestamp);

        let text = Option::<Text>::deserialize(deserializer)?;
        Ok(text.map(|Text(time)| time))
    }
}
