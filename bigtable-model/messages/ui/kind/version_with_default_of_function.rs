use bigtable_model::Model;

#[derive(Model)]
#[bigtable(table = "PAGE", family = "P")]
struct Page {
    #[bigtable(key)]
    path: String,
    #[bigtable(version, default = first)]
    edition: u32,
    title: String,
}

fn first() -> u32 {
    1
}

fn main() {}
