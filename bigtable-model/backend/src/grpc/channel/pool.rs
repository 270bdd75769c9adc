//! The channels to a server.

#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, Weak};
use std::time::Duration;

use futures::future::BoxFuture;
use tokio::time::Instant;

use super::dial::{Dial, Line};
use crate::grpc::settings::pool::{PoolSettings, Resize};
use crate::{Code, Status};

/// Opens channels and warms them up.
pub(crate) trait Connector: fmt::Debug + Send + Sync + 'static {
    /// The server's address, for messages.
    fn address(&self) -> &str;

    /// A channel that connects with its first call. Called inside a runtime only.
    fn line(&self) -> Line;

    /// Sends a call over it, so later calls find it ready.
    fn prime(&self, line: Line) -> BoxFuture<'_, Result<(), Status>>;
}

/// The channels, opened by the first call.
#[derive(Debug)]
pub(crate) struct Pool(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    settings: PoolSettings,
    connector: Arc<dyn Connector>,
    channels: RwLock<Vec<Arc<Pooled>>>,
    /// Where the search for a channel begins, so that idle ones take turns.
    turn: AtomicUsize,
    load: Arc<Load>,
}

/// The calls on all channels together.
#[derive(Debug, Default)]
struct Load {
    calls: AtomicUsize,
    /// The maximum at one time since it was last read.
    most: AtomicUsize,
}

impl Load {
    fn begin(&self) {
        let calls = self.calls.fetch_add(1, Ordering::Relaxed) + 1;
        self.most.fetch_max(calls, Ordering::Relaxed);
    }

    fn end(&self) {
        self.calls.fetch_sub(1, Ordering::Relaxed);
    }

    fn take_most(&self) -> usize {
        let now = self.calls.load(Ordering::Relaxed);
        self.most.swap(now, Ordering::Relaxed)
    }
}

#[derive(Debug)]
struct Pooled {
    line: Line,
    calls: AtomicUsize,
    /// When it is replaced.
    expires: Instant,
    load: Arc<Load>,
    connector: Arc<dyn Connector>,
}

/// A channel in use by a call, as long as the call lasts.
#[derive(Debug)]
pub(crate) struct Lease(Arc<Pooled>);

impl Lease {
    fn new(pooled: &Arc<Pooled>) -> Self {
        pooled.calls.fetch_add(1, Ordering::Relaxed);
        pooled.load.begin();
        Self(Arc::clone(pooled))
    }

    pub(crate) fn line(&self) -> Line {
        self.0.line.clone()
    }

    pub(crate) fn address(&self) -> &str {
        self.0.connector.address()
    }

    /// Whether it has a connection over which a call was answered.
    pub(crate) fn works(&self) -> bool {
        self.0.line.dial.works()
    }

    /// A call has waited long enough for it to connect.
    pub(crate) fn too_slow(&self) {
        self.0.line.dial.too_slow();
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        self.0.calls.fetch_sub(1, Ordering::Relaxed);
        self.0.load.end();
    }
}

impl Pool {
    pub(crate) fn new(settings: PoolSettings, connector: Arc<dyn Connector>) -> Self {
        Self(Arc::new(Shared {
            settings,
            connector,
            channels: RwLock::default(),
            turn: AtomicUsize::new(0),
            load: Arc::default(),
        }))
    }

    /// The channel with the fewest calls, of those that do not fail.
    pub(crate) fn lease(&self) -> Result<Lease, Status> {
        if let Some(lease) = self.0.choose() {
            return Ok(lease);
        }
        self.open();
        self.0
            .choose()
            .ok_or_else(|| Status::new(Code::Internal, "no channel is open"))
    }

    /// Whether another channel than this one satisfies the test.
    pub(crate) fn has_other(&self, than: &Lease, is: impl Fn(&Dial) -> bool) -> bool {
        let other = |one: &Arc<Pooled>| !Arc::ptr_eq(one, &than.0) && is(&one.line.dial);
        self.0.channels().iter().any(other)
    }

    /// How many channels there are.
    pub(crate) fn len(&self) -> usize {
        self.0.channels().len()
    }

    /// Warms every channel.
    pub(crate) async fn prime(&self) -> Result<(), Status> {
        self.open();
        let lines: Vec<_> = self.0.read().iter().map(|one| one.line.clone()).collect();
        let primed = lines.into_iter().map(|line| self.0.connector.prime(line));
        futures::future::try_join_all(primed).await?;
        Ok(())
    }

    /// Drops the channels; calls on them may continue.
    pub(crate) fn close(&self) {
        self.0.write(|channels| channels.clear());
    }

    /// A channel spawns a task, so it is made inside a call, where there is a runtime.
    fn open(&self) {
        let count = self.0.settings.channels;
        let first = self.0.write(|channels| {
            if !channels.is_empty() {
                return false;
            }
            channels.extend((0..count).map(|number| self.0.connect(number, count)));
            true
        });
        if first {
            tokio::spawn(replace_expired(Arc::downgrade(&self.0)));
            if let Some(resize) = self.0.settings.resize {
                tokio::spawn(resize_regularly(Arc::downgrade(&self.0), resize));
            }
        }
    }
}

impl Shared {
    fn channels(&self) -> RwLockReadGuard<'_, Vec<Arc<Pooled>>> {
        self.channels.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn read(&self) -> Vec<Arc<Pooled>> {
        self.channels().clone()
    }

