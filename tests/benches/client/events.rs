//! The events: as models, and by hand for a client without types.

use std::io::Write as _;

use bigtable_model::query::{ByTime, EventStream};
use bigtable_model::{Backend, BackendExt, Model, Timestamp};
use bigtable_model_tests::canned::CannedRow;
use bigtable_rs::bigtable::RowCell;
use bigtable_rs::google::bigtable::v2::mutate_rows_request::Entry;
use bigtable_rs::google::bigtable::v2::mutation::{Mutation as Kind, SetCell};
use bigtable_rs::google::bigtable::v2::{Mutation, ReadRowsRequest, RowFilter, row_filter};
use bytes::Bytes;

/// A model, and the equivalent code by hand.
pub(crate) trait Event: Model + Send + Sync {
    /// The event with this number, with this many bytes in all its columns.
    fn sample(number: u32, bytes: usize) -> Self;

    fn stream(db: &dyn Backend) -> EventStream<Self, ByTime>;

    /// Qualifiers and values, in the order of the qualifiers.
    fn cells(&self) -> Vec<(&'static str, Vec<u8>)>;

    /// Exchange, symbol and time.
    fn identity(&self) -> (&str, &str, i64);

    /// Maps a row to an event by hand.
    fn from_row(key: Vec<u8>, cells: Vec<RowCell>) -> Self;

    /// A number computed from all columns, so none is optimized away.
    fn checksum(&self) -> u64;
}

/// One column of bytes.
#[derive(Debug, Clone, Model)]
#[bigtable(table = "PAYLOAD", family = "MD")]
pub(crate) struct Payload {
    #[bigtable(key, width = 6)]
    exchange: String,
    #[bigtable(key, width = 5)]
    symbol: String,
    #[bigtable(time, unit = "ms")]
    at: Timestamp,
    #[bigtable(column = "PAYLOAD")]
    payload: Bytes,
}

/// Five columns: numbers and a text.
#[derive(Debug, Clone, Model)]
#[bigtable(table = "TRADE", family = "MD")]
pub(crate) struct Trade {
    #[bigtable(key, width = 6)]
    exchange: String,
    #[bigtable(key, width = 5)]
    symbol: String,
    #[bigtable(time, unit = "ms")]
    at: Timestamp,
    #[bigtable(column = "ASK")]
    ask: f64,
    #[bigtable(column = "ASKSIZE")]
    ask_size: u32,
    #[bigtable(column = "BID")]
    bid: f64,
    #[bigtable(column = "BIDSIZE")]
    bid_size: u32,
    #[bigtable(column = "CONDITION")]
    condition: String,
}

fn at(number: u32) -> Timestamp {
    Timestamp::from_millis(1_426_535_612_156 + i64::from(number) * 17)
}

impl Event for Payload {
    fn sample(number: u32, bytes: usize) -> Self {
        let payload: Vec<u8> = number
            .to_be_bytes()
            .into_iter()
            .cycle()
            .take(bytes)
            .collect();
        Self {
            exchange: "NASDAQ".to_owned(),
            symbol: "ZXZZT".to_owned(),
            at: at(number),
            payload: payload.into(),
        }
    }

    fn stream(db: &dyn Backend) -> EventStream<Self, ByTime> {
        db.stream(&Self::query().exchange("NASDAQ").symbol("ZXZZT"))
    }

    fn cells(&self) -> Vec<(&'static str, Vec<u8>)> {
        vec![("PAYLOAD", self.payload.to_vec())]
    }

    fn identity(&self) -> (&str, &str, i64) {
        (&self.exchange, &self.symbol, self.at.as_millis())
    }

    fn from_row(key: Vec<u8>, cells: Vec<RowCell>) -> Self {
        let (exchange, symbol, at) = split_key(&key);
        let mut payload = None;
        for cell in cells {
            if cell.family_name == "MD" && cell.qualifier == b"PAYLOAD" {
                payload = Some(cell.value.into());
            }
        }
        Self {
            exchange,
            symbol,
            at,
            payload: payload.unwrap(),
        }
    }

    fn checksum(&self) -> u64 {
        self.payload.len() as u64 + u64::from(self.payload[3])
    }
}

impl Event for Trade {
    fn sample(number: u32, bytes: usize) -> Self {
        Self {
            exchange: "NASDAQ".to_owned(),
            symbol: "ZXZZT".to_owned(),
            at: at(number),
            ask: 600.5,
            ask_size: number,
            bid: 600.25,
            bid_size: 100,
            condition: "x".repeat(bytes.saturating_sub(32)),
        }
    }

    fn stream(db: &dyn Backend) -> EventStream<Self, ByTime> {
        db.stream(&Self::query().exchange("NASDAQ").symbol("ZXZZT"))
    }

