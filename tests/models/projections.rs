//! Projections read only their columns.

use bigtable_model::data::RowFilter;
use bigtable_model::{BackendExt, MemoryBackend, Model, Projection, Timestamp};
use rust_decimal::Decimal;

use crate::market::{Quote, quote};

#[derive(Debug, PartialEq, Projection)]
#[bigtable(model = Quote)]
struct Bids {
    at: Timestamp,
    bid: Decimal,
    bid_size: Option<u32>,
}

#[derive(Debug, PartialEq, Projection)]
#[bigtable(model = Quote)]
struct Sizes {
    symbol: String,
    bid_size: Option<u32>,
}

#[tokio::test]
async fn absent_columns_drop_no_events() {
    let db = MemoryBackend::new();
    db.ensure_tables::<Quote>().await.unwrap();
    let without = Quote {
        at: Timestamp::from_millis(1_426_535_612_157),
        bid_size: None,
        ..quote()
    };
    db.insert_many(&[quote(), without.clone()])
        .await
        .into_result()
        .unwrap();
    let query = Quote::query().exchange("NASDAQ").symbol("ZXZZT");
    let bids = db.fetch(&query.clone().select::<Bids>()).await.unwrap();
    let bid = |quote: Quote| Bids {
        at: quote.at,
        bid: quote.bid,
        bid_size: quote.bid_size,
    };
    assert_eq!(bids, [bid(quote()), bid(without)]);
    let sizes = db
        .fetch(&query.select::<Sizes>().events().newest_first())
        .await
        .unwrap();
    let sizes: Vec<_> = sizes.into_iter().map(|one| one.bid_size).collect();
    assert_eq!(sizes, [None, Some(500)]);
}

/// A model with parameters, and a projection of one instance.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "SAMPLE", family = "S")]
struct Sample<V: bigtable_model::value::CellValue + Send + Sync + 'static> {
    #[bigtable(key)]
    serial: u8,
    value: V,
}

#[derive(Debug, PartialEq, Projection)]
#[bigtable(model = Sample<String>)]
struct Value {
    value: String,
}

#[tokio::test]
async fn a_projection_names_the_arguments_of_its_model() {
    let db = MemoryBackend::new();
    db.ensure_tables::<Sample<String>>().await.unwrap();
    let value = "high".to_owned();
    db.insert(&Sample {
        serial: 1,
        value: value.clone(),
    })
    .await
    .unwrap();
    let read = db
        .fetch(&Sample::<String>::query().serial(1).select::<Value>())
        .await
        .unwrap();
    assert_eq!(read, [Value { value }]);
}

#[test]
fn the_filter_names_the_columns_and_the_one_that_marks_an_event() {
    let plan = Quote::query()
        .exchange("NASDAQ")
        .select::<Sizes>()
        .events()
        .plan()
        .unwrap();
    let Some(RowFilter::Chain(filters)) = plan.filter else {
        panic!("{:?}", plan.filter)
    };
    let qualifiers = filters.iter().find_map(|filter| match filter {
        RowFilter::QualifierRegex(regex) => Some(String::from_utf8(regex.to_vec()).unwrap()),
        _ => None,
    });
    let qualifiers = qualifiers.unwrap();
    assert!(
        qualifiers.contains("BIDSIZE") && qualifiers.contains("EXCHANGE"),
        "{qualifiers}"
    );
    assert!(!qualifiers.contains("ASK"), "{qualifiers}");
}
