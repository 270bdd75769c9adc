//! Giving way to other tasks in the middle of a poll.

use std::future::Future as _;
use std::pin::pin;
use std::task::Context;

/// Lets a task be polled again after others had their turn, and whoever waits for the network or
/// the time. What wakes itself at once is polled many times before either.
pub(crate) fn give_way(cx: &mut Context<'_>) {
    // Its first poll arranges that, and is never the last.
    let _ = pin!(tokio::task::yield_now()).poll(cx);
}
