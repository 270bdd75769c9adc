use bigtable_model::Model;

#[derive(Model)]
#[bigtable(table = "PAGE", family = "P")]
struct Page {
    #[bigtable(key)]
    path: String,
    title: String,
    #[bigtable(skip, counter)]
    views: i64,
}

fn main() {}
