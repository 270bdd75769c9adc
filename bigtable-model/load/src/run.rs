//! A load test: a load written to, and asked of, any backend.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bigtable_model::{Backend, Error};
use comfy_table::Table;
use sketches_ddsketch::{Config, DDSketch};
use tokio::task::JoinSet;

use crate::LoadError;
use crate::heat::{HeatMap, Recorder};
use crate::load::{Checked, Load};
use crate::num::{brief, float, share, thousands, whole};
use crate::table::table;
use crate::writes::Window;

/// How often calls that are due are sent.
const TICK: Duration = Duration::from_millis(100);
/// How many parts a load that is not paced is cut into.
const PARTS: u64 = 256;

/// How fast a load is run, and with how many calls at a time; for [`Load::run`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pace {
    /// How many seconds of the load pass in one; `None` without waiting.
    speed: Option<f64>,
    events_a_call: usize,
    calls: usize,
}

impl Pace {
    /// At the load's own rates.
    #[must_use]
    pub const fn real() -> Self {
        Self::times(1.0)
    }

    /// So many times as fast: with 60, an hour of the load takes a minute.
    #[must_use]
    pub const fn times(speed: f64) -> Self {
        Self {
            speed: Some(speed),
            ..Self::fastest()
        }
    }

    /// Without waiting: each call follows another.
    #[must_use]
    pub const fn fastest() -> Self {
        Self {
            speed: None,
            events_a_call: 100,
            calls: 64,
        }
    }

    /// How many events are written in one call: 100 by default.
    #[must_use]
    pub fn events_a_call(self, events: usize) -> Self {
        Self {
            events_a_call: events.max(1),
            ..self
        }
    }

    /// How many calls run at a time: 64 by default. A call that is due while this many run waits,
    /// and its time counts from when it was due.
    #[must_use]
    pub fn calls(self, calls: usize) -> Self {
        Self {
            calls: calls.max(1),
            ..self
        }
    }
}

/// What a load test saw, from [`Load::run`]. Its `Display` is a table.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Report {
    /// How long it took.
    pub took: Duration,
    /// The writes of each model, then the questions.
    pub operations: Vec<Operation>,
    /// Where it wrote and read.
    pub heat: Vec<HeatMap>,
}

/// The calls of one kind in a [`Report`].
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Operation {
    /// The model that is written, or the question.
    pub name: String,
    /// How many calls ended, with errors or without.
    pub calls: u64,
    /// The events that were written, or read.
    pub events: u64,
    /// The errors by their text, and how many there were of each. At most 20 are distinguished.
    pub errors: BTreeMap<String, u64>,
    /// The median time of a call, from when it was due.
    pub p50: Duration,
    /// The time that one call in a hundred exceeds.
    pub p99: Duration,
    /// The longest time.
    pub max: Duration,
}

const MOST_ERRORS: usize = 20;

impl Load {
    /// Creates the tables, and writes and asks the load at a pace, at its times of the load's span.
    /// Errors of calls are counted, and the other calls go on.
    ///
    /// It runs on tokio, whose time must be enabled.
    ///
    /// ```
    /// # use bigtable_load::{Load, Pace, Rate, Sizes, Writes};
    /// # use bigtable_model::{Backend, MemoryBackend, Model, Timestamp};
    /// # #[derive(Clone, Model)]
    /// # #[bigtable(table = "SENSOR", family = "METER")]
    /// # struct Reading {
    /// #     #[bigtable(key)]
    /// #     sensor: u32,
    /// #     #[bigtable(time, unit = "s", truncate)]
    /// #     at: Timestamp,
    /// #     celsius: f64,
    /// # }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), bigtable_load::LoadError> {
    /// # let (start, end) = (Timestamp::from_seconds(0), Timestamp::from_seconds(3_600));
    /// # let reading = |series, at| Reading { sensor: series as u32, at, celsius: 19.5 };
    /// let load = Load::over(start..end)
    ///     .writes(Writes::of(Sizes::equal(100), Rate::per_second(10.0), reading));
    /// let report = load.run(MemoryBackend::new().handle(), Pace::times(36_000.0)).await?;
    /// assert_eq!(report.operations[0].events, 36_000);
    /// println!("{report}");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`LoadError`]: a mistake of the load, or tables that cannot be created.
    pub async fn run(&self, db: Arc<dyn Backend>, pace: Pace) -> Result<Report, LoadError> {
        let load = self.checked()?;
        load.ensure_tables(&*db).await?;
        let recorder = Recorder::new();
        let mut test = Test::new(&load, pace);
        let db = recorder.watch(db);
        let begun = Instant::now();
        let real = pace
            .speed
            .map(|speed| load.span.seconds() / speed.max(f64::MIN_POSITIVE));
        let ticks = real.map_or(PARTS, |real| {
            whole((real / TICK.as_secs_f64()).ceil()).max(1)
        });
        for tick in 0..ticks {
            let (from, to) = (float(tick) / float(ticks), float(tick + 1) / float(ticks));
            let due = real.map(|real| begun + Duration::from_secs_f64(real * from));
            test.wait(due).await;
            recorder.at(load.span.at((from + to) / 2.0));
            test.send(&load, &db, Window { from, to }, due).await?;
        }
        while test.finish().await {}
        Ok(Report {
            took: begun.elapsed(),
            operations: test
                .operations
                .into_iter()
                .map(Running::operation)
                .collect(),
            heat: recorder.maps_over(load.span, &load.schemas()),
        })
    }
}

