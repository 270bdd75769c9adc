//! Models with parameters.

use bigtable_model::key::KeySegment;
use bigtable_model::value::CellValue;
use bigtable_model::{BackendExt, MemoryBackend, Model, Timestamp};

#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "SAMPLE", family = "S")]
struct Sample<K, V>
where
    K: KeySegment + Send + Sync + 'static,
    V: CellValue + Send + Sync + 'static,
{
    #[bigtable(key)]
    serial: K,
    #[bigtable(time)]
    at: Timestamp,
    value: V,
    before: Option<V>,
}

#[tokio::test]
async fn a_generic_model_is_written_and_read() {
    let db = MemoryBackend::new();
    db.ensure_tables::<Sample<u8, String>>().await.unwrap();
    let sample = Sample {
        serial: 7_u8,
        at: Timestamp::from_micros(1),
        value: "high".to_owned(),
        before: None,
    };
    db.insert(&sample).await.unwrap();
    let key: SampleKey<u8> = sample.key();
    assert_eq!(key.encode().unwrap(), b"007#0000000000000001");
    let read = db
        .fetch(
            &Sample::<u8, String>::query()
                .serial(7)
                .events()
                .newest_first()
                .limit(5),
        )
        .await
        .unwrap();
    assert_eq!(read, [sample]);
}

/// The key has the parameters of its segments, and those bounds that mention no others.
#[derive(Debug, Clone, PartialEq, Model)]
#[bigtable(table = "BOUND", family = "B")]
struct Bound<K: KeySegment + From<V>, V>
where
    K: Send + Sync + 'static + PartialEq<K>,
    V: CellValue + Send + Sync + 'static,
{
    #[bigtable(key)]
    serial: K,
    value: V,
}

#[test]
fn bounds_between_parameters_are_kept_apart() {
    fn assert_copy<T: Copy>(_: T) {}
    let bound = Bound::<u16, u8> {
        serial: 3,
        value: 1,
    };
    let key: BoundKey<u16> = bound.key();
    assert_eq!(key.encode().unwrap(), b"00003");
    assert_copy(BoundKeyRef::<'_, u16>::decode(b"00003").unwrap());
}
