use bigtable_model::Model;

#[derive(Model)]
#[bigtable(table = "PAGE", family = "P")]
struct Page {
    #[bigtable(key)]
    path: String,
    title: String,
    #[bigtable(columns, counter, family = "REST")]
    rest: std::collections::BTreeMap<String, i64>,
}

fn main() {}
