//! Being asked to stop.

use std::future::{Future, pending};

/// Waits for Ctrl-C or SIGTERM, with which service managers and containers end a program. It
/// listens from the call on, not from the first poll: called before a program says that it serves,
/// it misses no signal of one that reads this. Where a signal can't be listened for, the program
/// runs until it is killed.
///
/// # Panics
///
/// Outside of a tokio runtime.
pub fn interrupted() -> impl Future<Output = ()> {
    let interrupts = heard();
    async move {
        match interrupts {
            Ok(interrupts) => interrupts.await,
            Err(_) => pending().await,
        }
    }
}

#[cfg(unix)]
fn heard() -> std::io::Result<impl Future<Output = ()>> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    })
}

#[cfg(windows)]
fn heard() -> std::io::Result<impl Future<Output = ()>> {
    let mut interrupt = tokio::signal::windows::ctrl_c()?;
    Ok(async move {
        let _ = interrupt.recv().await;
    })
}
