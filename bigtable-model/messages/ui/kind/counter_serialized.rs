use bigtable_model::Model;

#[derive(Model)]
#[bigtable(table = "PAGE", family = "P", serialize(json))]
struct Page {
    #[bigtable(key)]
    path: String,
    #[bigtable(counter)]
    views: i64,
}

fn main() {}
