//! The cases, by subject.

mod admin;
mod aggregates;
mod bulk;
mod conditional;
mod deletes;
mod filters;
mod reads;
mod refusals;
mod regexes;
mod writes;

use super::scratch::Case;

/// The cases of one file, named `file::function`.
macro_rules! cases {
    ($file:literal: $($case:ident),+ $(,)?) => {
        /// The cases of this file.
        pub(super) fn cases() -> Vec<$crate::testing::Case> {
            vec![$($crate::testing::Case {
                name: concat!($file, "::", stringify!($case)),
                run: |scratch| Box::pin($case(scratch)),
            }),+]
        }
    };
}
use cases;

pub(super) fn all() -> Vec<Case> {
    [
        writes::cases(),
        bulk::cases(),
        deletes::cases(),
        aggregates::cases(),
        conditional::cases(),
        reads::cases(),
        filters::cases(),
        regexes::cases(),
        refusals::cases(),
        admin::cases(),
    ]
    .into_iter()
    .flatten()
    .collect()
}
