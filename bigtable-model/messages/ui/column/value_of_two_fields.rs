use bigtable_model::CellValue;

#[derive(CellValue)]
struct Price {
    units: i64,
    scale: u8,
}

fn main() {}
