use std::borrow::Cow;
use std::ops::Bound;

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use crate::condition::ColumnTest;
use crate::key::{KeyLayout, SegmentRole, SegmentValue};
use crate::model::{ModelSchema, PayloadForm, PayloadUse};

/// A query as data: a typed query without its types. The planner turns it into a
/// [`Plan`](crate::query::Plan).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Selection {
    /// The selections of the key's segments, without the salt: one for each of the first segments,
    /// in key order. None follows a range or a prefix, unless it is a range of a time whose bucket
    /// is in the key. With [`full_scan`](Selection::full_scan) any segments may be selected; a
    /// range without ends leaves a segment open.
    pub segments: Vec<SegmentSelection>,
    /// The condition on the columns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub condition: Option<ColumnTest>,
    /// The columns to read, as indexes into
    /// [`ModelSchema::columns`](crate::schema::ModelSchema::columns); `None` for whole events.
    pub columns: Option<Vec<usize>>,
    /// The run-time columns to read beside them: the index of the map, and the name. Whole
    /// events have all of theirs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub entries: Vec<(usize, Bytes)>,
    /// The fields of serialised events that the result has. It does not change what is read: SQL
    /// selects them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub payload: Vec<PayloadField>,
    /// Whether the events' keys suffice, to count or to list them: then only the column that marks
    /// an event is read, without its value, whatever `columns` says.
    pub keys_only: bool,
    /// Results in order of time, or of the key.
    pub order: Order,
    /// Newest first, or with [`Order::Key`] last key first.
    pub descending: bool,
    /// At most this many events.
    pub limit: Option<u64>,
    /// Whether the caller wants to read the whole table.
    pub full_scan: bool,
    /// The maximum number of scans that run at once.
    pub max_scans: usize,
    /// The maximum number of series that a scan seeks if the query leaves them open and selects
    /// later segments of the key, such as a range of time. `0` seeks none, as in a selection that
    /// no query made.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub max_seeks: usize,
    /// Whether to read cells that a garbage-collection rule of the model deletes but that are still
    /// stored.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub with_expired: bool,
}

/// A field of a serialised event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PayloadField {
    /// The field's name.
    pub field: String,
    /// Its name in the payload.
    pub name: String,
    /// What its type says of its form there.
    pub form: PayloadForm,
}

impl From<PayloadUse> for PayloadField {
    fn from(used: PayloadUse) -> Self {
        Self {
            field: used.field.to_owned(),
            name: used.name.to_owned(),
            form: (used.form)(),
        }
    }
}

impl Selection {
    /// The selection of the segment at an index among those with values; everything, if it was not
    /// set.
    pub(crate) fn segment_mut(&mut self, place: usize) -> Option<&mut SegmentSelection> {
        let len = self.segments.len().max(place + 1);
        self.segments.resize(len, SegmentSelection::ALL);
        self.segments.get_mut(place)
    }

    /// Whether it selects by an identifier or a tie-breaker of the model that another key leaves
    /// out.
    pub(crate) fn is_beyond(&self, schema: &ModelSchema, key: &KeyLayout) -> bool {
        let selected = schema.key.valued().zip(&self.segments);
        let mut selected = selected.filter(|(_, asked)| **asked != SegmentSelection::ALL);
        selected
            .any(|((_, segment), _)| segment.role.is_named() && !key.has_identifier(&segment.name))
    }

    /// The selection without tie-breakers that rows have in their qualifiers, and the names of
    /// those that are selected; `layout` is the layout of rows' keys.
    pub(in crate::query) fn in_rows(
        &self,
        schema: &ModelSchema,
        layout: &KeyLayout,
    ) -> (Cow<'_, Self>, Vec<String>) {
        let in_key = layout.valued().count();
        if self.segments.len() <= in_key || !schema.key.has_ties_in_cells() {
            return (Cow::Borrowed(self), Vec::new());
        }
        let asked = schema.key.valued().zip(&self.segments).skip(in_key);
        let asked = asked.filter(|(_, asked)| **asked != SegmentSelection::ALL);
        let ties = asked.map(|((_, segment), _)| segment.name.to_string());
        let ties = ties.collect();
        let mut in_rows = self.clone();
        in_rows.segments.truncate(in_key);
        (Cow::Owned(in_rows), ties)
    }

