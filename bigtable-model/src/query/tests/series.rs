//! Series found by seeking, whole tables and tables in parts.

use crate::model::Schema;
use std::collections::BTreeMap;
use std::sync::atomic::Ordering::SeqCst;
use std::time::Duration;

use bytes::Bytes;
use proptest::collection::{btree_map, vec};
use proptest::prelude::*;

use super::probe::Probe;
use super::*;
use crate::Backend;
use crate::model::stored::write_event;
use crate::query::BadRows;
use crate::query::series::keys_of_series_after;

const NEVER: Duration = Duration::MAX;
static FAIL: BadRows = BadRows::fail();

/// A table with a number of rows for each series, cut at keys of rows or between them.
#[derive(Debug, Clone)]
struct Table {
    /// Rows by the numbers of an exchange and a symbol.
    series: BTreeMap<(u8, u8), i64>,
    splits: Vec<(u8, u8, i64)>,
}

fn tables() -> impl Strategy<Value = Table> {
    let short = btree_map((0..3_u8, 0..100_u8), 1..4_i64, 0..120);
    let long = btree_map((0..3_u8, 0..100_u8), 4..40_i64, 0..6);
    let splits = vec((0..3_u8, 0..100_u8, -1..40_i64), 0..60);
    (short, long, splits).prop_map(|(mut series, long, splits)| {
        series.extend(long);
        Table { series, splits }
    })
}

fn key(exchange: u8, symbol: u8, millis: i64) -> Bytes {
    let exchange = format!("X{exchange}");
    let symbol = format!("S{symbol:02}");
    match millis {
        -1 => format!("{exchange:<6}#{symbol:<5}").into(),
        _ => format!("{exchange:<6}#{symbol:<5}#{millis:013}").into(),
    }
}

impl Table {
    async fn written(&self, schema: &Schema) -> Probe {
        let splits = self.splits.iter();
        let mut splits: Vec<_> = splits.map(|split| key(split.0, split.1, split.2)).collect();
        splits.sort_unstable();
        splits.dedup();
        let probe = Probe::split_at(splits).await;
        for ((exchange, symbol), rows) in &self.series {
            for millis in 0..*rows {
                let names = [format!("X{exchange}"), format!("S{symbol:02}")];
                let values = [text(&names[0]), text(&names[1]), at(millis)];
                let columns = [Some(Bytes::from("1")), None, None, None];
                let row = write_event(schema, &values, &columns, Timestamp::default()).unwrap();
                assert_eq!(row.key, key(*exchange, *symbol, millis));
                probe.mutate_row("QUOTE", row).await.unwrap();
            }
        }
        probe
    }

    /// The first key of each series of some exchanges.
    fn first_keys(&self, exchanges: &[u8]) -> Vec<Bytes> {
        let series = self.series.keys();
        let of_exchanges = series.filter(|series| exchanges.contains(&series.0));
        of_exchanges
            .map(|series| key(series.0, series.1, 0))
            .collect()
    }
}

/// With any patience and any limit, the series are those of the table, and their rows are not all
/// read.
async fn check(table: &Table, exchanges: &[u8], limit: u64) {
    let schema: Schema = Schema::from(quotes());
    let db = table.written(&schema).await;
    let names: Vec<_> = exchanges.iter().map(|one| format!("X{one}")).collect();
    let names: Vec<_> = names.iter().map(String::as_str).collect();
    let selection = match names.len() {
        3 => Selection {
            full_scan: true,
            ..select([])
        },
        _ => select([texts(&names)]),
    };
    let expected = table.first_keys(exchanges);
    let mut rows = 0;
    for (patience, limit) in [
        (NEVER, None),
        (Duration::ZERO, None),
        (Duration::ZERO, Some(limit)),
    ] {
        let selection = Selection {
            limit,
            ..selection.clone()
        };
        let keys = keys_of_series_after(patience, &db, &schema, selection, None, &FAIL);
        let keys = keys.await.unwrap();
        let wanted = limit.map_or(expected.len(), |limit| expected.len().min(limit as usize));
        // A part that begins inside a series also finds one of its later keys, but not as its
        // first.
        assert_eq!(keys, expected[..wanted], "{patience:?} {limit:?}");
        let read = db.log().rows() - rows;
        rows += read;
        match (patience, limit) {
            (NEVER, _) => assert_eq!(read, wanted),
            // Each exchange has a scan of its own.
            (_, Some(_)) => assert!(read <= exchanges.len() * wanted, "{read} rows"),
            (_, None) => assert!(read <= 2 * wanted, "{read} rows of {wanted} series"),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn series_are_found_in_tables_of_any_parts(
        table in tables(),
        exchanges in prop::sample::subsequence(vec![0_u8, 1, 2], 1..=3),
        limit in 1..200_u64,
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build();
        runtime.unwrap().block_on(check(&table, &exchanges, limit));
    }
}

/// The parts are read in parallel: no read returns a row before that many are open.
#[tokio::test]
async fn parts_are_read_side_by_side() {
    let table = Table {
        series: (0..100).map(|symbol| ((0, symbol), 1)).collect(),
        splits: (1..10).map(|part| (0, 10 * part, 0)).collect(),
    };
    let schema: Schema = Schema::from(quotes());
    let db = table.written(&schema).await;
    let all = select([texts(&["X0"])]);
    // Sixteen seeks come before the first cut, which leaves nine parts.
    db.log().wait_from.store(16, SeqCst);
    db.log().wait_for.store(16 + 9, SeqCst);
    let keys = keys_of_series_after(Duration::ZERO, &db, &schema, all, None, &FAIL);
    assert_eq!(keys.await.unwrap(), table.first_keys(&[0]));
}

/// All events of a model without identifiers are one series: one row shows it, or with a salt one
/// row of each shard.
#[tokio::test]
async fn a_series_that_is_the_whole_table_is_one_row() {
    for (segments, shards) in [
        (vec![time(false)], 1),
        (vec![makers::salt(3, &[1]), time(false)], 3),
    ] {
        let schema: Schema = Schema::from(schema("", segments));
        let db = Probe::split_at(Vec::new()).await;
        for millis in 0..40 {
            let columns = [Some(Bytes::from("1")), None, None, None];
            let row = write_event(&schema, &[at(millis)], &columns, Timestamp::default()).unwrap();
            db.mutate_row("QUOTE", row).await.unwrap();
        }
        for selection in [select([times(0, 1_000)]), {
            let mut all = select([]);
            all.full_scan = true;
            all
        }] {
            let read = db.log().rows();
            let keys = keys_of_series_after(NEVER, &db, &schema, selection, None, &FAIL);
            assert_eq!(keys.await.unwrap().len(), 1);
            assert_eq!(db.log().rows() - read, shards, "{}", schema.key);
        }
    }
}
