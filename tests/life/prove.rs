//! Rows written by a former model and read by the changed one.

use std::fmt::Debug;
use std::sync::Arc;

use bigtable_model::backend::grpc::{GrpcBackend, GrpcSettings};
use bigtable_model::lock::{Class, Lock, Locked, compare};
use bigtable_model::{Backend, BackendExt as _, Error, MemoryBackend, Model};
use bigtable_model_tests::emulator::Emulator;
use futures::future::BoxFuture;

/// What happens to stored events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fate {
    /// All are read, and equal except for the change.
    Equal,
    /// Reading fails with an error that says what is wrong.
    Error,
    /// Some are invisible.
    Hidden,
    /// All are read, but some are different.
    Other,
}

/// A former model and its events.
pub(crate) trait Former: Model {
    fn events() -> Vec<Self>;
}

/// The expectation for a change.
pub(crate) struct Expected<Was, Now> {
    /// The lock's class; `None` for a change of the source only.
    pub(crate) class: Option<Class>,
    pub(crate) fate: Fate,
    /// The current form of a stored event.
    pub(crate) now: fn(&Was) -> Now,
}

/// Reads all events of a table.
pub(crate) type Fetch<Now> = for<'a> fn(&'a dyn Backend) -> BoxFuture<'a, Result<Vec<Now>, Error>>;

/// Checks the class that the lock gives to a change, and compares it with the actual rows.
pub(crate) async fn prove<Was, Now>(name: &str, expected: Expected<Was, Now>, fetch: Fetch<Now>)
where
    Was: Former,
    Now: Model + Debug + PartialEq,
{
    let mut lock = Lock::default();
    let model = Now::SCHEMA.model.to_string();
    lock.models.insert(model, Locked::of::<Was>());
    let changes = compare::<Now>(&lock).unwrap();
    let class = changes.iter().map(|change| change.class).min();
    assert_eq!(class, expected.class, "{changes:#?}");
    if class != Some(Class::StoredBytes) {
        assert_eq!(
            expected.fate,
            Fate::Equal,
            "what is allowed keeps every event"
        );
    }
    for db in backends(name) {
        let found = fate::<Was, Now>(&*db, expected.now, fetch).await;
        assert_eq!(found, expected.fate, "{changes:#?}");
    }
}

async fn fate<Was, Now>(db: &dyn Backend, now: fn(&Was) -> Now, fetch: Fetch<Now>) -> Fate
where
    Was: Former,
    Now: Model + Debug + PartialEq,
{
    db.ensure_tables::<Was>().await.unwrap();
    let events = Was::events();
    db.insert_many(&events).await.into_result().unwrap();
    db.ensure_tables::<Now>().await.unwrap();
    let sorted = |mut events: Vec<Now>| {
        events.sort_by_key(|event| format!("{event:?}"));
        events
    };
    let expected = sorted(events.iter().map(now).collect());
    match fetch(db).await {
        Err(_) => Fate::Error,
        Ok(found) if found.len() < expected.len() => Fate::Hidden,
        Ok(found) => match sorted(found) == expected {
            true => Fate::Equal,
            false => Fate::Other,
        },
    }
}

/// Memory, and the emulator if it is installed; the name separates tests there.
pub(crate) fn backends(name: &str) -> Vec<Arc<dyn Backend>> {
    let memory: Arc<dyn Backend> = Arc::new(MemoryBackend::new());
    let emulated = Emulator::shared().map(|emulator| {
        let settings = GrpcSettings::new("life", name.replace('_', "-"));
        let settings = settings.emulator(emulator.address());
        let backend: Arc<dyn Backend> = Arc::new(GrpcBackend::new(&settings).unwrap());
        backend
    });
    [memory].into_iter().chain(emulated).collect()
}

/// A change: the lock's class and the effect on stored events, the former model, the current model,
/// and the current form of a stored event.
///
/// `nothing` instead of a class is a change of the source only.
macro_rules! change {
    ($name:ident: $class:tt, $fate:ident; $was:ty => { $($now:tt)* } |$event:ident| $made:expr) => {
        #[allow(unused_imports, reason = "not every model takes all")]
        mod $name {
            use super::*;
            use bigtable_model::Model;

            #[derive(Debug, Clone, PartialEq, Model)]
            $($now)*

            #[tokio::test]
            async fn test() {
                let expected = $crate::prove::Expected {
                    class: $crate::prove::class!($class),
                    fate: $crate::prove::Fate::$fate,
                    now: |$event: &$was| $made,
                };
                $crate::prove::prove::<$was, Now>(stringify!($name), expected, |db| {
                    Box::pin(async move { bigtable_model::BackendExt::fetch(db, &Now::scan()).await })
                })
                .await;
            }
        }
    };
}

/// A class, or `None`.
macro_rules! class {
    (nothing) => {
        None
    };
    ($class:ident) => {
        Some(bigtable_model::lock::Class::$class)
    };
}

pub(crate) use {change, class};
