//! Rules as plain data: which calls, how often, and what goes wrong.

use std::time::Duration;

use bytes::Bytes;

use super::target::Keys;
use crate::Method;
use crate::data::RowRange;
use crate::{Code, Status};

/// One fault, and the calls that it applies to.
///
/// ```
/// use bigtable_backend::faults::{Fault, FaultRule, Method, When};
/// use bigtable_backend::{Code, Status};
///
/// let busy = Fault::Error(Status::new(Code::Unavailable, "try again"));
/// let rule = FaultRule::new(busy).method(Method::MutateRow).table("QUOTE").when(When::First(2));
/// assert_eq!(rule.table.as_deref(), Some("QUOTE"));
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct FaultRule {
    /// The methods that it matches; if empty, all that the fault can apply to.
    pub methods: Vec<Method>,
    /// Only calls on this table.
    pub table: Option<String>,
    /// Only calls on these rows. Calls that name no rows, such as those on tables, are then not
    /// matched.
    pub keys: Option<KeyMatch>,
    /// Which of the matched calls are hit.
    pub when: When,
    /// What happens to them.
    pub fault: Fault,
}

/// Which row keys a rule matches.
///
/// A read matches if it asks for such a key, whether or not the row exists; a bulk write if one of
/// its entries has such a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeyMatch {
    /// This key.
    Exact(Bytes),
    /// The keys that begin with these bytes.
    Prefix(Bytes),
}

/// Which of the calls that a rule matches are hit, counted from 1; for [`Fault::FailEntry`] which
/// of the entries.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum When {
    /// All of them.
    Always,
    /// Only the nth.
    Nth(u64),
    /// Every nth: the nth, the 2nth, and so on.
    Every(u64),
    /// The first n.
    First(u64),
    /// Each with this probability, between 0 and 1, decided by the seed.
    Probability(f64),
}

/// What goes wrong with a call.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Fault {
    /// The call is answered with this status and never reaches the backend.
    Error(Status),
    /// The call reaches the backend this much later. Needs tokio's timer.
    Latency(Duration),
    /// A read, or the rows of a query, are interrupted.
    CutRead {
        /// The number of rows delivered first.
        after_rows: u64,
        /// Whether it is interrupted inside the next row, which must then exist; otherwise between
        /// rows.
        inside_row: bool,
        /// The status in place of the rest.
        status: Status,
    },
    /// An entry of a bulk write is answered with this status, the others by the backend.
    FailEntry {
        /// Whether the entry is still applied: an answer that says it failed does not prove that it
        /// was not.
        applied: bool,
        /// The entry's outcome.
        status: Status,
    },
    /// The call is executed, and its answer replaced by this status.
    LoseAnswer(Status),
}

/// Why a rule is refused: it could never apply.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("rule {rule}: {reason}")]
pub struct FaultRuleError {
    /// The rule's position among those given, from 0.
    pub rule: usize,
    /// What is wrong with it, and what to write instead.
    pub reason: String,
}

impl FaultRule {
    /// The fault, on every call that it can apply to.
    #[must_use]
    pub fn new(fault: Fault) -> Self {
        Self {
            methods: Vec::new(),
            table: None,
            keys: None,
            when: When::Always,
            fault,
        }
    }

    /// Only this method; may be called several times for several methods.
    #[must_use]
    pub fn method(mut self, method: Method) -> Self {
        self.methods.push(method);
        self
    }

    /// Only calls on this table.
    #[must_use]
    pub fn table(mut self, table: impl Into<String>) -> Self {
        self.table = Some(table.into());
        self
    }

    /// Only calls on this row.
    #[must_use]
    pub fn key(mut self, key: impl Into<Bytes>) -> Self {
        self.keys = Some(KeyMatch::Exact(key.into()));
        self
    }

    /// Only calls on rows whose keys begin with `prefix`.
    #[must_use]
    pub fn prefix(mut self, prefix: impl Into<Bytes>) -> Self {
        self.keys = Some(KeyMatch::Prefix(prefix.into()));
        self
    }

    /// Only some of the matching calls.
    #[must_use]
    pub fn when(mut self, when: When) -> Self {
        self.when = when;
        self
    }

    /// Whether it matches such a call.
    pub(super) fn matches(&self, method: Method, table: Option<&str>, keys: Keys<'_>) -> bool {
        let method_matches = match self.methods.as_slice() {
            [] => self.fault.hits(method),
            named => named.contains(&method),
        };
        method_matches
            && (self.table.is_none() || self.table.as_deref() == table)
            && self
                .keys
                .as_ref()
                .is_none_or(|wanted| wanted.meets_any(keys))
    }

