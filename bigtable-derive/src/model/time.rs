//! How times are written.

/// A unit of time; the names are those of the runtime's `TimeUnit`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Unit {
    Seconds,
    Millis,
    Micros,
}

/// A part of a calendar format; field names are those of the runtime's `CalendarField`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum FormatItem {
    Field(&'static str),
    /// A field without leading zeros.
    Unpadded(&'static str),
    Literal(String),
}
