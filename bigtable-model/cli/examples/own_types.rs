//! The command with the types of a program: also those that a lock file cannot describe.
//!
//! ```sh
//! cargo run --example own_types -- models
//! ```

use std::process::ExitCode;

use bigtable_model::value::{CellCodec, ValueError};
use bigtable_model::{Model, Timestamp};

/// A row such as `anna`.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "ACCOUNT", family = "A")]
struct Account {
    #[bigtable(key)]
    user: String,
    name: String,
    /// It is stored, and never printed.
    #[bigtable(sensitive)]
    email: Option<String>,
    #[bigtable(text, sensitive)]
    pin: Option<u16>,
    #[bigtable(with = Stars)]
    level: u8,
    /// In cents.
    balance: Option<i64>,
}

/// A level as so many stars: a codec that is code.
#[derive(Debug)]
struct Stars;

impl CellCodec<u8> for Stars {
    const NAME: &'static str = "stars";

    fn encode(level: &u8, out: &mut Vec<u8>) -> Result<(), ValueError> {
        out.extend(std::iter::repeat_n(b'*', usize::from(*level)));
        Ok(())
    }

    fn decode(bytes: &[u8]) -> Result<u8, ValueError> {
        let stars = bytes.iter().all(|byte| *byte == b'*');
        let level = u8::try_from(bytes.len()).ok().filter(|_| stars);
        level.ok_or_else(|| ValueError::malformed("up to 255 stars", bytes))
    }
}

/// A row such as `anna#1714564800000`, whose event is one message of protocol buffers.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "VISIT", family = "V", serialize(proto))]
struct Visit {
    #[bigtable(key)]
    user: String,
    #[bigtable(time, unit = "ms")]
    at: Timestamp,
    page: String,
    since: Option<Timestamp>,
}

/// A year of a user in a table, a day in a row such as `anna#20240501`, whose column names are the
/// times alone.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "GLUCOSE_{at:%Y}", family = "G", layout = "columns")]
struct Glucose {
    #[bigtable(key)]
    user: String,
    #[bigtable(time, bucket = "day", label = "%Y%m%d", offset = "%H%M")]
    at: Timestamp,
    #[bigtable(text, sensitive)]
    level: f64,
}

fn main() -> ExitCode {
    bigtable_model_cli::run::<(Account, Visit, Glucose)>()
}
