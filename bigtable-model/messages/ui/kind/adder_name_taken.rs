use bigtable_model::Model;

#[derive(Model)]
#[bigtable(table = "PAGE", family = "P")]
struct Page {
    #[bigtable(key)]
    path: String,
    title: String,
    #[bigtable(aggregate = "sum", family = "SUM")]
    total: i64,
    add_total: i64,
}

fn main() {}