/// A load test that runs.
struct Test {
    pace: Pace,
    running: JoinSet<Ended>,
    operations: Vec<Running>,
    /// How often each question was asked.
    asked: Vec<u64>,
}

/// A call that ended: which operation it is of, how long it took, and its events.
type Ended = (usize, Duration, Result<u64, Error>);

struct Running {
    name: String,
    calls: u64,
    events: u64,
    errors: BTreeMap<String, u64>,
    seconds: DDSketch,
}

impl Test {
    fn new(load: &Checked<'_>, pace: Pace) -> Self {
        let writes = load
            .parts
            .iter()
            .map(|part| format!("write {}", part.schema().model));
        let asks = load.questions.iter().map(|question| question.name.clone());
        Self {
            pace,
            running: JoinSet::new(),
            operations: writes.chain(asks).map(Running::new).collect(),
            asked: vec![0; load.questions.len()],
        }
    }

    /// Waits for a time, and meanwhile for calls to end.
    async fn wait(&mut self, due: Option<Instant>) {
        let Some(due) = due else { return };
        let wait = due.saturating_duration_since(Instant::now());
        let until_due = async { while self.finish().await {} };
        let _ = tokio::time::timeout(wait, until_due).await;
        tokio::time::sleep_until(due.into()).await;
    }

    /// Waits for a call to end; `false` if none runs.
    async fn finish(&mut self) -> bool {
        match self.running.join_next().await {
            Some(Ok((operation, took, result))) => {
                if let Some(operation) = self.operations.get_mut(operation) {
                    operation.ended(took, result);
                }
                true
            }
            // A call that panicked, which is the fault of a closure or of an observer.
            Some(Err(panicked)) => match panicked.try_into_panic() {
                Ok(panic) => std::panic::resume_unwind(panic),
                Err(_) => true,
            },
            None => false,
        }
    }

    /// Sends the calls that are due in a window.
    async fn send(
        &mut self,
        load: &Checked<'_>,
        db: &Arc<dyn Backend>,
        window: Window,
        due: Option<Instant>,
    ) -> Result<(), LoadError> {
        for (at, part) in load.parts.iter().enumerate() {
            for call in part.calls(db, window, self.pace.events_a_call)? {
                self.start(at, due, call).await;
            }
        }
        for (nth, question) in load.questions.iter().enumerate() {
            let asks = whole(question.rate.a_second() * load.span.seconds() * window.to);
            let asked = self
                .asked
                .get_mut(nth)
                .map(|asked| std::mem::replace(asked, asks));
            for time in asked.unwrap_or(asks)..asks {
                let cost = load.ask(question, time, Arc::clone(db));
                let call = async { cost.await.map(|cost| cost.events) };
                self.start(load.parts.len() + nth, due, call).await;
            }
        }
        Ok(())
    }

    async fn start(
        &mut self,
        operation: usize,
        due: Option<Instant>,
        call: impl Future<Output = Result<u64, Error>> + Send + 'static,
    ) {
        while self.running.len() >= self.pace.calls {
            self.finish().await;
        }
        let due = due.unwrap_or_else(Instant::now);
        self.running.spawn(async move {
            let result = call.await;
            (operation, due.elapsed(), result)
        });
    }
}

impl Running {
    fn new(name: String) -> Self {
        Self {
            name,
            calls: 0,
            events: 0,
            errors: BTreeMap::new(),
            seconds: DDSketch::new(Config::defaults()),
        }
    }

    fn ended(&mut self, took: Duration, result: Result<u64, Error>) {
        self.calls += 1;
        self.seconds.add(took.as_secs_f64());
        match result {
            Ok(events) => self.events += events,
            Err(error) => {
                let text = error.to_string();
                let is_known = self.errors.contains_key(&text) || self.errors.len() < MOST_ERRORS;
                let text = if is_known { text } else { "others".to_owned() };
                *self.errors.entry(text).or_default() += 1;
            }
        }
    }

    fn operation(self) -> Operation {
        let max = Duration::from_secs_f64(self.seconds.max().unwrap_or(0.0).max(0.0));
        // A sketch knows quantiles to one hundredth.
        let quantile = |share| {
            let seconds = self.seconds.quantile(share).ok().flatten();
            Duration::from_secs_f64(seconds.unwrap_or(0.0).max(0.0)).min(max)
        };
        Operation {
            p50: quantile(0.5),
            p99: quantile(0.99),
            max,
            name: self.name,
            calls: self.calls,
            events: self.events,
            errors: self.errors,
        }
    }
}

impl Report {
    fn table(&self) -> Table {
        let mut table = table(&[
            "", "calls", "events", "events/s", "p50", "p99", "max", "errors",
        ]);
        for one in &self.operations {
            let time = |time: Duration| format!("{time:.2?}");
            table.add_row([
                one.name.clone(),
                thousands(one.calls),
                thousands(one.events),
                brief(share(float(one.events), self.took.as_secs_f64())),
                time(one.p50),
                time(one.p99),
                time(one.max),
                thousands(one.errors.values().sum()),
            ]);
        }
        table
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.table())?;
        for one in &self.operations {
            for (error, times) in &one.errors {
                writeln!(f, "{}: {times} times: {error}", one.name)?;
            }
        }
        write!(f, "in {:.1?}", self.took)
    }
}
