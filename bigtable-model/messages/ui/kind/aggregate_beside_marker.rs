use bigtable_model::Model;

#[derive(Model)]
#[bigtable(table = "PAGE", family = "P", marker = "EVENT")]
struct Page {
    #[bigtable(key)]
    path: String,
    #[bigtable(aggregate = "sum")]
    total: Option<i64>,
}

fn main() {}
