//! Roll-ups whose events expire, whose tables are dropped and whose writes fail: nothing that was
//! counted is lost, and nothing is counted twice.
//!
//! The models have every rule of garbage collection, level, zone and format. What a window may hold
//! is computed from plain values. Garbage collection is half done, writes fail at each of their
//! calls, and jobs are killed, or find other events, between any two of theirs.

mod kinds;
mod world;

use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex};

use bigtable_model::backend::memory::ManualClock;
use bigtable_model::{Backend, MemoryBackend, Timestamp};
use bigtable_model_tests::aging::{Act, Between, collect_some};
use bigtable_model_tests::runs::nightly;
use fastrand::Rng;
use futures::FutureExt as _;

use self::kinds::{Asked, KINDS, Kind, Written};
use self::world::{Bar, DAY, Event, Expected, HOUR, Identity, World, Write, bits};

/// 2024-03-29: the last days of a week, a quarter, and of Berlin's winter time.
const START: i64 = 1_711_670_400_000;

/// The end of all tables by day.
const END: i64 = START + 140 * DAY;

const SERIES: [&str; 2] = ["a", "b"];

/// The steps of a round: few of some, so that a failure is short.
const STEPS: std::ops::Range<usize> = 5..100;

fn rounds() -> std::ops::Range<u64> {
    nightly(0..150, 0..2)
}

/// The tables of events begin so.
fn is_of_events(table: &str) -> bool {
    table.starts_with("S")
}

/// A model on a backend, and what should be in it.
struct Round {
    db: MemoryBackend,
    clock: ManualClock,
    world: World,
    rng: Rng,
    seed: u64,
    log: Vec<String>,
}

impl Round {
    async fn new(kind: &'static Kind, seed: u64) -> Self {
        let now = START + HOUR + 17 * 60_000 + 13_000;
        let clock = ManualClock::new(Timestamp::from_millis(now));
        let db = MemoryBackend::builder().clock(clock.clone()).build();
        (kind.ensure)(&db).await;
        Self {
            db,
            clock,
            world: World::new(kind, now),
            rng: Rng::with_seed(seed),
            seed,
            log: Vec::new(),
        }
    }

