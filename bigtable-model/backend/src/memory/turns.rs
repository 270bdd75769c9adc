//! Giving way to other tasks in the middle of a poll.

use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use futures::task::AtomicWaker;

/// Steps between two turns of other tasks: about half a millisecond, so that even many such tasks
/// keep nobody waiting long. A step takes ten or twenty nanoseconds.
pub(crate) const TURN: usize = 1 << 15;

/// If fewer are left, nothing new is begun in this turn.
const FEW: usize = TURN / 16;

/// Bytes that are copied in one step, with the memory that they need for the first time.
const COPIED: usize = 32;

/// The steps that are left of a turn.
#[derive(Debug, Clone)]
pub(crate) struct Turn {
    left: usize,
}

impl Default for Turn {
    fn default() -> Self {
        Self { left: TURN }
    }
}

impl Turn {
    /// A turn that never ends.
    pub(crate) fn endless() -> Self {
        Self { left: usize::MAX }
    }

    /// Takes steps before they are done, and pauses first if this turn has too few left. At most
    /// [`TURN`] should be taken at once.
    #[inline]
    pub(crate) async fn take(&mut self, steps: usize) {
        match self.left.checked_sub(steps) {
            Some(left) => self.left = left,
            None => {
                Pause::begin().await;
                self.left = TURN.saturating_sub(steps);
            }
        }
    }

    /// Takes steps that were done.
    #[inline]
    pub(crate) fn spend(&mut self, steps: usize) {
        self.left = self.left.saturating_sub(steps);
    }

    /// Whether others should have their turn before something is begun.
    #[inline]
    pub(crate) fn is_ending(&self) -> bool {
        self.left < FEW
    }
}

/// The steps of copying this many bytes.
pub(crate) const fn steps_of_copy(bytes: usize) -> usize {
    bytes / COPIED
}

/// Is ready after other tasks had their turn, including those that wait for the network or a timer.
///
/// It is pending until then, however often it is polled: layers between a stream and its task may
/// poll again at once, since they have something to deliver first. So
/// [`yield_now`](tokio::task::yield_now), which is ready when it is polled again, would not do.
#[derive(Debug)]
#[must_use = "others have their turn while it is awaited"]
pub(crate) struct Pause {
    shared: Arc<Shared>,
    was_polled: bool,
}

#[derive(Debug, Default)]
struct Shared {
    is_over: AtomicBool,
    task: AtomicWaker,
}

impl Wake for Shared {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.is_over.store(true, Ordering::Release);
        self.task.wake();
    }
}

impl Pause {
    pub(crate) fn begin() -> Self {
        let shared = Arc::new(Shared::default());
        let waker = Waker::from(Arc::clone(&shared));
        // Its first poll is always pending, and has the waker called after others had their turn,
        // or at once outside of a runtime.
        let _ = pin!(tokio::task::yield_now()).poll(&mut Context::from_waker(&waker));
        Self {
            shared,
            was_polled: false,
        }
    }
}

impl Future for Pause {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        self.shared.task.register(cx.waker());
        let is_over = self.shared.is_over.load(Ordering::Acquire);
        match (is_over, self.was_polled) {
            (true, true) => return Poll::Ready(()),
            // Outside of a runtime, it can only give way to its caller.
            (true, false) => cx.waker().wake_by_ref(),
            (false, _) => {}
        }
        self.was_polled = true;
        Poll::Pending
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use std::future::poll_fn;

    use super::*;

    fn block_on<T>(future: impl Future<Output = T>) -> T {
        let runtime = tokio::runtime::Builder::new_current_thread().build();
        runtime.unwrap().block_on(future)
    }

    #[test]
    fn a_pause_lasts_until_others_had_their_turn() {
        block_on(async {
            let ran = Arc::new(AtomicBool::new(false));
            let other = Arc::clone(&ran);
            let other = tokio::spawn(async move { other.store(true, Ordering::Relaxed) });
            let mut pause = pin!(Pause::begin());
            poll_fn(|cx| {
                if ran.load(Ordering::Relaxed) {
                    return pause.as_mut().poll(cx);
                }
                for _ in 0..10 {
                    assert!(pause.as_mut().poll(cx).is_pending());
                }
                Poll::Pending
            })
            .await;
            other.await.unwrap();
        });
    }

    #[test]
    fn a_pause_outside_of_a_runtime_is_one_poll() {
        let mut pause = pin!(Pause::begin());
        let mut cx = Context::from_waker(Waker::noop());
        assert!(pause.as_mut().poll(&mut cx).is_pending());
        assert!(pause.as_mut().poll(&mut cx).is_ready());
    }
}
