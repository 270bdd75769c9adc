//! The memory needed to save and load a table with values of 4 KiB.

use super::*;
use stats_alloc::Region;

const ROWS: u64 = 5_000;
const VALUE: usize = 4 << 10;

#[tokio::test]
async fn a_snapshot_does_not_double_the_memory() {
    let _alone = ALONE.lock().await;
    let db = database().await;
    for number in 0..ROWS {
        let cells = vec![set(b"q", Bytes::from(vec![1; VALUE]))];
        write(&db, bytes(number), cells).await.unwrap();
    }
    let name = format!("bigtable-model-memory-{}", std::process::id());
    let path = std::env::temp_dir().join(name);

    // All allocations, not only the peak.
    let region = Region::new(ALLOCATOR);
    db.save(&path).unwrap();
    let saving = region.change().bytes_allocated;
    let region = Region::new(ALLOCATOR);
    let loaded = MemoryBackend::load(&path).unwrap();
    let loading = region.change().bytes_allocated;
    std::fs::remove_file(&path).unwrap();

    let stored = ROWS as usize * VALUE;
    println!("{stored} bytes of values: a save allocates {saving}, a load {loading}");
    assert!(saving < stored / 20, "{saving} of {stored}");
    assert!(loading < stored * 3 / 2, "{loading} of {stored}");
    assert!(get(&loaded, bytes(ROWS - 1)).await.is_some());
}