    fn cells(&self) -> Vec<(&'static str, Vec<u8>)> {
        vec![
            ("ASK", self.ask.to_be_bytes().into()),
            ("ASKSIZE", i64::from(self.ask_size).to_be_bytes().into()),
            ("BID", self.bid.to_be_bytes().into()),
            ("BIDSIZE", i64::from(self.bid_size).to_be_bytes().into()),
            ("CONDITION", self.condition.clone().into_bytes()),
        ]
    }

    fn identity(&self) -> (&str, &str, i64) {
        (&self.exchange, &self.symbol, self.at.as_millis())
    }

    fn from_row(key: Vec<u8>, cells: Vec<RowCell>) -> Self {
        let (exchange, symbol, at) = split_key(&key);
        let (mut ask, mut ask_size, mut bid, mut bid_size) = (None, None, None, None);
        let mut condition = None;
        for cell in cells {
            if cell.family_name != "MD" {
                continue;
            }
            match cell.qualifier.as_slice() {
                b"ASK" => ask = Some(f64::from_be_bytes(eight(&cell.value))),
                b"ASKSIZE" => ask_size = Some(i64::from_be_bytes(eight(&cell.value))),
                b"BID" => bid = Some(f64::from_be_bytes(eight(&cell.value))),
                b"BIDSIZE" => bid_size = Some(i64::from_be_bytes(eight(&cell.value))),
                b"CONDITION" => condition = Some(String::from_utf8(cell.value).unwrap()),
                _ => {}
            }
        }
        Self {
            exchange,
            symbol,
            at,
            ask: ask.unwrap(),
            ask_size: ask_size.unwrap().try_into().unwrap(),
            bid: bid.unwrap(),
            bid_size: bid_size.unwrap().try_into().unwrap(),
            condition: condition.unwrap(),
        }
    }

    fn checksum(&self) -> u64 {
        u64::from(self.ask_size) + self.condition.len() as u64 + self.bid as u64
    }
}

fn eight(value: &[u8]) -> [u8; 8] {
    value.try_into().unwrap()
}

fn split_key(key: &[u8]) -> (String, String, Timestamp) {
    let mut parts = std::str::from_utf8(key).unwrap().split('#');
    let exchange = parts.next().unwrap().trim_end().to_owned();
    let symbol = parts.next().unwrap().trim_end().to_owned();
    let millis = parts.next().unwrap().parse().unwrap();
    (exchange, symbol, Timestamp::from_millis(millis))
}

fn key(event: &impl Event) -> Vec<u8> {
    let (exchange, symbol, millis) = event.identity();
    let mut key = Vec::with_capacity(32);
    write!(key, "{exchange:<6}#{symbol:<5}#{millis:013}").unwrap();
    key
}

/// The event as sent by the canned server.
pub(crate) fn canned(event: &impl Event) -> CannedRow {
    let cells = event.cells().into_iter();
    CannedRow {
        key: key(event).into(),
        timestamp_micros: event.identity().2 * 1_000,
        cells: cells
            .map(|(qualifier, value)| (Bytes::from_static(qualifier.as_bytes()), value.into()))
            .collect(),
    }
}

/// The entry that writes the event, by hand.
pub(crate) fn entry(event: &impl Event) -> Entry {
    let timestamp_micros = event.identity().2 * 1_000;
    let mutations = event
        .cells()
        .into_iter()
        .map(|(qualifier, value)| Mutation {
            mutation: Some(Kind::SetCell(SetCell {
                family_name: "MD".to_owned(),
                column_qualifier: qualifier.as_bytes().to_vec(),
                timestamp_micros,
                value,
            })),
        });
    Entry {
        row_key: key(event),
        mutations: mutations.collect(),
        ..Entry::default()
    }
}

/// The request of the typed query.
pub(crate) fn request<E: Event>() -> ReadRowsRequest {
    use bigtable_rs::google::bigtable::v2::row_range::{EndKey, StartKey};
    use bigtable_rs::google::bigtable::v2::{RowRange, RowSet};
    let range = RowRange {
        start_key: Some(StartKey::StartKeyClosed(b"NASDAQ#ZXZZT#".to_vec())),
        end_key: Some(EndKey::EndKeyOpen(b"NASDAQ#ZXZZT$".to_vec())),
    };
    ReadRowsRequest {
        table_name: format!("projects/p/instances/i/tables/{}", E::SCHEMA.table),
        rows: Some(RowSet {
            row_keys: Vec::new(),
            row_ranges: vec![range],
        }),
        filter: Some(RowFilter {
            filter: Some(row_filter::Filter::CellsPerColumnLimitFilter(1)),
        }),
        ..ReadRowsRequest::default()
    }
}
