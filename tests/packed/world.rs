//! Events as plain values, and where they are stored.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use bigtable_model::backend::faults::{Fault, FaultRule, FaultyBackend, When};
use bigtable_model::backend::grpc::{GrpcBackend, GrpcSettings};
use bigtable_model::data::{ReadRows, Row};
use bigtable_model::dynamic::{ColumnValues, EventBatch, Value, Values};
use bigtable_model::server::{Instances, Server, ServerOptions};
use bigtable_model::{Backend, Code, Error, MemoryBackend, Status, Timestamp};
use bigtable_model_tests::emulator::Emulator;
use fastrand::Rng;
use futures::{Stream, TryStreamExt as _};

/// This many seconds after the beginning of a day that has settled.
pub fn at(second: i64) -> Timestamp {
    Timestamp::from_seconds(1_711_929_600 + second)
}

/// What is stored in a table.
pub async fn rows(db: &dyn Backend, table: &str) -> Vec<Row> {
    let request = ReadRows {
        table: table.to_owned(),
        ..ReadRows::default()
    };
    db.read_rows(request).rows().try_collect().await.unwrap()
}

/// An event without a layout.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    pub meter: String,
    pub at: Timestamp,
    pub watts: f64,
    pub volts: Option<f32>,
    pub state: Option<String>,
    pub turns: Option<i64>,
    pub on: Option<bool>,
    pub raw: Option<Vec<u8>>,
}

/// A change of some columns.
#[derive(Debug, Clone)]
pub enum Change {
    Watts(f64),
    Volts(Option<f32>),
    State(Option<String>),
    Turns(Option<i64>, Option<bool>),
    /// Set and, in the same update, cleared.
    Cleared,
}

/// What is asked of the events of a meter.
#[derive(Debug, Clone)]
pub struct Ask {
    pub meter: String,
    pub times: Range<Timestamp>,
    pub limit: u64,
    pub state: String,
    pub page: u64,
}

/// The answers.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Answers {
    pub all: Vec<Event>,
    pub backwards: Vec<Event>,
    pub newest: Vec<Event>,
    pub oldest: Vec<Event>,
    pub in_state: Vec<Event>,
    pub count: u64,
    pub count_in_state: u64,
    pub pages: Vec<Event>,
    pub watts: Vec<(Timestamp, f64)>,
    pub everywhere: Events,
    pub each: BTreeMap<String, Vec<Event>>,
    /// The same as all, as the oldest, as backwards, as those in the state, and the watts alone.
    pub by_column: [Vec<Event>; 5],
    pub all_by_column: Events,
}

impl Ask {
    pub fn draw(rng: &mut Rng) -> Self {
        let (one, other) = (time(rng), time(rng));
        Self {
            meter: METERS[rng.usize(..METERS.len())].to_owned(),
            times: one.min(other)..one.max(other) + std::time::Duration::from_secs(1),
            limit: rng.u64(1..5),
            state: state(rng),
            page: rng.u64(1..6),
        }
    }

    /// By the plain values.
    pub fn answered(&self, events: &Events) -> Answers {
        let all: Vec<Event> = events
            .values()
            .filter(|one| one.meter == self.meter && self.times.contains(&one.at))
            .cloned()
            .collect();
        let backwards: Vec<Event> = all.iter().rev().cloned().collect();
        let limit = self.limit as usize;
        let in_state: Vec<Event> = all
            .iter()
            .filter(|one| one.state.as_ref() == Some(&self.state))
            .cloned()
            .collect();
        let oldest: Vec<Event> = all.iter().take(limit).cloned().collect();
        let watts_alone = all.iter().map(|one| Event {
            watts: one.watts,
            ..Event::new(&one.meter, one.at)
        });
        Answers {
            by_column: [
                all.clone(),
                oldest.clone(),
                backwards.clone(),
                in_state.clone(),
                watts_alone.collect(),
            ],
            all_by_column: events.clone(),
            newest: backwards.iter().take(limit).cloned().collect(),
            oldest,
            count: all.len() as u64,
            count_in_state: in_state.len() as u64,
            pages: all.clone(),
            watts: all.iter().map(|one| (one.at, one.watts)).collect(),
            everywhere: events
                .iter()
                .filter(|((_, at), _)| self.times.contains(at))
                .map(|(identity, event)| (identity.clone(), event.clone()))
                .collect(),
            each: METERS
                .iter()
                .map(|meter| {
                    let newest = events.values().rev().filter(|one| one.meter == *meter);
                    ((*meter).to_owned(), newest.take(limit).cloned().collect())
                })
                .filter(|(_, newest): &(_, Vec<Event>)| !newest.is_empty())
                .collect(),
            all,
            backwards,
            in_state,
        }
    }
}

/// The events of a batch, of its vectors.
pub fn of_batch(batch: &EventBatch) -> Vec<Event> {
    let column = |name| batch.column(name).unwrap();
    let (watts, volts, state) = (column("watts"), column("volts"), column("state"));
    let (turns, on, raw) = (column("turns"), column("on"), column("raw"));
    let all = [watts, volts, state, turns, on, raw];
    assert!(all.iter().all(|one| one.present().len() == batch.len()));
    let mut events: Vec<Event> = Vec::new();
    for (meter, run) in batch.segment("meter").unwrap().runs() {
        assert_eq!(run.start, events.len());
        for index in run {
            let at = batch.segment("at").unwrap().times()[index];
            let mut event = Event::new(&meter.to_string(), at);
            let has = |one: &ColumnValues| one.present()[index];
            match watts.values() {
                Values::Float(list) if has(watts) => event.watts = list[index],
                other => panic!("{other:?}"),
            }
            if let Values::Float(list) = volts.values() {
                event.volts = has(volts).then(|| list[index] as f32);
            }
            if let Values::Utf8(list) = state.values() {
                event.state = has(state).then(|| list[index].to_string());
            }
            if let Values::Integer(list) = turns.values() {
                event.turns = has(turns).then(|| list[index]);
            }
            if let Values::Bool(list) = on.values() {
                event.on = has(on).then(|| list[index]);
            }
            if let Values::Bytes(list) = raw.values() {
                event.raw = has(raw).then(|| list[index].to_vec());
            }
            let (one, of_one) = (batch.get(index).unwrap(), event.turns.map(Value::from));
            assert_eq!(one.value("turns"), of_one);
            assert_eq!(one.value("meter"), Some(Value::from(meter.to_string())));
            events.push(event);
        }
    }
    events
}

