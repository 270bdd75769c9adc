//! A former layout with garbage-collection rules and tables by period.
//!
//! What is promised: a query returns each event once, today's if both layouts have it, before,
//! during and after the copy and the finish, whatever was killed. It returns no event that a rule
//! has expired: the former layout's or today's while only the former has it, today's once today's
//! has it. It misses none that is kept. The finish changes nothing but former rows and tombstones.

mod draw;
mod kinds;
mod natural;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex};

use bigtable_model::backend::memory::ManualClock;
use bigtable_model::data::{ReadRows, Row};
use bigtable_model::{Backend, BackendExt, Error, MemoryBackend, QueryError, Timestamp, former};
use bigtable_model_tests::aging::{Act, Between, collect_some};
use bigtable_model_tests::runs::nightly;
use fastrand::Rng;
use futures::{FutureExt as _, TryStreamExt as _};

use self::kinds::{Aged, every_aged};
use self::natural::{Place, Write, written};
use crate::pairs::Stored;
use crate::world::{Answer, Ask, Event, Events, Identity, KeyOrder, Wide};

const HOUR: i64 = 3_600_000;
const DAY: i64 = 24 * HOUR;

/// 2024-03-29, so that months end.
const START: i64 = 1_711_670_400_000;

/// The steps of a round: few of some, so that a failure is short.
const STEPS: Range<usize> = 3..70;

fn rounds() -> Range<u64> {
    nightly(0..150, 0..3)
}

/// Today's tables begin so.
fn is_of_today(table: &str) -> bool {
    table.starts_with("NEW")
}

struct Round {
    db: MemoryBackend,
    clock: ManualClock,
    now: i64,
    /// Former tables of days before this are dropped.
    dropped: i64,
    events: BTreeMap<Identity, (Event, Place)>,
    keeps: [Option<i64>; 2],
    by_day: bool,
    narrows: bool,
    rng: Rng,
    log: Vec<String>,
}

impl Round {
    async fn new<P: Aged>(seed: u64) -> Self {
        let now = START + 4 * DAY + 17 * 60_000 + 13_000;
        let clock = ManualClock::new(Timestamp::from_millis(now));
        let db = MemoryBackend::builder().clock(clock.clone()).build();
        P::Old::ensure(&db).await;
        P::New::ensure(&db).await;
        Self {
            db,
            clock,
            now,
            dropped: i64::MIN,
            events: BTreeMap::new(),
            keeps: P::KEEPS,
            by_day: P::BY_DAY,
            narrows: P::NARROWS,
            rng: Rng::with_seed(seed),
            log: vec![format!("{}, seed {seed}:", P::NAME)],
        }
    }

    fn fail(&self, why: &str) -> ! {
        panic!("{}\n{why}", self.log.join("\n"));
    }

    async fn whole_write<P: Aged>(&mut self) {
        let write = self.write();
        self.log.push(format!("{write:?}"));
        let before = self.visible().len();
        let deleted = written::<P>(&self.db, &write).await;
        let deleted = deleted.unwrap_or_else(|error| self.fail(&format!("{error:?}")));
        self.apply(&write);
        let gone = (before - self.visible().len().min(before)) as u64;
        // Expired events that are still stored are deleted too.
        if deleted.is_some_and(|deleted| deleted < gone || deleted > gone && !self.may_expire()) {
            self.fail(&format!("{deleted:?} are deleted, {gone} were there"));
        }
    }

    fn may_expire(&self) -> bool {
        self.keeps.iter().any(Option::is_some)
    }

    /// A write of one event that fails at one of its calls. It counts if its last call was
    /// executed.
    async fn failing_write<P: Aged>(&mut self) {
        let write = match self.write() {
            write @ (Write::Insert(_) | Write::Note(..) | Write::Delete(_)) => write,
            _ => Write::Delete(self.known()),
        };
        let act = self.fault();
        let at = self.rng.u64(0..5);
        let db = Between::new(self.db.handle(), at, act, is_of_today);
        let failed = written::<P>(&db, &write).await.is_err();
        self.log
            .push(format!("{write:?}, fails at call {at}: {failed}"));
        if !failed || db.has_written() {
            self.apply(&write);
        }
        self.resolve::<P>().await;
    }

    fn fault(&mut self) -> Act {
        match self.rng.bool() {
            true => Act::Refuse,
            false => Act::Lose,
        }
    }

    /// Today's model without the former layout says which events were copied.
    async fn resolve<P: Aged>(&mut self) {
        for event in P::Plain::all(&self.db).await.unwrap() {
            let event = event.event();
            match self.events.get_mut(&event.identity()) {
                Some((known, place)) if *known == event => *place = Place::Today,
                known => {
                    let text = format!("{event:?} in today's layout, and not {known:?}");
                    self.fail(&text);
                }
            }
        }
    }

