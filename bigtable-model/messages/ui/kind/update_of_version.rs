use bigtable_model::Model;

#[derive(Model)]
#[bigtable(table = "PAGE", family = "P")]
struct Page {
    #[bigtable(key)]
    path: String,
    title: String,
    #[bigtable(version)]
    edition: u32,
}

fn write(key: &PageKey) {
    let _ = Page::update(key).edition(7_u32);
}

fn main() {}
