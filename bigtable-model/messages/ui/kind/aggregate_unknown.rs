use bigtable_model::Model;

#[derive(Model)]
#[bigtable(table = "PAGE", family = "P")]
struct Page {
    #[bigtable(key)]
    path: String,
    #[bigtable(aggregate = "avg")]
    total: i64,
}

fn main() {}
