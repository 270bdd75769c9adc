//! Packed maps in layout `cells`.

use std::collections::BTreeMap;

use bigtable_model::{Model, Timestamp};

#[path = "rounds.rs"]
#[allow(clippy::duplicate_mod, reason = "the same tests of another model")]
mod rounds;

models!("cells", "HOST", "MARKED");
