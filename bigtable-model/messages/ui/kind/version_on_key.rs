use bigtable_model::Model;

#[derive(Model)]
#[bigtable(table = "PAGE", family = "P")]
struct Page {
    #[bigtable(key)]
    path: String,
    #[bigtable(key, version)]
    edition: u32,
    title: String,
}

fn main() {}
