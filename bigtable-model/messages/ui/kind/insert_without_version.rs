use bigtable_model::{BackendExt as _, MemoryBackend, Model};

#[derive(Model)]
#[bigtable(table = "PAGE", family = "P")]
struct Page {
    #[bigtable(key)]
    path: String,
    edition: u32,
}

fn write(db: &MemoryBackend, page: &mut Page) {
    let _ = db.insert_if_unchanged(page);
}

fn main() {}
