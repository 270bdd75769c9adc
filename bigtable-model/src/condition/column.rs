//! Conditions on one column.

use std::error::Error as _;
use std::ops::{Bound, RangeBounds};

use bytes::Bytes;

use super::{ColumnTest, Condition, RangedField, StoredNatively};
use crate::model::{Column, EventWriter, HandleKind, Model};
use crate::value::ValueError;

impl<M: Model, T, K: HandleKind> Column<M, T, K> {
    /// The event has the column.
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
    /// #     venue: Option<String>,
    /// # }
    /// let known = Quote::FIELDS.bid_size.is_present();
    /// assert_eq!(known.to_string(), "MD:bid_size is present");
    /// ```
    pub fn is_present(&self) -> Condition<M> {
        Condition::of(ColumnTest::Present(self.index()))
    }

    /// The event lacks the column. It holds of an event that is not there, too.
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
    /// #     venue: Option<String>,
    /// # }
    /// let unknown = Quote::FIELDS.bid_size.is_absent();
    /// assert_eq!(unknown, Quote::FIELDS.bid_size.is_present().negate());
    /// ```
    pub fn is_absent(&self) -> Condition<M> {
        self.is_present().negate()
    }

    /// The column holds this value: the bytes that its codec writes. `None` is that it is absent.
    ///
    /// A value that the column can't hold is an error of the write or the query that takes the condition.
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
    /// #     venue: Option<String>,
    /// # }
    /// let full = Quote::FIELDS.bid_size.equals(100_u32);
    /// let none = Quote::FIELDS.bid_size.equals(None);
    /// assert_eq!(none, Quote::FIELDS.bid_size.is_absent());
    /// let venue = Quote::FIELDS.venue.equals("NASDAQ".to_owned());
    /// assert_eq!(venue.to_string(), r#"MD:venue = "NASDAQ""#);
    /// ```
    pub fn equals(&self, value: impl Into<T>) -> Condition<M> {
        self.one_of([value])
    }

    /// The column holds one of these values; of no values it never holds. Each takes its bytes twice of the 20 KB that a filter has.
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
    /// #     venue: Option<String>,
    /// # }
    /// let round = Quote::FIELDS.bid.one_of([600.0, 601.0]);
    /// let few = Quote::FIELDS.bid_size.one_of([Some(1), Some(2), None]);
    /// assert!(few.to_string().ends_with("or MD:bid_size is absent"));
    /// ```
    pub fn one_of(&self, values: impl IntoIterator<Item = impl Into<T>>) -> Condition<M> {
        let mut bytes = Vec::new();
        let mut or_absent = false;
        for value in values {
            match self.bytes(&value.into()) {
                Ok(Some(value)) => bytes.push(value),
                Ok(None) => or_absent = true,
                Err(error) => return self.refused(&error),
            }
        }
        let one_of = Condition::of(ColumnTest::OneOf(self.index(), bytes));
        match or_absent {
            false => one_of,
            true if *one_of.test() == ColumnTest::OneOf(self.index(), Vec::new()) => {
                self.is_absent()
            }
            true => one_of.or(self.is_absent()),
        }
    }

    /// The column holds a value in a range, such as `100..200` or `"A".."B"`. A column that is absent lies in none.
    ///
    /// It compiles of columns whose stored bytes sort as their values do: unsigned integers, text, bytes, `bool`, `char` and UUIDs in their native
    /// form. An end is a value that the column can hold: of a `u64` none above `i64::MAX`, in layout `qualifiers` none that is empty.
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
    /// #     venue: Option<String>,
    /// # }
    /// let large = Quote::FIELDS.bid_size.within(100..);
    /// let of_n = Quote::FIELDS.venue.within("N".."O");
    /// assert_eq!(of_n.to_string(), r#"MD:venue from "N" to before "O""#);
    /// ```
    pub fn within<'a>(&self, range: impl RangeBounds<T::End<'a>>) -> Condition<M>
    where
        T: RangedField,
        K: StoredNatively,
    {
        let ends = (self.end(range.start_bound()), self.end(range.end_bound()));
        match ends {
            (Ok(start), Ok(end)) => Condition::of(ColumnTest::Within(self.index(), start, end)),
            (Err(error), _) | (_, Err(error)) => self.refused(&error),
        }
    }

    fn end(&self, end: Bound<&T::End<'_>>) -> Result<Bound<Bytes>, ValueError>
    where
        T: RangedField,
    {
        let bytes = |end| Ok(self.bytes(&T::of_end(end))?.unwrap_or_default());
        Ok(match end {
            Bound::Included(end) => Bound::Included(bytes(end)?),
            Bound::Excluded(end) => Bound::Excluded(bytes(end)?),
            Bound::Unbounded => Bound::Unbounded,
        })
    }

    /// What a cell holds for a value; nothing when it is absent.
    fn bytes(&self, value: &T) -> Result<Option<Bytes>, ValueError> {
        let access = self.access();
        EventWriter::value_of(M::SCHEMA, |event| {
            (access.write)(value, self.index(), event)
        })
    }

    /// Told when the condition is used, so that conditions are built without `?`.
    fn refused(&self, error: &ValueError) -> Condition<M> {
        let mut reason = error.to_string();
        let mut source = error.source();
        while let Some(error) = source {
            reason = format!("{reason}: {error}");
            source = error.source();
        }
        Condition::of(ColumnTest::Refused {
            column: self.index(),
            reason,
        })
    }
}