    /// The copy, perhaps killed, perhaps with a write between two of its calls.
    async fn copy<P: Aged>(&mut self) {
        let at = self.rng.u64(0..30);
        let (ended, text) = match self.rng.u8(0..3) {
            0 => (true, ok(former::copy::<P::New>(&self.db).await)),
            1 => {
                let db = Between::new(self.db.handle(), at, self.fault(), is_of_today);
                let copied = former::copy::<P::New>(&db).await;
                match db.has_acted() {
                    true => (false, Ok(format!("killed at call {at}"))),
                    false => (true, ok(copied)),
                }
            }
            _ => {
                let write = self.write();
                let (db, one) = (self.db.clone(), write.clone());
                let outcome = Arc::new(Mutex::new(None));
                let told = Arc::clone(&outcome);
                let run = async move {
                    let written = written::<P>(&db, &one).await.map(drop);
                    *told.lock().unwrap() = Some(written);
                };
                let db = Between::new(self.db.handle(), at, Act::Run(run.boxed()), is_of_today);
                let copied = former::copy::<P::New>(&db).await;
                let written = outcome.lock().unwrap().take();
                self.log
                    .push(format!("{write:?}: {written:?} at call {at}"));
                if let Some(written) = written {
                    written.unwrap_or_else(|error| self.fail(&format!("{error:?}")));
                    // What was copied before it is changed was in both layouts.
                    self.apply(&write);
                }
                (true, ok(copied))
            }
        };
        self.log.push(format!("copy: {text:?}"));
        if let Err(error) = text {
            self.fail(&error);
        }
        self.resolve::<P>().await;
        if ended {
            self.all_are_copied();
        }
    }

    fn all_are_copied(&self) {
        let mut held = self.events.values().filter(|held| self.is_visible(held));
        if let Some(left) = held.find(|(_, place)| *place == Place::Former) {
            self.fail(&format!("{left:?} was not copied"));
        }
    }

    fn later(&mut self) {
        let more = [HOUR, 5 * HOUR, DAY, DAY, 2 * DAY][self.rng.usize(0..5)];
        self.now += more;
        self.clock.set(Timestamp::from_millis(self.now));
        self.log.push(format!("{} hours later", more / HOUR));
    }

    async fn collect(&mut self) {
        self.log.push("garbage collection".to_owned());
        match self.rng.u8(0..3) {
            0 => self.db.run_gc(Timestamp::from_millis(self.now)),
            _ => {
                let rng = &mut self.rng;
                collect_some(&self.db, self.now, &mut || rng.bool()).await;
            }
        }
    }

    async fn drop_tables<P: Aged>(&mut self) {
        let day = START + self.rng.i64(0..4) * DAY;
        if self.by_day && day > self.dropped {
            P::drop_before(&self.db, day).await;
            self.dropped = day;
            self.log.push(format!("former tables before {day} dropped"));
        }
    }

    async fn check<P: Aged>(&mut self) {
        let visible = self.visible();
        if self.rng.u8(0..3) == 0 {
            let wide = self.wide();
            let answer = P::wide(&self.db, &wide).await;
            let expected = wide.expected(&visible);
            let is_of_site = matches!(wide, Wide::CountSite);
            if answer.as_ref().ok() != Some(&expected) && !is_full_scan::<P>(&answer, is_of_site) {
                self.fail(&format!("{wide:?}: {answer:?}\nnot {expected:?}"));
            }
            return;
        }
        let ask = self.ask();
        let answer = P::answer(&self.db, &ask).await;
        let expected = ask.expected(&visible, KeyOrder::Ascending, true);
        // Key order is refused where both layouts sort in different orders.
        let in_key_order = matches!(ask, Ask::Site { .. });
        let is_refused = P::ORDER == KeyOrder::Different
            && in_key_order
            && matches!(answer, Ok(Answer::OtherOrder));
        let of_site = matches!(
            ask,
            Ask::Any | Ask::Series { .. } | Ask::LatestEach(_) | Ask::Before(_)
        );
        let is_right = answer.as_ref().ok() == Some(&expected);
        if !is_right && !is_refused && !is_full_scan::<P>(&answer, of_site || in_key_order) {
            self.fail(&format!("{ask:?}: {answer:?}\nnot {expected:?}"));
        }
    }

    async fn step<P: Aged>(&mut self) {
        match self.rng.u8(0..16) {
            0..4 => self.whole_write::<P>().await,
            4 | 5 => self.failing_write::<P>().await,
            6 | 7 => self.copy::<P>().await,
            8 => self.later(),
            9 | 10 => self.collect().await,
            11 => self.drop_tables::<P>().await,
            _ => {}
        }
        for _ in 0..2 {
            self.check::<P>().await;
        }
    }

