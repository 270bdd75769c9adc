//! Tables as others keep them: shapes of keys and values that were seen in the wild.

use super::sample::Sample;

/// 2024-01-01 in seconds.
const START: i64 = 1_704_067_200;

pub(crate) fn all() -> Vec<Sample> {
    vec![
        logins(),
        devices(),
        orders(),
        payloads(),
        app(),
        binary(),
        stations(),
        customers(),
        visits(),
        sensors(),
        pages(),
        padded(),
    ]
}

/// The newest first, by a time that is counted down.
fn logins() -> Sample {
    let mut sample = Sample::new("LOGINS");
    for user in 0..6 {
        for login in 0..5_i64 {
            let millis = (START + user * 977 + login * 86_413) * 1_000;
            let key = format!("user{user}#{}", i64::MAX - millis);
            let ok = login != 2;
            let address = format!("10.0.{user}.{login}");
            sample.row(key, "e", [("ip", address), ("ok", ok.to_string())]);
        }
    }
    sample
}

/// Spread by the first digits of a hash.
fn devices() -> Sample {
    let mut sample = Sample::new("DEVICES");
    let hashed = ["9f2c", "03b7", "c41e", "77a0", "e58d", "1d96"];
    for (device, hash) in hashed.iter().enumerate() {
        for hour in 0..6 {
            let key = format!("{hash}#device-{device:06}#20240101T{hour:02}3000");
            let volts = format!("3.{}", 70 + device + hour);
            let state = ["on", "off", "idle"][(device + hour) % 3].to_owned();
            sample.row(key, "d", [("volts", volts), ("state", state)]);
        }
    }
    sample
}

/// Random keys.
fn orders() -> Sample {
    let mut sample = Sample::new("ORDERS");
    for order in 0..20_u128 {
        let factor = 0x9357_9bdf_0246_8ace_1122_3344_5566_7789_u128;
        let digits = format!("{:032x}", factor.wrapping_mul(order + 1));
        let key = format!(
            "{}-{}-4{}-a{}-{}",
            &digits[..8],
            &digits[8..12],
            &digits[13..16],
            &digits[17..20],
            &digits[20..]
        );
        let mut cells = vec![
            ("total_cents", (order * 1_250 + 99).to_string()),
            ("currency", ["EUR", "USD"][order as usize % 2].to_owned()),
        ];
        if order % 4 == 0 {
            cells.push(("coupon", format!("SPRING{order}")));
        }
        sample.row(key, "o", cells);
    }
    sample
}

/// Values as Python prints them, which are not JSON.
fn payloads() -> Sample {
    let mut sample = Sample::new("PAYLOADS");
    for event in 0..24_i64 {
        let key = format!("tenant{}|{}", event % 3, START + event * 60);
        let flag = if event % 2 == 0 { "True" } else { "False" };
        let payload = format!("{{'ok': {flag}, 'n': {event}}}");
        sample.row(key, "p", [("flag", flag.to_owned()), ("payload", payload)]);
    }
    sample
}

