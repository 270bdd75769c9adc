//! Puts rows in order of time if their keys do not sort like times.

use std::sync::Arc;

use bytes::Bytes;
use futures::TryStreamExt as _;

use crate::Timestamp;
use crate::backend::{Backend, Method};
use crate::data::{ReadRows, RowFilter};
use crate::error::{Error, QueryError};
use crate::model::Schema;
use crate::query::plan::gather::Gathered;
use crate::query::plan::planner::parts_of;
use crate::query::{EventTimes, Part};
use crate::send::at_table;

/// A filter for reads of keys: one cell of each row that passes another filter, without its value.
pub(crate) fn one_cell(of: Option<RowFilter>) -> Option<RowFilter> {
    let one = [RowFilter::CellsPerRowLimit(1), RowFilter::StripValue];
    RowFilter::chain(of.into_iter().chain(one))
}

/// How to put the rows of a scan in order.
#[derive(Debug, Clone)]
pub(super) struct KeysFirst {
    pub(super) backend: Arc<dyn Backend>,
    pub(super) schema: Schema,
    /// The filter for keys, which leaves out rows without matching cells.
    pub(super) filter: Option<RowFilter>,
    /// The times of the wanted events.
    pub(super) times: EventTimes,
    /// Latest first.
    pub(super) reversed: bool,
    /// The maximum number of keys of a scan.
    pub(super) most: usize,
}

impl KeysFirst {
    /// Reads the keys of some rows, and returns the rows that may hold wanted events in the order
    /// of their buckets, in as few parts with ascending keys as possible. Keys that are not the
    /// model's come last, and their rows are checked like others.
    ///
    /// # Errors
    /// [`QueryError::TooManyKeys`] if there are more than allowed, and [`Error::Backend`].
    pub(super) async fn in_order(self, parts: Vec<Part>) -> Result<Vec<Part>, Error> {
        let mut ordered = Vec::new();
        let mut left = self.most;
        for part in parts {
            let keys = self.keys(&part, &mut left).await?;
            ordered.extend(self.ordered(&part.table, keys));
        }
        Ok(ordered)
    }

    async fn keys(&self, part: &Part, left: &mut usize) -> Result<Vec<Bytes>, Error> {
        let mut rows = self
            .backend
            .read_rows(ReadRows {
                table: part.table.clone(),
                rows: part.rows.clone(),
                filter: one_cell(self.filter.clone()),
                ..ReadRows::default()
            })
            .rows();
        let mut keys = Vec::new();
        let failed = |source| at_table(&part.table, Method::ReadRows, source);
        while let Some(row) = rows.try_next().await.map_err(failed)? {
            *left = left.checked_sub(1).ok_or_else(|| self.too_many())?;
            keys.push(row.key);
        }
        Ok(keys)
    }

    fn ordered(&self, table: &str, keys: Vec<Bytes>) -> Vec<Part> {
        let mut foreign = Gathered::default();
        let mut known: Vec<(Timestamp, Vec<u8>)> = Vec::with_capacity(keys.len());
        for key in keys {
            match self.schema.key.time_of(&key) {
                Ok(start) => known.push((start.unwrap_or_default(), key.into())),
                Err(_) => foreign.keys.push(key.into()),
            }
        }
        known.retain(|(start, _)| self.may_hold(*start));
        known.sort();
        let keys = known.into_iter().map(|(_, key)| key).collect();
        let known = Gathered {
            keys,
            ..Gathered::default()
        };
        let mut parts = parts_of(table, known.in_runs(), self.reversed);
        parts.extend(parts_of(table, foreign.in_order(), self.reversed));
        parts
    }

    /// Whether a wanted time may be in the bucket that begins at `start`.
    fn may_hold(&self, start: Timestamp) -> bool {
        let (from, to) = self.times.ends();
        let bucket = self.schema.key.bucket();
        let next = bucket.and_then(|bucket| bucket.next(start));
        to.is_none_or(|to| start < to) && from.zip(next).is_none_or(|(from, next)| from < next)
    }

    fn too_many(&self) -> Error {
        let segment = self.schema.key.time_segment();
        Error::Query {
            table: self.schema.table.to_string(),
            source: QueryError::TooManyKeys {
                segment: segment.map_or_else(String::new, |(_, one)| one.name.to_string()),
                most: self.most,
            },
        }
    }
}
