/// Why the roll-up of some events cannot be computed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RollupError {
    /// The column cannot hold the sum.
    #[error("the sum in column `{column}` overflows its type: declare a wider type")]
    Overflow {
        /// The roll-up's field.
        column: &'static str,
    },
}
