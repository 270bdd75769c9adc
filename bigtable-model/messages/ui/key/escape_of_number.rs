use bigtable_model::Model;

#[derive(Model)]
#[bigtable(table = "METER", family = "MD")]
struct Meter {
    #[bigtable(key, escape)]
    meter: u64,
    reading: f64,
}

fn main() {}