/// The events of several batches.
pub async fn of_stream(batches: impl Stream<Item = Result<EventBatch, Error>>) -> Vec<Event> {
    let batches: Vec<EventBatch> = batches.try_collect().await.unwrap();
    batches.iter().flat_map(of_batch).collect()
}

/// What is stored.
pub type Events = BTreeMap<(String, Timestamp), Event>;

pub const METERS: [&str; 3] = ["a", "b", "m7"];

impl Event {
    pub fn new(meter: &str, at: Timestamp) -> Self {
        Self {
            meter: meter.to_owned(),
            at,
            watts: 0.0,
            volts: None,
            state: None,
            turns: None,
            on: None,
            raw: None,
        }
    }

    pub fn identity(&self) -> (String, Timestamp) {
        (self.meter.clone(), self.at)
    }

    pub fn changed(&mut self, change: &Change) {
        match change.clone() {
            Change::Watts(watts) => self.watts = watts,
            Change::Volts(volts) => self.volts = volts,
            Change::State(state) => self.state = state,
            Change::Turns(turns, on) => (self.turns, self.on) = (turns, on),
            Change::Cleared => self.turns = None,
        }
    }

    /// Whether it has no column besides the one that marks it.
    pub fn is_bare(&self) -> bool {
        *self
            == Self {
                watts: self.watts,
                ..Self::new(&self.meter, self.at)
            }
    }
}

/// A time within three hours around a midnight, on a grid of five minutes.
pub fn time(rng: &mut Rng) -> Timestamp {
    let midnight: Timestamp = "2024-03-31T00:00:00Z".parse().unwrap();
    Timestamp::from_seconds(midnight.as_seconds() + rng.i64(-18..18) * 300)
}

fn watts(rng: &mut Rng) -> f64 {
    [0.0, -0.0, 40.5, 1e300, -1.25, f64::MIN_POSITIVE][rng.usize(..6)]
}

fn option<T>(rng: &mut Rng, value: impl FnOnce(&mut Rng) -> T) -> Option<T> {
    (rng.u8(0..3) > 0).then(|| value(rng))
}

fn volts(rng: &mut Rng) -> f32 {
    [230.0, 229.5, f32::MAX, 0.0][rng.usize(..4)]
}

pub fn state(rng: &mut Rng) -> String {
    ["", "ok", "down", "caf\u{e9}"][rng.usize(..4)].to_owned()
}

fn turns(rng: &mut Rng) -> i64 {
    [0, 1, -7, i64::MIN, i64::MAX][rng.usize(..5)]
}

pub fn event(rng: &mut Rng, meter: &str, at: Timestamp) -> Event {
    Event {
        meter: meter.to_owned(),
        at,
        watts: watts(rng),
        volts: option(rng, volts),
        state: option(rng, state),
        turns: option(rng, turns),
        on: option(rng, Rng::bool),
        raw: option(rng, |rng| vec![rng.u8(..); rng.usize(..10)]),
    }
}

pub fn change(rng: &mut Rng) -> Change {
    match rng.u8(0..5) {
        4 => Change::Cleared,
        0 => Change::Watts(watts(rng)),
        1 => Change::Volts(option(rng, volts)),
        2 => Change::State(option(rng, state)),
        _ => Change::Turns(option(rng, turns), option(rng, Rng::bool)),
    }
}

/// Memory, our server and, if it is installed, the emulator.
pub async fn backends(name: &str) -> Vec<(&'static str, Arc<dyn Backend>)> {
    let memory = |_: &str| Arc::new(MemoryBackend::new());
    let instances = Instances::new(memory);
    let server = Server::bind("127.0.0.1:0", instances, &ServerOptions::default()).await;
    let server = server.unwrap();
    let address = server.local_addr().to_string();
    tokio::spawn(server.serve());
    let mut backends: Vec<(_, Arc<dyn Backend>)> = vec![("memory", Arc::new(MemoryBackend::new()))];
    let emulator = Emulator::shared().map(|emulator| emulator.address().to_owned());
    for (kind, address) in [("server", Some(address)), ("emulator", emulator)] {
        let Some(address) = address else { continue };
        let settings = GrpcSettings::new("packed", name).emulator(address);
        backends.push((kind, Arc::new(GrpcBackend::new(&settings).unwrap())));
    }
    backends
}

/// A backend on which a call fails, or is carried out and loses its answer.
pub fn failing(db: &dyn Backend, rng: &mut Rng) -> FaultyBackend {
    let status = Status::new(Code::Internal, "killed here");
    let fault = match rng.bool() {
        true => Fault::Error(status),
        false => Fault::LoseAnswer(status),
    };
    let rule = FaultRule::new(fault).when(When::Nth(rng.u64(1..12)));
    FaultyBackend::new(db.handle(), rng.u64(..), vec![rule]).unwrap()
}
