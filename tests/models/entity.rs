//! Entities: models without a time.

use bigtable_model::{BackendExt, MemoryBackend, Model};

#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "METER", family = "METER", separator = "/")]
struct Meter {
    #[bigtable(key)]
    region: String,
    #[bigtable(key, width = 10, column = "ID", text)]
    id: u64,
}

#[tokio::test]
async fn an_entity_is_read_in_order_of_its_key() {
    let db = MemoryBackend::new();
    db.ensure_tables::<Meter>().await.unwrap();
    let meter = |region: &str, id| Meter {
        region: region.to_owned(),
        id,
    };
    let meters = [meter("b", 9), meter("a", 10), meter("a", 9)];
    assert_eq!(db.insert_many(&meters).await.into_result().unwrap(), 3);
    assert_eq!(meters[1].key().encode().unwrap(), b"a/0000000010");
    let read = db.fetch(&Meter::query().region("a")).await.unwrap();
    assert_eq!(read, [meter("a", 9), meter("a", 10)]);
    let last = db
        .fetch(
            &Meter::query()
                .region(["a", "b"])
                .events()
                .reversed()
                .limit(1),
        )
        .await
        .unwrap();
    assert_eq!(last, [meter("b", 9)]);
    db.delete::<Meter>(&meters[0].key()).await.unwrap();
    assert_eq!(db.count(&Meter::query().region("b")).await.unwrap(), 0);
}
