//! Questions priced, and what is stored, counted on the memory backend.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bigtable_model::Error;
use bigtable_model::backend::data::{ReadRows, RowRef};
use bigtable_model::backend::memory::ManualClock;
use bigtable_model::backend::{Backend, MemoryBackend};
use bigtable_model::query::{Amount, Cost};
use bigtable_model::schema::KeyLayout;
use comfy_table::Table;
use futures::StreamExt as _;

use crate::LoadError;
use crate::heat::{HeatMap, Recorder, described, layout_of};
use crate::load::{Checked, Load, Question};
use crate::node::Node;
use crate::num::{brief, bytes, count, float, share, thousands};
use crate::table::table;
use crate::writes::Window;

/// The maximum number of events held in memory to count prices on.
const MOST_EVENTS: u64 = 2_000_000;
/// How often each question is asked: so many times, until so many cells are read. Those of the
/// tests read the same of each series.
const LEAST_TIMES: u64 = 20;
const MOST_TIMES: u64 = 2_000;
const ENOUGH_CELLS: u64 = if cfg!(test) { 100_000 } else { 2_000_000 };

/// What a load costs, from [`Load::prices`]. Its `Display` is a table.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Prices {
    /// What is stored, table by table.
    pub tables: Vec<TablePrice>,
    /// What packing saved in them, for each model that has `pack`.
    pub packing: Vec<PackingPrice>,
    /// What each question reads.
    pub questions: Vec<QuestionPrice>,
    /// What one node is assumed to do.
    pub node: Node,
    /// The nodes that the load is worth.
    pub nodes: u64,
    /// The largest [hottest share](crate::Heat::hottest_share) of the writes of a model's table.
    pub hottest_share: f64,
    heat: Vec<HeatMap>,
}

/// What a table holds after the load's span.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct TablePrice {
    /// Its ID.
    pub table: String,
    /// Its rows.
    pub rows: u64,
    /// Their cells.
    pub cells: u64,
    /// Their bytes, uncompressed: the key of each row, and for each cell its qualifier, its value
    /// and 8 bytes for its timestamp.
    pub bytes: u64,
    /// The bytes that are added in a day of 24 hours, at the load's rates.
    pub bytes_a_day: f64,
    /// How often a second a row is written, if each event is written by itself.
    pub writes_a_second: f64,
    /// The largest row.
    pub largest: LargestRow,
}

/// The largest row of a table.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct LargestRow {
    /// Its key, decoded.
    pub row: String,
    /// Its cells.
    pub cells: u64,
    /// Its bytes.
    pub bytes: u64,
}

/// What packing saves for the rows of a model that have settled at the end of the span.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct PackingPrice {
    /// The model.
    pub model: String,
    /// The rows that are packed.
    pub rows: u64,
    /// Their cells without packing, and with it.
    pub cells: (u64, u64),
    /// The bytes of these cells without packing, and with it.
    pub bytes: (u64, u64),
}

/// What a question reads.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct QuestionPrice {
    /// Its name.
    pub name: String,
    /// How often a second it is asked.
    pub asked_a_second: f64,
    /// How often it was asked to count this.
    pub asked: u64,
    /// The sum over these times.
    pub cost: Cost,
    /// The time that scanned the most cells for each wanted one.
    pub worst: Cost,
    /// How long it took in memory, on average.
    pub took: Duration,
}

impl QuestionPrice {
    /// How many cells are scanned for one that is wanted, over all times that it was asked; see
    /// [`Cost::read_for_wanted`].
    #[must_use]
    pub fn read_for_wanted(&self) -> f64 {
        self.cost.read_for_wanted()
    }

    /// What was read: scanned, where that is counted.
    pub(crate) fn read(&self) -> Amount {
        self.cost.scanned.unwrap_or(self.cost.sent)
    }

    /// A sum over all times that it was asked, divided by their number.
    pub(crate) fn each(&self, all: u64) -> f64 {
        share(float(all), float(self.asked))
    }
}

impl Prices {
    /// A question by its name.
    #[must_use]
    pub fn question(&self, name: &str) -> Option<&QuestionPrice> {
        self.questions.iter().find(|question| question.name == name)
    }

    /// Where the questions read and the load writes, mirrors and roll-ups included: a map for each
    /// table.
    #[must_use]
    pub fn heat(&self) -> &[HeatMap] {
        &self.heat
    }
}