    /// Sets the selection of a segment, replacing an earlier one.
    pub(crate) fn select(&mut self, place: usize, asked: SegmentSelection) {
        if let Some(segment) = self.segment_mut(place) {
            *segment = asked;
        }
    }

    /// Adds a condition to the existing one.
    pub(crate) fn require(&mut self, test: ColumnTest) {
        self.condition = Some(match self.condition.take() {
            Some(other) => other.and(test),
            None => test,
        });
    }

    /// The same selection for all keys, in any order and without values.
    pub(in crate::query) fn of_keys(self) -> Self {
        Self {
            keys_only: true,
            order: Order::Any,
            descending: false,
            limit: None,
            ..self
        }
    }

    /// For open identifiers before set ones: the segments after the first open one are compared
    /// with each row. If the first identifier itself is open, nothing narrows the query, and it is
    /// refused.
    pub(crate) fn with_gaps(mut self, schema: &ModelSchema) -> Self {
        let is_open = |asked: &SegmentSelection| *asked == SegmentSelection::ALL;
        let roles = schema.key.valued().map(|(_, segment)| segment.role);
        let gap = self
            .segments
            .iter()
            .zip(roles)
            .position(|(asked, role)| role == SegmentRole::Identifier && is_open(asked));
        match gap {
            Some(0) if !self.full_scan => self.segments.clear(),
            Some(gap) => {
                self.full_scan |= self.segments.iter().skip(gap).any(|asked| !is_open(asked))
            }
            None => {}
        }
        self
    }

    /// The order of results, from the segments, as in the states of typed queries: by time if every
    /// identifier is set to values.
    pub(crate) fn order_by_segments(&self, schema: &ModelSchema) -> Order {
        let roles = || schema.key.valued().map(|(_, segment)| segment.role);
        let fixed = |at: usize| matches!(self.segments.get(at), Some(SegmentSelection::Values(_)));
        let mut identifiers = roles()
            .enumerate()
            .filter(|(_, role)| *role == SegmentRole::Identifier);
        let by_time = !self.full_scan
            && !self.segments.is_empty()
            && roles().any(SegmentRole::is_time)
            && identifiers.all(|(at, _)| fixed(at));
        if by_time { Order::Time } else { Order::Key }
    }
}

/// The selection of one segment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum SegmentSelection {
    /// One of these values. An empty set selects nothing.
    Values(Vec<SegmentValue>),
    /// Values between two bounds.
    Range(Bound<SegmentValue>, Bound<SegmentValue>),
    /// Strings that begin with this one.
    Prefix(String),
}

impl SegmentSelection {
    /// Everything, as if the segment were not set.
    pub(crate) const ALL: Self = Self::Range(Bound::Unbounded, Bound::Unbounded);
}

/// The order of a query's results.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Order {
    /// By the events' time, and at equal times by the key without its salt; descending is the exact
    /// reverse. It needs a scan for each series, or for each shard of a series that a salt spreads.
    Time,
    /// By the bytes of the row keys, and within a row by time. With tables by period it needs a
    /// scan for each table.
    Key,
    /// As they arrive, from all scans at once.
    Any,
}

/// How many series a query in order of time may read at once, by default.
pub const DEFAULT_MAX_SCANS: usize = 128;

/// How many series a scan of a query may seek, by default.
pub const DEFAULT_MAX_SEEKS: usize = 128;

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
pub(in crate::query) const fn is_zero(number: &usize) -> bool {
    *number == 0
}

impl Default for Selection {
    fn default() -> Self {
        Self {
            segments: Vec::new(),
            condition: None,
            columns: None,
            entries: Vec::new(),
            payload: Vec::new(),
            keys_only: false,
            order: Order::Key,
            descending: false,
            limit: None,
            full_scan: false,
            max_scans: DEFAULT_MAX_SCANS,
            max_seeks: 0,
            with_expired: false,
        }
    }
}
