use crate::key::KeyError;

/// Why an event of a former layout cannot be stored in the current one.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum FormerError {
    /// The current key cannot hold its identifiers or its time.
    #[error("the current key cannot hold it")]
    Key(#[source] KeyError),
    /// The current layout would round its time, and the rounded time identifies another event.
    #[error("the current layout would round its time: declare a unit that holds it")]
    Rounded,
    /// The conversion turns it into another event.
    #[error(
        "the conversion changes an identifier or the time, which must be the same in both layouts"
    )]
    OtherEvent,
    /// Its row is also in a table of the current layout, since the backend gives both tables one
    /// name; so nothing is deleted.
    #[error("its row is in a table of the current layout, so it is not deleted")]
    SharedTable,
}
