//! Conditions on the columns of an event, for writes that depend on them and for queries.
//!
//! A [`Condition`] is built from the handles of columns and means the same everywhere: it decides
//! whether a write is made ([`insert_if`](crate::BackendExt::insert_if), `send_if` of an update,
//! [`delete_if`](crate::BackendExt::delete_if)), and which events a query returns (`matching`).
//!
//! - `equals` and `one_of` compare the bytes that the column's codec writes. For numbers stored
//!   natively and for text this is equality; but as text 600.5 is not 600.50, and for floats -0.0
//!   is not 0.0.
//! - `gt`, `ge`, `lt`, `le`, `between` and `within` compare values. They treat -0.0 as 0.0, and NaN
//!   as neither above nor below anything.
//! - An absent column equals nothing and is in no range. `negate` is plain negation: it holds
//!   whenever the condition does not, even for an event that lacks the column.
//! - A field with a `default` is compared as it is read: in an event without the column it has its
//!   default. `is_present` and `is_absent` check what is stored.
//! - Columns named at run time are compared like others: `Host::FIELDS.cpu.entry("user").gt(0.5)`.
//! - If an event does not exist, every column is absent. [`Condition::exists`] checks for the event
//!   itself, by its presence column. [`Condition::any_column`] checks for anything stored under its
//!   key, such as the columns of an update.
//!
//! Fields of a serialised event are not columns, so only [`Condition::exists`] applies to it.
//!
//! # Writes
//!
//! Comparing and writing are one step of the server (`CheckAndMutateRow`);
//! [`insert_if`](crate::BackendExt::insert_if) says what that needs and what an error leaves open.
//! Writes that have to read first cannot be conditional and are refused: updates and deletes in
//! layout `qualifiers`, deletes of events with run-time columns in layouts other than `row`.
//! Expired cells are not compared, even if they are still stored: the filter leaves them out, and
//! if it is too large, the write is refused.
//!
//! # Queries
//!
//! `matching` filters events; only the key narrows the rows that are read. The client compares
//! every event, since the server's filters do not compare and read in one step.
//! [`explain`](crate::query::Query::explain) says what the server leaves out:
//!
//! | layout | what the server leaves out |
//! |---|---|
//! | `row` | events for which the condition does not hold |
//! | `cells`, `columns`, `qualifiers` | cells with other values of a column that must have certain ones: `equals`, `one_of`, `within`, `gt` and the like, alone or joined by `and` |
//! | `latest` | nothing. The newest event is compared, and no older one replaces it |
//!
//! A condition that is too large for a filter is compared only by the client. The server still
//! reads the rows that it leaves out, and conditions with `negate` or `is_absent` are the slowest:
//! for frequent queries choose a suitable key or a [mirror](crate::mirror).
//!
//! ```
//! use bigtable_model::condition::Condition;
//! use bigtable_model::{BackendExt, MemoryBackend, Model, Timestamp};
//!
//! #[derive(Debug, Clone, PartialEq, Model)]
//! #[bigtable(table = "QUOTE", family = "MD")]
//! struct Quote {
//!     #[bigtable(key)]
//!     symbol: String,
//!     #[bigtable(time, unit = "s")]
//!     at: Timestamp,
//!     bid: f64,
//!     bid_size: Option<u32>,
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), bigtable_model::Error> {
//! let db = MemoryBackend::new();
//! db.ensure_tables::<Quote>().await?;
//! let at = Timestamp::from_seconds(1_426_535_612);
//! let quote = Quote { symbol: "ZXZZT".into(), at, bid: 600.55, bid_size: None };
//! assert!(db.insert_if_absent(&quote).await?);
//! assert!(!db.insert_if_absent(&Quote { bid: 1.0, ..quote.clone() }).await?);
//!
//! let key = quote.key();
//! let unchanged = Quote::FIELDS.bid.equals(600.55);
//! assert!(db.send_if(Quote::update(&key).bid(600.60), unchanged.clone()).await?);
//! assert!(!db.send_if(Quote::update(&key).bid(600.70), unchanged).await?);
//!
//! let large = Quote::FIELDS.bid_size.within(100..).or(Quote::FIELDS.bid_size.is_absent());
//! assert_eq!(Quote::FIELDS.bid_size.is_absent().to_string(), "MD:bid_size is absent");
//! assert_eq!(db.count(&Quote::query().symbol("ZXZZT").events().matching(large)).await?, 1);
//!
//! assert!(db.delete_if::<Quote>(&key, Condition::exists()).await?);
//! assert!(!db.delete_if::<Quote>(&key, Condition::exists()).await?);
//! # Ok(())
//! # }
//! ```

mod checked;
mod column;
mod filter;
mod numbers;
mod ranged;
mod refused;
mod test;
#[cfg(test)]
mod tests;
mod versioned;
mod words;
mod write;

use std::fmt;
use std::marker::PhantomData;

pub use crate::error::ConditionError;
#[doc(inline)]
pub use crate::model::ColumnId;
#[cfg(test)]
pub(crate) use checked::under;
pub(crate) use checked::{checked_delete, checked_insert};
pub(crate) use filter::{ValueRange, fits, predicate};
pub(crate) use ranged::ranges_of;
#[doc(hidden)]
pub use ranged::{RangedField, StoredNatively};
pub use test::ColumnTest;
#[doc(hidden)]
pub use versioned::VersionNumber;
pub use versioned::VersionedModel;
pub(crate) use versioned::{Stated, WritePlace};
pub(crate) use write::CheckedWrite;

use crate::model::Model;
use words::Words;

/// A condition on the columns of an event of model `M`; see the [module](self).
#[must_use = "it does nothing until a write or a query takes it"]
pub struct Condition<M> {
    test: ColumnTest,
    model: PhantomData<fn() -> M>,
}

impl<M> Condition<M> {
    pub(crate) fn of(test: ColumnTest) -> Self {
        Self {
            test,
            model: PhantomData,
        }
    }

    /// The event exists: it has the column, or the marker, that marks an event. Queries return no
    /// other events.
    ///
    /// Its negation also holds if only other columns of an event are stored: by updates, or by a
    /// version of the model that marked events by another column. For a write that must not
    /// overwrite anything, use the negation of [`any_column`](Condition::any_column).
    ///
    /// ```
    /// # use bigtable_model::Model;
    /// # #[derive(Model)]
    /// # #[bigtable(table = "QUOTE", family = "MD")]
    /// # struct Quote {
    /// #     #[bigtable(key)]
    /// #     symbol: String,
    /// #     bid: f64,
    /// #     bid_size: Option<u32>,
    /// # }
    /// # use bigtable_model::condition::Condition;
    /// let there = Condition::<Quote>::exists();
    /// assert_eq!(there.negate().to_string(), "the event is not there");
    /// ```
    pub fn exists() -> Self {
        Self::of(ColumnTest::Exists)
    }

    /// Something is stored for the event: any column that the model declares, its marker, or a
    /// run-time column. Queries return no other events.
    ///
    /// Columns that belong to a row of many events, or to other models, do not count. In a family
    /// of run-time columns, and in the family of the values in layout `qualifiers`, all columns
    /// belong to the model.
    ///
    /// ```
    /// # use bigtable_model::Model;
    /// # #[derive(Model)]
    /// # #[bigtable(table = "QUOTE", family = "MD")]
    /// # struct Quote {
    /// #     #[bigtable(key)]
    /// #     symbol: String,
    /// #     bid: f64,
    /// #     bid_size: Option<u32>,
    /// # }
    /// # use bigtable_model::condition::Condition;
    /// let free = Condition::<Quote>::any_column().negate();
    /// assert_eq!(free.to_string(), "the event has no column");
    /// ```
    pub fn any_column() -> Self {
        Self::of(ColumnTest::AnyColumn)
    }

    /// Both hold.
    ///
    /// ```
    /// # use bigtable_model::Model;
    /// # #[derive(Model)]
    /// # #[bigtable(table = "QUOTE", family = "MD")]
    /// # struct Quote {
    /// #     #[bigtable(key)]
    /// #     symbol: String,
    /// #     bid: f64,
    /// #     bid_size: Option<u32>,
    /// # }
    /// let two = Quote::FIELDS.bid_size.is_present().and(Quote::FIELDS.bid_size.within(..10));
    /// assert!(two.to_string().starts_with("MD:bid_size is present and MD:bid_size from the first"));
    /// ```
    pub fn and(self, other: Self) -> Self {
        Self::of(self.test.and(other.test))
    }

    /// One of them holds, or both.
    ///
    /// ```
    /// # use bigtable_model::Model;
    /// # #[derive(Model)]
    /// # #[bigtable(table = "QUOTE", family = "MD")]
    /// # struct Quote {
    /// #     #[bigtable(key)]
    /// #     symbol: String,
    /// #     bid: f64,
    /// #     bid_size: Option<u32>,
    /// # }
    /// let few = Quote::FIELDS.bid_size.within(..10).or(Quote::FIELDS.bid_size.is_absent());
    /// assert!(few.to_string().ends_with("or MD:bid_size is absent"));
    /// ```
    pub fn or(self, other: Self) -> Self {
        Self::of(self.test.or(other.test))
    }

    /// All of them hold. It also takes an `Option`, for a condition that a user may leave out.
    /// Without conditions it holds for every event.
    ///
    /// ```
    /// # use bigtable_model::Model;
    /// # #[derive(Model)]
    /// # #[bigtable(table = "QUOTE", family = "MD")]
    /// # struct Quote {
    /// #     #[bigtable(key)]
    /// #     symbol: String,
    /// #     bid: f64,
    /// #     bid_size: Option<u32>,
    /// # }
    /// use bigtable_model::condition::Condition;
    ///
    /// let least: Option<u32> = None;
    /// let asked = Condition::all(least.map(|least| Quote::FIELDS.bid_size.within(least..)));
    /// assert_eq!(asked.to_string(), "always");
    /// let query = Quote::query().symbol("ZXZZT").events().matching(asked);
    /// ```
    pub fn all(conditions: impl IntoIterator<Item = Self>) -> Self {
        let tests = conditions.into_iter().map(Self::into_test);
        let test = tests.reduce(ColumnTest::and);
        Self::of(test.unwrap_or(ColumnTest::All(Vec::new())))
    }

    /// At least one of them holds. Without conditions it holds for no event.
    ///
    /// ```
    /// # use bigtable_model::Model;
    /// # #[derive(Model)]
    /// # #[bigtable(table = "QUOTE", family = "MD")]
    /// # struct Quote {
    /// #     #[bigtable(key)]
    /// #     symbol: String,
    /// #     bid: f64,
    /// #     bid_size: Option<u32>,
    /// # }
    /// use bigtable_model::condition::Condition;
    ///
    /// let lots = [100..200, 1_000..2_000].map(|lot| Quote::FIELDS.bid_size.within(lot));
    /// assert!(Condition::any(lots).to_string().contains(" or MD:bid_size from "));
    /// assert_eq!(Condition::<Quote>::any([]).to_string(), "never");
    /// ```
    pub fn any(conditions: impl IntoIterator<Item = Self>) -> Self {
        let tests = conditions.into_iter().map(Self::into_test);
        let test = tests.reduce(ColumnTest::or);
        Self::of(test.unwrap_or(ColumnTest::Any(Vec::new())))
    }

    /// It does not hold. The negation of a comparison also holds for an event that lacks the
    /// column.
    ///
    /// ```
    /// # use bigtable_model::Model;
    /// # #[derive(Model)]
    /// # #[bigtable(table = "QUOTE", family = "MD")]
    /// # struct Quote {
    /// #     #[bigtable(key)]
    /// #     symbol: String,
    /// #     bid: f64,
    /// #     bid_size: Option<u32>,
    /// # }
    /// let other = Quote::FIELDS.bid_size.equals(7_u32).negate();
    /// assert_eq!(other.clone().negate(), Quote::FIELDS.bid_size.equals(7_u32));
    /// ```
    pub fn negate(self) -> Self {
        Self::of(self.test.negate())
    }

    /// The condition as data.
    ///
    /// ```
    /// # use bigtable_model::Model;
    /// # #[derive(Model)]
    /// # #[bigtable(table = "QUOTE", family = "MD")]
    /// # struct Quote {
    /// #     #[bigtable(key)]
    /// #     symbol: String,
    /// #     bid: f64,
    /// #     bid_size: Option<u32>,
    /// # }
    /// use bigtable_model::condition::{ColumnId, ColumnTest};
    /// let absent = Quote::FIELDS.bid_size.is_absent();
    /// let bid_size = ColumnTest::Present(ColumnId::Declared(1));
    /// assert_eq!(absent.test(), &ColumnTest::Not(Box::new(bid_size)));
    /// ```
    #[must_use]
    pub fn test(&self) -> &ColumnTest {
        &self.test
    }

    pub(crate) fn into_test(self) -> ColumnTest {
        self.test
    }
}

impl<M> Clone for Condition<M> {
    fn clone(&self) -> Self {
        Self::of(self.test.clone())
    }
}

impl<M> PartialEq for Condition<M> {
    fn eq(&self, other: &Self) -> bool {
        self.test == other.test
    }
}

impl<M> fmt::Debug for Condition<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Condition").field(&self.test).finish()
    }
}

/// Shows columns by name and values as bytes.
impl<M: Model> fmt::Display for Condition<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", Words::new(M::SCHEMA, &self.test))
    }
}

/// A condition in words.
pub(crate) fn words(schema: &crate::model::ModelSchema, test: &ColumnTest) -> String {
    Words::new(schema, test).to_string()
}
