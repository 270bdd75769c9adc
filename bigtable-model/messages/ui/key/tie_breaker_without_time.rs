use bigtable_model::Model;

#[derive(Model)]
#[bigtable(table = "MESSAGE", family = "M")]
struct Message {
    #[bigtable(key)]
    room: String,
    #[bigtable(tie_breaker)]
    id: u32,
    text: String,
}

fn main() {}
