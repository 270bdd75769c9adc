use bigtable_model::Model;

#[derive(Model)]
#[bigtable(table = "METRIC", family = "METRIC", marker = "EVENT")]
struct Metric {
    #[bigtable(key)]
    host: String,
    #[bigtable(columns)]
    rest: Vec<f64>,
}

fn main() {}
