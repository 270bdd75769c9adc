use bigtable_model::CellValue;

#[derive(CellValue)]
enum Side {
    Bid,
    Ask(u8),
}

fn main() {}
