//! A chart of values in a terminal.

/// The heights of a letter.
const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
/// The lines of a chart.
const HEIGHT: usize = 6;
/// The maximum number of columns of a chart; the last values are shown.
const WIDTH: usize = 72;

/// Values from left to right, between the smallest and the largest of them.
pub(crate) fn chart(name: &str, values: &[f64]) -> String {
    let values: Vec<f64> = values
        .iter()
        .copied()
        .filter(|value| value.is_finite())
        .collect();
    let from = values.len().saturating_sub(WIDTH);
    let shown = values.get(from..).unwrap_or_default();
    let (Some(least), Some(most)) = (
        shown.iter().copied().reduce(f64::min),
        shown.iter().copied().reduce(f64::max),
    ) else {
        return format!("{name}: no numbers\n");
    };
    let steps = HEIGHT * BARS.len();
    let heights: Vec<usize> = shown
        .iter()
        .map(|value| height(*value, least, most, steps))
        .collect();
    let mut text = format!("{name}: {least} to {most}\n");
    for line in (0..HEIGHT).rev() {
        let below = line * BARS.len();
        text.extend(
            heights
                .iter()
                .map(|height| match height.checked_sub(below) {
                    None | Some(0) => ' ',
                    Some(part) => BARS.get(part - 1).copied().unwrap_or('█'),
                }),
        );
        text.push('\n');
    }
    text
}

/// A value as a number of steps, one at least.
fn height(value: f64, least: f64, most: f64, steps: usize) -> usize {
    let share = match most > least {
        true => (value - least) / (most - least),
        false => 1.0,
    };
    let reached = (1..=steps).take_while(|step| {
        let step = u32::try_from(*step).unwrap_or(u32::MAX);
        let steps = u32::try_from(steps).unwrap_or(u32::MAX);
        f64::from(step) <= share * f64::from(steps)
    });
    reached.count().max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_bars() {
        let text = chart("bid", &[1.0, 2.0, 3.0]);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), HEIGHT + 1);
        assert_eq!(lines.first(), Some(&"bid: 1 to 3"));
        assert_eq!(lines.last(), Some(&"▁██"));
        assert_eq!(lines.get(1), Some(&"  █"));
        assert_eq!(chart("bid", &[f64::NAN]), "bid: no numbers\n");
        let many: Vec<f64> = (0..1_000).map(f64::from).collect();
        assert!(
            chart("n", &many)
                .lines()
                .all(|line| line.chars().count() <= WIDTH)
        );
    }
}
