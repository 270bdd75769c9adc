//! Checks of settings.

use std::fmt::Debug;
use std::time::Duration;

use crate::InvalidSetting;
use crate::status::setting::check;

/// Refuses a zero duration.
pub(crate) fn lasting(field: &'static str, time: Duration) -> Result<(), InvalidSetting> {
    check(field, time, !time.is_zero(), "give a time above 0")
}

/// Refuses an invalid ID of an authorized view; an empty one means no view.
pub(crate) fn view_id(field: &'static str, id: &str) -> Result<(), InvalidSetting> {
    let inner = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    let fits = id.len() <= 50 && id.bytes().all(inner);
    check(
        field,
        id,
        fits,
        "give up to 50 characters of [-_.a-zA-Z0-9]",
    )
}

/// Refuses a number that is not positive.
pub(crate) fn positive(field: &'static str, number: f64) -> Result<(), InvalidSetting> {
    let fits = number.is_finite() && number > 0.0;
    check(field, number, fits, "give a number above 0")
}

/// Refuses a value below that of another field.
pub(crate) fn not_below<T: Debug + PartialOrd>(
    (field, value): (&'static str, T),
    (other, least): (&'static str, T),
) -> Result<(), InvalidSetting> {
    let fits = value >= least;
    check(
        field,
        value,
        fits,
        format!("give at least {other}, which is {least:?}"),
    )
}

/// Refuses a count of 0, and one over `most`.
pub(crate) fn within(field: &'static str, count: usize, most: usize) -> Result<(), InvalidSetting> {
    let fits = (1..=most).contains(&count);
    check(field, count, fits, format!("give 1 to {most}"))
}
