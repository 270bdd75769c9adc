use bigtable_model::Model;

#[derive(Model)]
#[bigtable(table = "PAGE", family = "P")]
struct Page {
    #[bigtable(key, column = "PATH", counter)]
    path: i64,
    title: String,
}

fn main() {}
