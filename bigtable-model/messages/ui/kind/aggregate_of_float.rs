use bigtable_model::Model;

#[derive(Model)]
#[bigtable(table = "PAGE", family = "P")]
struct Page {
    #[bigtable(key)]
    path: String,
    #[bigtable(aggregate = "sum")]
    total: f64,
}

fn main() {}
