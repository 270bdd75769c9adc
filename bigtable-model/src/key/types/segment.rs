use super::SegmentKind;
use super::primitive::SegmentPrimitive;
use crate::key::{SegmentError, SegmentFormat, SegmentValue};

/// A type that can be a segment of a row key, through a primitive that keeps its order.
///
/// Derive it for newtypes and for enums without fields; implement it for your other types:
///
/// ```
/// use bigtable_model::key::{KeySegment, SegmentError};
///
/// /// A price level in ticks of 0.01.
/// #[derive(Clone)]
/// struct Level(u32);
///
/// impl KeySegment for Level {
///     type Stored<'a> = u32;
///     fn store(&self) -> u32 {
///         self.0
///     }
///     fn restore(stored: u32) -> Result<Self, SegmentError> {
///         Ok(Level(stored))
///     }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot stand in a row key",
    label = "not a key segment",
    note = "strings, integers, `bool`, `char`, byte arrays, `Uuid` and `Timestamp` can; floats with `binary`",
    note = "for a type of your own: `#[derive(KeySegment)]` on a newtype or an enum without fields, or `impl KeySegment`",
    note = "an `Option` cannot, since a key always has a value: make it a column, or let one value stand for none"
)]
pub trait KeySegment: Clone {
    /// The primitive that is stored instead; the borrowed key has it too.
    type Stored<'a>: SegmentPrimitive<'a>;

    /// The kind of the primitive.
    const KIND: SegmentKind = <Self::Stored<'static> as SegmentPrimitive<'static>>::KIND;

    /// All stored values, for types with a fixed set of names: a name that no key can hold is then
    /// an error at compile time.
    const NAMES: Option<&'static [&'static str]> = None;

    /// The primitive for this value.
    fn store(&self) -> Self::Stored<'_>;

    /// The value for a primitive read from a key.
    ///
    /// # Errors
    /// [`SegmentError::Refused`] for a primitive that [`store`](KeySegment::store) never returns.
    fn restore(stored: Self::Stored<'_>) -> Result<Self, SegmentError>;

    /// Whether only code decides which primitives [`restore`](KeySegment::restore) accepts.
    #[doc(hidden)]
    const __IS_OWN: bool = Self::NAMES.is_none();

    /// All values as in [`NAMES`](KeySegment::NAMES), whether only code decides which others are
    /// accepted, and a function that reads bytes in a format and returns the value that the type
    /// stores.
    #[doc(hidden)]
    const __FORM: SegmentForm = (Self::NAMES, Self::__IS_OWN, |format, bytes| {
        let value = Self::restore(SegmentPrimitive::decode(format, bytes)?)?;
        Ok(value.store().into_value())
    });
}

/// The facts that generated code passes on about a segment's type.
pub type SegmentForm = (
    Option<&'static [&'static str]>,
    bool,
    fn(&SegmentFormat, &[u8]) -> Result<SegmentValue, SegmentError>,
);

/// A segment type for `escape`, which is stored as text.
#[diagnostic::on_unimplemented(
    message = "`escape` works on strings, not on `{Self}`",
    label = "not stored as a string",
    note = "remove `escape`: only text has bytes to escape"
)]
pub trait EscapableSegment: for<'a> KeySegment<Stored<'a> = &'a str> {}

impl<T: for<'a> KeySegment<Stored<'a> = &'a str>> EscapableSegment for T {}
