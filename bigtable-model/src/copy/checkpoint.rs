//! The progress of a job, as data.

use std::collections::BTreeSet;

use bytes::Bytes;

use super::split::KeySpan;
use super::tally::Tally;
use crate::Timestamp;
use crate::model::ModelSchema;
use crate::query::{Selection, fingerprint};

/// The progress of a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Checkpoint {
    pub(super) job: JobId,
    /// When the job was first started: the timestamp of cells that have the time of their write.
    pub(super) started: Timestamp,
    /// The tables by period that were written to.
    pub(super) tables: BTreeSet<String>,
    /// The parts, table by table, in order of their keys.
    pub(super) parts: Vec<Part>,
}

/// The identity of a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct JobId {
    /// A hash of the job's definition, without the conversion.
    pub(super) hash: u64,
    /// The source's ID.
    pub(super) source: String,
    /// The target's ID.
    pub(super) target: String,
}

/// A part of the source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Part {
    /// The part's table.
    pub(super) table: String,
    pub(super) span: KeySpan,
    /// The last row that is done.
    pub(super) done: Option<Bytes>,
    /// Whether all rows are done.
    pub(super) finished: bool,
    pub(super) copied: Copied,
}

/// Rows that were copied.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Copied {
    /// Rows of the source.
    pub(super) rows: u64,
    /// Bytes of keys and cells written.
    pub(super) bytes: u64,
    pub(super) tally: Tally,
    /// The first and the last key written.
    pub(super) keys: Option<(Bytes, Bytes)>,
}

impl Part {
    pub(super) fn new(table: &str, span: KeySpan) -> Self {
        Self {
            table: table.to_owned(),
            span,
            done: None,
            finished: false,
            copied: Copied::default(),
        }
    }
}

impl Copied {
    pub(super) fn add(&mut self, other: Self) {
        self.rows = self.rows.saturating_add(other.rows);
        self.bytes = self.bytes.saturating_add(other.bytes);
        self.tally.add(other.tally);
        if let Some((first, last)) = other.keys {
            self.add_key(&first);
            self.add_key(&last);
        }
    }

    pub(super) fn add_key(&mut self, key: &Bytes) {
        let (first, last) = self.keys.get_or_insert_with(|| (key.clone(), key.clone()));
        if key < first {
            *first = key.clone();
        } else if key > last {
            *last = key.clone();
        }
    }
}

impl Checkpoint {
    /// The total of all parts, without the keys.
    pub(super) fn copied(&self) -> Copied {
        let mut all = Copied::default();
        for part in &self.parts {
            all.add(Copied {
                keys: None,
                ..part.copied.clone()
            });
        }
        all
    }

    pub(super) fn finished(&self) -> usize {
        self.parts.iter().filter(|part| part.finished).count()
    }
}

impl JobId {
    pub(super) fn new(
        source: (&ModelSchema, &str),
        selection: &Selection,
        target: (&ModelSchema, &str),
        tag: &str,
    ) -> Self {
        let selection = Selection {
            // The number of scans does not change the rows that are read.
            max_scans: 0,
            max_seeks: 0,
            // The whole payload is read.
            payload: Vec::new(),
            ..selection.clone()
        };
        let sides = [source, target].map(|(schema, table)| {
            let stored = (&schema.key, &schema.layout, &schema.columns);
            let marks = (&schema.map_families, &schema.presence, schema.cell_time);
            fingerprint(&(table, stored, marks))
        });
        Self {
            hash: fingerprint(&(sides, selection, tag)),
            source: source.1.to_owned(),
            target: target.1.to_owned(),
        }
    }

    /// How another job differs; `None` if it is this one.
    pub(super) fn difference(&self, other: &Self) -> Option<String> {
        let Self { source, target, .. } = self;
        if (source, target) != (&other.source, &other.target) {
            return Some(format!(
                "it copies {} to {}, this one {source} to {target}",
                other.source, other.target
            ));
        }
        (self.hash != other.hash)
            .then(|| "the query, one of the models or the tag was another".to_owned())
    }
}
