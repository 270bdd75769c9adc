use bigtable_model::{BackendExt, MemoryBackend, Model};

#[derive(Model)]
#[bigtable(table = "PAGE", family = "P")]
struct Page {
    #[bigtable(key)]
    path: String,
    title: String,
    #[bigtable(counter)]
    views: i64,
    #[bigtable(append)]
    log: String,
    #[bigtable(aggregate = "sum", family = "SUM")]
    total: i64,
}

fn main() {
    let db = MemoryBackend::new();
    let key = PageKey { path: String::new() };
    let _ = db.append(&key, Page::FIELDS.title, "a");
}
