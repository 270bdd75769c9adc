//! Output for people: tables, progress, errors with their causes.

use std::error::Error;
use std::fmt::Write;
use std::process::ExitCode;

use comfy_table::{CellAlignment, Table, presets};
use indicatif::{ProgressBar, ProgressStyle};

/// A table whose first column is text and whose other columns are right-aligned numbers.
#[must_use]
pub fn table(header: &[&str]) -> Table {
    let mut table = Table::new();
    table.load_style(presets::UTF8_FULL_CONDENSED);
    table.set_header(header.iter().copied());
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}

/// A number with this many decimals; `-` for `None`.
#[must_use]
pub fn number(value: Option<f64>, decimals: usize) -> String {
    value.map_or_else(|| "-".to_owned(), |value| format!("{value:.decimals$}"))
}

/// A count with separated thousands: `26,115`.
#[must_use]
pub fn count(value: u64) -> String {
    let digits = value.to_string();
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A progress bar on the terminal; hidden without a terminal.
#[must_use]
pub fn progress(len: usize, what: &'static str) -> ProgressBar {
    let bar = ProgressBar::new(u64::try_from(len).unwrap_or(u64::MAX)).with_message(what);
    let template = "{msg} [{bar:40}] {human_pos}/{human_len} {per_sec} {eta} left";
    match ProgressStyle::with_template(template) {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}

/// The exit code of a program; prints its error, if any.
#[must_use]
pub fn outcome(result: Result<(), Box<dyn Error>>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {}", chain(&*error));
            ExitCode::FAILURE
        }
    }
}

/// An error and its causes in one line.
#[must_use]
pub fn chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let _ = write!(text, ": {error}");
        cause = error.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_set_apart() {
        let texts = [0, 999, 1_000, 26_115, 1_234_567].map(count);
        assert_eq!(texts, ["0", "999", "1,000", "26,115", "1,234,567"]);
    }

    #[test]
    fn an_absent_number_is_a_dash() {
        assert_eq!(number(Some(89.837), 2), "89.84");
        assert_eq!(number(None, 2), "-");
    }
}
