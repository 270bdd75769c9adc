use bigtable_model::Model;

#[derive(Model)]
#[bigtable(table = "METER", family = "MD")]
struct Meter {
    #[bigtable(key, width = 10, binary)]
    meter: u64,
    reading: f64,
}

fn main() {}
