use bigtable_model::Model;

#[derive(Model)]
#[bigtable(table = "GAME", family = "G")]
struct Game {
    #[bigtable(key)]
    name: String,
    #[bigtable(counter, alias = "PLAYED")]
    played: i64,
}

fn main() {}
