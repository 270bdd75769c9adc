use bigtable_model::Model;

#[derive(Model)]
#[bigtable(table = "PAGE", family = "P", serialize(json))]
struct Page {
    #[bigtable(key)]
    path: String,
    title: String,
    #[bigtable(version)]
    edition: u32,
}

fn main() {}
