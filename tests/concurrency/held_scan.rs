//! An open scan: writers do not wait for it, and it holds a limited number of rows.

use std::time::{Duration, Instant};

use super::*;
use bigtable_model::data::RowDeletion;
use stats_alloc::Region;

fn key(number: u64) -> Bytes {
    Bytes::from(format!("{number:08}"))
}

async fn fill(db: &MemoryBackend, rows: u64, value: &Bytes) {
    for number in 0..rows {
        let cells = vec![set(b"q", value.clone())];
        write(db, key(number), cells).await.unwrap();
    }
}

/// While a scan is open after its first row, every kind of write to its table succeeds on the same
/// thread: a lock held by the scan would block it forever.
#[tokio::test]
async fn a_held_scan_does_not_block_writers() {
    let _alone = ALONE.lock().await;
    let db = database().await;
    let value = Bytes::from_static(b"v");
    fill(&db, 2_000, &value).await;
    let mut scan = db.read_rows(request(RowSet::all())).rows();
    let mut delivered = 0;
    for _ in 0..10 {
        scan.try_next().await.unwrap().unwrap();
        delivered += 1;
    }
    let writes = async {
        for number in 0..4_000 {
            let cells = vec![set(b"q", value.clone())];
            write(&db, key(number), cells).await.unwrap();
        }
        let prefix = Bytes::from_static(b"000030");
        db.tables()
            .drop_rows("t", RowDeletion::Prefix(prefix))
            .await
            .unwrap();
        db.tables().modify_families("t", Vec::new()).await.unwrap();
    };
    let start = Instant::now();
    tokio::time::timeout(Duration::from_secs(60), writes)
        .await
        .unwrap();
    println!("4,000 writes beside a held scan: {:?}", start.elapsed());
    while scan.try_next().await.unwrap().is_some() {
        delivered += 1;
    }
    assert_eq!(
        delivered, 3_900,
        "the scan goes on over what was written meanwhile"
    );
}

/// Writes rows of 4 KiB, each with its own value.
async fn write_large(db: &MemoryBackend, rows: std::ops::Range<u64>) {
    for number in rows {
        let cells = vec![set(b"q", Bytes::from(vec![1; 4 << 10]))];
        write(db, key(number), cells).await.unwrap();
    }
}

/// The peak number of bytes that a scan of a table with this many rows holds. The rows ahead of the
/// scan are rewritten again and again, so rows that it has taken no longer belong to the table and
/// count in full.
async fn held_bytes(rows: u64) -> isize {
    let db = database().await;
    write_large(&db, 0..rows).await;
    let region = Region::new(ALLOCATOR);
    let mut scan = db.read_rows(request(RowSet::all())).rows();
    let (mut most, mut count) = (0, 0);
    while let Some(row) = scan.try_next().await.unwrap() {
        drop(row);
        count += 1;
        if count % 128 == 0 {
            write_large(&db, count..rows.min(count + 256)).await;
        }
        let change = region.change();
        let held = change.bytes_allocated.cast_signed() - change.bytes_deallocated.cast_signed();
        most = most.max(held);
    }
    assert_eq!(count, rows);
    most
}

#[tokio::test]
async fn the_memory_of_a_scan_does_not_grow_with_the_table() {
    let _alone = ALONE.lock().await;
    let small = held_bytes(2_000).await;
    let large = held_bytes(10_000).await;
    println!("held by a scan: {small} bytes over 2,000 rows, {large} over 10,000");
    // At most 256 rows of 4 KiB are taken at a time; a scan that took the larger table would hold
    // 40 MiB.
    assert!(small < 3 << 20, "{small}");
    assert!(large < 3 << 20, "{large}");
}
