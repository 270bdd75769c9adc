use bigtable_model::{Model, Timestamp};

#[derive(Model)]
#[bigtable(table = "LOGIN", family = "L", layout = "qualifiers")]
struct Login {
    #[bigtable(key)]
    user: String,
    #[bigtable(time, bucket = "day")]
    at: Timestamp,
    #[bigtable(sensitive)]
    address: String,
}

fn main() {
    let _ = Login::query();
}