/// Several kinds of rows in one table.
fn app() -> Sample {
    let mut sample = Sample::new("APP");
    for user in 0..8_i64 {
        let name = format!("Name {user}");
        let mail = format!("u{user}@example.com");
        sample.row(
            format!("user#{user:04}"),
            "a",
            [("name", name), ("mail", mail)],
        );
        for order in 0..3_i64 {
            let key = format!("order#{user:04}#{}", START + order * 3_600);
            sample.row(key, "a", [("total", format!("{}.50", user + order))]);
        }
    }
    sample.row(
        "config",
        "a",
        [("json", r#"{"beta": true, "limits": [1, 2]}"#)],
    );
    sample
}

/// Numbers as bytes, big-endian, in keys and values.
fn binary() -> Sample {
    let mut sample = Sample::new("BINARY");
    for id in [7_u64, 300, 70_000, 16_000_000] {
        for second in 0..6_i64 {
            let mut key = id.to_be_bytes().to_vec();
            key.extend(((START + second * 10) * 1_000_000).to_be_bytes());
            let count = (second * 11).to_be_bytes();
            let level = (20.5 + second as f64).to_be_bytes();
            sample.row(key, "b", [("count", count), ("level", level)]);
        }
    }
    sample
}

/// Words of local languages in keys, qualifiers and values.
fn stations() -> Sample {
    let mut sample = Sample::new("STATIONS");
    for (station, city) in [
        ("札幌", "北海道"),
        ("Zürich", "Zürich"),
        ("São Paulo", "SP"),
    ] {
        for day in 1..=8 {
            let key = format!("{station}/観測/2024-01-{day:02}");
            let cells = [
                ("気温", format!("{}.5", day - 4)),
                ("região", city.to_owned()),
            ];
            sample.row(key, "w", cells);
        }
    }
    sample
}

/// Rows of a relational database, copied as they change.
fn customers() -> Sample {
    let mut sample = Sample::new("CUSTOMERS");
    for id in 0..20_i64 {
        let document = format!(
            r#"{{"id": {id}, "name": "C\"{id}", "tags": ["a", null], "deleted": {}}}"#,
            id % 5 == 0
        );
        let key = format!("public/customers/{id:06}");
        let cells = [
            ("doc", document),
            ("lsn", (id * 1_000 + 17).to_string()),
            ("op", ["c", "u", "d"][id as usize % 3].to_owned()),
        ];
        sample.row(key, "cdc", cells);
    }
    sample
}

/// A counter for each day in one row.
fn visits() -> Sample {
    let mut sample = Sample::new("VISITS");
    for page in ["/blog/hello", "/blog/world", "/shop/cart", "/about/us"] {
        let days = (1..=28_i64).map(|day| (format!("202401{day:02}"), (day * 37).to_be_bytes()));
        sample.row(page, "n", days);
    }
    sample
}

/// A day of a sensor in one row, a cell for each reading.
fn sensors() -> Sample {
    let mut sample = Sample::new("SENSORS");
    for sensor in ["attic", "cellar", "garden"] {
        for day in 0..3_i64 {
            let key = format!("{sensor}:2024010{}", day + 1);
            for reading in 0..12_i64 {
                let micros = (START + day * 86_400 + reading * 7_200) * 1_000_000;
                let celsius = format!("{}.25", 10 + reading);
                sample.cell(key.as_bytes(), "s", "celsius", micros, celsius);
                if reading % 3 != 1 {
                    let percent = format!("{}", 40 + reading);
                    sample.cell(key.as_bytes(), "s", "humidity", micros, percent);
                }
            }
        }
    }
    sample
}

/// Pages by their reversed names, with older versions, and links whose names are data.
fn pages() -> Sample {
    let mut sample = Sample::new("PAGES");
    let names = [
        "com.cnn.www",
        "com.example",
        "de.heise",
        "org.rust-lang.doc",
        "org.wikipedia.de",
    ];
    for (page, name) in names.iter().enumerate() {
        for path in ["", "/a", "/b/c"] {
            let key = format!("{name}{path}");
            for version in 0..2 {
                let html = format!("<html>{path} {version}</html>");
                sample.cell(
                    key.as_bytes(),
                    "contents",
                    "html",
                    1_000 * (version + 1),
                    html,
                );
            }
            for link in 0..4 {
                let from = format!("site{}.example", (page + link) % 6);
                sample.cell(
                    key.as_bytes(),
                    "anchor",
                    &from,
                    1_000,
                    format!("see {path}"),
                );
            }
        }
    }
    sample
}

/// Fields of fixed widths, with nothing between them.
fn padded() -> Sample {
    let mut sample = Sample::new("PADDED");
    for meter in [42, 1_234, 99_999] {
        for quarter in 0..8 {
            let key = format!(
                "{meter:08}20240101{:02}{:02}",
                quarter / 4,
                quarter % 4 * 15
            );
            sample.row(key, "m", [("kwh", format!("{}.{quarter}", meter % 7))]);
        }
    }
    sample
}
