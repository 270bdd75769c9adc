//! Compares models with a lock.

use std::collections::BTreeMap;
use std::marker::PhantomData;

use super::change::{Change, Class, Subject};
use super::compare::differences;
use super::golden::{self, Reread};
use super::locked::FORMAT;
use super::{Lock, LockError, Locked, LockedRow};
use crate::model::{ColumnSchema, Model};

/// Models whose stored forms a lock file keeps: a model, or a tuple of up to 12 models or tuples.
pub trait Models {
    /// Adds the form of each model for comparison.
    ///
    /// # Errors
    /// [`LockError::Sample`].
    #[doc(hidden)]
    fn add_to(list: &mut Vec<Current>) -> Result<(), LockError>;
}

/// A model with a sample event, whose row the [lock file](super) keeps if it names the model as
/// [`Sampled<Self>`](Sampled).
///
/// Without one the row consists of the sample values of the columns' codecs. For your own types
/// that serde stores as JSON or postcard they may have none: then the lock does not check how such
/// values are written.
///
/// ```
/// # use bigtable_model::{Model, Timestamp};
/// # use serde::{Deserialize, Serialize};
/// use bigtable_model::lock::{Lock, Locked, Sample, Sampled, compare};
///
/// #[derive(Serialize, Deserialize)]
/// struct Position {
///     latitude: f64,
///     longitude: f64,
/// }
///
/// #[derive(Model)]
/// #[bigtable(table = "TRACK", family = "T")]
/// struct Track {
///     #[bigtable(key)]
///     vehicle: String,
///     #[bigtable(time)]
///     at: Timestamp,
///     #[bigtable(json)]
///     position: Position,
/// }
///
/// impl Sample for Track {
///     fn sample() -> Self {
///         Self {
///             vehicle: "taxi7".to_owned(),
///             at: Timestamp::from_seconds(1_426_535_612),
///             position: Position { latitude: 52.5, longitude: 13.25 },
///         }
///     }
/// }
///
/// let mut lock = Lock::default();
/// lock.models.insert("Track".to_owned(), Locked::of_event(&Track::sample())?);
/// assert_eq!(compare::<Sampled<Track>>(&lock)?, []);
/// // In a test: `lock::check::<(Sampled<Track>, Vehicle)>("layouts.lock")`.
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Sample: Model {
    /// The event. With another event the lock file does not match.
    fn sample() -> Self;
}

/// In a list of models, a model with its [sample event](Sample).
#[derive(Debug)]
pub struct Sampled<M>(PhantomData<fn() -> M>);

/// A model in its current form.
#[doc(hidden)]
#[derive(Debug)]
pub struct Current {
    pub(super) name: String,
    pub(super) locked: Locked,
    pub(super) reread: fn(&LockedRow) -> Reread,
}

impl Current {
    fn of<M: Model>(locked: Locked) -> Self {
        Self {
            name: M::SCHEMA.model.to_string(),
            locked,
            reread: golden::reread::<M>,
        }
    }
}

impl<M: Model> Models for M {
    fn add_to(list: &mut Vec<Current>) -> Result<(), LockError> {
        list.push(Current::of::<M>(Locked::of::<M>()));
        Ok(())
    }
}

impl<M: Sample> Models for Sampled<M> {
    fn add_to(list: &mut Vec<Current>) -> Result<(), LockError> {
        let locked = Locked::of_event(&M::sample()).map_err(|source| LockError::Sample {
            model: M::SCHEMA.model.to_string(),
            source: Box::new(source),
        })?;
        list.push(Current::of::<M>(locked));
        Ok(())
    }
}

macro_rules! tuples {
    ($($first:ident $($rest:ident)*)?) => {$(
        impl<$first: Models, $($rest: Models),*> Models for ($first, $($rest,)*) {
            fn add_to(list: &mut Vec<Current>) -> Result<(), LockError> {
                $first::add_to(list)?;
                $($rest::add_to(list)?;)*
                Ok(())
            }
        }

        tuples!($($rest)*);
    )?};
}

tuples!(A B C D E F G H I J K L);

/// The stored forms of models; two models with one name are refused.
pub(super) fn current<M: Models>() -> Result<BTreeMap<String, Current>, LockError> {
    let mut list = Vec::new();
    M::add_to(&mut list)?;
    let mut models = BTreeMap::new();
    for one in list {
        if models.contains_key(&one.name) {
            return Err(LockError::SameName(one.name));
        }
        models.insert(one.name.clone(), one);
    }
    Ok(models)
}

/// The changes between the stored forms in a lock and the models, by the models' names.
///
/// # Errors
/// [`LockError::SameName`] and [`LockError::Format`].
pub fn compare<M: Models>(lock: &Lock) -> Result<Vec<Change>, LockError> {
    compare_all(lock, &current::<M>()?)
}

