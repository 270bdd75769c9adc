//! Parallel tasks and their shared state.

use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::task::{JoinError, JoinSet};

use super::CopyError;

/// The number of parts for each parallel task: with several, the last tasks end at about the same
/// time.
pub(super) const PARTS_FOR_ONE: usize = 4;

/// Runs jobs as tasks, `at_once` of them at a time, and returns their results in any order. The
/// first error ends the others, and so does dropping the future.
pub(super) async fn side_by_side<T: Send + 'static>(
    at_once: usize,
    mut jobs: impl Iterator<Item = impl Future<Output = Result<T, CopyError>> + Send + 'static>,
) -> Result<Vec<T>, CopyError> {
    let mut tasks = JoinSet::new();
    for job in jobs.by_ref().take(at_once.max(1)) {
        tasks.spawn(job);
    }
    let mut done = Vec::new();
    while let Some(ended) = tasks.join_next().await {
        done.push(ended.unwrap_or_else(|error| Err(interrupted(error)))?);
        if let Some(job) = jobs.next() {
            tasks.spawn(job);
        }
    }
    Ok(done)
}

/// A task's panic continues in the caller, as if it had not been a task.
fn interrupted(error: JoinError) -> CopyError {
    match error.try_into_panic() {
        Ok(panic) => std::panic::resume_unwind(panic),
        Err(_) => CopyError::RuntimeEnded,
    }
}

/// Locks a mutex even after a panic: no code that may panic leaves the value half changed.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
