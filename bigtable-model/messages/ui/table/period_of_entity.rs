use bigtable_model::Model;

#[derive(Model)]
#[bigtable(table = "METER_{at:%Y}", family = "METER")]
struct Meter {
    #[bigtable(key, width = 10)]
    meter: u64,
    place: String,
}

fn main() {}
