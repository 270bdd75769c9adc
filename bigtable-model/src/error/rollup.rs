/// Why the roll-up of some events can't be made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RollupError {
    /// A sum that its column can't hold.
    #[error("the sum in column `{column}` is more than its type holds: give it a wider type")]
    Overflow {
        /// The roll-up's field.
        column: &'static str,
    },
}
