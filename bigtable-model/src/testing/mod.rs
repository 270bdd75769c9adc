//! The conformance suite that every [`Backend`](crate::Backend) should pass, and the laws that
//! every model keeps.

mod laws;

#[doc(inline)]
pub use bigtable_backend::testing::{
    Deviation, EMULATOR_DEVIATIONS, Failure, Outcome, Report, backend_suite, case_names,
};
pub use laws::{check_laws, check_queries};
