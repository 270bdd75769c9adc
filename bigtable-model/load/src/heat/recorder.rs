//! Records the rows that a program reads and writes.

use std::sync::{Arc, Mutex, PoisonError};

use bigtable_model::backend::data::{ReadRows, RowBatch};
use bigtable_model::backend::observed::{ObservedBackend, Observer};
use bigtable_model::schema::ModelSchema;
use bigtable_model::{Backend, Timestamp};

use super::keys::layout_of;
use super::map::HeatMap;
use super::sample::{Kind, Sampled};
use crate::num::{count, float};
use crate::rate::Span;

/// The maximum numbers of rows, and of bytes of their keys, that are held.
const MOST_ROWS: usize = 131_072;
const MOST_BYTES: usize = 16_000_000;

/// Records the row keys that a program reads and writes, for a [`HeatMap`] of its real load.
///
/// It holds a random sample of at most 131,072 rows, about 20 MB, however long it runs, and costs
/// less than 50 ns a row. Cloned handles share what they record.
///
/// ```
/// use bigtable_load::Recorder;
/// # use bigtable_model::{Backend, BackendExt, MemoryBackend, Model, Timestamp};
///
/// # #[derive(Model)]
/// # #[bigtable(table = "SENSOR", family = "METER")]
/// # struct Reading {
/// #     #[bigtable(key)]
/// #     sensor: u32,
/// #     #[bigtable(time, unit = "s")]
/// #     at: Timestamp,
/// #     celsius: f64,
/// # }
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), bigtable_model::Error> {
/// let recorder = Recorder::new();
/// let db = recorder.watch(MemoryBackend::new().handle());
/// db.ensure_tables::<Reading>().await?;
/// for second in 0..5_000 {
///     let at = Timestamp::from_seconds(second);
///     recorder.at(at); // without it, the times are those of the clock
///     db.insert(&Reading { sensor: 7, at, celsius: 19.5 }).await?;
/// }
/// let maps = recorder.maps(&[Reading::SCHEMA]);
/// assert_eq!(maps[0].writes().hottest_share(), 1.0);
/// println!("{}", maps[0]);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Default)]
pub struct Recorder {
    recorded: Arc<Recorded>,
}

#[derive(Debug, Default)]
struct Recorded(Mutex<State>);

/// How many rows were read or written, and how many they stand for.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Rows {
    pub(crate) counted: u64,
    pub(crate) weighed: f64,
}

#[derive(Debug)]
struct State {
    random: fastrand::Rng,
    /// One in `interval` rows is held, and `to_pass` more rows pass before the next.
    interval: u32,
    to_pass: u32,
    tables: Vec<Table>,
    rows: Vec<Held>,
    keys: Vec<u8>,
    /// A time other than now.
    now: Option<Timestamp>,
    /// How many real rows each one represents.
    each: f64,
}

/// A table, with the totals of rows written and reads sent.
#[derive(Debug, Clone, Default)]
struct Table {
    name: String,
    written: Rows,
    asked: u64,
}

/// A row, whose key is in `State::keys`, after the previous row's key.
#[derive(Debug, Clone, Copy)]
struct Held {
    table: usize,
    key_len: usize,
    kind: Kind,
    micros: i64,
    rows: f64,
}

impl Default for State {
    fn default() -> Self {
        Self {
            random: fastrand::Rng::with_seed(0),
            interval: 1,
            to_pass: 0,
            tables: Vec::new(),
            rows: Vec::new(),
            keys: Vec::new(),
            now: None,
            each: 1.0,
        }
    }
}

impl Recorder {
    /// A recorder that has seen nothing.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A backend whose reads and writes are recorded.
    #[must_use]
    pub fn watch(&self, db: Arc<dyn Backend>) -> Arc<dyn Backend> {
        Arc::new(ObservedBackend::new(
            db,
            Arc::clone(&self.recorded) as Arc<dyn Observer>,
        ))
    }

    /// From now on, rows are recorded at this time and not at the clock's, as in a test that plays
    /// a day in a second.
    pub fn at(&self, time: Timestamp) {
        self.with(|state| state.now = Some(time));
    }

    /// From now on, each row represents this many.
    pub(crate) fn weigh(&self, each: f64) {
        self.with(|state| state.each = each);
    }

    /// A map of each table that was read or written, over the time from the first row to the last.
    /// Keys are decoded by the schema of the table's model: `&[Reading::SCHEMA, ...]`.
    #[must_use]
    pub fn maps(&self, schemas: &[&ModelSchema]) -> Vec<HeatMap> {
        let times = self.with(|state| {
            let times = state.rows.iter().map(|row| row.micros);
            times.clone().min().zip(times.max())
        });
        times.map_or_else(Vec::new, |(first, last)| {
            let span = Span {
                start: Timestamp::from_micros(first),
                end: Timestamp::from_micros(last.saturating_add(1)),
            };
            self.maps_over(span, schemas)
        })
    }