    /// The finish is killed anywhere, between writes and garbage collection, and at last it ends.
    async fn finish<P: Aged>(&mut self) {
        for _ in 0..4 {
            let (at, fault) = (self.rng.u64(0..20), self.fault());
            let db = Between::new(self.db.handle(), at, fault, is_of_today);
            let finished = former::finish::<P::New>(&db).await;
            self.log
                .push(format!("finish, killed at call {at}: {finished:?}"));
            if !db.has_acted() {
                finished
                    .map(drop)
                    .unwrap_or_else(|error| self.fail(&format!("{error:?}")));
                break;
            }
            self.check::<P>().await;
            self.whole_write::<P>().await;
            match self.rng.u8(0..4) {
                0 => self.collect().await,
                1 => self.later(),
                2 => self.drop_tables::<P>().await,
                _ => {}
            }
            self.check::<P>().await;
        }
        for _ in 0..4 {
            self.check::<P>().await;
        }
        let before = self.todays_rows().await;
        let finished = former::finish::<P::New>(&self.db).await;
        self.log.push(format!("last finish: {finished:?}"));
        finished
            .map(drop)
            .unwrap_or_else(|error| self.fail(&format!("{error:?}")));
        if self.todays_rows().await != before {
            self.fail("the finish changes events of today's layout");
        }
        for _ in 0..4 {
            self.check::<P>().await;
        }
        for left in P::Old::all(&self.db).await.unwrap() {
            let left = left.event();
            if self.is_visible(&(left.clone(), Place::Former)) {
                self.fail(&format!("{left:?} is left in the former layout"));
            }
        }
        let plain = P::Plain::all(&self.db)
            .await
            .unwrap()
            .into_iter()
            .map(Stored::event);
        let plain: Events = plain.map(|event| (event.identity(), event)).collect();
        assert_eq!(plain, self.visible(), "{}", self.log.join("\n"));
    }

    /// What today's tables hold but tombstones.
    async fn todays_rows(&self) -> Vec<Row> {
        let mut all = Vec::new();
        for table in self.db.tables().list().await.unwrap() {
            if is_of_today(&table) {
                let rows = self
                    .db
                    .read_rows(ReadRows {
                        table,
                        ..ReadRows::default()
                    })
                    .rows();
                let mut rows: Vec<_> = rows.try_collect().await.unwrap();
                for row in &mut rows {
                    row.cells.retain(|cell| &*cell.family != "_deleted");
                }
                rows.retain(|row| !row.cells.is_empty());
                all.extend(rows);
            }
        }
        all
    }
}

/// Whether a query of a site is refused since it would read the whole former table.
fn is_full_scan<P: Aged>(answer: &Result<Answer, Error>, is_of_site: bool) -> bool {
    let is_refused = match answer {
        Ok(answer) => *answer == Answer::FullScan,
        Err(Error::Query { source, .. }) => matches!(source, QueryError::FullScan { .. }),
        Err(_) => false,
    };
    !P::NARROWS && is_of_site && is_refused
}

fn ok<T: std::fmt::Debug>(result: Result<T, Error>) -> Result<String, String> {
    match result {
        Ok(value) => Ok(format!("{value:?}")),
        Err(error) => Err(format!("{error:?}")),
    }
}

async fn round<P: Aged>(seed: u64) {
    let mut round = Round::new::<P>(seed).await;
    for _ in 0..round.rng.usize(1..30) {
        let event = round.event();
        round.db.insert(&P::Old::of(&event)).await.unwrap();
        round
            .events
            .insert(event.identity(), (event, Place::Former));
    }
    let former: BTreeSet<_> = round.events.keys().cloned().collect();
    round.log.push(format!("in the former layout: {former:?}"));
    for _ in 0..round.rng.usize(STEPS) {
        round.step::<P>().await;
    }
    let copied = former::copy::<P::New>(&round.db).await;
    round.log.push(format!("last copy: {copied:?}"));
    copied
        .map(drop)
        .unwrap_or_else(|error| round.fail(&format!("{error:?}")));
    round.resolve::<P>().await;
    round.all_are_copied();
    round.finish::<P>().await;
}

/// Of each pair the failing round with the shortest log is shown.
#[tokio::test]
async fn each_event_once_as_long_as_it_is_kept() {
    let mut failed = Vec::new();
    macro_rules! run {
        ($($pair:ident)+) => {$(
            failed.extend(rounds_of::<kinds::$pair::Both>().await);
        )+};
    }
    every_aged!(run);
    assert!(failed.is_empty(), "{}", failed.join("\n\n"));
}

async fn rounds_of<P: Aged>() -> Option<String> {
    let mut texts = Vec::new();
    for seed in rounds() {
        if let Err(panic) = AssertUnwindSafe(round::<P>(seed)).catch_unwind().await {
            texts.push(*panic.downcast::<String>().unwrap());
        }
    }
    let count = texts.len();
    let shortest = texts.into_iter().min_by_key(String::len);
    shortest.map(|text| format!("{count} rounds fail, one is {text}"))
}
