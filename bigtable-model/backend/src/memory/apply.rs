//! Changes of a stored row by mutations that were checked.

use bytes::Bytes;

use super::store::Families;
use super::store::row::{ColumnName, StoredRow};
use crate::data::{AggregateKind, FamilySchema, KeptEntry, Mutation, MutationRef, SERVER_TIME};

/// The families of the table, and the server's time for the whole request.
#[derive(Clone, Copy)]
pub(super) struct Applying<'a> {
    pub(super) families: &'a Families,
    pub(super) now: i64,
}

impl Applying<'_> {
    /// Applies one checked mutation; a missing family is ignored.
    pub(super) fn apply(&self, row: &mut StoredRow, mutation: Mutation) {
        match mutation {
            Mutation::SetCell {
                family,
                qualifier,
                timestamp_micros,
                value,
            } => self.set(row, &family, qualifier, timestamp_micros, value),
            Mutation::AddToCell {
                family,
                qualifier,
                timestamp_micros,
                input,
            } => self.merge(row, &family, qualifier, timestamp_micros, input),
            Mutation::MergeToCell {
                family,
                qualifier,
                timestamp_micros,
                input,
            } => {
                if let Some(input) = number(&input) {
                    self.merge(row, &family, qualifier, timestamp_micros, input);
                }
            }
            Mutation::DeleteFromColumn {
                family,
                qualifier,
                start_micros,
                end_micros,
            } => {
                if let Some((column, _)) = self.column(&family, qualifier) {
                    row.delete_from_column(&column, start_micros, end_micros);
                }
            }
            Mutation::DeleteFromFamily { family } => row.delete_family(&family),
            Mutation::DeleteFromRow => row.clear(),
        }
    }

    /// Applies one checked mutation of an entry.
    pub(super) fn apply_kept(
        &self,
        row: &mut StoredRow,
        mutation: &MutationRef<'_>,
        entry: KeptEntry<'_>,
    ) {
        match *mutation {
            // The only frequent mutation, handled without a copy of the family's name.
            MutationRef::SetCell {
                family,
                qualifier,
                timestamp_micros,
                value,
            } => {
                let (qualifier, value) = (entry.share(qualifier), entry.value(value));
                self.set(row, family, qualifier, timestamp_micros, value);
            }
            _ => {
                let family = mutation
                    .family()
                    .and_then(|name| self.families.get_key_value(name));
                let family = family.map(|(name, _)| name.clone());
                self.apply(row, entry.owned(mutation, family.unwrap_or_default()));
            }
        }
    }

    #[inline]
    fn set(
        &self,
        row: &mut StoredRow,
        family: &str,
        qualifier: Bytes,
        timestamp_micros: i64,
        value: Bytes,
    ) {
        let timestamp = match timestamp_micros {
            SERVER_TIME => self.now,
            given => given,
        };
        if let Some((column, _)) = self.column(family, qualifier) {
            row.set(column, timestamp, value);
        }
    }

    /// The column, with the table's own copy of the family's name.
    pub(super) fn column(
        &self,
        family: &str,
        qualifier: Bytes,
    ) -> Option<(ColumnName, &FamilySchema)> {
        let (family, schema) = self.families.get_key_value(family)?;
        let column = ColumnName {
            family: family.clone(),
            qualifier,
        };
        Some((column, schema))
    }

    fn merge(
        &self,
        row: &mut StoredRow,
        family: &str,
        qualifier: Bytes,
        timestamp: i64,
        input: i64,
    ) {
        let Some((column, schema)) = self.column(family, qualifier) else {
            return;
        };
        let Some(kind) = schema.aggregate else {
            return;
        };
        let state = row.get(&column, timestamp).and_then(|held| number(held));
        let merged = match (state, kind) {
            (None, _) => input,
            (Some(held), AggregateKind::Sum) => held.wrapping_add(input),
            (Some(held), AggregateKind::Min) => held.min(input),
            (Some(held), AggregateKind::Max) => held.max(input),
        };
        row.set(column, timestamp, encode(merged));
    }
}

/// A cell's value as a number, for increments and aggregates.
pub(super) fn number(value: &[u8]) -> Option<i64> {
    value.try_into().ok().map(i64::from_be_bytes)
}

/// A number as a cell's value.
pub(super) fn encode(number: i64) -> Bytes {
    Bytes::copy_from_slice(&number.to_be_bytes())
}