impl Load {
    /// Writes the load to memory, packs what has settled, asks its questions when all events are
    /// there, each 20 to 2,000 times, and says what they read and what is stored.
    ///
    /// # Errors
    /// [`LoadError`], such as for a load of more than 2,000,000 events.
    pub async fn prices(&self) -> Result<Prices, LoadError> {
        let load = self.checked()?;
        let events = load.generated();
        if events > MOST_EVENTS {
            return Err(LoadError::TooMany {
                events,
                most: MOST_EVENTS,
            });
        }
        let clock = ManualClock::new(load.span.start);
        let memory = MemoryBackend::builder().clock(clock.clone()).build();
        let recorder = Recorder::new();
        let db = recorder.watch(memory.handle());
        write(&load, &db, &recorder, &clock).await?;
        let packing = pack(&load, &memory).await?;
        let mut questions = Vec::new();
        for question in load.questions {
            let price = ask(&load, question, &recorder, &memory, &db).await;
            let doing = format!("asking \"{}\"", question.name);
            questions.push(price.map_err(LoadError::at(doing))?);
        }
        let tables = stored(&load, &memory, &recorder).await?;
        let writes = tables.iter().map(|table| table.writes_a_second).sum();
        let node = Node::SSD;
        let nodes = nodes(&node, writes, &questions);
        let heat = recorder.maps_over(load.span, &load.schemas());
        // From all keys, and not from a sample of them.
        let written = self.heat()?;
        let shares = written.iter().map(|map| map.writes().hottest_share());
        Ok(Prices {
            tables,
            packing,
            questions,
            node,
            nodes,
            hottest_share: shares.fold(0.0, f64::max),
            heat,
        })
    }
}

/// Asks a question as often as it takes to know what it reads.
async fn ask(
    load: &Checked<'_>,
    question: &Question,
    recorder: &Recorder,
    memory: &MemoryBackend,
    db: &Arc<dyn Backend>,
) -> Result<QuestionPrice, Error> {
    let first = load.ask(question, 0, memory.handle()).await?;
    let cells = first.scanned.unwrap_or(first.sent).cells.max(1);
    let asked = (ENOUGH_CELLS / cells).clamp(LEAST_TIMES, MOST_TIMES);
    let mut price = QuestionPrice {
        name: question.name.clone(),
        asked_a_second: question.rate.a_second(),
        asked,
        cost: Cost::default(),
        worst: first,
        took: Duration::ZERO,
    };
    // How many reads each of these represents.
    recorder.weigh(question.rate.a_second() * load.span.seconds() / float(asked));
    let begun = Instant::now();
    for nth in 0..asked {
        recorder.at(load.span.at(float(nth) / float(asked)));
        let cost = load.ask(question, nth, Arc::clone(db)).await?;
        price.cost += &cost;
        if cost.read_for_wanted() > price.worst.read_for_wanted() {
            price.worst = cost;
        }
    }
    price.took = begun.elapsed().div_f64(float(asked));
    Ok(price)
}

/// Into how many parts a load is cut, so that each is written at its own time.
const PARTS: u32 = 256;
/// Events are written one by one: together, those of one row would be one write.
const AT_ONCE: usize = 1;

/// Writes the events in the order of time, with the clock at theirs.
async fn write(
    load: &Checked<'_>,
    db: &Arc<dyn Backend>,
    recorder: &Recorder,
    clock: &ManualClock,
) -> Result<(), LoadError> {
    load.ensure_tables(&**db).await?;
    for part in 0..PARTS {
        let edge = |part: u32| f64::from(part) / f64::from(PARTS);
        let window = Window {
            from: edge(part),
            to: edge(part + 1),
        };
        clock.set(load.span.at(window.to));
        recorder.at(load.span.at((window.from + window.to) / 2.0));
        for part in load.parts {
            recorder.weigh(part.weight(1.0));
            for call in part.calls(db, window, AT_ONCE)? {
                let written = call.await;
                let doing = format!("writing events of {}", part.schema().model);
                written.map_err(LoadError::at(doing))?;
            }
        }
    }
    Ok(())
}

/// Packs the rows of the models that have it.
async fn pack(load: &Checked<'_>, memory: &MemoryBackend) -> Result<Vec<PackingPrice>, LoadError> {
    let mut packing = Vec::new();
    for part in load.parts {
        let Some(job) = part.packs() else { continue };
        let model = part.schema().model.to_string();
        let done = job.run(memory).await;
        let done = done.map_err(LoadError::at(format!("packing rows of {model}")))?;
        packing.push(PackingPrice {
            model,
            rows: done.changed,
            cells: (done.cells_before, done.cells_after),
            bytes: (done.bytes_before, done.bytes_after),
        });
    }
    Ok(packing)
}

fn nodes(node: &Node, writes: f64, questions: &[QuestionPrice]) -> u64 {
    let (mut reads, mut scanned) = (0.0, 0.0);
    for question in questions {
        let rate = question.asked_a_second;
        let cost = &question.cost;
        reads += rate * question.each(cost.ranges);
        scanned += rate * question.each(question.read().bytes);
    }
    node.needed(writes, reads, scanned)
}

