fn rename(update: QuoteUpdate) {
    let _ = update.symbol("ZXZZT");
}

fn main() {}
