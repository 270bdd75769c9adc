//! Rows written by a model as it was, read by what became of it.

use std::fmt::Debug;
use std::sync::Arc;

use bigtable_model::backend::grpc::{GrpcBackend, GrpcSettings};
use bigtable_model::lock::{Class, Lock, Locked, compare};
use bigtable_model::{Backend, BackendExt as _, Error, MemoryBackend, Model};
use bigtable_model_tests::emulator::Emulator;
use futures::future::BoxFuture;

/// What becomes of stored events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fate {
    /// Each is read, and equal but for what the change is about.
    Equal,
    /// Reading is an error that says what is wrong.
    Error,
    /// Some are not seen.
    Hidden,
    /// Each is read, and some are others.
    Other,
}

/// A model as it was, and events of it.
pub(crate) trait Former: Model {
    fn events() -> Vec<Self>;
}

/// What is expected of one change.
pub(crate) struct Expected<Was, Now> {
    /// What the lock says; nothing is a change of the source alone.
    pub(crate) class: Option<Class>,
    pub(crate) fate: Fate,
    /// The event that a stored one is now.
    pub(crate) now: fn(&Was) -> Now,
}

/// Reads all events of a table.
pub(crate) type Fetch<Now> = for<'a> fn(&'a dyn Backend) -> BoxFuture<'a, Result<Vec<Now>, Error>>;

/// Checks the class that the lock gives to a change, and that rows bear it out.
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
    db.ensure_table::<Was>().await.unwrap();
    let events = Was::events();
    db.insert_many(&events).await.into_result().unwrap();
    db.ensure_table::<Now>().await.unwrap();
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

/// Memory, and the emulator where it is installed; the name keeps tests apart there.
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

/// A change: what the lock says and what becomes of stored events, the model as it was, as it is,
/// and the event that a stored one is then.
///
/// `nothing` in place of a class is a change of the source alone.
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
                    Box::pin(async move { Now::query().scan().fetch(db).await })
                })
                .await;
            }
        }
    };
}

/// A class, or none.
macro_rules! class {
    (nothing) => {
        None
    };
    ($class:ident) => {
        Some(bigtable_model::lock::Class::$class)
    };
}

pub(crate) use {change, class};
