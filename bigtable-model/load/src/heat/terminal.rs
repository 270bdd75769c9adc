//! A heat map in characters.

use std::fmt;

use super::grid::Grid;
use super::map::{Heat, HeatMap};
use super::sample::Kind;
use crate::num::{brief, count, float, index};

const LINES: usize = 16;
const COLUMNS: usize = 64;
/// From no row to the most rows; each but the first covers a fifth of the logarithmic scale.
const SHADES: [char; 6] = [' ', '·', '░', '▒', '▓', '█'];
const LABEL: usize = 40;

impl fmt::Display for HeatMap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for heat in [self.writes(), self.reads()] {
            if heat.rows() > 0.0 {
                draw(heat, f)?;
            }
        }
        for spot in self.hot_spots() {
            writeln!(f, "HOT {spot}")?;
        }
        Ok(())
    }
}

fn draw(heat: Heat<'_>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let map = heat.map;
    let done = match heat.kind {
        Kind::Write => "written",
        Kind::Read => "read",
    };
    let (mean, most) = (brief(heat.a_second()), brief(heat.most_a_second()));
    let rows = brief(heat.rows());
    writeln!(
        f,
        "{}: {rows} rows {done}, {mean} a second, at most {most}; {}",
        map.table,
        heat.in_words()
    )?;
    let grid = heat.grid().merged(LINES, COLUMNS);
    for line in 0..grid.ranges() {
        let key = map
            .ranges
            .start(grid.first_of(line))
            .map(|key| map.describe(key));
        let label: String = key.unwrap_or_default().chars().take(LABEL).collect();
        writeln!(f, "{label:LABEL$} |{}|", shades(&grid, line))?;
    }
    let (start, end) = (map.span.start.to_string(), map.span.end.to_string());
    let gap = COLUMNS.saturating_sub(start.len());
    writeln!(f, "{:LABEL$}  {start}{end:>gap$}", "")
}

impl Heat<'_> {
    /// The share of the hottest tablet, if there is enough to say.
    pub(crate) fn in_words(self) -> String {
        match self.is_judged() {
            true => format!(
                "the hottest tablet has {} %",
                brief(self.hottest_share() * 100.0)
            ),
            false => "too few to judge".to_owned(),
        }
    }
}

fn shades(grid: &Grid, range: usize) -> String {
    let highest = grid.highest();
    let shade = |step| {
        let level = (grid.get(range, step) + 1.0).ln() / (highest + 1.0).ln();
        let shades = float(count(SHADES.len() - 1));
        let shade = index((level * shades).ceil(), SHADES.len());
        SHADES.get(shade).copied().unwrap_or(' ')
    };
    (0..grid.steps()).map(shade).collect()
}
