//! The picture, in a browser.

use std::path::PathBuf;
use std::process::Command;

use bigtable_model::{Model, Timestamp};
use serde_json::Value;

use crate::{Load, Picture, Rate, Recorder, Sizes, Writes};

#[derive(Debug, Clone, Model)]
#[bigtable(table = "QUOTE", family = "Q")]
struct Quote {
    #[bigtable(key)]
    exchange: String,
    #[bigtable(key)]
    symbol: String,
    #[bigtable(time, unit = "ms", truncate)]
    at: Timestamp,
    bid: f64,
}

const START: Timestamp = Timestamp::from_seconds(1_426_464_000);
const END: Timestamp = Timestamp::from_seconds(1_426_550_400);

/// A day of quotes, with markup in the name of an exchange.
fn load() -> Load {
    let quote = |series, at| Quote {
        exchange: if series % 2 == 0 {
            "NASDAQ"
        } else {
            "</script>&<b>"
        }
        .into(),
        symbol: format!("S{series:03}"),
        at,
        bid: 1.0,
    };
    let rate = Rate::per_second(100_000.0 / 86_400.0);
    Load::over(START..END)
        .writes(Writes::of(Sizes::zipf(200, 0.5), rate, quote))
        .asks("all of one", Rate::per_second(1.0), |asked| {
            let symbol = format!("S{:03}", asked.series / 2 * 2);
            Quote::query().exchange("NASDAQ").symbol(symbol)
        })
}

#[test]
fn a_picture_of_eight_maps_is_small() {
    let maps = load().heat().unwrap();
    let mut picture = Picture::new("Eight <maps>");
    for nth in 0..8 {
        picture = picture.maps(&format!("model {nth}"), &maps);
    }
    let html = picture.html().unwrap();
    assert!(html.len() <= 300_000, "{} bytes", html.len());
    assert!(html.contains("<title>Eight &lt;maps&gt;</title>"));
    // Its contents cannot end its scripts, and it makes no requests.
    assert_eq!(html.matches("</script>").count(), 2);
    assert!(
        !html.contains("http:") && !html.contains("https:"),
        "it names an address"
    );
}

#[test]
fn a_map_without_rows_is_no_panel() {
    let html = Picture::new("None")
        .maps("none", &Recorder::new().maps(&[]))
        .html()
        .unwrap();
    assert!(html.contains(r#"{"panels":[]}"#));
}

/// A browser: the one that the environment names, or one in the path.
fn chromium() -> Option<PathBuf> {
    if let Some(named) = std::env::var_os("BIGTABLE_MODEL_CHROMIUM") {
        return Some(named.into());
    }
    let path = std::env::var_os("PATH")?;
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let places =
        std::env::split_paths(&path).flat_map(|folder| names.map(|name| folder.join(name)));
    places.into_iter().find(|place| place.is_file())
}

/// The picture, used by a script in a browser, and what that script saw.
fn seen(browser: &PathBuf, html: &str) -> Value {
    let html = html.replacen(
        "<script type=\"application/json\"",
        &format!(
            "{}<script type=\"application/json\"",
            include_str!("picture.html")
        ),
        1,
    );
    let script = format!("<script>{}</script>\n</body>", include_str!("picture.js"));
    let html = html.replacen("</body>", &script, 1);
    let folder = std::env::temp_dir().join(format!("bigtable-load-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let page = folder.join("picture.html");
    std::fs::write(&page, html).unwrap();
    let output = Command::new(browser)
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--no-first-run",
        ])
        .args([
            "--window-size=1400,1000",
            "--virtual-time-budget=20000",
            "--dump-dom",
        ])
        .arg(format!(
            "--user-data-dir={}",
            folder.join("profile").display()
        ))
        .arg(format!("file://{}", page.display()))
        .output()
        .unwrap();
    let dom = String::from_utf8_lossy(&output.stdout).into_owned();
    std::fs::remove_dir_all(&folder).unwrap();
    let seen = dom
        .split_once("data-seen=\"")
        .and_then(|(_, rest)| rest.split_once('"'));
    let Some((seen, _)) = seen else {
        panic!(
            "the script saw nothing: {}",
            String::from_utf8_lossy(&output.stderr)
        );
    };
    let seen = seen
        .replace("&quot;", "\"")
        .replace("&lt;", "<")
        .replace("&gt;", ">");
    serde_json::from_str(&seen.replace("&amp;", "&")).unwrap()
}

#[tokio::test]
async fn a_browser_shows_the_picture() {
    let Some(browser) = chromium() else {
        assert!(
            std::env::var_os("CI").is_none(),
            "no Chromium, and CI is set"
        );
        eprintln!("skipped: there is no Chromium in the path, nor in BIGTABLE_MODEL_CHROMIUM");
        return;
    };
    let prices = load().prices().await.unwrap();
    let html = Picture::new("Quotes")
        .maps("promoted", prices.heat())
        .prices("promoted", &prices)
        .html()
        .unwrap();
    let seen = seen(&browser, &html);
    assert_eq!(seen["faults"], serde_json::json!([]), "{seen:#}");
    // Writes and reads.
    assert_eq!(seen["panels"], 2);
    let drawn: Vec<&str> = seen["drawn"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(Value::as_str)
        .collect();
    for text in [
        "exchange",
        "symbol",
        "NASDAQ",
        "</script>&<b>",
        "S001",
        "03-16 12:00",
        "UTC",
    ] {
        assert!(drawn.contains(&text), "{text} is not in {drawn:?}");
    }
    let tip = seen["tip"].as_str().unwrap();
    for text in [
        "rows/s",
        "rows written",
        "exchange=",
        "symbol=S",
        "2015-03-16 12:0",
    ] {
        assert!(tip.contains(text), "{text} is not in {tip}");
    }
    for what in ["gone", "stays", "closed", "back"] {
        assert_eq!(seen[what], true, "{what}");
    }
    let (zoomed, whole) = (&seen["zoomed"], &seen["whole"]);
    let number = |view: &Value, side: &str| view[side].as_f64().unwrap();
    assert_eq!(number(zoomed, "x0") * 4.0, number(whole, "x1"));
    assert!(number(zoomed, "y0") >= number(whole, "y1") / 2.0 - 1.0);
    assert_eq!(number(zoomed, "y1"), number(whole, "y1"));
    assert_eq!(number(whole, "x0"), 0.0);
    assert_ne!(seen["first"], seen["second"], "light and dark");
    assert!(seen["brightness"].as_f64().unwrap().abs() > seen["places"].as_f64().unwrap());
    // Levels of gray say rows to some hundredths.
    let rows = seen["rows"].as_f64().unwrap();
    assert!((rows / 100_000.0 - 1.0).abs() < 0.05, "{rows}");
}
