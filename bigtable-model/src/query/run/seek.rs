//! Finds series one by one, so that only their selected rows are read.

use std::collections::VecDeque;
use std::fmt;
use std::ops::Bound;
use std::sync::Arc;

use bytes::Bytes;
use futures::TryStreamExt as _;

use super::keys_first::one_cell;
use super::start::Missing;
use crate::Error;
use crate::backend::{Backend, Method};
use crate::data::{ReadRows, RowRange, RowSet, prefix_end};
use crate::model::Schema;
use crate::query::plan::asked::Asks;
use crate::query::plan::gather::{Gathered, rows_from};
use crate::query::plan::planner::parts_of;
use crate::query::plan::seek::Stems;
use crate::query::plan::united::refused;
use crate::query::{Part, SegmentSelection};
use crate::send::at_table;

/// How many series are found before their rows are read.
const AT_ONCE: usize = 32;

/// The series of a scan that have not been found yet.
pub(in crate::query) struct Seeking {
    pub(in crate::query) backend: Arc<dyn Backend>,
    pub(in crate::query) schema: Schema,
    pub(in crate::query) segments: Vec<SegmentSelection>,
    /// The rows that are left.
    pub(in crate::query) parts: VecDeque<Part>,
    pub(in crate::query) reversed: bool,
    /// How many series may still be sought.
    pub(in crate::query) left: usize,
    pub(in crate::query) missing: Option<Arc<Missing>>,
}

/// Rows to read, and the search for the series after them.
pub(in crate::query) type Sought = (Vec<Part>, Option<Seeking>);

impl Seeking {
    /// The rows of the next series: each is found by its first row, whatever its cells are. Once no
    /// more series may be sought, it returns all remaining rows.
    pub(in crate::query) async fn next(mut self) -> Result<Sought, Error> {
        let Some(part) = self.parts.pop_front() else {
            return Ok((Vec::new(), None));
        };
        let mut found = Vec::new();
        let rest = self.seek(&part, &mut found).await?;
        let mut parts = parts_of(&part.table, found, self.reversed);
        if let Some(rows) = rest {
            let table = part.table;
            self.parts.push_front(Part { table, rows });
        }
        if self.left == 0 {
            parts.extend(self.parts);
            return Ok((parts, None));
        }
        let rest = (!self.parts.is_empty()).then_some(self);
        Ok((parts, rest))
    }

    /// Finds some series of a part, and returns the rows after them.
    async fn seek(
        &mut self,
        part: &Part,
        found: &mut Vec<RowSet>,
    ) -> Result<Option<RowSet>, Error> {
        let schema = self.schema.clone();
        let layout = schema.key.of_rows();
        let asks = Asks::of_rows(&layout, &self.segments);
        let asks = asks.map_err(|source| refused(&schema, source))?;
        let Some(stems) = Stems::new(asks) else {
            self.left = 0;
            return Ok(Some(part.rows.clone()));
        };
        let mut rows = Gathered::default();
        let mut rest = Some(part.rows.clone());
        let most = self.left.min(AT_ONCE);
        for _ in 0..most {
            let Some(rows_left) = rest.take() else { break };
            let Some(key) = self.first(&part.table, rows_left.clone()).await? else {
                break;
            };
            self.left -= 1;
            let next = match stems.of(&key) {
                Some((stem, is_selected)) => {
                    if is_selected {
                        stems.add(stem, &mut rows);
                    }
                    match self.reversed {
                        true => Some(Bound::Excluded(Bytes::copy_from_slice(stem))),
                        false => prefix_end(stem).map(|end| Bound::Included(end.into())),
                    }
                }
                // A foreign key is read and reported like any other.
                None => {
                    rows.keys.push(key.to_vec());
                    Some(Bound::Excluded(key))
                }
            };
            rest = next.and_then(|next| rows_from(&rows_left, next, self.reversed));
        }
        let in_order = rows.in_order().into_iter();
        found.extend(in_order.filter_map(|rows| common(&part.rows, rows)));
        Ok(rest)
    }

    /// The first key of some rows.
    async fn first(&self, table: &str, rows: RowSet) -> Result<Option<Bytes>, Error> {
        let request = ReadRows {
            table: table.to_owned(),
            rows,
            filter: one_cell(None),
            rows_limit: 1,
            reversed: self.reversed,
        };
        match self.backend.read_rows(request).rows().try_next().await {
            Ok(row) => Ok(row.map(|row| row.key)),
            Err(status) => {
                let missing = self.missing.as_ref();
                match missing.is_some_and(|missing| missing.note(table, &status)) {
                    true => Ok(None),
                    false => Err(at_table(table, Method::ReadRows, status)),
                }
            }
        }
    }
}

/// The rows that are in both sets.
fn common(part: &RowSet, rows: RowSet) -> Option<RowSet> {
    let keys = rows.keys.into_iter().map(RowRange::key);
    let mut common = RowSet::default();
    for range in rows.ranges.into_iter().chain(keys) {
        if let Some(rows) = part.within(&range) {
            common.keys.extend(rows.keys);
            common.ranges.extend(rows.ranges);
        }
    }
    (!common.is_all()).then_some(common)
}

impl fmt::Debug for Seeking {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Seeking")
            .field("parts", &self.parts)
            .field("left", &self.left)
            .finish_non_exhaustive()
    }
}
