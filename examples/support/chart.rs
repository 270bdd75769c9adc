//! Line charts for a terminal.

use std::io::{IsTerminal as _, stdout};

use rgb::RGB8;
use textplots::{Chart, ColorPlot as _, LabelBuilder as _, LabelFormat, Plot as _, Shape};

/// The size in dots: a character has two dots across and four down.
const SIZE: (u32, u32) = (160, 64);

/// Colours and signs that distinguish lines.
const COLOURS: [(&str, RGB8); 4] = [
    ("grey", RGB8::new(150, 150, 150)),
    ("blue", RGB8::new(80, 150, 255)),
    ("orange", RGB8::new(255, 160, 60)),
    ("green", RGB8::new(90, 200, 90)),
];

/// A line of a chart.
#[derive(Debug)]
pub struct Line {
    /// The line's name.
    pub name: String,
    /// The points from left to right, at whole numbers; they may have gaps.
    pub points: Vec<Option<f64>>,
}

/// Draws lines in one chart, with labels for the first and the last point; empty if there are fewer
/// than two points. Colours are used on a terminal only.
#[must_use]
pub fn lines(lines: &[Line], ends: [String; 2]) -> String {
    let width = lines.iter().map(|line| line.points.len()).max();
    let Some(width @ 2..) = width else {
        return String::new();
    };
    let [first, last] = ends;
    let shapes: Vec<Vec<(f32, f32)>> = lines.iter().map(points).collect();
    let shapes: Vec<Shape<'_>> = shapes.iter().map(|points| Shape::Lines(points)).collect();
    let last_at = (width - 1) as f32;
    let mut chart = Chart::new(SIZE.0, SIZE.1, 0.0, last_at);
    let name = move |at: f32| {
        if at > 0.0 {
            last.clone()
        } else {
            first.clone()
        }
    };
    let chart = chart.x_label_format(LabelFormat::Custom(Box::new(name)));
    let coloured = stdout().is_terminal();
    let chart = (shapes.iter().zip(COLOURS)).fold(chart, |chart, (shape, (_, colour))| {
        if coloured {
            chart.linecolorplot(shape, colour)
        } else {
            chart.lineplot(shape)
        }
    });
    chart.axis();
    chart.figures();
    let mut text = chart.to_string();
    if coloured {
        let names = lines.iter().zip(COLOURS);
        let names: Vec<_> = names
            .map(|(line, (colour, _))| format!("{colour}: {}", line.name))
            .collect();
        text.push_str(&names.join(", "));
    } else {
        let names: Vec<_> = lines.iter().map(|line| line.name.as_str()).collect();
        text.push_str(&names.join(", "));
    }
    text
}

/// The existing points of a line, in the chart's format.
#[allow(
    clippy::cast_possible_truncation,
    reason = "a dot on a screen is coarser"
)]
fn points(line: &Line) -> Vec<(f32, f32)> {
    let points = line.points.iter().enumerate();
    points
        .filter_map(|(at, value)| Some((at as f32, (*value)? as f32)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{Line, lines};

    fn line(points: &[f64]) -> Line {
        Line {
            name: "prices".to_owned(),
            points: points.iter().copied().map(Some).collect(),
        }
    }

    #[test]
    fn one_point_is_no_line() {
        let ends = || ["first".to_owned(), "last".to_owned()];
        assert_eq!(lines(&[line(&[1.0])], ends()), "");
        assert_eq!(lines(&[], ends()), "");
    }

    #[test]
    fn a_chart_names_its_ends_and_its_lines() {
        let ends = ["first".to_owned(), "last".to_owned()];
        let chart = lines(&[line(&[10.0, 30.0, 20.0])], ends);
        for name in ["first", "last", "30.0", "10.0", "prices"] {
            assert!(chart.contains(name), "{name}: {chart}");
        }
    }
}
