// Included by the examples of series: some trades, at seconds after 14:30 on 2024-11-01.
fn trades() -> Vec<Trade> {
    let trade = |(symbol, second, price, shares): (&str, i64, f64, u32)| Trade {
        symbol: symbol.to_owned(),
        at: Timestamp::from_seconds(1_730_471_400 + second),
        price,
        shares,
    };
    let trades = [
        ("IBM", 10, 100.0, 10),
        ("ZXZZT", 20, 50.0, 100),
        ("IBM", 40, 103.0, 10),
        ("IBM", 65, 101.0, 20),
        ("ZXZZT", 80, 51.0, 100),
        ("ZXZZT", 170, 50.5, 200),
        ("IBM", 210, 105.0, 10),
        ("IBM", 230, 104.0, 50),
    ];
    trades.map(trade).into()
}

/// The time of the day, in UTC.
fn time(at: Timestamp) -> String {
    at.to_string()[11..19].to_owned()
}
