//! How long the tests with random cases run.

/// The first in a long run, which `BIGTABLE_MODEL_NIGHTLY=1` asks for, or else the second.
pub fn nightly<T>(by_night: T, by_day: T) -> T {
    match std::env::var("BIGTABLE_MODEL_NIGHTLY").is_ok_and(|value| value != "0") {
        true => by_night,
        false => by_day,
    }
}
