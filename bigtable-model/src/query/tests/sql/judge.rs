//! Reads the SQL of a query and decides which rows it returns, by the rules of GoogleSQL: NULL is
//! neither true nor false, and compares with nothing.

use bytes::Bytes;

use crate::backend::sql::{SqlQuery, SqlValue};
use crate::data::Row;

/// A parsed query.
pub(super) struct Read {
    condition: Option<Node>,
    /// Whether rows start at the last key.
    descending: bool,
    limit: usize,
}

#[derive(Debug)]
enum Node {
    Constant(bool),
    And(Vec<Node>),
    Or(Vec<Node>),
    Not(Box<Node>),
    IsNotNull(Term),
    Compare(Term, String, Bytes),
    In(Term, Vec<Bytes>),
}

#[derive(Debug)]
enum Term {
    Key,
    Cell(String, String),
}

impl Read {
    pub(super) fn new(query: &SqlQuery) -> Self {
        let tokens = tokens(&query.to_string());
        let from = tokens.iter().position(|token| token == "FROM").unwrap();
        let rest = &tokens[from + 1..];
        assert_eq!(rest[0], format!("`{}`", query.table().unwrap()));
        let mut parser = Parser {
            tokens: &rest[1..],
            query,
        };
        let condition = parser.take("WHERE").then(|| parser.any());
        let ordered = parser.take("ORDER");
        if ordered {
            assert!(parser.take("BY") && parser.take("_key"));
        }
        let descending = parser.take("DESC");
        let limit = parser.take("LIMIT").then(|| parser.next().parse().unwrap());
        assert_eq!(parser.tokens, [""; 0]);
        Self {
            condition,
            descending,
            limit: limit.unwrap_or(usize::MAX),
        }
    }

    /// The keys of a table's rows that it returns.
    pub(super) fn rows(&self, mut rows: Vec<Row>) -> Vec<Bytes> {
        rows.sort_by(|a, b| a.key.cmp(&b.key));
        if self.descending {
            rows.reverse();
        }
        let condition = self.condition.as_ref();
        let meets = |row: &Row| condition.is_none_or(|node| node.of(row) == Some(true));
        let rows = rows.into_iter().filter(|row| meets(row));
        rows.map(|row| row.key).take(self.limit).collect()
    }
}

fn tokens(text: &str) -> Vec<String> {
    let mut tokens = Vec::new();
    let mut chars = text.chars().peekable();
    while let Some(&one) = chars.peek() {
        let mut token = String::new();
        match one {
            ' ' => {
                chars.next();
                continue;
            }
            '`' | '\'' => {
                token.extend(chars.next());
                loop {
                    let next = chars.next().unwrap();
                    token.push(next);
                    if next == one {
                        break;
                    }
                }
            }
            '>' | '<' | '=' => {
                while let Some(sign) = chars.next_if(|sign| "<>=".contains(*sign)) {
                    token.push(sign);
                }
            }
            '(' | ')' | '[' | ']' | ',' => token.extend(chars.next()),
            _ => {
                let word = |one: &char| one.is_alphanumeric() || "_@".contains(*one);
                while let Some(letter) = chars.next_if(word) {
                    token.push(letter);
                }
                assert!(!token.is_empty(), "{one} in {text}");
            }
        }
        tokens.push(token);
    }
    tokens
}

struct Parser<'a> {
    tokens: &'a [String],
    query: &'a SqlQuery,
}

