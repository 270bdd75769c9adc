//! Which values of a stored form a type takes.

use serde::{Deserialize, Serialize};

/// Which values of its stored form a type takes, as data: a program without the type writes no
/// others, since reading them back would fail.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Takes {
    /// Only code decides: nothing is written without the type.
    #[default]
    Own,
    /// All that the form can hold.
    All,
    /// Integers from `least` to `most`; in a text, their decimal digits.
    Integers {
        /// The least.
        least: i64,
        /// The greatest.
        most: i64,
    },
    /// In a text: floating-point numbers.
    Floats,
    /// One of these texts.
    Names(Vec<String>),
}

impl Takes {
    /// The values of a type with only these names.
    #[must_use]
    pub fn names(names: &[&str]) -> Self {
        Self::Names(names.iter().map(|name| (*name).to_owned()).collect())
    }

    /// Whether a text is one of the names, if there is a fixed set.
    pub(crate) fn is_named(&self, text: Option<&str>) -> bool {
        match self {
            Self::Names(names) => text.is_some_and(|text| names.iter().any(|name| name == text)),
            _ => true,
        }
    }

    /// Why another value is refused.
    pub(crate) fn wanted(&self) -> String {
        match self {
            Self::Own => {
                "only the program that declares the field knows which values it takes".to_owned()
            }
            Self::Integers { least, most } => format!("the field takes {least} to {most}"),
            Self::Names(names) => format!("the field takes only {}", names.join(", ")),
            Self::All | Self::Floats => "the field does not take it".to_owned(),
        }
    }

    /// Whether only code decides.
    #[must_use]
    pub const fn is_own(&self) -> bool {
        matches!(self, Self::Own)
    }
}
