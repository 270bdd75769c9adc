//! The models that hold copies of a model's events.

use std::collections::HashMap;
use std::fmt;

use bytes::Bytes;
use futures::future::BoxFuture;

use super::{EventRow, Model, Schema};
use crate::backend::Backend;
use crate::{Error, Timestamp};

/// A model that holds copies of `S`'s events, as the derive lists it in [`Model::MIRRORS`].
pub struct Mirror<S: Model> {
    pub(crate) schema: &'static Schema,
    pub(crate) row: Make<S>,
    pub(crate) deletion: Make<S>,
    pub(crate) repair: Repair<S>,
    pub(crate) release: Release<S>,
    /// Whether its copies contain their event's key.
    pub(crate) knows_source: bool,
    pub(crate) strays: for<'a> fn(&'a dyn Backend) -> BoxFuture<'a, Result<TableRepair, Error>>,
}

/// Corrects the copies of some events in one table, and records which of them are the newest.
type Repair<S> = for<'a> fn(&'a dyn Backend, &'a [S], &'a mut Newest) -> BoxFuture<'a, TableRepair>;

/// Deletes the copies of some events in one table, and on request also older versions of copies
/// that other events overwrote.
type Release<S> =
    for<'a> fn(&'a dyn Backend, &'a [S], bool) -> BoxFuture<'a, Result<Released, Error>>;

/// The outcome of deleting the copies of some events in one table.
#[derive(Debug, Default)]
pub(crate) struct Released {
    /// How many were deleted.
    pub(crate) deleted: u64,
    /// The events whose copy may still exist, by index, each with the reason.
    pub(crate) failed: Vec<(usize, Error)>,
}

/// Makes the row of an event's copy.
pub(crate) type Make<S> = fn(&S, Timestamp) -> Result<Option<EventRow>, Error>;

impl<S: Model> Mirror<S> {
    /// The schema of the model that holds the copies.
    #[must_use]
    pub fn schema(&self) -> &'static Schema {
        self.schema
    }
}

impl<S: Model> fmt::Debug for Mirror<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Mirror({})", self.schema.model)
    }
}

/// The changes to the copies in one table.
#[derive(Debug)]
pub struct TableRepair {
    /// The table's ID.
    pub table: String,
    /// How many copies were compared with the table's rows.
    pub checked: u64,
    /// How many were written, since they were missing or wrong.
    pub written: u64,
    /// How many were deleted, since their event no longer exists.
    pub deleted: u64,
    /// How many were left unchanged, since they do not show which event they copy.
    pub unknown: u64,
    /// How many could not be compared or corrected.
    pub failed: u64,
    /// The first 100 errors.
    pub errors: Vec<Error>,
}

/// How new an event is: by its time, then by its key, and in layout `qualifiers` by its value.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Rank {
    pub(crate) time: Option<Timestamp>,
    pub(crate) key: Vec<u8>,
    pub(crate) value: Bytes,
}

/// The rank of the newest event of each copy, among those that a repair has read.
#[derive(Debug, Default)]
pub(crate) struct Newest(pub(crate) HashMap<(Bytes, Option<Timestamp>), Rank>);