    fn kind(&self) -> &'static Kind {
        self.world.kind
    }

    /// A time now, or at some edge before.
    fn time(&mut self) -> i64 {
        let unit = self.kind().unit;
        let rng = &mut self.rng;
        let time = match rng.u8(0..3) {
            0 => {
                let day = START + rng.i64(0..5) * DAY;
                let hour = [0, 1, 5, 21, 22, 23][rng.usize(0..6)];
                day + hour * HOUR + rng.i64(0..2) * 1_800_000
            }
            1 => self.world.now - self.world.now.rem_euclid(1_800_000),
            _ => self.world.now - rng.i64(0..4) * 1_800_000,
        };
        match unit {
            1 => time + rng.i64(0..3),
            unit => time - time.rem_euclid(unit),
        }
    }

    fn identity(&mut self) -> Identity {
        let series = SERIES[self.rng.usize(0..2)];
        (series, self.time())
    }

    /// A known event, or another.
    fn known(&mut self) -> Identity {
        let known: Vec<_> = self.world.known.keys().copied().collect();
        match known.is_empty() || self.rng.u8(0..8) == 0 {
            true => self.identity(),
            false => known[self.rng.usize(..known.len())],
        }
    }

    /// An event with a new value, or a known one again.
    fn event(&mut self) -> Event {
        let identity = match self.rng.u8(0..5) {
            0 => self.known(),
            _ => self.identity(),
        };
        let (series, at) = identity;
        let again = self.world.known.get(&identity).copied();
        let value = match again.filter(|_| self.rng.bool()) {
            Some(value) => value,
            None => self.world.value_for(identity),
        };
        Event { series, at, value }
    }

    fn write(&mut self) -> Write {
        let whole_rows = !matches!(self.kind().keeps, world::Keeps::Newest(_));
        if self.world.values_left() < 8 {
            return self.deletion();
        }
        match self.rng.u8(0..12) {
            0..5 => Write::Insert(self.event()),
            5..7 => Write::InsertMany((0..self.rng.usize(1..5)).map(|_| self.event()).collect()),
            7 if whole_rows => Write::InsertIfAbsent(self.event()),
            8 => {
                let identity = self.known();
                let (series, at) = identity;
                let value = self.world.value_for(identity);
                Write::Update(Event { series, at, value })
            }
            9 if whole_rows => {
                let ((series, one), other) = (self.known(), self.known().1);
                Write::DeleteTimes(series, one.min(other)..one.max(other) + 1)
            }
            _ => self.deletion(),
        }
    }

    fn deletion(&mut self) -> Write {
        match self.rng.bool() {
            true => {
                let (series, at) = self.known();
                Write::Delete(series, at)
            }
            false => Write::DeleteMany((0..2).map(|_| self.known()).collect()),
        }
    }

    /// A write takes effect unless it fails. It may fail only if its table was dropped, or if a
    /// bucket of it has lost events, so that its event cannot be counted.
    fn is_written(&mut self, write: &Write, written: Written) {
        let world = &self.world;
        let may_fail =
            |(series, at): Identity| world.is_dropped(at) || world.misses_some((series, at));
        match (write, written) {
            (Write::InsertMany(events), Ok(failed)) => {
                for (place, event) in events.iter().enumerate() {
                    let refused = failed.iter().find(|(one, _)| *one == place);
                    let refused = refused.map(|(_, error)| error);
                    self.judge(
                        (event.series, event.at),
                        refused.is_some(),
                        &format!("{refused:?}"),
                    );
                }
                let failed: Vec<_> = failed.into_iter().map(|(place, _)| place).collect();
                self.world.apply(write, &failed);
            }
            (Write::Insert(one) | Write::InsertIfAbsent(one) | Write::Update(one), written) => {
                let identity = (one.series, one.at);
                self.judge(identity, written.is_err(), &format!("{written:?}"));
                if written.is_ok() {
                    self.world.apply(write, &[]);
                }
            }
            (_, Ok(_)) => self.world.apply(write, &[]),
            (Write::Delete(series, at), Err(_)) if may_fail((series, *at)) => {}
            (Write::DeleteMany(_) | Write::DeleteTimes(..), Err(_)) if world.has_gone() => {}
            (write, Err(error)) => self.fail(&format!("{write:?} is refused: {error:?}")),
        }
    }

    /// Whether an event may be refused, or written.
    fn judge(&self, identity: Identity, is_refused: bool, text: &str) {
        let at = self.world.stored_time(identity.1);
        if self.world.is_dropped(at) && !is_refused {
            self.fail(&format!("{identity:?} is written without its table"));
        }
        if is_refused && !self.world.is_dropped(at) && !self.world.misses_some(identity) {
            self.fail(&format!("{identity:?} is refused: {text}"));
        }
    }

    fn fail(&self, why: &str) -> ! {
        let log = self.log.join("\n");
        panic!("{}, seed {}:\n{log}\n{why}", self.kind().name, self.seed);
    }

    /// A write that fails at one of its calls. It counts as written if its event was.
    async fn failing_write(&mut self) {
        let write = match self.write() {
            Write::InsertMany(events) => Write::Insert(events[0]),
            Write::DeleteMany(events) => Write::Delete(events[0].0, events[0].1),
            Write::DeleteTimes(series, times) => Write::Delete(series, times.start),
            write => write,
        };
        let act = match self.rng.bool() {
            true => Act::Refuse,
            false => Act::Lose,
        };
        let calls = self.kind().lengths.len() as u64 + 2;
        let at = self.rng.u64(0..calls);
        let db = Between::new(self.db.handle(), at, act, is_of_events);
        let written = (self.kind().write)(&db, write.clone()).await;
        self.log.push(format!(
            "{write:?}, fails at call {at}: {}",
            written.is_err()
        ));
        match db.has_acted() && written.is_err() {
            false => self.is_written(&write, written),
            true if db.has_written() || db.has_checked() => self.world.apply(&write, &[]),
            true => {}
        }
    }

    async fn whole_write(&mut self) {
        let write = self.write();
        let written = (self.kind().write)(&self.db, write.clone()).await;
        self.log.push(format!("{write:?}: {written:?}"));
        self.is_written(&write, written);
    }

    /// A job, perhaps killed, perhaps with a write between two of its calls, or while time passes.
    async fn job(&mut self) {
        let kind = self.kind();
        let before = self.world.clone();
        let at = self.rng.u64(0..24);
        let mut meanwhile = None;
        let ended = match self.rng.u8(0..5) {
            0 | 1 => {
                let report = (kind.job)(&self.db).await;
                self.log.push(format!("job: {report:?}"));
                let report = report.unwrap_or_else(|error| self.fail(&format!("{error:?}")));
                if report.failed > 0 && !self.world.has_gone() {
                    self.fail("buckets are refused whose events are all there");
                }
                true
            }
            2 => {
                let write = self.write();
                let (db, one) = (self.db.clone(), write.clone());
                let outcome = Arc::new(Mutex::new(None));
                let told = Arc::clone(&outcome);
                let run = async move {
                    let written = (kind.write)(&db, one).await;
                    *told.lock().unwrap() = Some(written);
                };
                let db = Between::new(self.db.handle(), at, Act::Run(run.boxed()), is_of_events);
                let report = (kind.job)(&db).await;
                let written = outcome.lock().unwrap().take();
                self.log.push(format!(
                    "job with {write:?}: {written:?} at call {at}: {report:?}"
                ));
                if let Some(written) = written {
                    self.is_written(&write, written);
                    meanwhile = Some(write);
                }
                if let Err(error) = report {
                    self.fail(&format!("{error:?}"));
                }
                true
            }
            3 => {
                self.slow_job(at).await;
                true
            }
            _ => {
                let act = if self.rng.bool() {
                    Act::Refuse
                } else {
                    Act::Lose
                };
                let db = Between::new(self.db.handle(), at, act, is_of_events);
                let report = (kind.job)(&db).await;
                self.log
                    .push(format!("job killed at call {at}: {report:?}"));
                !db.has_acted()
            }
        };
        self.world.job_ran(&before, ended, meanwhile.as_ref());
    }

    /// A job during which cells expire and are deleted: what it finds when it begins may be gone
    /// when it reads that.
    async fn slow_job(&mut self, at: u64) {
        let (db, clock) = (self.db.clone(), self.clock.clone());
        let now = self.later_by();
        let pass = async move {
            clock.set(now);
            db.run_gc(now);
        };
        let db = Between::new(self.db.handle(), at, Act::Run(pass.boxed()), is_of_events);
        let report = (self.kind().job)(&db).await;
        let text = format!("job with garbage collection at {now}, call {at}: {report:?}");
        self.log.push(text);
        if db.has_acted() {
            self.passed(now);
        }
        if let Err(error) = report {
            self.fail(&format!("{error:?}"));
        }
    }

    /// A time from now on.
    fn later_by(&mut self) -> Timestamp {
        let rng = &mut self.rng;
        let more = [HOUR / 3, HOUR, 3 * HOUR, DAY, DAY, 5 * DAY, 27 * DAY];
        let more = more[rng.usize(0..7)] / 60_000 * 60_000;
        let now = self.world.now + more;
        Timestamp::from_millis(if now < END - 40 * DAY {
            now
        } else {
            self.world.now
        })
    }

    fn passed(&mut self, now: Timestamp) {
        let more = now.as_millis() - self.world.now;
        self.world.now += more;
        self.world.note_gone();
        self.log.push(format!("{} minutes later", more / 60_000));
    }

    fn later(&mut self) {
        let now = self.later_by();
        self.clock.set(now);
        self.passed(now);
    }

    async fn drop_tables(&mut self) {
        let day = START + self.rng.i64(0..=6) * DAY;
        if self.kind().by_day && day > self.world.dropped {
            (self.kind().drop_before)(&self.db, day).await;
            self.world.dropped = day;
            self.world.note_gone();
            self.log.push(format!("tables before {day} dropped"));
        }
    }

    /// Windows of a level, in a span that may begin or end inside one.
    async fn check(&mut self) {
        let level = self.rng.usize(0..self.kind().lengths.len());
        let (series, one) = self.known();
        let other = self.known().1;
        let (first, last) = (one.min(other), one.max(other));
        let mut asked = self.world.bucket(level, first).start..self.world.bucket(level, last).end;
        if self.rng.u8(0..4) == 0 {
            asked = first..last + 1;
        }
        let length = self.kind().lengths[level];
        let (from, to) = (asked.start, asked.end);
        let windows = Asked {
            series,
            from,
            to,
            length,
        };
        let found = (self.kind().windows)(&self.db, windows).await;
        let found = found.unwrap_or_else(|error| self.fail(&format!("{error:?}")));
        let starts = self.world.windows(level, series, &asked);
        if let Some(other) = found.iter().find(|bar| !starts.contains(&bar.start)) {
            self.fail(&format!("{asked:?} of {length}: {other:?} has no event"));
        }
        for start in starts {
            let expected = self.world.expected(level, (series, start), &asked);
            let bars: Vec<&Bar> = found.iter().filter(|bar| bar.start == start).collect();
            let sum = bars.iter().map(|bar| bar.total).sum::<i64>();
            let is_right = bars.len() <= 1
                && match expected {
                    Expected::Exactly(events) => sum == events,
                    Expected::Between(least, most) => sum & least == least && sum & !most == 0,
                }
                && bars.iter().all(|bar| self.agrees(bar, series));
            if !is_right {
                self.fail(&format!(
                    "{series} {asked:?} of {length}, the window at {start}: {expected:?}, found {bars:?}"
                ));
            }
        }
    }

    /// Whether all columns are of the same events.
    fn agrees(&self, bar: &Bar, series: &str) -> bool {
        let (least, most) = (bits(bar.total).min(), bits(bar.total).max());
        let Some((first, last)) = self.world.first_and_last(bar.total) else {
            return false;
        };
        let ends = [least.unwrap_or(0), most.unwrap_or(0), first, last];
        bar.series == series && bar.samples == bits(bar.total).count() as u64 && bar.ends == ends
    }

    async fn step(&mut self) {
        match self.rng.u8(0..24) {
            0..9 => self.whole_write().await,
            9..12 => self.failing_write().await,
            12..16 => self.job().await,
            16..19 => self.later(),
            19 => {
                self.log.push("garbage collection".to_owned());
                self.db.run_gc(Timestamp::from_millis(self.world.now));
            }
            20 | 21 => {
                self.log.push("some garbage collection".to_owned());
                let rng = &mut self.rng;
                collect_some(&self.db, self.world.now, &mut || rng.bool()).await;
            }
            22 => self.drop_tables().await,
            _ => {}
        }
        for _ in 0..2 {
            self.check().await;
        }
    }
}

async fn round(kind: &'static Kind, seed: u64) {
    let mut round = Round::new(kind, seed).await;
    for _ in 0..round.rng.usize(STEPS) {
        round.step().await;
    }
    // A job that nothing disturbs leaves nothing to do, and changes nothing.
    let before = round.world.clone();
    for _ in 0..2 {
        let report = (kind.job)(&round.db).await.unwrap();
        round.log.push(format!("last job: {report:?}"));
        round.world.job_ran(&before, true, None);
        for _ in 0..20 {
            round.check().await;
        }
    }
}

/// Of each model the failing round with the shortest log is shown.
#[tokio::test]
async fn what_was_counted_is_kept() {
    let mut failed = Vec::new();
    for kind in KINDS {
        let mut texts = Vec::new();
        for seed in rounds() {
            if let Err(panic) = AssertUnwindSafe(round(kind, seed)).catch_unwind().await {
                texts.push(*panic.downcast::<String>().unwrap());
            }
        }
        let count = texts.len();
        let shortest = texts.into_iter().min_by_key(String::len);
        failed.extend(shortest.map(|text| format!("{count} rounds fail, one is {text}")));
    }
    assert!(failed.is_empty(), "{}", failed.join("\n\n"));
}
