//! The number of channels, with a clock that the tests set.
#![allow(clippy::unwrap_used, reason = "tests")]

use tonic::transport::Endpoint;

use super::*;

/// Channels that nobody connects.
#[derive(Debug, Default)]
struct Nowhere {
    made: AtomicUsize,
    primed: AtomicUsize,
}

impl Connector for Nowhere {
    fn address(&self) -> &str {
        "nowhere"
    }

    fn line(&self) -> Line {
        self.made.fetch_add(1, Ordering::SeqCst);
        Line::new(&Endpoint::from_static("http://127.0.0.1:1"))
    }

    fn prime(&self, _: Line) -> BoxFuture<'_, Result<(), Status>> {
        self.primed.fetch_add(1, Ordering::SeqCst);
        Box::pin(std::future::ready(Ok(())))
    }
}

fn pool(settings: PoolSettings) -> (Pool, Arc<Nowhere>) {
    let connector = Arc::new(Nowhere::default());
    (Pool::new(settings, connector.clone()), connector)
}

fn count(pool: &Pool) -> usize {
    pool.0.read().len()
}

/// A minute, and the tasks that wait for it.
async fn minute() {
    tokio::time::sleep(Duration::from_secs(60)).await;
    for _ in 0..10 {
        tokio::task::yield_now().await;
    }
}

#[tokio::test(start_paused = true)]
async fn channels_grow_by_two_a_minute_and_are_warm_before_they_are_used() {
    let (pool, connector) = pool(PoolSettings::service());
    let calls: Vec<_> = (0..350).map(|_| pool.lease().unwrap()).collect();
    assert_eq!(count(&pool), 10);
    for expected in [12, 14, 14] {
        minute().await;
        assert_eq!(count(&pool), expected);
    }
    assert_eq!(connector.made.load(Ordering::SeqCst), 14);
    assert_eq!(connector.primed.load(Ordering::SeqCst), 4);
    drop(calls);
}

#[tokio::test(start_paused = true)]
async fn channels_shrink_by_two_a_minute_and_calls_on_them_go_on() {
    let (pool, _) = pool(PoolSettings::service());
    let mut calls: Vec<_> = (0..10).map(|_| pool.lease().unwrap()).collect();
    minute().await;
    assert_eq!(count(&pool), 10, "a call a channel");
    calls.truncate(1);
    // The calls of the minute before are counted.
    minute().await;
    assert_eq!(count(&pool), 10);
    for expected in [8, 6, 4, 2, 1, 1] {
        minute().await;
        assert_eq!(count(&pool), expected);
    }
    let kept = pool.0.read().pop().unwrap();
    assert_eq!(
        kept.calls.load(Ordering::SeqCst),
        1,
        "the one in use is kept"
    );
}

#[tokio::test(start_paused = true)]
async fn short_calls_count_too() {
    let (pool, _) = pool(PoolSettings::service());
    for _ in 0..3 {
        drop((0..1000).map(|_| pool.lease().unwrap()).collect::<Vec<_>>());
        minute().await;
    }
    assert_eq!(count(&pool), 16);
}

#[tokio::test(start_paused = true)]
async fn a_number_that_is_to_stay_stays() {
    let (pool, connector) = pool(PoolSettings {
        resize: None,
        ..PoolSettings::service()
    });
    let calls: Vec<_> = (0..1000).map(|_| pool.lease().unwrap()).collect();
    for _ in 0..5 {
        minute().await;
    }
    assert_eq!(count(&pool), 10);
    assert_eq!(connector.made.load(Ordering::SeqCst), 10);
    drop(calls);
}

#[tokio::test(start_paused = true)]
async fn a_pool_that_was_closed_stays_empty() {
    let (pool, _) = pool(PoolSettings::service());
    let calls: Vec<_> = (0..1000).map(|_| pool.lease().unwrap()).collect();
    pool.close();
    minute().await;
    assert_eq!(count(&pool), 0);
    drop(calls);
}

#[tokio::test(start_paused = true)]
async fn every_channel_is_replaced_within_fifty_minutes() {
    let (pool, connector) = pool(PoolSettings {
        resize: None,
        ..PoolSettings::service()
    });
    drop(pool.lease());
    let first = pool.0.read();
    for _ in 0..50 {
        minute().await;
    }
    let now = pool.0.read();
    let kept = first
        .iter()
        .filter(|old| now.iter().any(|new| Arc::ptr_eq(old, new)));
    assert_eq!(kept.count(), 0);
    assert_eq!((now.len(), connector.made.load(Ordering::SeqCst)), (10, 20));
}

#[tokio::test(start_paused = true)]
async fn a_channel_that_fails_is_left_to_one_call_at_a_time() {
    let (pool, _) = pool(PoolSettings {
        channels: 4,
        resize: None,
        ..PoolSettings::service()
    });
    let failing = pool.lease().unwrap();
    failing.too_slow();
    let calls = |count| {
        let calls: Vec<_> = (0..count).map(|_| pool.lease().unwrap()).collect();
        let on_it = |call: &&Lease| Arc::ptr_eq(&call.0, &failing.0);
        calls.iter().filter(on_it).count()
    };
    assert_eq!(calls(100), 0);
    tokio::time::sleep(Duration::from_secs(2)).await;
    assert_eq!(calls(100), 1);
    assert!(pool.has_other(&failing, |other| !other.fails()));
    for other in pool.0.read() {
        other.line.dial.too_slow();
    }
    assert!(!pool.has_other(&failing, |other| !other.fails()));
    assert!((20..30).contains(&calls(100)), "all fail alike");
}
