pub(super) mod asked;
pub(super) mod buckets;
pub(super) mod cells;
pub(super) mod compare;
pub(super) mod gather;
pub(super) mod narrow;
pub(super) mod pattern;
pub(super) mod planner;
pub(super) mod seek;
pub(super) mod tables;
pub(super) mod united;

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::ask::selection::is_zero;
use super::{Order, SegmentSelection, Selection};
use crate::backend::Backend;
use crate::condition::{self, ColumnTest};
use crate::data::{RowFilter, RowSet};
use crate::key::KeyLayout;
use crate::model::{EventTimes, FamilyRule, ModelSchema};
use crate::send::without_expired;
use crate::{Error, Timestamp};

/// What a query will send: plain data, made before anything is sent. Its `Display` puts it into
/// words.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// The table's ID, or the template of the tables by period.
    pub table: String,
    /// The scans, whose results are merged; empty if no row can match, and then nothing is sent.
    pub scans: Vec<Scan>,
    /// The filter of the server.
    pub filter: Option<RowFilter>,
    /// How many of the newest cells of each column are requested, after the filter. A row that may
    /// lack the presence column because of this limit is read again without it.
    pub newest: Option<u32>,
    /// The order of the results.
    pub order: Order,
    /// Newest first, or last key first.
    pub descending: bool,
    /// Whether the scans run from the last key to the first.
    pub reversed: bool,
    /// At most this many events.
    pub limit: Option<u64>,
    /// Whether every row of the table is read.
    pub full_scan: bool,
    /// Whether the keys of each scan's rows are read first, at most
    /// [`MAX_KEYS_FIRST`](crate::query::MAX_KEYS_FIRST), since their labels do not sort like times.
    /// The rows are then read in order of time.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub keys_first: bool,
    /// The maximum number of series that each scan seeks before it reads their rows, since the
    /// query leaves them open and narrows later segments of the key. All rows of further series are
    /// read. `0`: none.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub seeks: usize,
    /// The times of the wanted events, if rows and filter may let through other events: the client
    /// checks every event.
    pub times: EventTimes,
    /// The selections of the key's segments, if the scans may read other rows: the client checks
    /// every key. Empty if the rows are exact.
    pub segments: Vec<SegmentSelection>,
    /// The condition on the columns: the client checks every event.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub condition: Option<Compared>,
    /// The columns, by family, that are read in [packed](crate::packed) rows, whose blocks contain
    /// all columns; `None` for all, and if rows are not packed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub packed: Option<BTreeMap<String, BTreeSet<String>>>,
    /// How expired cells are left out. `None` if they are read, since the model declares no rule
    /// that deletes them or the query asks for them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expiry: Option<Expiry>,
    /// Where the results continue: events up to and including this one are left out.
    pub after: Option<Place>,
    /// Why the scans read more rows than those with a match.
    pub reasons: Vec<ReadsMore>,
    /// The reads of other sources of the model's events, such as its former layout. Their events
    /// are merged with those of the model's own rows, which take precedence; then each source in
    /// this order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<SourcePlan>,
}

/// The part of a plan that reads another source of the model's events.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SourcePlan {
    /// The name of the model that the source's rows follow.
    pub model: String,
    /// The read, without conditions on columns or limits: the client converts each event to the
    /// model's own layout, and leaves out those that its own rows have or have deleted, and those
    /// of an earlier source.
    pub plan: Plan,
    /// The selections of the model's own key.
    pub segments: Vec<SegmentSelection>,
    /// Whether whole events are read; if not, their keys suffice.
    pub whole: bool,
}

/// How to leave out expired cells, which a garbage-collection rule of the model deletes but which
/// are still stored: by a filter before the plan's, made when the plan is run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Expiry {
    /// The rules of the model's families.
    pub rules: Vec<FamilyRule>,
    /// The time of the rules; `None` for the backend's time when the plan is run.
    pub at: Option<Timestamp>,
}

/// A condition on the columns of events.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Compared {
    /// The condition.
    pub test: ColumnTest,
    /// The same in words.
    pub words: String,
    /// The part of it in the plan's filter.
    pub by_server: ByServer,
}

impl Compared {
    /// A condition that only the client compares.
    pub(super) fn by_client(schema: &ModelSchema, test: &ColumnTest) -> Self {
        Self {
            test: test.clone(),
            words: condition::words(schema, test),
            by_server: ByServer::Nothing,
        }
    }
}

