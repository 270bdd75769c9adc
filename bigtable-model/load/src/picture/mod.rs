//! Heat maps and prices as one HTML file, which needs no network.

mod raster;

use std::path::Path;

use serde_json::{Value, json};

use crate::heat::{Heat, HeatMap};
use crate::num::{brief, count, float};
use crate::prices::Prices;

/// How many pixels the maps of a picture have together, and how many one has on a side.
const MOST_PIXELS: usize = 150_000;
const MOST_SIDE: usize = 256;
/// The longest text of a segment's value, in characters.
const MOST_OF_A_VALUE: usize = 24;

/// Heat maps of one or several models side by side, as one HTML file of at most 300 kB for up to
/// eight maps: with decoded keys and times at the axes, totals, rates, and zoom.
///
/// ```
/// use bigtable_load::{Load, Picture, Rate, Sizes, Writes};
/// # use bigtable_model::{Model, Timestamp};
/// # #[derive(Clone, Model)]
/// # #[bigtable(table = "SENSOR", family = "METER")]
/// # struct Reading {
/// #     #[bigtable(key)]
/// #     sensor: u32,
/// #     #[bigtable(time, unit = "s", truncate)]
/// #     at: Timestamp,
/// #     celsius: f64,
/// # }
/// # let (start, end) = (Timestamp::from_seconds(0), Timestamp::from_seconds(86_400));
/// # let reading = |series, at| Reading { sensor: series as u32, at, celsius: 19.5 };
/// let load = Load::over(start..end)
///     .writes(Writes::of(Sizes::equal(100), Rate::per_second(1.0), reading));
/// let html = Picture::new("Sensors").maps("one row a reading", &load.heat()?).html()?;
/// assert!(html.starts_with("<!doctype html>") && html.len() < 300_000);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Picture {
    title: String,
    maps: Vec<(String, HeatMap)>,
    prices: Vec<(String, Prices)>,
}

impl Picture {
    /// A picture without maps.
    #[must_use]
    pub fn new(title: &str) -> Self {
        Self {
            title: title.to_owned(),
            ..Self::default()
        }
    }

    /// Adds the maps of a model, or of all tables of an application.
    #[must_use]
    pub fn maps(mut self, name: &str, maps: &[HeatMap]) -> Self {
        let named = maps.iter().map(|map| (name.to_owned(), map.clone()));
        self.maps.extend(named);
        self
    }

    /// Adds the prices of a model as tables.
    #[must_use]
    pub fn prices(mut self, name: &str, prices: &Prices) -> Self {
        self.prices.push((name.to_owned(), prices.clone()));
        self
    }

    /// The file's text.
    ///
    /// # Errors
    /// If the encoder of PNG fails.
    pub fn html(&self) -> Result<String, std::io::Error> {
        let heats = self.maps.iter().flat_map(|(name, map)| {
            let both = [("writes", map.writes()), ("reads", map.reads())].into_iter();
            let drawn = both.filter(|(_, heat)| heat.rows() > 0.0);
            drawn.map(move |(kind, heat)| (name, kind, heat))
        });
        let heats: Vec<_> = heats.collect();
        let of_one = MOST_PIXELS / heats.len().max(1);
        // A power of two divides the steps of a map.
        let side = of_one.isqrt().checked_ilog2().map_or(1, |bits| 1 << bits);
        let side = MOST_SIDE.min(side);
        let panels = heats
            .into_iter()
            .map(|(name, kind, heat)| panel(name, kind, heat, side));
        let panels = panels.collect::<Result<Vec<Value>, _>>()?;
        // A script element ends at `</`, wherever it is.
        let data = json!({ "panels": panels })
            .to_string()
            .replace('<', "\\u003c");
        Ok(fill(
            include_str!("page.html"),
            &[
                ("title", &escaped(&self.title)),
                ("style", include_str!("style.css").trim_end()),
                ("script", include_str!("script.js").trim_end()),
                ("tables", &self.tables()),
                ("data", &data),
            ],
        ))
    }

    /// Writes the file.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn save(&self, path: impl AsRef<Path>) -> std::io::Result<()> {
        std::fs::write(path, self.html()?)
    }

    fn tables(&self) -> String {
        let tables = self.prices.iter().flat_map(|(name, prices)| {
            let stored = (format!("{name}: what is stored"), prices.stored_table());
            let asked = (format!("{name}: questions"), prices.asked_table());
            let has_questions = !prices.questions.is_empty();
            std::iter::once(stored).chain(has_questions.then_some(asked))
        });
        let mut html: String = tables
            .map(|(caption, table)| html_table(&caption, &table))
            .collect();
        if let Some((_, prices)) = self.prices.first() {
            let nodes = escaped(&prices.node.to_string());
            html.push_str(&format!("<p class=\"sub\">Nodes: {nodes}.</p>\n"));
        }
        html
    }
}

/// Puts texts in the places of their names, each once.
fn fill(page: &str, texts: &[(&str, &str)]) -> String {
    let mut out = String::new();
    let mut rest = page;
    while let Some((before, after)) = rest.split_once('{') {
        out.push_str(before);
        let filled = after.split_once('}').and_then(|(name, after)| {
            let (_, text) = texts.iter().find(|(known, _)| *known == name)?;
            Some((text, after))
        });
        match filled {
            Some((text, after)) => {
                out.push_str(text);
                rest = after;
            }
            None => {
                out.push('{');
                rest = after;
            }
        }
    }
    out + rest
}

fn escaped(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    text.replace('>', "&gt;").replace('"', "&quot;")
}

fn html_table(caption: &str, table: &comfy_table::Table) -> String {
    let row = |tag: &str, row: &comfy_table::Row| {
        let cells = row.cell_iter();
        let cells = cells.map(|cell| format!("<{tag}>{}</{tag}>", escaped(&cell.content())));
        format!("<tr>{}</tr>\n", cells.collect::<String>())
    };
    let header = table
        .header()
        .map(|header| row("th", header))
        .unwrap_or_default();
    let rows: String = table.row_iter().map(|values| row("td", values)).collect();
    let caption = escaped(caption);
    format!(
        "<div class=\"scroll\"><table><caption>{caption}</caption>\n{header}{rows}</table></div>\n"
    )
}

fn panel(name: &str, kind: &str, heat: Heat<'_>, side: usize) -> std::io::Result<Value> {
    let map = heat.map();
    let grid = heat.grid().merged(side, side);
    let labels = map.labels(&grid);
    let shorten = |text: &String| text.chars().take(MOST_OF_A_VALUE).collect::<String>();
    let keys: Vec<Vec<String>> = labels
        .keys
        .iter()
        .map(|key| key.iter().map(shorten).collect())
        .collect();
    let hot = heat.hot_spot().map(|spot| spot.to_string());
    let summary = format!(
        "{} rows, {} a second, at most {}; {}",
        brief(heat.rows()),
        brief(heat.a_second()),
        brief(heat.most_a_second()),
        heat.in_words(),
    );
    let times = map.times();
    Ok(json!({
        "name": format!("{name}: {kind} of {}", map.table()),
        "summary": summary,
        "done": if kind == "writes" { "written" } else { "read" },
        "start": times.start.as_micros(),
        "end": times.end.as_micros(),
        "seconds": times.end.duration_since(times.start).as_secs_f64() / float(count(grid.steps())),
        "ranges": grid.ranges(),
        "steps": grid.steps(),
        "most": grid.highest(),
        "names": labels.names,
        "keys": keys,
        "hot": hot,
        "is_judged": heat.is_judged(),
        "png": raster::png(&grid)?,
    }))
}