    /// The same, over a given span.
    pub(crate) fn maps_over(&self, span: Span, schemas: &[&ModelSchema]) -> Vec<HeatMap> {
        let tables = self.with(|state| state.samples(span));
        let drawn = tables.into_iter().filter(|(_, sample)| !sample.is_empty());
        let maps = drawn.map(|(table, sample)| {
            let layout = layout_of(schemas, &table.name);
            HeatMap::of_sample(&table.name, span, layout, sample, table.asked)
        });
        maps.collect()
    }

    /// How many rows of a table were written.
    pub(crate) fn written(&self, table: &str) -> Rows {
        self.with(|state| {
            let found = state.tables.iter().find(|one| one.name == table);
            found.map(|table| table.written).unwrap_or_default()
        })
    }

    fn with<T>(&self, use_it: impl FnOnce(&mut State) -> T) -> T {
        self.recorded.with(use_it)
    }
}

impl Recorded {
    fn with<T>(&self, use_it: impl FnOnce(&mut State) -> T) -> T {
        use_it(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Observer for Recorded {
    fn asks(&self, request: &ReadRows) {
        self.with(|state| {
            let table = state.table(&request.table);
            if let Some(table) = state.tables.get_mut(table) {
                table.asked += 1;
            }
        });
    }

    fn reads(&self, table: &str, rows: &RowBatch) {
        self.with(|state| {
            let table = state.table(table);
            for row in rows.rows() {
                state.record(table, Kind::Read, row.key());
            }
        });
    }

    fn writes(&self, table: &str, keys: &mut dyn Iterator<Item = &[u8]>) {
        self.with(|state| {
            let table = state.table(table);
            let mut rows = 0;
            for key in keys {
                state.record(table, Kind::Write, key);
                rows += 1;
            }
            if let Some(Table { written, .. }) = state.tables.get_mut(table) {
                written.counted += rows;
                written.weighed += float(rows) * state.each;
            }
        });
    }
}

impl State {
    fn table(&mut self, table: &str) -> usize {
        let found = self.tables.iter().position(|one| one.name == table);
        found.unwrap_or_else(|| {
            self.tables.push(Table {
                name: table.to_owned(),
                ..Table::default()
            });
            self.tables.len() - 1
        })
    }

    fn record(&mut self, table: usize, kind: Kind, key: &[u8]) {
        if let Some(rest) = self.to_pass.checked_sub(1) {
            self.to_pass = rest;
            return;
        }
        // Random gaps, since a load has rhythms of its own.
        self.to_pass = self.random.u32(0..2 * self.interval - 1);
        if self.rows.len() >= MOST_ROWS || self.keys.len() + key.len() > MOST_BYTES {
            self.halve();
        }
        let now = self.now.unwrap_or_else(Timestamp::now);
        self.rows.push(Held {
            table,
            key_len: key.len(),
            kind,
            micros: now.as_micros(),
            rows: self.each * f64::from(self.interval),
        });
        self.keys.extend_from_slice(key);
    }

    /// Drops half of the rows, so that each of the others stands for twice as many.
    fn halve(&mut self) {
        // Beyond 2^30 rows for each one held, the interval stays and old rows weigh more.
        self.interval = if self.interval < 1 << 30 {
            self.interval * 2
        } else {
            self.interval
        };
        let (rows, keys) = (
            std::mem::take(&mut self.rows),
            std::mem::take(&mut self.keys),
        );
        let mut rest = &keys[..];
        for mut row in rows {
            let Some((key, after)) = rest.split_at_checked(row.key_len) else {
                return;
            };
            rest = after;
            if self.random.bool() {
                row.rows *= 2.0;
                self.rows.push(row);
                self.keys.extend_from_slice(key);
            }
        }
    }

    /// The rows of each table within a time.
    fn samples(&self, span: Span) -> Vec<(Table, Vec<Sampled>)> {
        let tables = self.tables.iter().map(|table| (table.clone(), Vec::new()));
        let mut tables: Vec<(Table, Vec<Sampled>)> = tables.collect();
        let mut rest = &self.keys[..];
        for row in &self.rows {
            let Some((key, after)) = rest.split_at_checked(row.key_len) else {
                break;
            };
            rest = after;
            let time = span.share_at(Timestamp::from_micros(row.micros));
            if let (Some((_, sample)), Some(time)) = (tables.get_mut(row.table), time) {
                sample.push(Sampled {
                    key: key.into(),
                    kind: row.kind,
                    time,
                    rows: row.rows,
                });
            }
        }
        tables.sort_by(|one, other| one.0.name.cmp(&other.0.name));
        tables
    }
}

/// One in how many of this many rows a recorder can hold: 1 if it can hold all of them.
pub(super) fn thin_to_sample(rows: f64) -> f64 {
    (rows / float(count(MOST_ROWS))).max(1.0)
}