pub(super) fn compare_all(
    lock: &Lock,
    models: &BTreeMap<String, Current>,
) -> Result<Vec<Change>, LockError> {
    if lock.format != FORMAT {
        return Err(LockError::Format(lock.format));
    }
    let is_new = |name: &String| !lock.models.contains_key(name);
    let new: Vec<&Current> = models.values().filter(|one| is_new(&one.name)).collect();
    let mut renamed = Vec::new();
    let mut changes = Vec::new();
    for (name, was) in &lock.models {
        let same = new
            .iter()
            .find(|one| differences(name, was, &one.locked).is_empty());
        match (models.get(name), same) {
            (Some(now), _) => match former_of(models, was, now) {
                Some(former) => {
                    renamed.push(&former.name);
                    changes.push(of_other_layout(now, &former.name));
                }
                None => changes.extend(of_model(name, was, now)),
            },
            // The struct's name is not stored.
            (None, Some(same)) => renamed.push(&same.name),
            (None, None) => changes.push(gone(name, was)),
        }
    }
    let added = new.iter().filter(|one| !renamed.contains(&&one.name));
    changes.extend(added.map(|one| not_locked(one)));
    Ok(changes)
}

/// The model that a changed model names as its former layout, if that is unchanged since the lock:
/// it reads the stored rows.
fn former_of<'a>(
    models: &'a BTreeMap<String, Current>,
    was: &Locked,
    now: &Current,
) -> Option<&'a Current> {
    let named = now.locked.was.as_ref().filter(|_| was.was.is_none())?;
    let former = models.get(named)?;
    let changes = differences(named, was, &former.locked);
    changes.is_empty().then_some(former)
}

fn of_other_layout(now: &Current, former: &str) -> Change {
    Change {
        meaning: format!(
            "its layout is new, and stored rows are read as those of `{former}`, which is unchanged; rewrite the file before the first row of the new layout is stored"
        )
        .into(),
        ..not_locked(now)
    }
}

/// The changes of a model. Beyond its parts, its rows are compared: the row of a fixed event must
/// be written as before, and the locked row must read as before.
fn of_model(name: &str, was: &Locked, now: &Current) -> Vec<Change> {
    let mut changes = differences(name, was, &now.locked);
    if changes
        .iter()
        .any(|change| change.class == Class::StoredBytes)
    {
        return changes;
    }
    if changes.is_empty() && is_described_otherwise(was, &now.locked) {
        changes.push(Change {
            model: name.to_owned(),
            subject: Subject::Described,
            class: Class::Reads,
            was: None,
            now: None,
            meaning: "a write does something else, or a field takes other values; rewrite the file for programs without the struct"
                .into(),
        });
    }
    let told = !changes.is_empty();
    changes.extend(golden_meaning(was, now, told).map(|meaning| Change {
        model: name.to_owned(),
        subject: Subject::Golden,
        class: Class::StoredBytes,
        was: None,
        now: None,
        meaning: meaning.into(),
    }));
    changes
}

/// Whether the description for programs without the struct differs in the effects of writes or the
/// values of fields.
fn is_described_otherwise(was: &Locked, now: &Locked) -> bool {
    let known = |locked: &Locked| {
        let described = locked.described.clone()?;
        let columns = described.schema.columns.iter().zip(described.columns);
        let name = |one: &ColumnSchema| (one.family.to_string(), one.qualifier.to_string());
        let columns: BTreeMap<_, _> = columns.map(|(one, of)| (name(one), of)).collect();
        let append_only = described.schema.append_only;
        Some((
            columns,
            described.maps,
            described.segments,
            described.effects,
            append_only,
        ))
    };
    was.described.is_some() && known(was) != known(now)
}

/// The problem with the row of a fixed event. `told` is whether the model changed in a way that
/// rows may show.
fn golden_meaning(was: &Locked, now: &Current, told: bool) -> Option<String> {
    let own = &now.locked.golden;
    if !told && *own != was.golden {
        return Some(format!(
            "the same event is written otherwise, as {} in place of {}: a codec or a library changed its bytes",
            in_words(own),
            in_words(&was.golden)
        ));
    }
    // If some required field has no fixed value, the row cannot be read.
    if (now.reread)(own) != Reread::Row(own.clone()) {
        return None;
    }
    match (now.reread)(&was.golden) {
        Reread::Refused(reason) => Some(format!(
            "the row of the lock file cannot be read any more: {reason}"
        )),
        Reread::Row(_) | Reread::Nothing => None,
    }
}

fn in_words(row: &LockedRow) -> String {
    format!("{} [{}]", row.key, row.cells.join(", "))
}

fn gone(name: &str, was: &Locked) -> Change {
    Change {
        model: name.to_owned(),
        subject: Subject::Whole,
        class: Class::StoredBytes,
        was: Some(format!("{} in {}", was.key, was.table)),
        now: None,
        meaning: "its rows are no longer read; once they are deleted, rewrite the file".into(),
    }
}

fn not_locked(now: &Current) -> Change {
    Change {
        model: now.name.clone(),
        subject: Subject::Whole,
        class: Class::NotLocked,
        was: None,
        now: Some(format!("{} in {}", now.locked.key, now.locked.table)),
        meaning: "the lock file lacks it; rewrite the file before its first row is stored".into(),
    }
}
