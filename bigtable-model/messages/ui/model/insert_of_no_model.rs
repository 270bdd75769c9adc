use bigtable_model::{BackendExt, Error, MemoryBackend};

struct Plain;

async fn write(db: &MemoryBackend) -> Result<(), Error> {
    db.insert(&Plain).await.map(drop)
}

fn main() {
    let _ = write;
}
