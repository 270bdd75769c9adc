//! Signals to stop.

use std::future::{Future, pending};

/// Waits for Ctrl-C or SIGTERM, which service managers and containers send to end a program. It
/// listens from the call on, not from the first poll: if it is called before a program announces
/// that it serves, it misses no signal. If it cannot listen for signals, the program runs until it
/// is killed.
///
/// # Panics
///
/// Outside a Tokio runtime.
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
