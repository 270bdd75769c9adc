//! The conformance suite that every [`Backend`] should pass, including your own.
//!
//! ```
//! use std::sync::Arc;
//! use bigtable_backend::{Backend, MemoryBackend};
//! use bigtable_backend::testing::backend_suite;
//!
//! # tokio::runtime::Runtime::new().unwrap().block_on(async {
//! let report = backend_suite(|| Arc::new(MemoryBackend::new()) as Arc<dyn Backend>, &[]).await;
//! report.assert_passed();
//! # });
//! ```

mod cases;
mod emulator;
mod expect;
mod report;
mod scratch;

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures::FutureExt;

pub use emulator::EMULATOR_DEVIATIONS;
pub use expect::Failure;
pub use report::{Deviation, Outcome, Report};
use scratch::{Case, Scratch};

use crate::Backend;

/// The names of all cases, in the order in which they run.
#[must_use]
pub fn case_names() -> Vec<&'static str> {
    cases::all().iter().map(|case| case.name).collect()
}

/// Runs every case of the suite, each with its own tables, on a backend from `make`.
///
/// The cases cover what the contract of [`Backend`] promises and what Bigtable itself does.
/// `deviations` lists the cases in which a backend is known to differ; a deviation without a case
/// is reported as a failure too.
///
/// `make` is called once per case and may return the same backend each time: the tables have unique
/// names (`suite_...`), and are deleted after the case.
///
/// The future is `Send` and needs no particular runtime. It does not panic: see
/// [`Report::assert_passed`].
pub async fn backend_suite<F>(make: F, deviations: &[Deviation]) -> Report
where
    F: Fn() -> Arc<dyn Backend>,
{
    let mut report = Report::new(deviations);
    for case in cases::all() {
        let backend = make();
        let failure = run(&case, backend.as_ref()).await.err();
        report.add(case.name, failure);
    }
    report.close();
    report
}

async fn run(case: &Case, backend: &dyn Backend) -> Result<(), Failure> {
    let scratch = Scratch::create(backend).await?;
    // A panic, in the case or in the backend, must not hide the other cases.
    let done = AssertUnwindSafe((case.run)(&scratch)).catch_unwind().await;
    scratch.delete_tables().await;
    done.unwrap_or_else(|_| Err(Failure::new("the case panicked")))
}
