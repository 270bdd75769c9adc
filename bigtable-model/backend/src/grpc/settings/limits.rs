//! The limits of requests, checked before anything is sent.

use bytes::Bytes;

use crate::InvalidSetting;
use crate::data::limits::shown;
use crate::data::{
    CheckAndMutateRow, EntryBatch, EntrySize, Mutation, ReadModifyWriteRow, ReadRows, RowFilter,
    RowMutations, SERVER_TIME, limits,
};
use crate::setting::at_least_one;
use crate::{Code, Status};

mod filter;
#[cfg(test)]
mod tests;

/// Bigtable's limits on requests, which the client checks before sending: a request over a limit is
/// an error with the code `INVALID_ARGUMENT` that names the limit, and nothing is sent. Each limit
/// is at least 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RequestLimits {
    /// Whether anything is checked: true. The server checks in any case.
    pub checked: bool,
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
    /// Bytes of a filter as it is sent: 20,480.
    pub filter_bytes: usize,
    /// Levels of a filter, including the outermost: 20.
    pub filter_levels: usize,
    /// Bytes of the keys and ranges of one read request: 512,000. A larger read is not refused, but
    /// made in several requests, one after another.
    pub row_set_bytes: usize,
}

impl Default for RequestLimits {
    fn default() -> Self {
        Self {
            checked: true,
            row_key_bytes: limits::KEY,
            qualifier_bytes: limits::QUALIFIER,
            family_characters: 64,
            value_bytes: limits::VALUE,
            large_value_bytes: 10_000_000,
            entry_bytes: 200 << 20,
            mutations: limits::MUTATIONS,
            filter_bytes: RowFilter::MAX_BYTES,
            filter_levels: RowFilter::MAX_LEVELS,
            row_set_bytes: 512_000,
        }
    }
}

impl RequestLimits {
    pub(crate) fn check(&self) -> Result<(), InvalidSetting> {
        let limits = [
            ("RequestLimits::row_key_bytes", self.row_key_bytes),
            ("RequestLimits::qualifier_bytes", self.qualifier_bytes),
            ("RequestLimits::family_characters", self.family_characters),
            ("RequestLimits::value_bytes", self.value_bytes),
            ("RequestLimits::large_value_bytes", self.large_value_bytes),
            ("RequestLimits::entry_bytes", self.entry_bytes),
            ("RequestLimits::mutations", self.mutations),
            ("RequestLimits::filter_bytes", self.filter_bytes),
            ("RequestLimits::filter_levels", self.filter_levels),
            ("RequestLimits::row_set_bytes", self.row_set_bytes),
        ];
        (limits.into_iter()).try_for_each(|(field, limit)| at_least_one(field, limit))
    }
}

impl RequestLimits {
    pub(crate) fn read_rows(&self, request: &ReadRows) -> Result<(), Status> {
        if !self.checked {
            return Ok(());
        }
        for key in &request.rows.keys {
            self.row_key(key)?;
        }
        if request.rows_limit < 0 {
            return Err(refused(format!(
                "a read of {} rows; a limit is at least 0",
                request.rows_limit
            )));
        }
        (request.filter.iter()).try_for_each(|filter| self.filter(filter))
    }

    /// Gives the bytes that the row takes on the wire.
    pub(crate) fn entry(&self, row: &RowMutations) -> Result<usize, Status> {
        if self.checked {
            self.row_key(&row.key)?;
            if row.mutations.is_empty() {
                return Err(refused(format!("no mutations for row {}", shown(&row.key))));
            }
            self.mutations(&row.key, &row.mutations)?;
        }
        Ok(row.wire_bytes())
    }

    /// Whether an entry of this size is within the limits, whatever is in it, except that families
    /// are not looked at. Of a batch it tells the same for each entry.
    pub(crate) fn take_entry(&self, size: &EntrySize) -> bool {
        let within = (1..=self.row_key_bytes).contains(&size.key_bytes)
            && (1..=self.mutations).contains(&size.mutations)
            && size.special_mutations == 0
            && size.qualifier_bytes <= self.qualifier_bytes
            && size.value_bytes <= self.value_bytes
            && size.value_bytes < self.large_value_bytes
            && size.cell_bytes <= self.entry_bytes;
        within || !self.checked
    }

    /// Entries that are not surely within the limits are looked at part by part: that takes longer,
    /// and says what is wrong.
    pub(crate) fn mutate_rows(&self, entries: &EntryBatch) -> Result<(), Status> {
        if !self.checked {
            return Ok(());
        }
        if entries.is_empty() {
            return Err(refused("no entries".to_owned()));
        }
        let known = entries.families().all(|family| self.is_family(family));
        if known && !entries.has_hollow() && self.take_entry(entries.size()) {
            return Ok(());
        }
        for row in &entries.to_rows()? {
            self.entry(row)?;
        }
        match entries.size().mutations > self.mutations {
            true => Err(self.too_many("a bulk write", entries.size().mutations)),
            false => Ok(()),
        }
    }

    pub(crate) fn check_and_mutate_row(&self, request: &CheckAndMutateRow) -> Result<(), Status> {
        if !self.checked {
            return Ok(());
        }
        self.row_key(&request.key)?;
        if let Some(predicate) = &request.predicate {
            self.filter(predicate)?;
        }
        if request.if_true.is_empty() && request.if_false.is_empty() {
            return Err(refused("a conditional write without mutations".to_owned()));
        }
        self.mutations(&request.key, &request.if_true)?;
        self.mutations(&request.key, &request.if_false)
    }

    pub(crate) fn read_modify_write_row(&self, request: &ReadModifyWriteRow) -> Result<(), Status> {
        if !self.checked {
            return Ok(());
        }
        self.row_key(&request.key)?;
        if request.rules.is_empty() {
            return Err(refused(format!("no rules for row {}", shown(&request.key))));
        }
        for rule in &request.rules {
            self.column(&rule.family, &rule.qualifier)?;
        }
        Ok(())
    }

    fn filter(&self, filter: &RowFilter) -> Result<(), Status> {
        filter::check(filter, self.filter_bytes, self.filter_levels)
    }

    fn row_key(&self, key: &Bytes) -> Result<(), Status> {
        if key.is_empty() {
            return Err(refused("an empty row key".to_owned()));
        }
        at_most(key.len(), self.row_key_bytes, "bytes in row key", key)
    }

    fn mutations(&self, key: &Bytes, mutations: &[Mutation]) -> Result<(), Status> {
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

    fn column(&self, family: &str, qualifier: &Bytes) -> Result<(), Status> {
        self.family(family)?;
        self.qualifier(qualifier)
    }

    fn qualifier(&self, qualifier: &Bytes) -> Result<(), Status> {
        let what = "bytes in qualifier";
        at_most(qualifier.len(), self.qualifier_bytes, what, qualifier)
    }

    fn is_family(&self, name: &str) -> bool {
        let allowed = |c: u8| c.is_ascii_alphanumeric() || matches!(c, b'-' | b'_' | b'.');
        (1..=self.family_characters).contains(&name.len()) && name.bytes().all(allowed)
    }

    fn family(&self, name: &str) -> Result<(), Status> {
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

    fn too_many(&self, what: &str, mutations: usize) -> Status {
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

fn refused(what: String) -> Status {
    Status::new(
        Code::InvalidArgument,
        format!("nothing was sent, because the request has {what}"),
    )
}
