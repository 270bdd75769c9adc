//! Conditional writes if cells have the client's time, and another client's clock is ahead.

use bigtable_model::model::insert_mutations;
use bigtable_model::{Backend, BackendExt, Model, Timestamp};

use super::{backends, second};

#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "SETTINGS", family = "S")]
struct Settings {
    #[bigtable(key)]
    service: String,
    version: u32,
    text: Option<String>,
}

fn settings(version: u32, text: Option<&str>) -> Settings {
    Settings {
        service: "web".to_owned(),
        version,
        text: text.map(str::to_owned),
    }
}

/// A price that is corrected: earlier values stay as versions.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "CLOSING", family = "C", cell_time = "write")]
struct Closing {
    #[bigtable(key)]
    symbol: String,
    #[bigtable(time, unit = "s")]
    at: Timestamp,
    price: u32,
}

fn closing(price: u32) -> Closing {
    Closing {
        symbol: "ZXZZT".to_owned(),
        at: second(7),
        price,
    }
}

/// Writes like a client whose clock is ahead by this many seconds.
async fn ahead<M: Model>(seconds: i64, db: &dyn Backend, event: &M) {
    let now = Timestamp::from_millis(Timestamp::now().as_millis() + seconds * 1_000);
    let row = insert_mutations(event, now).unwrap();
    db.mutate_row(M::SCHEMA.table.fixed().unwrap(), row)
        .await
        .unwrap();
}

#[tokio::test]
async fn a_write_is_seen_whatever_the_clock_of_the_one_before() {
    for db in backends("clocks").await {
        db.ensure_tables::<Settings>().await.unwrap();
        ahead(60, &*db, &settings(2, Some("b"))).await;
        let second = Settings::FIELDS.version.equals(2_u32);
        let third = settings(3, None);
        assert!(db.insert_if(&third, second.clone()).await.unwrap());
        assert_eq!(
            db.get::<Settings>(&third.key()).await.unwrap(),
            Some(third.clone())
        );
        assert!(
            !db.insert_if(&settings(4, None), second.clone())
                .await
                .unwrap()
        );

        ahead(60, &*db, &settings(2, Some("b"))).await;
        let update = || Settings::update(&third.key()).version(5_u32);
        assert!(db.send_if(update(), second.clone()).await.unwrap());
        assert!(!db.send_if(update(), second).await.unwrap());
        let expected = settings(5, Some("b"));
        assert_eq!(
            db.get::<Settings>(&third.key()).await.unwrap(),
            Some(expected)
        );
    }
}

#[tokio::test]
async fn earlier_versions_stay() {
    for db in backends("clocks-history").await {
        db.ensure_tables::<Closing>().await.unwrap();
        ahead(-60, &*db, &closing(1)).await;
        ahead(60, &*db, &closing(2)).await;
        let of_two = Closing::FIELDS.price.equals(2_u32);
        assert!(db.insert_if(&closing(3), of_two.clone()).await.unwrap());
        assert!(!db.insert_if(&closing(4), of_two).await.unwrap());
        let history = db.history(&closing(1).key(), Closing::FIELDS.price);
        let prices = history
            .await
            .unwrap()
            .into_iter()
            .map(|version| version.value);
        assert_eq!(prices.collect::<Vec<_>>(), [3, 1]);
    }
}
