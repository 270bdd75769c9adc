use bigtable_model::{BackendExt, Error, MemoryBackend};

struct Plain;

async fn write(db: &MemoryBackend) -> Result<(), Error> {
    db.insert_many(&[Plain]).await.into_result()
}

fn main() {
    let _ = write;
}
