use crate::key::KeyError;

/// Why an event of a former layout can't stand in today's.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum FormerError {
    /// Today's key can't hold its identifiers or its time.
    #[error("today's key can't hold it")]
    Key(#[source] KeyError),
    /// Today's layout would round its time, and with it take it for another event.
    #[error("today's layout would round its time: declare a unit that holds it")]
    Rounded,
    /// The conversion makes another event of it.
    #[error(
        "the conversion changes an identifier or the time, by which the event is known in both layouts"
    )]
    OtherEvent,
}
