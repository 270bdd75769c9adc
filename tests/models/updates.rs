//! Updates of some columns, and deletes.

use bigtable_model::{BackendExt, Error, MemoryBackend, Model};
use rust_decimal::Decimal;

use crate::market::{Quote, quote};
use crate::support::{cells, deleted};

#[tokio::test]
async fn an_update_leaves_other_columns_alone() {
    let db = MemoryBackend::new();
    db.ensure_table::<Quote>().await.unwrap();
    db.insert(&quote()).await.unwrap();
    let key = quote().key();
    let update = Quote::update(&key)
        .bid(Decimal::new(60056, 2))
        .ask_size(None);
    update.send(&db).await.unwrap();
    let expected = Quote {
        bid: Decimal::new(60056, 2),
        ask_size: None,
        ..quote()
    };
    assert_eq!(db.get::<Quote>(&key).await.unwrap(), Some(expected));
}

#[test]
fn an_update_is_data_before_it_is_sent() {
    let row = Quote::update(&quote().key())
        .bid_size(7)
        .ask_size(None)
        .to_mutations()
        .unwrap();
    assert_eq!(&row.key[..], b"NASDAQ#ZXZZT#1426535612156");
    assert_eq!(
        cells(&row),
        [(
            "MD:BIDSIZE".to_owned(),
            "7".to_owned(),
            1_426_535_612_156_000
        )]
    );
    assert_eq!(deleted(&row), ["MD:ASKSIZE"]);
}

#[tokio::test]
async fn an_update_that_can_not_be_stored_sends_nothing() {
    let db = MemoryBackend::new();
    let empty = Quote::update(&quote().key()).send(&db).await.unwrap_err();
    assert!(matches!(empty, Error::EmptyUpdate { .. }), "{empty:?}");
    let mut key = quote().key();
    key.exchange = "NASDAQ OMX".to_owned();
    let refused = Quote::update(&key).bid_size(7).send(&db).await.unwrap_err();
    assert!(matches!(refused, Error::Key { .. }), "{refused:?}");
}

#[tokio::test]
async fn a_cell_and_a_row_are_deleted() {
    let db = MemoryBackend::new();
    db.ensure_table::<Quote>().await.unwrap();
    db.insert(&quote()).await.unwrap();
    let key = quote().key();
    db.delete_cell::<Quote, _>(&key, Quote::FIELDS.bid_size)
        .await
        .unwrap();
    let read = db.get::<Quote>(&key).await.unwrap().unwrap();
    assert_eq!((read.bid_size, read.ask_size), (None, Some(1500)));
    db.delete::<Quote>(&key).await.unwrap();
    assert_eq!(db.get::<Quote>(&key).await.unwrap(), None);
}
