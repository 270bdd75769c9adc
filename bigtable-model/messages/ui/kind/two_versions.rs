use bigtable_model::Model;

#[derive(Model)]
#[bigtable(table = "PAGE", family = "P")]
struct Page {
    #[bigtable(key)]
    path: String,
    #[bigtable(version)]
    edition: u32,
    #[bigtable(version)]
    revision: u32,
}

fn main() {}
