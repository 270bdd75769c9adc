//! What a salted query reads and holds, counted in the backend.

use std::sync::atomic::Ordering;

use bigtable_model::{BackendExt, MemoryBackend, Model, Timestamp};

use crate::watched::Watched;

const SHARDS: usize = 64;
const EVENTS: u32 = 100_000;

/// A tick of a series that is too large for one node.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "TICK", family = "T", salt(shards = 64, of(source, at)))]
struct Tick {
    #[bigtable(key)]
    source: u8,
    #[bigtable(time, unit = "ms")]
    at: Timestamp,
    number: u32,
}

async fn filled() -> Watched {
    let db = MemoryBackend::new();
    db.ensure_tables::<Tick>().await.unwrap();
    let numbers: Vec<u32> = (0..EVENTS).collect();
    for numbers in numbers.chunks(10_000) {
        let ticks: Vec<_> = numbers
            .iter()
            .map(|&number| Tick {
                source: 1,
                at: Timestamp::from_millis(1_426_535_612_000 + i64::from(number)),
                number,
            })
            .collect();
        db.insert_many(&ticks).await.into_result().unwrap();
    }
    Watched::new(db)
}

/// Reads the newest `n`: the numbers of the ticks, the delivered rows, and the maximum number of
/// rows delivered before their events were returned.
async fn newest(db: &Watched, n: u64) -> (Vec<u32>, usize, usize) {
    db.rows.store(0, Ordering::Relaxed);
    db.reads.store(0, Ordering::Relaxed);
    let mut ticks = db.stream(&Tick::query().source(1).events().newest_first().limit(n));
    let (mut numbers, mut held) = (Vec::new(), 0);
    while let Some(tick) = ticks.try_next().await.unwrap() {
        // The current one was delivered too.
        held = held.max(db.rows.load(Ordering::Relaxed) - numbers.len());
        numbers.push(tick.number);
    }
    (numbers, db.rows.load(Ordering::Relaxed), held)
}

#[tokio::test]
async fn the_newest_of_many_over_64_shards_are_few_rows() {
    let db = filled().await;
    let (numbers, rows, held) = newest(&db, 10).await;
    let last: Vec<u32> = (EVENTS - 10..EVENTS).rev().collect();
    assert_eq!(numbers, last);
    assert_eq!(db.reads.load(Ordering::Relaxed), SHARDS);
    assert!(rows <= 10 * SHARDS, "{rows} rows were read");
    assert!(held <= SHARDS, "{held} rows were held");

    let latest = db
        .fetch(&Tick::query().source(1).events().newest_first().limit(10))
        .await
        .unwrap();
    let latest: Vec<_> = latest.iter().map(|tick| tick.number).collect();
    assert_eq!(latest, last);
}

/// A trade: of two symbols the rows are spread, those of every other are in one of the shards.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(
    table = "TRADE",
    family = "T",
    salt(shards = 64, of(symbol, at), hot(symbol("AAPL" = 16, "TSLA" = 4)))
)]
struct Trade {
    #[bigtable(key, width = 6)]
    symbol: String,
    #[bigtable(time, unit = "ms")]
    at: Timestamp,
    number: u32,
}

/// The same with a symbol that was found to be hot, and one that is no more.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(
    table = "TRADE_V2",
    family = "T",
    salt(shards = 64, of(symbol, at), hot(symbol("AAPL" = 32, "IBM" = 8))),
    was(Trade)
)]
struct TradeV2 {
    #[bigtable(key, width = 6)]
    symbol: String,
    #[bigtable(time, unit = "ms")]
    at: Timestamp,
    number: u32,
}

impl From<Trade> for TradeV2 {
    fn from(trade: Trade) -> Self {
        Self {
            symbol: trade.symbol,
            at: trade.at,
            number: trade.number,
        }
    }
}

const SYMBOLS: [(&str, usize); 4] = [("AAPL", 16), ("IBM", 1), ("MSFT", 1), ("TSLA", 4)];

/// Enough trades that each shard of a series has some.
fn trades(numbers: std::ops::Range<u32>) -> Vec<Trade> {
    let trade = |number: u32| {
        let (symbol, _) = SYMBOLS[number as usize % SYMBOLS.len()];
        Trade {
            symbol: symbol.to_owned(),
            at: Timestamp::from_millis(1_426_535_612_000 + i64::from(number)),
            number,
        }
    };
    numbers.map(trade).collect()
}

#[tokio::test]
async fn a_cold_series_is_one_read_and_a_hot_one_a_read_of_each_of_its_shards() {
    let db = MemoryBackend::new();
    db.ensure_tables::<Trade>().await.unwrap();
    let all = trades(0..2_000);
    db.insert_many(&all).await.into_result().unwrap();
    let db = Watched::new(db);
    for (symbol, shards) in SYMBOLS {
        db.reads.store(0, Ordering::Relaxed);
        let found = db.fetch(&Trade::query().symbol(symbol)).await.unwrap();
        let expected = all.iter().filter(|one| one.symbol == symbol);
        assert_eq!(found, expected.cloned().collect::<Vec<_>>());
        assert_eq!(db.reads.load(Ordering::Relaxed), shards, "{symbol}");
        let newest = Trade::query()
            .symbol(symbol)
            .events()
            .newest_first()
            .limit(3);
        let expected = found.iter().rev().take(3).cloned();
        assert_eq!(
            db.fetch(&newest).await.unwrap(),
            expected.collect::<Vec<_>>()
        );
    }
    // What leaves the symbol open finds each series in its shards.
    let mut series = db.series(&Trade::scan()).await.unwrap();
    series.sort();
    assert_eq!(series, SYMBOLS.map(|(symbol, _)| symbol));
    let mut each = db.latest_each(&Trade::scan(), 2).await.unwrap();
    each.sort_by(|(one, _), (other, _)| one.cmp(other));
    let each: Vec<_> = each
        .into_iter()
        .map(|(_, newest)| newest[0].number)
        .collect();
    assert_eq!(each, [1_996, 1_997, 1_998, 1_999]);
    let deleted = db.delete_all(&Trade::query().symbol("AAPL")).await;
    deleted.into_result().unwrap();
    assert_eq!(db.count(&Trade::scan()).await.unwrap(), 1_500);
}

#[tokio::test]
async fn a_former_table_of_hot_series_is_read_beside_the_present_one() {
    let db = MemoryBackend::new();
    db.ensure_tables::<Trade>().await.unwrap();
    db.ensure_tables::<TradeV2>().await.unwrap();
    let (before, after) = (trades(0..1_000), trades(1_000..2_000));
    db.insert_many(&before).await.into_result().unwrap();
    let of_now = |trades: Vec<Trade>| trades.into_iter().map(TradeV2::from).collect::<Vec<_>>();
    db.insert_many(&of_now(after)).await.into_result().unwrap();
    let all = of_now(trades(0..2_000));
    for (symbol, _) in SYMBOLS {
        let found = db.fetch(&TradeV2::query().symbol(symbol)).await.unwrap();
        let expected = all.iter().filter(|one| one.symbol == symbol);
        assert_eq!(found, expected.cloned().collect::<Vec<_>>(), "{symbol}");
        let query = TradeV2::query().symbol(symbol).events();
        let mut paged = Vec::new();
        let mut token = None;
        loop {
            let page = db.page(&query, 170, token.as_ref()).await.unwrap();
            paged.extend(page.events);
            token = page.next;
            if token.is_none() {
                break;
            }
        }
        assert_eq!(paged, found, "{symbol}");
    }
}
