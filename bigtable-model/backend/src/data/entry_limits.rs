//! The limits of an entry that hold for every table.

use bytes::Bytes;

use super::limits::{self, shown};
use super::{EntrySize, Mutation, RowMutations, SERVER_TIME};
use crate::{Code, Status};

/// Bigtable's limits on the entry of a bulk write, whatever its table. If one entry is over a
/// limit, the service refuses all entries of the request, so code that sends entries of several
/// callers or events together checks each of them first.
///
/// ```
/// use bigtable_backend::data::{EntryLimits, Mutation, RowMutations};
///
/// let row = RowMutations { key: "".into(), mutations: vec![Mutation::DeleteFromRow] };
/// let refused = EntryLimits::default().check(&row).unwrap_err();
/// assert_eq!(
///     refused.message,
///     "nothing was sent, because the request has an empty row key"
/// );
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EntryLimits {
    /// Bytes of a row key: 4 KiB. An empty key is refused too.
    pub row_key_bytes: usize,
    /// Bytes of a qualifier: 16 KiB.
    pub qualifier_bytes: usize,
    /// Characters of a family's name: 64, each a letter, a digit or one of `-_.`.
    pub family_characters: usize,
    /// Bytes of a cell's value: 100 MiB.
    pub value_bytes: usize,
    /// The size of a value, in bytes, from which a warning is logged: 10 MB.
    pub large_value_bytes: usize,
    /// Bytes of one row's mutations: 200 MiB.
    pub entry_bytes: usize,
    /// Mutations of one row, and of a bulk write: 100,000.
    pub mutations: usize,
}

impl Default for EntryLimits {
    fn default() -> Self {
        Self {
            row_key_bytes: limits::KEY,
            qualifier_bytes: limits::QUALIFIER,
            family_characters: 64,
            value_bytes: limits::VALUE,
            large_value_bytes: 10_000_000,
            entry_bytes: 200 << 20,
            mutations: limits::MUTATIONS,
        }
    }
}

impl EntryLimits {
    /// Refuses an entry that every table would refuse.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT`, with the limit and the part that exceeds it.
    pub fn check(&self, row: &RowMutations) -> Result<(), Status> {
        self.row_key(&row.key)?;
        if row.mutations.is_empty() {
            return Err(refused(format!("no mutations for row {}", shown(&row.key))));
        }
        self.mutations(&row.key, &row.mutations)
    }

    /// Whether an entry of this size is within the limits, whatever it contains; families are not
    /// checked. For the size of a batch, whether each entry is. If not, [`check`] says why, or that
    /// the entry is within the limits after all.
    ///
    /// [`check`]: Self::check
    #[must_use]
    pub fn take(&self, size: &EntrySize) -> bool {
        (1..=self.row_key_bytes).contains(&size.key_bytes)
            && (1..=self.mutations).contains(&size.mutations)
            && size.special_mutations == 0
            && size.qualifier_bytes <= self.qualifier_bytes
            && size.value_bytes <= self.value_bytes
            && size.value_bytes < self.large_value_bytes
            && size.cell_bytes <= self.entry_bytes
    }

    pub(crate) fn row_key(&self, key: &Bytes) -> Result<(), Status> {
        if key.is_empty() {
            return Err(refused("an empty row key".to_owned()));
        }
        at_most(key.len(), self.row_key_bytes, "bytes in row key", key)
    }

    /// Refuses mutations that every table would refuse; an empty list is fine here.
    pub(crate) fn mutations(&self, key: &Bytes, mutations: &[Mutation]) -> Result<(), Status> {
        if mutations.len() > self.mutations {
            return Err(self.too_many(&format!("row {}", shown(key)), mutations.len()));
        }
        let mut bytes = 0_usize;
        for mutation in mutations {
            let size = self.mutation(mutation);
            bytes = bytes.saturating_add(size.map_err(|status| in_row(status, key))?);
        }
        at_most(bytes, self.entry_bytes, "bytes of mutations for row", key)
    }