    /// Refuses a rule that could never apply.
    pub(super) fn check(&self) -> Result<(), String> {
        if let Some(method) = self
            .methods
            .iter()
            .find(|method| !self.fault.hits(**method))
        {
            return Err(format!(
                "{} cannot hit {}",
                self.fault.name(),
                method.name()
            ));
        }
        if let Some(method) = self.methods.iter().find(|method| !method.has_keys())
            && self.keys.is_some()
        {
            return Err(format!(
                "{} names no rows to match keys with",
                method.name()
            ));
        }
        if let Some(method) = self.methods.iter().find(|method| !method.has_table())
            && self.table.is_some()
        {
            return Err(format!("{} names no table to match", method.name()));
        }
        if self
            .fault
            .status()
            .is_some_and(|status| status.code == Code::Ok)
        {
            return Err("a fault's status cannot be OK".to_owned());
        }
        self.when.check()
    }
}

impl KeyMatch {
    /// Whether it matches one of the rows that a call names.
    fn meets_any(&self, keys: Keys<'_>) -> bool {
        match keys {
            Keys::None => false,
            Keys::One(key) => self.holds(key),
            Keys::Rows(rows) => {
                rows.is_all()
                    || rows.keys.iter().any(|key| self.holds(key))
                    || rows.ranges.iter().any(|range| self.meets(range))
            }
            Keys::Entries(entries) => {
                let mut keys = (0..entries.len()).filter_map(|index| entries.key(index));
                keys.any(|key| self.holds(key))
            }
        }
    }

    /// Whether it is this key.
    fn holds(&self, key: &[u8]) -> bool {
        match self {
            Self::Exact(wanted) => wanted == key,
            Self::Prefix(prefix) => key.starts_with(prefix),
        }
    }

    /// Whether the range can contain such a key.
    fn meets(&self, range: &RowRange) -> bool {
        match self {
            Self::Exact(wanted) => range.contains(wanted),
            Self::Prefix(prefix) => {
                let keys = RowRange::prefix(prefix.clone());
                let range = range.clone().normal();
                let (start, end) = (
                    later(&keys.start, &range.start),
                    earlier(&keys.end, &range.end),
                );
                !RowRange { start, end }.is_empty()
            }
        }
    }
}

type Bound = std::ops::Bound<Bytes>;

/// The later of a prefix's start, which is included, and another start.
fn later(prefix: &Bound, other: &Bound) -> Bound {
    use std::ops::Bound::{Excluded, Included, Unbounded};
    match (prefix, other) {
        (Included(own), Included(key) | Excluded(key)) if own > key => prefix.clone(),
        (_, Unbounded) => prefix.clone(),
        _ => other.clone(),
    }
}

/// The earlier of a prefix's end, which is excluded or open, and another end.
fn earlier(prefix: &Bound, other: &Bound) -> Bound {
    use std::ops::Bound::{Excluded, Included, Unbounded};
    match (prefix, other) {
        (Excluded(own), Included(key) | Excluded(key)) if own <= key => prefix.clone(),
        (_, Unbounded) => prefix.clone(),
        _ => other.clone(),
    }
}

impl When {
    /// Whether the `count`th match is hit; `chance` is its random number, in `0.0..1.0`.
    pub(super) fn hits(self, count: u64, chance: f64) -> bool {
        match self {
            Self::Always => true,
            Self::Nth(n) => count == n,
            Self::Every(n) => count.is_multiple_of(n),
            Self::First(n) => count <= n,
            Self::Probability(probability) => chance < probability,
        }
    }

    fn check(self) -> Result<(), String> {
        match self {
            Self::Nth(0) | Self::Every(0) | Self::First(0) => {
                Err(format!("{self:?} hits nothing: matches are counted from 1"))
            }
            Self::Probability(probability) if !(0.0..=1.0).contains(&probability) => Err(format!(
                "{probability} is no probability: give one from 0 to 1"
            )),
            _ => Ok(()),
        }
    }
}

impl Fault {
    /// Whether it can happen to a call of this method.
    pub(super) fn hits(&self, method: Method) -> bool {
        match self {
            Self::Error(_) | Self::Latency(_) => true,
            Self::CutRead { .. } => method.has_rows(),
            Self::FailEntry { .. } => method == Method::MutateRows,
            Self::LoseAnswer(_) => !method.has_rows(),
        }
    }

    pub(super) fn status(&self) -> Option<&Status> {
        match self {
            Self::Error(status)
            | Self::LoseAnswer(status)
            | Self::CutRead { status, .. }
            | Self::FailEntry { status, .. } => Some(status),
            Self::Latency(_) => None,
        }
    }

    fn name(&self) -> &'static str {
        match self {
            Self::Error(_) => "Error",
            Self::Latency(_) => "Latency",
            Self::CutRead { .. } => "CutRead",
            Self::FailEntry { .. } => "FailEntry",
            Self::LoseAnswer(_) => "LoseAnswer",
        }
    }
}
