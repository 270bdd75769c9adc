//! Tables as the examples of this repository write them.

use super::sample::Sample;

/// 2015-03-16T19:53:32Z in milliseconds.
const START: i64 = 1_426_535_612_000;

pub(crate) fn all() -> Vec<Sample> {
    vec![
        weather(),
        reading(),
        trader(),
        time_first(),
        reversed(),
        promoted(),
        salted(),
    ]
}

/// An observation an hour; some hours have no wind.
fn weather() -> Sample {
    let mut sample = Sample::new("WEATHER");
    for station in ["EWR", "JFK", "LGA"] {
        for hour in 0..12_i64 {
            let key = format!("{station}#{}", 1_374_192_000 + hour * 3_600);
            let mut cells = vec![
                ("LOCAL_DATE", "2013-07-18".to_owned()),
                ("TEMP", format!("{}.06", 80 + hour)),
                ("VISIB", "10".to_owned()),
            ];
            if hour % 4 != 3 {
                cells.push(("WINDDIR", (hour * 30).to_string()));
                cells.push(("WIND", format!("{}.35702", hour)));
            }
            sample.row(key, "OBS", cells);
        }
    }
    sample
}

fn reading() -> Sample {
    let mut sample = Sample::new("READING");
    for sensor in ["attic", "cellar"] {
        for minute in 0..10_i64 {
            let key = format!("{sensor}#{}", START + minute * 60_000);
            let cells = [
                ("CELSIUS", format!("{}.5", 20 - minute)),
                ("HUMIDITY", (40 + minute).to_string()),
            ];
            sample.row(key, "M", cells);
        }
    }
    sample
}

fn trader() -> Sample {
    let mut sample = Sample::new("TRADER");
    for symbol in ["AAPL", "IBM", "MSFT"] {
        for trade in 0..8_i64 {
            let key = format!("{symbol}#{}", 1_268_055_000 + trade * 4_000);
            let cells = [
                ("PRICE", format!("125.{}", 50 + trade)),
                ("SHARES", (trade * 100).to_string()),
            ];
            sample.row(key, "T", cells);
        }
    }
    sample
}

/// Quotes whose keys are of `key`, from the number of the quote.
fn quotes(table: &str, key: impl Fn(i64) -> String) -> Sample {
    let mut sample = Sample::new(table);
    for quote in 0..20_i64 {
        let bid = 600.25 + quote as f64;
        let cells = [("bid", bid), ("ask", bid + 0.05)];
        sample.row(
            key(quote),
            "MD",
            cells.map(|(name, value)| (name, value.to_be_bytes())),
        );
    }
    sample
}

fn symbol(quote: i64) -> &'static str {
    ["ZXZZT", "ABC", "GOOG"][quote as usize % 3]
}

fn time_first() -> Sample {
    quotes("TIME_FIRST", |quote| {
        format!("{}#NYSE  #{}", START + quote * 157, symbol(quote))
    })
}

fn reversed() -> Sample {
    quotes("REVERSED", |quote| {
        let time = i64::MAX - (START + quote * 157);
        format!("{time}#NASDAQ#{}", symbol(quote))
    })
}

fn promoted() -> Sample {
    quotes("PROMOTED", |quote| {
        format!("NASDAQ#{}#{}", symbol(quote), START + quote * 157)
    })
}

fn salted() -> Sample {
    quotes("SALTED", |quote| {
        let shard = [9, 41, 60][quote as usize % 3];
        format!(
            "{shard:02}#NASDAQ#{}#{}",
            symbol(quote),
            START + quote * 157
        )
    })
}