    fn write<T>(&self, change: impl FnOnce(&mut Vec<Arc<Pooled>>) -> T) -> T {
        change(
            &mut self
                .channels
                .write()
                .unwrap_or_else(PoisonError::into_inner),
        )
    }

    /// Channels that were opened together are replaced one after another, in the last tenth of
    /// their time.
    fn connect(&self, number: usize, count: usize) -> Arc<Pooled> {
        let (number, count) = (u32::try_from(number), u32::try_from(count.max(1)));
        let step = self.settings.max_age / 10 / count.unwrap_or(u32::MAX);
        let early = step.saturating_mul(number.unwrap_or(u32::MAX).saturating_add(1));
        Arc::new(Pooled {
            line: self.connector.line(),
            calls: AtomicUsize::new(0),
            expires: crate::grpc::retry::deadline::far(self.settings.max_age.saturating_sub(early)),
            load: Arc::clone(&self.load),
            connector: Arc::clone(&self.connector),
        })
    }

    /// A channel that fails has few calls, so it is chosen only if all fail, or by one call at a
    /// time that tries whether it works again.
    fn choose(&self) -> Option<Lease> {
        let channels = self.channels();
        let first = self.turn.fetch_add(1, Ordering::Relaxed) % channels.len().max(1);
        let (before, from) = channels.split_at_checked(first)?;
        let fewest = |usable: &dyn Fn(&Dial) -> bool| {
            let usable = |one: &&Arc<Pooled>| usable(&one.line.dial);
            let turn = from.iter().chain(before).filter(usable);
            turn.min_by_key(|one| one.calls.load(Ordering::Relaxed))
        };
        let tried = fewest(&|dial| !dial.fails() || dial.may_be_tried());
        let best = match tried {
            Some(one) if one.line.dial.fails() && !one.line.dial.try_again() => {
                fewest(&|dial| !dial.fails())
            }
            tried => tried,
        };
        Some(Lease::new(best.or_else(|| fewest(&|_| true))?))
    }

    /// A channel that is ready for calls.
    async fn warm(&self, number: usize, count: usize) -> Arc<Pooled> {
        let fresh = self.connect(number, count);
        if self.settings.primed
            && let Err(error) = self.connector.prime(fresh.line.clone()).await
        {
            // It takes calls all the same: the channel that it replaces is too old, and a new one
            // connects by itself.
            tracing::warn!(target: "bigtable_backend::grpc", %error, "a new channel could not be warmed");
        }
        fresh
    }

    /// Adds or removes channels, according to the calls since the last time; `false` if there are
    /// none left.
    async fn resize(&self, resize: &Resize) -> bool {
        let now = self.read().len();
        if now == 0 {
            return false;
        }
        let next = resize.next(now, self.load.take_most());
        let fresh = (now..next).map(|number| self.warm(number, next));
        let fresh = futures::future::join_all(fresh).await;
        self.write(|channels| {
            // It may have been closed meanwhile.
            if !channels.is_empty() {
                channels.extend(fresh);
                shrink(channels, next);
            }
            !channels.is_empty()
        })
    }

    /// Replaces a channel that has expired, and returns when the next one will; `None` if there are
    /// none left.
    async fn replace_one(&self) -> Option<Instant> {
        let channels = self.read();
        let (number, oldest) = channels
            .iter()
            .enumerate()
            .min_by_key(|(_, one)| one.expires)?;
        if oldest.expires > Instant::now() {
            return Some(oldest.expires);
        }
        let fresh = self.warm(number, channels.len()).await;
        self.write(|channels| {
            if let Some(place) = channels.iter_mut().find(|one| Arc::ptr_eq(one, oldest)) {
                *place = fresh;
            }
        });
        Some(Instant::now())
    }
}

/// Drops the channels that fail, and those with the fewest calls, which continue.
fn shrink(channels: &mut Vec<Arc<Pooled>>, count: usize) {
    if channels.len() > count {
        channels.sort_by_key(|one| {
            let calls = one.calls.load(Ordering::Relaxed);
            (one.line.dial.fails(), std::cmp::Reverse(calls))
        });
        channels.truncate(count);
    }
}

/// Changes the number of channels as long as the pool has any.
async fn resize_regularly(pool: Weak<Shared>, resize: Resize) {
    // A pool that is resized without a pause would do nothing else.
    let every = resize.every.max(Duration::from_millis(10));
    loop {
        tokio::time::sleep_until(crate::grpc::retry::deadline::far(every)).await;
        match pool.upgrade() {
            Some(pool) if pool.resize(&resize).await => {}
            _ => return,
        }
    }
}

/// Runs as long as the pool has channels.
async fn replace_expired(pool: Weak<Shared>) {
    /// After this time the end of the pool is noticed.
    const LONGEST_SLEEP: Duration = Duration::from_secs(60);
    /// A pool whose channels expire at once would otherwise do nothing else.
    const SHORTEST_SLEEP: Duration = Duration::from_millis(10);
    loop {
        let next = match pool.upgrade() {
            Some(pool) => pool.replace_one().await,
            None => return,
        };
        let Some(next) = next else { return };
        let sleep = next.saturating_duration_since(Instant::now());
        tokio::time::sleep(sleep.clamp(SHORTEST_SLEEP, LONGEST_SLEEP)).await;
    }
}
