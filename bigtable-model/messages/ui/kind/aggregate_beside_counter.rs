use bigtable_model::Model;

#[derive(Model)]
#[bigtable(table = "PAGE", family = "P")]
struct Page {
    #[bigtable(key)]
    path: String,
    #[bigtable(aggregate = "sum")]
    total: i64,
    #[bigtable(counter)]
    views: i64,
}

fn main() {}
