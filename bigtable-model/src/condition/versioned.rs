//! Writes that state the version of the event from which they were made.

use crate::model::{Column, EventWriter, Model, ModelSchema, Update, column_name, described_event};
use crate::value::{CellValue, ValueError};
use crate::{Error, Timestamp};

use super::checked::checked_update;
use super::{CheckedWrite, ColumnTest, Condition};

/// Models with a field marked `version`: an integer that each such write raises by one, so that a
/// write from an older state is refused
/// ([`insert_if_unchanged`](crate::BackendExt::insert_if_unchanged)). The derive implements it.
///
/// ```
/// use bigtable_model::Model;
/// use bigtable_model::condition::VersionedModel;
///
/// #[derive(Model)]
/// #[bigtable(table = "ACCOUNT", family = "A")]
/// struct Account {
///     #[bigtable(key)]
///     id: u64,
///     cents: i64,
///     #[bigtable(version)]
///     edition: u32,
/// }
///
/// let account = Account { id: 7, cents: 100, edition: 3 };
/// assert_eq!(account.version(), 3);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no version to compare",
    label = "has no field marked `version`",
    note = "add `#[bigtable(version)]` to a field that is an integer, or write under a condition by `insert_if`"
)]
pub trait VersionedModel: Model {
    /// The type of the version.
    type Version: VersionNumber;

    /// The handle on its column.
    fn version_column() -> Column<Self, Self::Version>;

    /// The event's version; 0 if it was never written.
    fn version(&self) -> Self::Version;

    /// Sets the event's version, without writing it.
    fn set_version(&mut self, version: Self::Version);
}

/// Types of fields marked `version`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a version",
    label = "not an integer",
    note = "versions are counted from 1: give the field one of the types `u8` to `u64` and `i8` to `i64`"
)]
pub trait VersionNumber: CellValue + Copy + Send + sealed::Sealed + 'static {
    /// The number; `None` if it is negative.
    #[doc(hidden)]
    fn number(self) -> Option<u64>;

    /// The version for a number; `None` beyond the type's range.
    #[doc(hidden)]
    fn of(number: u64) -> Option<Self>;
}

mod sealed {
    pub trait Sealed {}
}

macro_rules! versions {
    ($($type:ty),*) => {$(
        impl sealed::Sealed for $type {}

        impl VersionNumber for $type {
            fn number(self) -> Option<u64> {
                u64::try_from(self).ok()
            }

            fn of(number: u64) -> Option<Self> {
                Self::try_from(number).ok()
            }
        }
    )*};
}

versions!(u8, u16, u32, u64, i8, i16, i32, i64);

/// The version that a write states, and the one that it sets.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stated<V> {
    version: V,
    number: u64,
    pub(crate) next: V,
}

impl<V: VersionNumber> Stated<V> {
    fn new(version: V) -> Result<Self, ValueError> {
        let number = version.number().ok_or_else(|| {
            ValueError::refused(
                "a version",
                "versions are counted from 1, and none is below 0",
            )
        })?;
        let next = number.checked_add(1).and_then(V::of).ok_or_else(|| {
            let full = format!("{number} is the last one that its type has");
            ValueError::refused("a version", full)
        })?;
        Ok(Self {
            version,
            number,
            next,
        })
    }

    /// The version of an event.
    ///
    /// # Errors
    /// [`Error::Value`] if no version follows it; [`Error::Key`] if the key cannot hold the event's
    /// segments.
    pub(crate) fn of_event<M: VersionedModel<Version = V>>(event: &M) -> Result<Self, Error> {
        Self::new(event.version()).map_err(|source| {
            EventWriter::of_event(event)
                .map_or_else(|error| error, |writer| refused::<M>(&writer, source))
        })
    }

    /// The condition of an insert: the version is the stored one, or it is 0 and nothing is stored
    /// of the event. If the column has a default, an event that lacks it is at version 0.
    pub(crate) fn of_insert<M: VersionedModel<Version = V>>(&self) -> ColumnTest {
        let column = M::version_column();
        let same = column.equals(self.version);
        let test = match (self.number, may_lack::<M>()) {
            (0, true) => same.or(column.is_absent()),
            (0, false) => same.or(Condition::any_column().negate()),
            _ => same,
        };
        test.into_test()
    }

    /// The condition of an update, whose event must exist.
    fn of_update<M: VersionedModel<Version = V>>(&self) -> ColumnTest {
        let column = M::version_column();
        let same = column.equals(self.version);
        let test = match (self.number, may_lack::<M>()) {
            (0, true) => same.or(column.is_absent().and(Condition::exists())),
            _ => same,
        };
        test.into_test()
    }

    /// The error of a write whose condition did not hold.
    #[cold]
    pub(crate) fn conflict(&self, schema: &ModelSchema, place: WritePlace) -> Error {
        Error::Conflict {
            table: place.table,
            key: described_event(schema, &place.key, place.time),
            version: self.number,
        }
    }
}

/// Whether events may lack the column, such as events written before it was declared.
fn may_lack<M: VersionedModel>() -> bool {
    let column = M::SCHEMA.columns.get(M::version_column().index());
    column.is_some_and(|column| column.optional)
}

/// The event of a write, for errors.
pub(crate) struct WritePlace {
    table: String,
    key: bytes::Bytes,
    time: Option<Timestamp>,
}

impl CheckedWrite {
    pub(crate) fn place(&self) -> WritePlace {
        WritePlace {
            table: self.request.table.clone(),
            key: self.request.key.clone(),
            time: self.time,
        }
    }
}

#[cold]
fn refused<M: VersionedModel>(event: &EventWriter, source: ValueError) -> Error {
    let column = M::SCHEMA.columns.get(M::version_column().index());
    Error::Value {
        table: M::SCHEMA.table_in_errors(event.time()),
        key: event.described_key(),
        column: column.map_or_else(String::new, |one| column_name(&one.family, &one.qualifier)),
        source,
    }
}

impl<M: VersionedModel> Update<M> {
    /// The update of an event at a version, with the next version.
    ///
    /// # Errors
    /// Those of [`checked`](Update::checked), and [`Error::Value`] if no version follows.
    pub(crate) fn at_version(
        self,
        now: Timestamp,
        version: M::Version,
    ) -> Result<(CheckedWrite, Stated<M::Version>), Error> {
        let column = M::version_column();
        let stated = Stated::new(version);
        let next = stated.as_ref().ok().map(|stated| stated.next);
        let update = self.change(|event| match next {
            Some(next) => (column.access().write)(&next, column.index(), event),
            None => Ok(()),
        });
        let changes = update.written()?;
        let stated = stated.map_err(|source| refused::<M>(&changes, source))?;
        let write = checked_update(changes, now, &stated.of_update::<M>())?;
        Ok((write, stated))
    }
}
