//! Conditions in words.

use std::fmt::{self, Display};
use std::ops::Bound;

use bytes::Bytes;

use super::ColumnTest;
use crate::model::{ColumnId, ModelSchema};

/// How many values of a list are shown.
const LISTED: usize = 10;

/// The bytes of a value.
fn value(bytes: &Bytes) -> String {
    format!("\"{}\"", bytes.escape_ascii())
}

pub(super) struct Words<'a> {
    schema: &'a ModelSchema,
    test: &'a ColumnTest,
}

impl<'a> Words<'a> {
    pub(super) fn new(schema: &'a ModelSchema, test: &'a ColumnTest) -> Self {
        Self { schema, test }
    }

    fn name(&self, column: &ColumnId) -> String {
        column.shown(self.schema)
    }

    fn values(
        &self,
        f: &mut fmt::Formatter<'_>,
        column: &ColumnId,
        values: &[Bytes],
    ) -> fmt::Result {
        let shown = values.iter().take(LISTED);
        let shown: Vec<_> = shown.map(value).collect();
        match values {
            [] => write!(f, "{} is one of none", self.name(column)),
            [one] => write!(f, "{} = {}", self.name(column), value(one)),
            _ => write!(f, "{} is one of {}", self.name(column), shown.join(", ")),
        }?;
        match values.len().saturating_sub(LISTED) {
            0 => Ok(()),
            more => write!(f, " and {more} more"),
        }
    }

    fn range(
        &self,
        f: &mut fmt::Formatter<'_>,
        column: &ColumnId,
        (start, end): (&Bound<Bytes>, &Bound<Bytes>),
    ) -> fmt::Result {
        f.write_str(&self.name(column))?;
        match start {
            Bound::Included(start) => write!(f, " from {}", value(start))?,
            Bound::Excluded(start) => write!(f, " after {}", value(start))?,
            Bound::Unbounded => f.write_str(" from the first")?,
        }
        match end {
            Bound::Included(end) => write!(f, " up to {}", value(end)),
            Bound::Excluded(end) => write!(f, " to before {}", value(end)),
            Bound::Unbounded => f.write_str(" on"),
        }
    }

    fn join(&self, f: &mut fmt::Formatter<'_>, tests: &[ColumnTest], by: &str) -> fmt::Result {
        for (at, test) in tests.iter().enumerate() {
            if at > 0 {
                f.write_str(by)?;
            }
            let words = Words::new(self.schema, test);
            match test {
                ColumnTest::All(_) | ColumnTest::Any(_) => write!(f, "({words})")?,
                _ => write!(f, "{words}")?,
            }
        }
        Ok(())
    }
}

impl Display for Words<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.test {
            ColumnTest::Exists => f.write_str("the event is there"),
            ColumnTest::All(tests) if tests.is_empty() => f.write_str("always"),
            ColumnTest::Any(tests) if tests.is_empty() => f.write_str("never"),
            ColumnTest::AnyColumn => f.write_str("the event has any column"),
            ColumnTest::Present(column) => write!(f, "{} is present", self.name(column)),
            ColumnTest::OneOf(column, values) => self.values(f, column, values),
            ColumnTest::Within(column, start, end) => self.range(f, column, (start, end)),
            ColumnTest::All(tests) => self.join(f, tests, " and "),
            ColumnTest::Any(tests) => self.join(f, tests, " or "),
            ColumnTest::Not(test) => match &**test {
                ColumnTest::Exists => f.write_str("the event is not there"),
                ColumnTest::AnyColumn => f.write_str("the event has no column"),
                ColumnTest::Present(column) => write!(f, "{} is absent", self.name(column)),
                test => write!(f, "not ({})", Words::new(self.schema, test)),
            },
            ColumnTest::Refused { column, reason } => {
                write!(f, "{} cannot be compared: {reason}", self.name(column))
            }
        }
    }
}
