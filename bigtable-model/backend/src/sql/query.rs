//! Queries as they are prepared.

use std::fmt;

use super::SqlParameters;

/// A GoogleSQL query with its parameters. Unlike [plain text](Self::text), a [query of one
/// table](Self::new) knows where it names the table, so a backend whose [tables have other
/// names](crate::table_names) can insert the right name.
///
/// ```
/// use bigtable_backend::sql::{SqlParameters, SqlQuery};
///
/// let parameters = SqlParameters::new().bind("key", b"ZXZZT#1");
/// let query = SqlQuery::new("SELECT _key FROM ", "QUOTE", " WHERE _key = @key", parameters);
/// assert_eq!(query.to_string(), "SELECT _key FROM `QUOTE` WHERE _key = @key");
/// let staging = query.in_table("staging_QUOTE");
/// assert_eq!(staging.to_string(), "SELECT _key FROM `staging_QUOTE` WHERE _key = @key");
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct SqlQuery {
    before: String,
    /// `None` for plain text, which is `before`.
    table: Option<String>,
    after: String,
    parameters: SqlParameters,
}

impl SqlQuery {
    /// A query as text, in which no table is known.
    #[must_use]
    pub fn text(sql: impl Into<String>, parameters: SqlParameters) -> Self {
        Self {
            before: sql.into(),
            table: None,
            after: String::new(),
            parameters,
        }
    }

    /// A query from the text before the table's name, the table's ID, and the text after it.
    #[must_use]
    pub fn new(
        before: impl Into<String>,
        table: impl Into<String>,
        after: impl Into<String>,
        parameters: SqlParameters,
    ) -> Self {
        Self {
            before: before.into(),
            table: Some(table.into()),
            after: after.into(),
            parameters,
        }
    }

    /// The ID of the table; `None` for plain text.
    #[must_use]
    pub fn table(&self) -> Option<&str> {
        self.table.as_deref()
    }

    /// The same query for another table. Plain text stays as it is.
    #[must_use]
    pub fn in_table(self, table: impl Into<String>) -> Self {
        Self {
            table: self.table.is_some().then(|| table.into()),
            ..self
        }
    }

    /// The same query with other parameters.
    pub(crate) fn with(self, parameters: SqlParameters) -> Self {
        Self { parameters, ..self }
    }

    /// The parameters.
    #[must_use]
    pub fn parameters(&self) -> &SqlParameters {
        &self.parameters
    }
}

/// The query's text, with the table's name in backquotes.
impl fmt::Display for SqlQuery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.before)?;
        match &self.table {
            Some(table) => write!(f, "{}{}", Quoted(table), self.after),
            None => Ok(()),
        }
    }
}

/// A name in a query, in backquotes.
#[derive(Debug, Clone, Copy)]
pub struct Quoted<'a>(pub &'a str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`", Escaped(self.0, '`'))
    }
}

/// A text in a query, in single quotes.
#[derive(Debug, Clone, Copy)]
pub struct Literal<'a>(pub &'a str);

impl fmt::Display for Literal<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "'{}'", Escaped(self.0, '\''))
    }
}

/// A text between two marks.
struct Escaped<'a>(&'a str, char);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.chars().try_for_each(|one| match one {
            '\\' => f.write_str("\\\\"),
            one if one == self.1 => write!(f, "\\{one}"),
            one if one.is_control() => write!(f, "\\u{:04x}", u32::from(one)),
            one => write!(f, "{one}"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_text_has_no_table() {
        let text = SqlQuery::text("SELECT `a`", SqlParameters::new());
        assert_eq!(
            (text.to_string().as_str(), text.table()),
            ("SELECT `a`", None)
        );
        assert_eq!(text.clone().in_table("b"), text);
    }

    #[test]
    fn names_and_texts_end_where_they_end() {
        assert_eq!(Quoted("a-b.c").to_string(), "`a-b.c`");
        assert_eq!(Quoted("a`b\\").to_string(), r"`a\`b\\`");
        assert_eq!(Literal("it's").to_string(), r"'it\'s'");
        assert_eq!(Literal("a\\\n`\u{e9}").to_string(), "'a\\\\\\u000a`\u{e9}'");
    }
}
