use bigtable_model::Model;

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
    let key = PageKey { path: String::new() };
    let _ = Page::modify(&key).increment(Page::FIELDS.title, 1);
}
