//! The service's model.

use bigtable_model::value::{CellCodec, ValueError};
use bigtable_model::{Model, Timestamp};
use serde::{Deserialize, Serialize};

/// A measurement of a sensor: `attic#1714564800000`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Model)]
#[serde(deny_unknown_fields)]
#[bigtable(table = "READING", family = "M")]
pub(crate) struct Reading {
    #[bigtable(key)]
    pub(crate) sensor: String,
    #[bigtable(time, unit = "ms")]
    #[serde(with = "bigtable_model::timestamp::rfc3339")]
    pub(crate) at: Timestamp,
    #[bigtable(column = "CELSIUS", text)]
    pub(crate) celsius: f64,
    /// In percent.
    #[bigtable(column = "HUMIDITY", with = Percent)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) humidity: Option<u8>,
}

/// A number from 0 to 100, as text.
#[derive(Debug)]
pub(crate) struct Percent;

impl CellCodec<u8> for Percent {
    const NAME: &'static str = "percent";

    fn encode(value: &u8, out: &mut Vec<u8>) -> Result<(), ValueError> {
        if *value > 100 {
            return Err(ValueError::refused(
                Self::NAME,
                format!("{value} is above 100"),
            ));
        }
        out.extend(value.to_string().as_bytes());
        Ok(())
    }

    fn decode(bytes: &[u8]) -> Result<u8, ValueError> {
        let text = std::str::from_utf8(bytes).ok();
        let number = text.and_then(|text| text.parse().ok());
        number
            .filter(|number| *number <= 100)
            .ok_or_else(|| ValueError::malformed("a number from 0 to 100", bytes))
    }
}
