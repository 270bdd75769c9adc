//! Several models of the same events, side by side.

use std::collections::BTreeSet;
use std::fmt;

use crate::LoadError;
use crate::load::Load;
use crate::num::{brief, bytes, float, thousands};
use crate::prices::{Prices, QuestionPrice};
use crate::table::table;

/// The prices of several models side by side, from [`compare`]. Its `Display` is a table with a
/// column for each.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Comparison {
    /// What each load is called, and its prices.
    pub loads: Vec<(String, Prices)>,
}

/// Prices loads, such as the same events in models of several layouts. Questions with the same name
/// share a line, and are asked about the same series and times.
///
/// # Errors
/// [`LoadError`] of the first load that has one.
pub async fn compare<N: Into<String>>(
    loads: impl IntoIterator<Item = (N, Load)>,
) -> Result<Comparison, LoadError> {
    let mut all = Vec::new();
    for (name, load) in loads {
        all.push((name.into(), load.prices().await?));
    }
    Ok(Comparison { loads: all })
}

impl Comparison {
    /// The prices of a load by its name.
    #[must_use]
    pub fn prices(&self, name: &str) -> Option<&Prices> {
        let found = self.loads.iter().find(|(load, _)| load == name);
        found.map(|(_, prices)| prices)
    }

    fn questions(&self) -> Vec<&str> {
        let mut seen = BTreeSet::new();
        let all = self.loads.iter().flat_map(|(_, prices)| &prices.questions);
        let names = all.map(|question| question.name.as_str());
        names.filter(|name| seen.insert(*name)).collect()
    }
}

/// A line about what is stored, and a line about a question.
type Stored = (&'static str, fn(&Prices) -> String);
type Asked = (&'static str, fn(&QuestionPrice) -> String);

const STORED: [Stored; 6] = [
    ("rows", |prices| {
        thousands(prices.tables.iter().map(|one| one.rows).sum())
    }),
    ("cells", |prices| {
        thousands(prices.tables.iter().map(|one| one.cells).sum())
    }),
    ("bytes", |prices| {
        bytes(prices.tables.iter().map(|one| float(one.bytes)).sum())
    }),
    ("bytes a year", |prices| {
        bytes(
            prices
                .tables
                .iter()
                .map(|one| one.bytes_a_day * 365.0)
                .sum(),
        )
    }),
    ("nodes", |prices| thousands(prices.nodes)),
    ("hottest share", |prices| brief(prices.hottest_share)),
];

const ASKED: [Asked; 5] = [
    ("requests", |one| brief(one.each(one.cost.requests))),
    ("rows read", |one| brief(one.each(one.read().rows))),
    ("cells read", |one| brief(one.each(one.read().cells))),
    ("bytes read", |one| bytes(one.each(one.read().bytes))),
    ("time", |one| format!("{:.1?}", one.took)),
];

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.loads.iter().map(|(name, _)| name.as_str());
        let header: Vec<&str> = std::iter::once("").chain(names).collect();
        let mut table = table(&header);
        for (line, of) in STORED {
            let values = self.loads.iter().map(|(_, prices)| of(prices));
            table.add_row(std::iter::once(line.to_owned()).chain(values));
        }
        for question in self.questions() {
            for (line, of) in ASKED {
                let value =
                    |prices: &Prices| prices.question(question).map_or_else(String::new, of);
                let values = self.loads.iter().map(|(_, prices)| value(prices));
                let line = format!("{question}: {line}");
                table.add_row(std::iter::once(line).chain(values));
            }
        }
        write!(f, "{table}")
    }
}