/// What the tables hold.
async fn stored(
    load: &Checked<'_>,
    memory: &MemoryBackend,
    recorder: &Recorder,
) -> Result<Vec<TablePrice>, LoadError> {
    let schemas = load.schemas();
    let failed = |table: &str, method, source| LoadError::Model {
        doing: "counting what is stored".to_owned(),
        source: Arc::new(Error::Backend {
            table: table.to_owned(),
            method,
            key: None,
            source,
        }),
    };
    let tables = memory.tables().list().await;
    let mut prices = Vec::new();
    for table in tables.map_err(|status| failed("", "ListTables", status))? {
        let written = recorder.written(&table);
        let mut price = TablePrice {
            writes_a_second: written.weighed / load.span.seconds(),
            ..TablePrice::empty(&table)
        };
        let mut batches = memory.read_rows(ReadRows {
            table: table.clone(),
            ..ReadRows::default()
        });
        let layout = layout_of(&schemas, &table);
        while let Some(rows) = batches.next().await {
            let rows = rows.map_err(|status| failed(&table, "ReadRows", status))?;
            rows.rows().for_each(|row| price.add(row, layout));
        }
        let days = load.span.seconds() / 86_400.0;
        let stands_for = share(written.weighed, float(written.counted));
        price.bytes_a_day = float(price.bytes) * stands_for / days;
        prices.push(price);
    }
    Ok(prices)
}

impl TablePrice {
    fn empty(table: &str) -> Self {
        Self {
            table: table.to_owned(),
            rows: 0,
            cells: 0,
            bytes: 0,
            bytes_a_day: 0.0,
            writes_a_second: 0.0,
            largest: LargestRow::default(),
        }
    }

    fn add(&mut self, row: RowRef<'_>, layout: Option<&KeyLayout>) {
        let cells = row.cells();
        let weights = cells
            .clone()
            .map(|cell| count(cell.qualifier().len() + cell.value().len() + size_of::<i64>()));
        let (cells, bytes) = (
            count(cells.len()),
            count(row.key().len()) + weights.sum::<u64>(),
        );
        self.rows += 1;
        self.cells += cells;
        self.bytes += bytes;
        if bytes > self.largest.bytes {
            self.largest = LargestRow {
                row: described(layout, row.key()),
                cells,
                bytes,
            };
        }
    }
}

impl Prices {
    pub(crate) fn stored_table(&self) -> Table {
        let mut table = table(&[
            "table",
            "rows",
            "cells",
            "bytes",
            "a day",
            "a year",
            "writes/s",
            "largest row",
            "its cells",
            "its bytes",
        ]);
        for one in &self.tables {
            table.add_row([
                one.table.clone(),
                thousands(one.rows),
                thousands(one.cells),
                bytes(float(one.bytes)),
                bytes(one.bytes_a_day),
                bytes(one.bytes_a_day * 365.0),
                brief(one.writes_a_second),
                one.largest.row.clone(),
                thousands(one.largest.cells),
                bytes(float(one.largest.bytes)),
            ]);
        }
        table
    }

    pub(crate) fn asked_table(&self) -> Table {
        let mut table = table(&[
            "question, each time",
            "asked/s",
            "events",
            "scans",
            "requests",
            "ranges",
            "rows",
            "cells",
            "bytes",
            "bytes wanted",
            "cells read/wanted",
            "in memory",
        ]);
        for one in &self.questions {
            let (cost, read) = (&one.cost, one.read());
            let each = |all: u64| brief(one.each(all));
            table.add_row([
                one.name.clone(),
                brief(one.asked_a_second),
                each(cost.events),
                each(cost.scans),
                each(cost.requests),
                each(cost.ranges),
                each(read.rows),
                each(read.cells),
                bytes(one.each(read.bytes)),
                bytes(one.each(cost.wanted.bytes)),
                brief(one.read_for_wanted()),
                format!("{:.2?}", one.took),
            ]);
        }
        table
    }
}

impl fmt::Display for Prices {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.stored_table())?;
        for one in &self.packing {
            writeln!(
                f,
                "packing makes {} cells of {} in {} rows of {}, {} of {}",
                thousands(one.cells.1),
                thousands(one.cells.0),
                thousands(one.rows),
                one.model,
                bytes(float(one.bytes.1)),
                bytes(float(one.bytes.0)),
            )?;
        }
        if !self.questions.is_empty() {
            writeln!(f, "{}", self.asked_table())?;
        }
        let nodes = if self.nodes == 1 { "node" } else { "nodes" };
        let hottest = brief(self.hottest_share * 100.0);
        writeln!(
            f,
            "the hottest tablet has {hottest} % of a table's writes at a time"
        )?;
        write!(f, "{} {nodes}, {}", self.nodes, self.node)
    }
}
