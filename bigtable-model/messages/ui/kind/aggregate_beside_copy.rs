use bigtable_model::Model;

#[derive(Model)]
#[bigtable(table = "PAGE", family = "P")]
struct Page {
    #[bigtable(key, column = "PATH")]
    path: String,
    #[bigtable(aggregate = "sum")]
    total: i64,
}

fn main() {}
