//! The limits of requests, checked before anything is sent.

use crate::data::entry_limits::refused;
use crate::data::limits::shown;
use crate::data::{
    CheckAndMutateRow, EntryBatch, EntryLimits, ReadModifyWriteRow, ReadRows, RowFilter,
    RowMutations,
};
use crate::status::setting::at_least_one;
use crate::{InvalidSetting, Status};

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
    /// The limits of each entry of a bulk write, and of other writes.
    pub entries: EntryLimits,
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
            entries: EntryLimits::default(),
            filter_bytes: RowFilter::MAX_BYTES,
            filter_levels: RowFilter::MAX_LEVELS,
            row_set_bytes: 512_000,
        }
    }
}

impl RequestLimits {
    pub(crate) fn check(&self) -> Result<(), InvalidSetting> {
        let entries = &self.entries;
        let limits = [
            ("EntryLimits::row_key_bytes", entries.row_key_bytes),
            ("EntryLimits::qualifier_bytes", entries.qualifier_bytes),
            ("EntryLimits::family_characters", entries.family_characters),
            ("EntryLimits::value_bytes", entries.value_bytes),
            ("EntryLimits::large_value_bytes", entries.large_value_bytes),
            ("EntryLimits::entry_bytes", entries.entry_bytes),
            ("EntryLimits::mutations", entries.mutations),
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
            self.entries.row_key(key)?;
        }
        if request.rows_limit < 0 {
            return Err(refused(format!(
                "a read of {} rows; a limit is at least 0",
                request.rows_limit
            )));
        }
        (request.filter.iter()).try_for_each(|filter| self.filter(filter))
    }

    /// The limits of entries, if they are checked.
    pub(crate) fn of_entries(&self) -> Option<EntryLimits> {
        self.checked.then_some(self.entries)
    }

    pub(crate) fn entry(&self, row: &RowMutations) -> Result<(), Status> {
        match self.checked {
            true => self.entries.check(row),
            false => Ok(()),
        }
    }

    /// Entries that may exceed the limits are checked part by part: that takes longer, and finds
    /// what is wrong.
    pub(crate) fn mutate_rows(&self, entries: &EntryBatch) -> Result<(), Status> {
        if !self.checked {
            return Ok(());
        }
        if entries.is_empty() {
            return Err(refused("no entries".to_owned()));
        }
        let limits = &self.entries;
        let known = entries.families().all(|family| limits.is_family(family));
        if known && !entries.has_hollow() && limits.take(entries.size()) {
            return Ok(());
        }
        entries
            .to_rows()?
            .iter()
            .try_for_each(|row| limits.check(row))?;
        match entries.size().mutations > limits.mutations {
            true => Err(limits.too_many("a bulk write", entries.size().mutations)),
            false => Ok(()),
        }
    }

    pub(crate) fn check_and_mutate_row(&self, request: &CheckAndMutateRow) -> Result<(), Status> {
        if !self.checked {
            return Ok(());
        }
        self.entries.row_key(&request.key)?;
        if let Some(predicate) = &request.predicate {
            self.filter(predicate)?;
        }
        if request.if_true.is_empty() && request.if_false.is_empty() {
            return Err(refused("a conditional write without mutations".to_owned()));
        }
        self.entries.mutations(&request.key, &request.if_true)?;
        self.entries.mutations(&request.key, &request.if_false)
    }

    pub(crate) fn read_modify_write_row(&self, request: &ReadModifyWriteRow) -> Result<(), Status> {
        if !self.checked {
            return Ok(());
        }
        self.entries.row_key(&request.key)?;
        if request.rules.is_empty() {
            return Err(refused(format!("no rules for row {}", shown(&request.key))));
        }
        for rule in &request.rules {
            self.entries.column(&rule.family, &rule.qualifier)?;
        }
        Ok(())
    }

    fn filter(&self, filter: &RowFilter) -> Result<(), Status> {
        filter::check(filter, self.filter_bytes, self.filter_levels)
    }
}
