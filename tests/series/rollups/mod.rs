//! Roll-ups: windows read through them equal those of all events, whatever was written and
//! whichever answers were lost.

mod added;
mod aged;
mod around;
mod crossing;
mod fewer;
mod kept;
mod merged;
mod models;
mod outlive;
mod outlived;
mod paced;
mod random;
mod rows;
mod spans;
mod starts;
mod streamed;

use std::time::Duration;

use bigtable_model::rollup::{Rollup, RollupJob, RollupReport, WindowQuery};
use bigtable_model::series::Length;
use bigtable_model::{Backend, BackendExt as _, Error};
use futures::TryStreamExt as _;

/// The windows as they are streamed, up to the first error.
async fn streamed<R: Rollup>(db: &dyn Backend, windows: &WindowQuery<R>) -> Result<Vec<R>, Error> {
    db.stream(windows).try_collect().await
}

/// Settles what is marked.
async fn run<R: Rollup>(db: &dyn Backend) -> RollupReport {
    let report = RollupJob::<R>::new().settle(Duration::ZERO).run(db).await;
    let report = report.unwrap();
    assert_eq!(report.failed, 0, "{:?}", report.errors);
    report
}

fn hours() -> Length {
    Duration::from_secs(3_600).into()
}
