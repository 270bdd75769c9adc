//! What is known to be wrong, or not decided: the generators reach it when its constant is false.

/// Page tokens of `qualifiers` count the events of one name and time, which writes between pages change.
pub(super) const PAGES_OF_QUALIFIERS_COUNT: bool = true;
/// Pages over tables by period bound the time from the second on, so that tables which are not there are asked for, or are too many.
pub(super) const PAGES_BOUND_PERIODS: bool = true;
/// `latest_each` is refused where an identifier stands behind the time, and under `scan()`.
pub(super) const LATEST_EACH_IS_REFUSED: bool = true;
/// `series` is refused where a set is empty.
pub(super) const SERIES_OF_EMPTY_SETS: bool = true;
/// JSON and text lose floats that are no numbers.
pub(super) const CODECS_LOSE_FLOATS: bool = true;
/// An insert that must not overwrite looks for the presence column alone.
pub(super) const ABSENT_LOOKS_AT_PRESENCE: bool = true;
/// Days whose hours lie in two pieces are taken.
pub(super) const DAYS_IN_PIECES: bool = true;
/// Labels whose bytes are not all above the separator, and whose length depends on the bucket, are written and can't be read.
pub(super) const LABELS_BELOW_THE_SEPARATOR: bool = true;
