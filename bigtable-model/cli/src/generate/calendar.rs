//! The calendar formats that are looked for.

use std::borrow::Cow;

use bigtable_model::schema::CalendarField::{
    Day, DayOfYear, Hour, Microsecond, Millisecond, Minute, Month, Second, Year,
};
use bigtable_model::schema::CalendarItem::{self, Field, Literal};

const fn text(text: &'static str) -> CalendarItem {
    Literal(Cow::Borrowed(text))
}

const Y: CalendarItem = Field(Year);
const MON: CalendarItem = Field(Month);
const D: CalendarItem = Field(Day);
const H: CalendarItem = Field(Hour);
const MIN: CalendarItem = Field(Minute);
const S: CalendarItem = Field(Second);
const MS: CalendarItem = Field(Millisecond);
const US: CalendarItem = Field(Microsecond);
const DASH: CalendarItem = text("-");
const COLON: CalendarItem = text(":");
const T: CalendarItem = text("T");
const SPACE: CalendarItem = text(" ");
const DOT: CalendarItem = text(".");
const Z: CalendarItem = text("Z");

/// Formats of a time in a key.
pub(super) const FORMATS: [&[CalendarItem]; 24] = [
    &[Y, MON, D],
    &[Y, DASH, MON, DASH, D],
    &[Y, text("/"), MON, text("/"), D],
    &[Y, text("."), MON, text("."), D],
    &[Y, MON, D, H],
    &[Y, MON, D, H, MIN],
    &[Y, MON, D, H, MIN, S],
    &[Y, MON, D, H, MIN, S, MS],
    &[Y, MON, D, H, MIN, S, US],
    &[Y, MON, D, T, H, MIN, S],
    &[Y, MON, D, T, H, MIN, S, Z],
    &[Y, DASH, MON, DASH, D, T, H],
    &[Y, DASH, MON, DASH, D, T, H, COLON, MIN],
    &[Y, DASH, MON, DASH, D, T, H, COLON, MIN, S],
    &[Y, DASH, MON, DASH, D, T, H, COLON, MIN, COLON, S],
    &[Y, DASH, MON, DASH, D, T, H, COLON, MIN, COLON, S, Z],
    &[
        Y, DASH, MON, DASH, D, T, H, COLON, MIN, COLON, S, DOT, MS, Z,
    ],
    &[
        Y, DASH, MON, DASH, D, T, H, COLON, MIN, COLON, S, DOT, US, Z,
    ],
    &[Y, DASH, MON, DASH, D, SPACE, H, COLON, MIN, COLON, S],
    &[Y, DASH, MON, DASH, D, DASH, H, MIN],
    &[Y, MON],
    &[Y, DASH, MON],
    &[Y, Field(DayOfYear)],
    &[Y],
];

/// Formats of an event's offset within a bucket.
pub(super) const OFFSETS: [&[CalendarItem]; 8] = [
    &[H, MIN],
    &[H, COLON, MIN],
    &[H, MIN, S],
    &[H, COLON, MIN, COLON, S],
    &[MIN, S],
    &[H],
    &[D],
    &[CalendarItem::Unpadded(Day)],
];