impl Parser<'_> {
    fn next(&mut self) -> String {
        let (token, rest) = self.tokens.split_first().unwrap();
        self.tokens = rest;
        token.clone()
    }

    fn take(&mut self, expected: &str) -> bool {
        let taken = self.tokens.first().is_some_and(|token| token == expected);
        if taken {
            self.next();
        }
        taken
    }

    fn expect(&mut self, expected: &str) {
        assert!(self.take(expected), "{expected} before {:?}", self.tokens);
    }

    fn any(&mut self) -> Node {
        let mut nodes = vec![self.all()];
        while self.take("OR") {
            nodes.push(self.all());
        }
        Node::Or(nodes)
    }

    fn all(&mut self) -> Node {
        let mut nodes = vec![self.one()];
        while self.take("AND") {
            nodes.push(self.one());
        }
        Node::And(nodes)
    }

    fn one(&mut self) -> Node {
        if self.take("NOT") {
            return Node::Not(Box::new(self.one()));
        }
        if self.take("(") {
            let inner = self.any();
            self.expect(")");
            return inner;
        }
        for (word, constant) in [("TRUE", true), ("FALSE", false)] {
            if self.take(word) {
                return Node::Constant(constant);
            }
        }
        let term = self.term();
        match self.next().as_str() {
            "IS" => {
                self.expect("NOT");
                self.expect("NULL");
                Node::IsNotNull(term)
            }
            "IN" => {
                self.expect("UNNEST");
                self.expect("(");
                let SqlValue::Array(values) = self.parameter() else {
                    panic!("an array")
                };
                self.expect(")");
                Node::In(term, values.into_iter().map(bytes).collect())
            }
            sign => {
                let value = self.parameter();
                Node::Compare(term, sign.to_owned(), bytes(value))
            }
        }
    }

    fn term(&mut self) -> Term {
        let first = self.next();
        if first == "_key" {
            return Term::Key;
        }
        self.expect("[");
        let qualifier = self.next();
        self.expect("]");
        let inner = |text: &str, mark| text.trim_matches(mark).to_owned();
        Term::Cell(inner(&first, '`'), inner(&qualifier, '\''))
    }

    fn parameter(&mut self) -> SqlValue {
        let name = self.next();
        let name = name.strip_prefix('@').unwrap();
        let mut all = self.query.parameters().iter();
        let (_, _, value) = all.find(|(known, ..)| *known == name).unwrap();
        value.clone()
    }
}

fn bytes(value: SqlValue) -> Bytes {
    match value {
        SqlValue::Bytes(bytes) => bytes,
        other => panic!("{other:?}"),
    }
}

impl Term {
    /// A column's newest cell.
    fn of(&self, row: &Row) -> Option<Bytes> {
        match self {
            Self::Key => Some(row.key.clone()),
            Self::Cell(family, qualifier) => {
                let cells = row.cells.iter();
                let cells =
                    cells.filter(|cell| cell.family == *family && cell.qualifier == *qualifier);
                let newest = cells.max_by_key(|cell| cell.timestamp_micros);
                newest.map(|cell| cell.value.clone())
            }
        }
    }
}

impl Node {
    /// True, false, or NULL.
    fn of(&self, row: &Row) -> Option<bool> {
        match self {
            Self::Constant(constant) => Some(*constant),
            Self::And(nodes) => joined(nodes, row, false),
            Self::Or(nodes) => joined(nodes, row, true),
            Self::Not(node) => node.of(row).map(|holds| !holds),
            Self::IsNotNull(term) => Some(term.of(row).is_some()),
            Self::In(term, values) => {
                let value = term.of(row);
                match (value, values.is_empty()) {
                    (_, true) => Some(false),
                    (value, false) => value.map(|value| values.contains(&value)),
                }
            }
            Self::Compare(term, sign, with) => {
                let value = term.of(row)?;
                Some(match sign.as_str() {
                    "=" => value == *with,
                    ">=" => value >= *with,
                    ">" => value > *with,
                    "<=" => value <= *with,
                    "<" => value < *with,
                    other => panic!("{other}"),
                })
            }
        }
    }
}

/// `decides` of one node decides for all; else NULL of one is NULL of all.
fn joined(nodes: &[Node], row: &Row, decides: bool) -> Option<bool> {
    let all: Vec<_> = nodes.iter().map(|node| node.of(row)).collect();
    match (all.contains(&Some(decides)), all.contains(&None)) {
        (true, _) => Some(decides),
        (false, true) => None,
        (false, false) => Some(!decides),
    }
}
