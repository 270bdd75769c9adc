//! Errors in one line.

/// An error and its reasons.
pub(crate) fn in_words(error: &dyn std::error::Error) -> String {
    let mut words = error.to_string();
    let mut reason = error.source();
    while let Some(error) = reason {
        words.push_str(": ");
        words.push_str(&error.to_string());
        reason = error.source();
    }
    words
}
