use bigtable_model::{BackendExt, Error, MemoryBackend};

struct Plain;

async fn write(db: &MemoryBackend) -> Result<(), Error> {
    db.insert_many(&[Plain]).await.into_result().map(drop)
}

fn main() {
    let _ = write;
}
