//! Copies whose event no longer exists.

use futures::StreamExt as _;
use futures::future::{BoxFuture, join_all};

use super::MirrorOf;
use super::TableRepair;
use super::lookup::{Found, Sought, find, next_batch};
use super::remove::deletion;
use super::repair::are_same;
use super::report::count;
use crate::backend::Backend;
use crate::model::{Model, insert_mutations};
use crate::query::{BadRows, ByKey, EventStream, Order, Selection};
use crate::send::limits::REQUESTS_IN_FLIGHT;
use crate::send::write_rows;
use crate::{Error, Timestamp};

/// The maximum number of passes over a table of latest values: each pass reveals events older than
/// the deleted ones.
const PASSES: usize = 100;

/// Deletes the copies without an event in all mirrors of a model, one table after another.
///
/// The compiler refuses copies that do not contain their event's key:
///
/// ```compile_fail
/// use bigtable_model::{BackendExt, MemoryBackend, Model};
///
/// #[derive(Model)]
/// #[bigtable(table = "USER", family = "U", mirror(ByMail))]
/// struct User {
///     #[bigtable(key)]
///     name: String,
///     mail: String,
/// }
///
/// #[derive(Model)]
/// #[bigtable(table = "BY_MAIL", family = "U")]
/// struct ByMail {
///     #[bigtable(key)]
///     mail: String,
///     name: String,
/// }
///
/// impl From<&User> for ByMail {
///     fn from(User { name, mail }: &User) -> Self {
///         Self { mail: mail.clone(), name: name.clone() }
///     }
/// }
///
/// let strays = MemoryBackend::new().delete_strays::<User>();
/// ```
pub(crate) async fn delete_strays<M: Model>(
    backend: &dyn Backend,
) -> Result<Vec<TableRepair>, Error> {
    const {
        let mut mirrors = M::MIRRORS;
        while let [mirror, others @ ..] = mirrors {
            assert!(
                mirror.knows_source,
                "a copy that is made by `From` does not know its event, so no stray is found: implement `MirrorOf` with a `source_key` for it"
            );
            mirrors = others;
        }
    }
    let tables = M::MIRRORS.iter().map(|mirror| (mirror.strays)(backend));
    join_all(tables).await.into_iter().collect()
}

/// Reads the table of one mirror.
pub(super) fn of_table<'a, S: Model, C: MirrorOf<S>>(
    backend: &'a dyn Backend,
) -> BoxFuture<'a, Result<TableRepair, Error>> {
    Box::pin(async move {
        let mut repair = pass::<S, C>(backend).await?;
        let mut passes = 1;
        let mut deleted = repair.deleted;
        while C::SCHEMA.holds_the_newest() && deleted > 0 && passes < PASSES {
            let again = pass::<S, C>(backend).await?;
            passes += 1;
            deleted = again.deleted;
            repair.deleted += deleted;
            (repair.failed, repair.errors) = (again.failed, again.errors);
        }
        Ok(repair)
    })
}

/// Checks every copy once.
async fn pass<S: Model, C: MirrorOf<S>>(backend: &dyn Backend) -> Result<TableRepair, Error> {
    let selection = Selection {
        full_scan: true,
        order: Order::Key,
        ..Selection::default()
    };
    let mut repair = TableRepair::new(C::SCHEMA);
    let copies: EventStream<C, ByKey> = EventStream::of(backend, &selection, &BadRows::fail());
    let mut copies = copies.fuse();
    loop {
        let batch = next_batch(&mut copies, |error| repair.failed(1, error)).await?;
        if batch.is_empty() {
            return Ok(repair);
        }
        judge::<S, C>(backend, batch, &mut repair).await;
    }
}

/// Deletes the copies whose event does not exist or has no such copy.
async fn judge<S: Model, C: MirrorOf<S>>(
    backend: &dyn Backend,
    copies: Vec<C>,
    repair: &mut TableRepair,
) {
    let now = Timestamp::now();
    let mut judged = Vec::with_capacity(copies.len());
    for copy in copies {
        let Some(source) = C::source_key(&copy) else {
            repair.unknown += 1;
            continue;
        };
        repair.checked += 1;
        match Sought::new::<S>(&source) {
            Ok(sought) => judged.push((copy, sought)),
            Err(error) => repair.failed(1, error),
        }
    }
    let sought: Vec<&Sought> = judged.iter().map(|(_, sought)| sought).collect();
    let found = match find::<S>(backend, &sought).await {
        Ok(found) => found,
        Err(error) => return repair.failed(judged.len(), error),
    };
    let mut strays = Vec::new();
    for (at, ((copy, _), found)) in judged.iter().zip(found).enumerate() {
        match is_stray::<S, C>(copy, found, now) {
            Ok(false) => {}
            Ok(true) => match deletion(copy, now) {
                Ok(row) => strays.extend(row.map(|row| (at, row))),
                Err(error) => repair.failed(1, error),
            },
            Err(error) => repair.failed(1, error),
        }
    }
    let deleted = strays.len();
    let failed = write_rows(backend, C::SCHEMA, strays, REQUESTS_IN_FLIGHT).await;
    repair.deleted += count(deleted - failed.len());
    for failed in failed {
        repair.failed(1, failed.error);
    }
}

/// Whether none of the events at a copy's source key has this copy. If one cannot be read, this is
/// unknown.
fn is_stray<S: Model, C: MirrorOf<S>>(
    copy: &C,
    found: Vec<Found<S>>,
    now: Timestamp,
) -> Result<bool, Error> {
    let place = Sought::new::<C>(&copy.key())?;
    for found in found {
        let Some(own) = C::mirror_of(&found.event?) else {
            continue;
        };
        let same = match C::SCHEMA.in_layout().value_is_qualifier() {
            // The value distinguishes events at the same time.
            true => are_same(&insert_mutations(copy, now)?, &insert_mutations(&own, now)?),
            false => Sought::new::<C>(&own.key())?.is(&place),
        };
        if same {
            return Ok(false);
        }
    }
    Ok(true)
}