/// The part of a condition that the server compares; the client always compares all of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum ByServer {
    /// All of it: no other events are sent.
    Events,
    /// The values of these columns, by family and qualifier: cells with other values are not sent.
    Values(Vec<String>),
    /// Nothing of it: all events are sent.
    Nothing,
}

/// One scan of a plan: reads that follow one another, whose events are in the plan's order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scan {
    /// The rows of each read, never the empty set unless the plan is a full scan. There are several
    /// reads with tables by period, if the labels of buckets do not sort like the buckets, or if
    /// one request cannot hold all keys.
    pub parts: Vec<Part>,
}

/// One read of a scan. It dereferences to its rows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    /// The ID of the table that is read.
    pub table: String,
    /// The rows.
    pub rows: RowSet,
}

impl std::ops::Deref for Part {
    type Target = RowSet;

    fn deref(&self) -> &RowSet {
        &self.rows
    }
}

impl Expiry {
    /// The expiry of a query; `None` if it reads expired cells, or if cells do not expire.
    fn of(schema: &ModelSchema, selection: &Selection) -> Option<Self> {
        (schema.expires() && !selection.with_expired).then(|| Self {
            rules: schema.gc_rules.to_vec(),
            at: None,
        })
    }

    /// A filter for a read of the model's rows that sees only cells that the rules keep.
    pub(in crate::query) fn before(
        expiry: Option<&Self>,
        schema: &ModelSchema,
        backend: &dyn Backend,
        filter: Option<RowFilter>,
    ) -> Result<Option<RowFilter>, Error> {
        let Some(expiry) = expiry else {
            return Ok(filter);
        };
        without_expired(schema, expiry.time(backend), filter)
    }

    /// The time by which events in blocks have expired, since no filter of the server sees them.
    pub(in crate::query) fn at(
        expiry: Option<&Self>,
        schema: &ModelSchema,
        backend: &dyn Backend,
    ) -> Option<Timestamp> {
        let expiry = expiry.filter(|_| schema.is_packed())?;
        Some(expiry.time(backend))
    }

    /// The time by which cells have expired.
    pub(in crate::query) fn time(&self, backend: &dyn Backend) -> Timestamp {
        self.at.unwrap_or_else(|| backend.expiry_time())
    }
}

impl Plan {
    /// The tables that are read, in the order of their IDs.
    #[must_use]
    pub fn tables(&self) -> BTreeSet<&str> {
        let parts = self.scans.iter().flat_map(|scan| &scan.parts);
        parts.map(|part| part.table.as_str()).collect()
    }
}

/// The position of an event in a query's results.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Place {
    /// Its time; an entity has none.
    pub time: Option<Timestamp>,
    /// Its key, or the row's if that is damaged.
    pub key: Vec<u8>,
    /// Its value in layout `qualifiers`, where only that distinguishes events of one row and time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub qualifier: Option<Vec<u8>>,
}

impl Place {
    /// The key of its row. Only the key of an event may be more than that.
    pub(in crate::query) fn row(&self, layout: &KeyLayout) -> &[u8] {
        match self.time {
            Some(_) => layout.row_of(&self.key),
            None => &self.key,
        }
    }
}

/// Why a plan reads rows without a match, or more ranges than those with a match.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub enum ReadsMore {
    /// The salt hashes segments without values in the query, or more buckets than shards: all
    /// shards are read.
    EveryShard {
        /// How many there are.
        shards: u16,
    },
    /// The salt hashes segments without values in the query, and the query selects a hot series:
    /// all shards of this series are read.
    HotShards {
        /// How many there are, of the series with the most.
        shards: u16,
    },
    /// The buckets' labels do not sort like the buckets, and the range of time is open: all buckets
    /// are read.
    UnsortedLabels {
        /// The segment of the buckets.
        segment: String,
    },
    /// The labels do not sort like the buckets, but the query is in order of time: the keys are
    /// read first, then the rows in the order of their buckets.
    KeysFirst {
        /// The segment of the buckets.
        segment: String,
    },
    /// Selected segments follow an open one. The first row of each series is sought, and then only
    /// its selected rows are read.
    Sought {
        /// The open segments.
        segments: Vec<String>,
        /// The maximum number of series; all rows of further series are read.
        most: usize,
    },
    /// The selections of these segments narrow no range: the server compares the keys of rows, and
    /// so does the client.
    Compared {
        /// The segments.
        segments: Vec<String>,
    },
}