    /// Returns the size of the mutation in bytes.
    fn mutation(&self, mutation: &Mutation) -> Result<usize, Status> {
        if let Some(family) = mutation.family() {
            self.family(family)?;
        }
        match mutation {
            Mutation::SetCell {
                qualifier,
                timestamp_micros,
                value,
                ..
            } => {
                self.qualifier(qualifier)?;
                if *timestamp_micros != SERVER_TIME {
                    timestamp(*timestamp_micros)?;
                }
                self.value(value, qualifier)?;
                Ok(qualifier.len() + value.len())
            }
            Mutation::AddToCell {
                qualifier,
                timestamp_micros,
                ..
            } => {
                self.qualifier(qualifier)?;
                timestamp(*timestamp_micros)?;
                Ok(qualifier.len())
            }
            Mutation::MergeToCell {
                qualifier,
                timestamp_micros,
                input,
                ..
            } => {
                self.qualifier(qualifier)?;
                timestamp(*timestamp_micros)?;
                self.value(input, qualifier)?;
                Ok(qualifier.len() + input.len())
            }
            Mutation::DeleteFromColumn {
                qualifier,
                start_micros,
                end_micros,
                ..
            } => {
                self.qualifier(qualifier)?;
                deleted_times(*start_micros, *end_micros)?;
                Ok(qualifier.len())
            }
            Mutation::DeleteFromFamily { .. } | Mutation::DeleteFromRow => Ok(0),
        }
    }

    #[cfg(feature = "grpc")]
    pub(crate) fn column(&self, family: &str, qualifier: &Bytes) -> Result<(), Status> {
        self.family(family)?;
        self.qualifier(qualifier)
    }

    fn qualifier(&self, qualifier: &Bytes) -> Result<(), Status> {
        let what = "bytes in qualifier";
        at_most(qualifier.len(), self.qualifier_bytes, what, qualifier)
    }

    pub(crate) fn is_family(&self, name: &str) -> bool {
        let allowed = |c: u8| c.is_ascii_alphanumeric() || matches!(c, b'-' | b'_' | b'.');
        (1..=self.family_characters).contains(&name.len()) && name.bytes().all(allowed)
    }

    /// Refuses a name that no family can have.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT`, with the name.
    pub fn family(&self, name: &str) -> Result<(), Status> {
        if !self.is_family(name) {
            let name = shown(name.as_bytes());
            let most = self.family_characters;
            return Err(refused(format!(
                "family {name}; a family's name has 1 to {most} characters of [-_.a-zA-Z0-9]"
            )));
        }
        Ok(())
    }

    fn value(&self, value: &Bytes, qualifier: &Bytes) -> Result<(), Status> {
        #[cfg(feature = "grpc")]
        if value.len() >= self.large_value_bytes {
            tracing::warn!(
                target: "bigtable_backend::grpc",
                bytes = value.len(),
                qualifier = %qualifier.escape_ascii(),
                "a cell larger than recommended"
            );
        }
        let what = "bytes in a value of qualifier";
        at_most(value.len(), self.value_bytes, what, qualifier)
    }

    pub(crate) fn too_many(&self, what: &str, mutations: usize) -> Status {
        refused(format!(
            "{mutations} mutations for {what}; the limit is {}",
            self.mutations
        ))
    }
}

fn timestamp(micros: i64) -> Result<(), Status> {
    if !(0..=limits::TIMESTAMP).contains(&micros) {
        return Err(refused(format!(
            "cell timestamp {micros}; the first one is 0 and the last one {}",
            limits::TIMESTAMP
        )));
    }
    match micros % 1000 {
        0 => Ok(()),
        // The service's own words, which programs may look for.
        _ => Err(refused(format!(
            "cell timestamp {micros}: Timestamp granularity mismatch. Expected a multiple of 1000 (millisecond granularity)"
        ))),
    }
}

fn deleted_times(start: i64, end: i64) -> Result<(), Status> {
    match end == 0 || start < end {
        true => Ok(()),
        false => Err(refused(format!(
            "a delete of the cell timestamps from {start} to before {end}, which are none"
        ))),
    }
}

#[inline]
fn at_most(count: usize, limit: usize, what: &str, name: &[u8]) -> Result<(), Status> {
    match count <= limit {
        true => Ok(()),
        false => Err(too_much(count, limit, what, name)),
    }
}

#[cold]
fn too_much(count: usize, limit: usize, what: &str, name: &[u8]) -> Status {
    let name = shown(name);
    refused(format!("{count} {what} {name}; the limit is {limit}"))
}

fn in_row(status: Status, key: &[u8]) -> Status {
    Status {
        message: format!("{}, in row {}", status.message, shown(key)),
        ..status
    }
}

pub(crate) fn refused(what: String) -> Status {
    Status::new(
        Code::InvalidArgument,
        format!("nothing was sent, because the request has {what}"),
    )
}
