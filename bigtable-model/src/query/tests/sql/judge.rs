//! Reads the SQL of a query and decides which rows it returns, by the rules of GoogleSQL: NULL is
//! neither true nor false, and compares with nothing.

use bytes::Bytes;

use crate::Timestamp;
use crate::backend::sql::{SqlQuery, SqlValue};
use crate::data::Row;

/// A parsed query of rows, or of the events in them.
pub(super) struct Read {
    /// How cells become events.
    unpack: Option<Unpack>,
    condition: Option<Node>,
    /// The names by which it sorts, and whether the last one comes first.
    order: Vec<(String, bool)>,
    limit: usize,
}

/// The subquery of `UNPACK`.
struct Unpack {
    /// The selected columns, which `c0`, `c1` and so on name.
    cells: Vec<Term>,
    /// The arguments of the table: names and times.
    bounds: Vec<(String, i64)>,
    keys: Option<Node>,
    /// The columns of the result.
    result: Vec<Term>,
}

/// An event as SQL returns it: key, time, and columns.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Event {
    pub(super) key: Bytes,
    pub(super) micros: i64,
    pub(super) columns: Vec<Option<Bytes>>,
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
    Time,
    Cell(String, String),
    /// A column of a subquery.
    Named(usize),
}

/// What a condition compares.
trait Columns {
    fn value(&self, term: &Term) -> Option<Bytes>;
}

impl Read {
    pub(super) fn new(query: &SqlQuery) -> Self {
        let tokens = tokens(&query.to_string());
        let mut parser = Parser {
            tokens: &tokens,
            query,
        };
        let unpack = parser.selects_unpacked().then(|| parser.unpack());
        if unpack.is_none() {
            parser.skip_to("FROM");
            parser.table();
        }
        let condition = parser.condition();
        let mut order = Vec::new();
        if parser.take("ORDER") {
            parser.expect("BY");
            loop {
                let name = parser.next();
                order.push((name, parser.take("DESC")));
                if !parser.take(",") {
                    break;
                }
            }
        }
        let limit = parser.take("LIMIT").then(|| parser.next().parse().unwrap());
        assert_eq!(parser.tokens, [""; 0]);
        Self {
            unpack,
            condition,
            order,
            limit: limit.unwrap_or(usize::MAX),
        }
    }

    /// The keys of a table's rows that it returns.
    pub(super) fn rows(&self, mut rows: Vec<Row>) -> Vec<Bytes> {
        rows.sort_by(|a, b| a.key.cmp(&b.key));
        match self.order.as_slice() {
            [] => {}
            [(name, descending)] if name == "_key" => {
                if *descending {
                    rows.reverse();
                }
            }
            other => panic!("{other:?}"),
        }
        let rows = rows.into_iter().filter(|row| holds(&self.condition, row));
        rows.map(|row| row.key).take(self.limit).collect()
    }

    /// The events that it returns. Google's documents call `before` exclusive, but have an example
    /// in which it is not: `inclusive` says which of the two.
    pub(super) fn events(&self, rows: &[Row], inclusive: bool) -> Vec<Event> {
        let unpack = self.unpack.as_ref().unwrap();
        let rows = rows.iter().filter(|row| holds(&unpack.keys, *row));
        let events = rows.flat_map(|row| unpack.events(row, inclusive));
        let mut events: Vec<_> = events
            .filter(|event| holds(&self.condition, event))
            .collect();
        events.sort_by(|a, b| {
            let mut by = self.order.iter().map(|(name, descending)| {
                let order = match name.as_str() {
                    "_key" => a.key.cmp(&b.key),
                    "_timestamp" => a.micros.cmp(&b.micros),
                    other => panic!("{other}"),
                };
                match descending {
                    true => order.reverse(),
                    false => order,
                }
            });
            by.find(|order| order.is_ne())
                .unwrap_or(std::cmp::Ordering::Equal)
        });
        events.truncate(self.limit);
        let mut selected = events;
        for event in &mut selected {
            let columns = unpack.result.iter().map(|term| event.value(term));
            event.columns = columns.collect();
        }
        selected
    }
}

impl Unpack {
    /// An event for each timestamp of the selected columns.
    fn events(&self, row: &Row, inclusive: bool) -> Vec<Event> {
        let is_within = |micros: i64| {
            self.bounds.iter().all(|(name, bound)| match name.as_str() {
                "after_or_equal" => micros >= *bound,
                "before" => micros < *bound || inclusive && micros == *bound,
                other => panic!("{other}"),
            })
        };
        let of = |term: &Term| {
            let Term::Cell(family, qualifier) = term else {
                panic!("{term:?} is no column")
            };
            let (family, qualifier) = (family.clone(), qualifier.clone());
            let cells = row
                .cells
                .iter()
                .filter(move |cell| cell.family == *family && cell.qualifier == *qualifier);
            cells.filter(|cell| is_within(cell.timestamp_micros))
        };
        let times = self.cells.iter().flat_map(of);
        let times: std::collections::BTreeSet<_> =
            times.map(|cell| cell.timestamp_micros).collect();
        let event = |micros| {
            let at = |term| of(term).find(|cell| cell.timestamp_micros == micros);
            let columns = self.cells.iter().map(at);
            Event {
                key: row.key.clone(),
                micros,
                columns: columns
                    .map(|cell| cell.map(|cell| cell.value.clone()))
                    .collect(),
            }
        };
        times.into_iter().map(event).collect()
    }
}

