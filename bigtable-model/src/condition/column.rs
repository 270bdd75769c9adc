//! Conditions on one column.

use std::error::Error as _;
use std::ops::{Bound, RangeBounds};

use bytes::Bytes;

use super::filter::ValueRange;
use super::{ColumnTest, Condition, RangedField, StoredNatively};
use crate::key::try_map;
use crate::model::{Column, ColumnArg, ColumnPlace, HandleKind, Model};
use crate::value::ValueError;

impl<M: Model, T, K: HandleKind, P: ColumnPlace<T>> Column<M, T, K, P> {
    /// The event has the column. A column that is not stored is absent, even if its field has a
    /// `default`.
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
        Condition::of(ColumnTest::Present(self.place().id()))
    }

    /// The event lacks the column. It also holds if the event does not exist.
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

    /// The column holds this value: the bytes that its codec writes. `None` means that it is
    /// absent. In an event without the column, a field with a `default` has that value; if it is
    /// not `None`, nothing equals `None`.
    ///
    /// A value that the column cannot hold is an error of the write or the query with the
    /// condition.
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
    pub fn equals(&self, value: impl ColumnArg<T>) -> Condition<M> {
        self.one_of([value])
    }

    /// The column holds one of these values; without values it never holds. Each value takes twice
    /// its size of a filter's 20 KB.
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
    pub fn one_of(&self, values: impl IntoIterator<Item = impl ColumnArg<T>>) -> Condition<M> {
        let (mut bytes, mut none) = (Vec::new(), false);
        for value in values {
            match self.bytes(value.into_value()) {
                Ok(Some(value)) => bytes.push(value),
                Ok(None) => none = true,
                Err(error) => return self.refused(&error),
            }
        }
        let or_absent = match self.default() {
            Some(default) => bytes.contains(&default).then(|| self.is_default()),
            None => none.then(|| self.is_absent()),
        };
        let one_of = Condition::of(ColumnTest::OneOf(self.place().id(), bytes));
        match or_absent {
            None => one_of,
            Some(absent) if one_of == self.of_ranges(Vec::new()) => absent,
            Some(absent) => one_of.or(absent),
        }
    }

    /// The column holds a value in a range, such as `100..200` or `"A".."B"`. An absent column is
    /// in no range, unless its field has a `default` that is.
    ///
    /// It compiles for integers, floats, times, text, bytes, `bool`, `char` and UUIDs in their
    /// native form; the server can compare all of them. NaN is in no range, and -0.0 is 0.0. An end
    /// must be a value that the column can hold: for a `u64` at most `i64::MAX`, in layout
    /// `qualifiers` not empty. [`gt`](Column::gt), [`ge`](Column::ge), [`lt`](Column::lt),
    /// [`le`](Column::le) and [`between`](Column::between) are ranges too.
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
            (Ok(start), Ok(end)) => {
                let ranges = T::ranges((start, end));
                let or_default = self
                    .default()
                    .filter(|default| ranges.iter().any(|range| range.contains(default)))
                    .map(|_| self.is_default());
                Condition::any([self.of_ranges(ranges)].into_iter().chain(or_default))
            }
            (Err(error), _) | (_, Err(error)) => self.refused(&error),
        }
    }

    /// The column holds a greater value. An absent column does not, unless its field has a greater
    /// `default`, nor does NaN.
    ///
    /// ```
    /// # use bigtable_model::Model;
    /// # #[derive(Model)]
    /// # #[bigtable(table = "METER", family = "M")]
    /// # struct Reading {
    /// #     #[bigtable(key)]
    /// #     meter: String,
    /// #     celsius: f64,
    /// #     offset: Option<i32>,
    /// # }
    /// let hot = Reading::FIELDS.celsius.gt(30.0);
    /// // It holds also where there is no number: of NaN, and of an absent column.
    /// let not_hot = hot.negate();
    /// let negative = Reading::FIELDS.offset.lt(0);
    /// let mild = Reading::FIELDS.celsius.between(-5.0, 25.0);
    /// ```
    pub fn gt(&self, value: T::End<'_>) -> Condition<M>
    where
        T: RangedField,
        K: StoredNatively,
    {
        self.within((Bound::Excluded(value), Bound::Unbounded))
    }

    /// The column holds this value or a greater one; see [`gt`](Column::gt).
    pub fn ge(&self, value: T::End<'_>) -> Condition<M>
    where
        T: RangedField,
        K: StoredNatively,
    {
        self.within((Bound::Included(value), Bound::Unbounded))
    }

    /// The column holds a smaller value; see [`gt`](Column::gt).
    pub fn lt(&self, value: T::End<'_>) -> Condition<M>
    where
        T: RangedField,
        K: StoredNatively,
    {
        self.within((Bound::Unbounded, Bound::Excluded(value)))
    }

    /// The column holds this value or a smaller one; see [`gt`](Column::gt).
    pub fn le(&self, value: T::End<'_>) -> Condition<M>
    where
        T: RangedField,
        K: StoredNatively,
    {
        self.within((Bound::Unbounded, Bound::Included(value)))
    }

    /// The column holds a value between these two, inclusive; see [`gt`](Column::gt).
    pub fn between<'a>(&self, least: T::End<'a>, greatest: T::End<'a>) -> Condition<M>
    where
        T: RangedField,
        K: StoredNatively,
    {
        self.within((Bound::Included(least), Bound::Included(greatest)))
    }

    /// The column holds bytes in one of these ranges.
    fn of_ranges(&self, ranges: Vec<ValueRange>) -> Condition<M> {
        Condition::of(ColumnTest::in_ranges(&self.place().id(), ranges))
    }

    /// The bytes of the value as which an absent column is read, if its field has a `default`.
    fn default(&self) -> Option<Bytes> {
        let value = self.place().default()?;
        self.bytes(value).ok()?
    }

    /// The event exists and lacks the column, so that the field has its `default`.
    fn is_default(&self) -> Condition<M> {
        Condition::exists().and(self.is_absent())
    }

    fn end(&self, end: Bound<&T::End<'_>>) -> Result<Bound<Bytes>, ValueError>
    where
        T: RangedField,
    {
        try_map(end, |end| {
            Ok(self.bytes(T::of_end(end))?.unwrap_or_default())
        })
    }

    /// The cell's bytes for a value; `None` if it is absent.
    fn bytes(&self, value: T) -> Result<Option<Bytes>, ValueError> {
        self.place().bytes(M::SCHEMA, value)
    }

    /// Reported when the condition is used, so conditions are built without `?`.
    fn refused(&self, error: &ValueError) -> Condition<M> {
        let mut reason = error.to_string();
        let mut source = error.source();
        while let Some(error) = source {
            reason = format!("{reason}: {error}");
            source = error.source();
        }
        Condition::of(ColumnTest::Refused {
            column: self.place().id(),
            reason,
        })
    }
}