fn holds(condition: &Option<Node>, of: &dyn Columns) -> bool {
    condition
        .as_ref()
        .is_none_or(|node| node.of(of) == Some(true))
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

    fn skip_to(&mut self, expected: &str) {
        while !self.take(expected) {
            self.next();
        }
    }

    fn selects_unpacked(&self) -> bool {
        self.tokens.contains(&"UNPACK".to_owned())
    }

    fn table(&mut self) {
        let table = format!("`{}`", self.query.table().unwrap());
        self.expect(&table);
    }

    fn condition(&mut self) -> Option<Node> {
        self.take("WHERE").then(|| self.any())
    }

    /// A query of a subquery, up to the condition on its events.
    fn unpack(&mut self) -> Unpack {
        for expected in ["SELECT", "_key", ",", "_timestamp"] {
            self.expect(expected);
        }
        let mut result = Vec::new();
        while self.take(",") {
            result.push(self.term());
            self.expect("AS");
            self.next();
        }
        for expected in ["FROM", "UNPACK", "(", "(", "SELECT", "_key"] {
            self.expect(expected);
        }
        let mut cells = Vec::new();
        while self.take(",") {
            let name = format!("c{}", cells.len());
            cells.push(self.term());
            self.expect("AS");
            self.expect(&name);
        }
        self.expect("FROM");
        self.table();
        for expected in ["(", "with_history", "=>", "TRUE"] {
            self.expect(expected);
        }
        let mut bounds = Vec::new();
        while self.take(",") {
            let name = self.next();
            for expected in ["=>", "TIMESTAMP", "("] {
                self.expect(expected);
            }
            let time: Timestamp = self.next().trim_matches('\'').parse().unwrap();
            self.expect(")");
            bounds.push((name, time.as_micros()));
        }
        self.expect(")");
        let keys = self.condition();
        self.expect(")");
        self.expect(")");
        Unpack {
            cells,
            bounds,
            keys,
            result,
        }
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
        match first.as_str() {
            "_key" => return Term::Key,
            "_timestamp" => return Term::Time,
            _ => {}
        }
        if let Some(place) = first.strip_prefix('c') {
            return Term::Named(place.parse().unwrap());
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

/// A time as bytes that sort like times.
fn of_time(micros: i64) -> Bytes {
    Bytes::copy_from_slice(&(micros ^ i64::MIN).to_be_bytes())
}

fn bytes(value: SqlValue) -> Bytes {
    match value {
        SqlValue::Bytes(bytes) => bytes,
        SqlValue::Timestamp(time) => of_time(time.timestamp().unwrap().as_micros()),
        other => panic!("{other:?}"),
    }
}

/// A column is its newest cell.
impl Columns for Row {
    fn value(&self, term: &Term) -> Option<Bytes> {
        match term {
            Term::Key => Some(self.key.clone()),
            Term::Cell(family, qualifier) => {
                let cells = self.cells.iter();
                let cells =
                    cells.filter(|cell| cell.family == *family && cell.qualifier == *qualifier);
                let newest = cells.max_by_key(|cell| cell.timestamp_micros);
                newest.map(|cell| cell.value.clone())
            }
            Term::Time | Term::Named(_) => panic!("{term:?} of a row"),
        }
    }
}

impl Columns for Event {
    fn value(&self, term: &Term) -> Option<Bytes> {
        match term {
            Term::Key => Some(self.key.clone()),
            Term::Time => Some(of_time(self.micros)),
            Term::Named(place) => self.columns[*place].clone(),
            Term::Cell(..) => panic!("{term:?} of an event"),
        }
    }
}

impl Node {
    /// True, false, or NULL.
    fn of(&self, row: &dyn Columns) -> Option<bool> {
        match self {
            Self::Constant(constant) => Some(*constant),
            Self::And(nodes) => joined(nodes, row, false),
            Self::Or(nodes) => joined(nodes, row, true),
            Self::Not(node) => node.of(row).map(|holds| !holds),
            Self::IsNotNull(term) => Some(row.value(term).is_some()),
            Self::In(term, values) => {
                let value = row.value(term);
                match (value, values.is_empty()) {
                    (_, true) => Some(false),
                    (value, false) => value.map(|value| values.contains(&value)),
                }
            }
            Self::Compare(term, sign, with) => {
                let value = row.value(term)?;
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
fn joined(nodes: &[Node], row: &dyn Columns, decides: bool) -> Option<bool> {
    let all: Vec<_> = nodes.iter().map(|node| node.of(row)).collect();
    match (all.contains(&Some(decides)), all.contains(&None)) {
        (true, _) => Some(decides),
        (false, true) => None,
        (false, false) => Some(!decides),
    }
}
