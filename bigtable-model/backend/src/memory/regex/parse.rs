//! The grammar of RE2 over bytes.

use std::collections::BTreeMap;

use super::class::{self, ByteSet, other_case};
use super::tree::{Look, Node, RegexError};

/// The maximum depth of nested groups.
const MAX_DEPTH: usize = 200;
/// RE2's limit for `{n,m}`, and for the product of nested repetitions.
const MAX_REPEAT: u32 = 1_000;

pub(super) fn parse(pattern: &[u8]) -> Result<Node, RegexError> {
    let mut parser = Parser {
        pattern,
        at: 0,
        depth: 0,
        flags: Flags::default(),
        names: Vec::new(),
        classes: BTreeMap::new(),
    };
    let node = parser.alternation()?;
    if parser.peek().is_some() {
        return Err(RegexError::UnexpectedParen);
    }
    Ok(node)
}

#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Flags {
    pub(super) ignore_case: bool,
    multi_line: bool,
    dot_all: bool,
}

#[derive(Debug)]
pub(super) struct Parser<'a> {
    pattern: &'a [u8],
    at: usize,
    depth: usize,
    pub(super) flags: Flags,
    names: Vec<Vec<u8>>,
    /// Cached classes by name and case sensitivity: a lookup takes some microseconds.
    pub(super) classes: BTreeMap<(String, bool), ByteSet>,
}

/// Reading bytes.
impl Parser<'_> {
    pub(super) fn position(&self) -> usize {
        self.at
    }

    fn rest(&self) -> &[u8] {
        self.pattern.get(self.at..).unwrap_or_default()
    }

    pub(super) fn peek(&self) -> Option<u8> {
        self.rest().first().copied()
    }

    pub(super) fn peek_two(&self) -> Option<(u8, u8)> {
        match self.rest() {
            [one, two, ..] => Some((*one, *two)),
            _ => None,
        }
    }

    pub(super) fn next(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.at += 1;
        Some(byte)
    }

    pub(super) fn skip(&mut self, count: usize) {
        self.at = (self.at + count).min(self.pattern.len());
    }

    fn eat(&mut self, text: &[u8]) -> bool {
        let found = self.rest().starts_with(text);
        if found {
            self.skip(text.len());
        }
        found
    }

    /// The bytes before `end`, which is consumed too; without an `end` nothing is read.
    pub(super) fn until(&mut self, end: &[u8]) -> Option<Vec<u8>> {
        let rest = self.rest();
        let len = rest.windows(end.len()).position(|window| window == end)?;
        let text = rest.get(..len)?.to_vec();
        self.skip(len + end.len());
        Some(text)
    }

    /// The part of the pattern from `start` to here, for messages.
    pub(super) fn since(&self, start: usize) -> String {
        let text = self.pattern.get(start..self.at).unwrap_or_default();
        text.escape_ascii().to_string().replace("\\\\", "\\")
    }
}

/// The grammar.
impl Parser<'_> {
    fn alternation(&mut self) -> Result<Node, RegexError> {
        let mut branches = vec![self.sequence()?];
        while self.eat(b"|") {
            branches.push(self.sequence()?);
        }
        Ok(match branches.len() {
            1 => branches.pop().unwrap_or(Node::Concat(Vec::new())),
            _ => Node::Alternate(branches),
        })
    }

    fn sequence(&mut self) -> Result<Node, RegexError> {
        let mut items = Vec::new();
        // The start of the last repetition operator, if nothing was read since.
        let mut repeated = None;
        while let Some(byte) = self.peek() {
            let start = self.at;
            if matches!(byte, b'|' | b')') {
                break;
            }
            if let Some((min, max)) = self.repetition()? {
                if let Some(first) = repeated {
                    return Err(RegexError::StackedRepetition(self.since(first)));
                }
                let Some(item) = items.pop() else {
                    return Err(RegexError::MissingArgument(self.since(start)));
                };
                items.push(self.repeat(item, min, max, start)?);
                repeated = Some(start);
                continue;
            }
            repeated = None;
            self.atom(byte, &mut items)?;
        }
        Ok(match items.len() {
            1 => items.pop().unwrap_or(Node::Concat(items)),
            _ => Node::Concat(items),
        })
    }

    /// Reads `*`, `+`, `?` or `{n,m}`, each with an optional `?` (not greedy).
    fn repetition(&mut self) -> Result<Option<(u32, Option<u32>)>, RegexError> {
        let start = self.at;
        let counts = match self.peek() {
            Some(b'*') => (0, None),
            Some(b'+') => (1, None),
            Some(b'?') => (0, Some(1)),
            Some(b'{') => match self.counts() {
                Some(counts) => counts,
                None => {
                    self.at = start;
                    return Ok(None);
                }
            },
            _ => return Ok(None),
        };
        if self.at == start {
            self.skip(1);
        }
        let (min, max) = counts;
        let inverted = max.is_some_and(|max| max < min);
        if inverted || min > MAX_REPEAT || max.is_some_and(|max| max > MAX_REPEAT) {
            return Err(RegexError::RepetitionSize(self.since(start)));
        }
        self.eat(b"?");
        Ok(Some(counts))
    }

    /// `{n}`, `{n,}` or `{n,m}`; anything else is text.
    fn counts(&mut self) -> Option<(u32, Option<u32>)> {
        self.skip(1);
        let min = self.count()?;
        if self.eat(b"}") {
            return Some((min, Some(min)));
        }
        if !self.eat(b",") {
            return None;
        }
        if self.eat(b"}") {
            return Some((min, None));
        }
        let max = self.count()?;
        self.eat(b"}").then_some((min, Some(max)))
    }

    fn count(&mut self) -> Option<u32> {
        let digits = self.rest().iter().take_while(|byte| byte.is_ascii_digit());
        let digits: Vec<u8> = digits.copied().collect();
        // Without digits, or with a leading zero, the braces are text.
        if digits.is_empty() || (digits.len() > 1 && digits.first() == Some(&b'0')) {
            return None;
        }
        self.skip(digits.len());
        let number = digits.iter().fold(0_u32, |number, digit| {
            number
                .saturating_mul(10)
                .saturating_add(u32::from(digit - b'0'))
        });
        Some(number)
    }

    fn repeat(
        &self,
        node: Node,
        min: u32,
        max: Option<u32>,
        start: usize,
    ) -> Result<Node, RegexError> {
        let node = Node::Repeat {
            node: Box::new(node),
            min,
            max,
        };
        if copies(&node) > u64::from(MAX_REPEAT) {
            return Err(RegexError::RepetitionSize(self.since(start)));
        }
        Ok(node)
    }

    fn atom(&mut self, byte: u8, items: &mut Vec<Node>) -> Result<(), RegexError> {
        let item = match byte {
            b'(' => match self.group()? {
                Some(node) => node,
                None => return Ok(()),
            },
            b'[' => Node::Class(self.class()?),
            b'\\' => return self.escape(items),
            other => {
                self.skip(1);
                self.plain(other)
            }
        };
        items.push(item);
        Ok(())
    }

    fn plain(&self, byte: u8) -> Node {
        match byte {
            b'.' if self.flags.dot_all => Node::Class(ByteSet::ALL),
            b'.' => Node::Class(ByteSet::of(&[(b'\n', b'\n')]).negated()),
            b'^' if self.flags.multi_line => Node::Look(Look::LineStart),
            b'^' => Node::Look(Look::TextStart),
            b'$' if self.flags.multi_line => Node::Look(Look::LineEnd),
            b'$' => Node::Look(Look::TextEnd),
            byte => self.byte(byte),
        }
    }

    fn byte(&self, byte: u8) -> Node {
        let other = other_case(byte);
        if self.flags.ignore_case && other != byte {
            return Node::Class(ByteSet::of(&[(byte, byte), (other, other)]));
        }
        Node::Byte(byte)
    }

    fn escape(&mut self, items: &mut Vec<Node>) -> Result<(), RegexError> {
        if self.eat(b"\\Q") {
            let rest = self.rest().to_vec();
            let text = self.until(b"\\E").unwrap_or_else(|| {
                self.at = self.pattern.len();
                rest
            });
            items.extend(text.into_iter().map(|byte| self.byte(byte)));
            return Ok(());
        }
        if let Some(set) = self.escaped_set()? {
            items.push(Node::Class(set));
            return Ok(());
        }
        let look = match self.peek_two() {
            Some((_, b'A')) => Node::Look(Look::TextStart),
            Some((_, b'z')) => Node::Look(Look::TextEnd),
            Some((_, b'b')) => Node::Look(Look::WordBoundary),
            Some((_, b'B')) => Node::Look(Look::NoWordBoundary),
            Some((_, b'C')) => Node::Class(ByteSet::ALL),
            _ => {
                let byte = self.escaped_byte()?;
                items.push(self.byte(byte));
                return Ok(());
            }
        };
        self.skip(2);
        items.push(look);
        Ok(())
    }

    /// A group; `None` if it only sets flags for what follows.
    fn group(&mut self) -> Result<Option<Node>, RegexError> {
        let outer = self.flags;
        let start = self.at;
        self.skip(1);
        if self.eat(b"?") && self.group_head(start)? {
            return Ok(None);
        }
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(RegexError::TooDeep(MAX_DEPTH));
        }
        let node = self.alternation()?;
        if !self.eat(b")") {
            return Err(RegexError::UnclosedGroup);
        }
        self.depth -= 1;
        self.flags = outer;
        Ok(Some(match node {
            // Kept together, so an operator after the group applies to all of it.
            Node::Concat(items) => Node::Concat(vec![Node::Concat(items)]),
            node => node,
        }))
    }

    /// After `(?`: `P<name>`, or flags and `:` or `)`. Returns true if that is the whole group.
    fn group_head(&mut self, start: usize) -> Result<bool, RegexError> {
        if self.eat(b"P<") {
            let name = self.until(b">").filter(|name| is_name(name));
            let Some(name) = name.filter(|name| !self.names.contains(name)) else {
                return Err(RegexError::BadGroup(self.since(start)));
            };
            self.names.push(name);
            return Ok(false);
        }
        let mut on = true;
        let mut seen = false;
        loop {
            let byte = self.next();
            match byte {
                Some(b'i') => self.flags.ignore_case = on,
                Some(b'm') => self.flags.multi_line = on,
                Some(b's') => self.flags.dot_all = on,
                // Irrelevant here: it only affects which match is found.
                Some(b'U') => {}
                Some(b'-') if on => {
                    on = false;
                    seen = false;
                    continue;
                }
                Some(b':' | b')') if on || seen => return Ok(byte == Some(b')')),
                None => return Err(RegexError::UnclosedGroup),
                Some(_) => return Err(RegexError::BadGroup(self.since(start))),
            }
            seen = true;
        }
    }

    fn class(&mut self) -> Result<ByteSet, RegexError> {
        self.skip(1);
        let negated = self.eat(b"^");
        let mut set = ByteSet::default();
        let mut first = true;
        while first || self.peek() != Some(b']') {
            if self.peek().is_none() {
                return Err(RegexError::UnclosedClass);
            }
            first = false;
            set = set.united(self.class_item()?);
        }
        self.skip(1);
        Ok(if negated { set.negated() } else { set })
    }

    fn class_item(&mut self) -> Result<ByteSet, RegexError> {
        let start = self.at;
        if let Some(set) = self.posix_set(start)? {
            return Ok(set);
        }
        if let Some(set) = self.escaped_set()? {
            return Ok(set);
        }
        let first = self.class_byte()?;
        let is_range = matches!(self.rest(), [b'-', end, ..] if *end != b']');
        let last = if is_range {
            self.skip(1);
            self.class_byte()?
        } else {
            first
        };
        if last < first {
            return Err(RegexError::BadRange(self.since(start)));
        }
        Ok(self.fold(ByteSet::of(&[(first, last)])))
    }

    fn posix_set(&mut self, start: usize) -> Result<Option<ByteSet>, RegexError> {
        if !self.rest().starts_with(b"[:") {
            return Ok(None);
        }
        self.skip(2);
        let Some(name) = self.until(b":]") else {
            self.at = start;
            return Ok(None);
        };
        // Fold before negating: a negation excludes both cases.
        let (negated, plain) = match name.strip_prefix(b"^") {
            Some(plain) => (true, plain),
            None => (false, name.as_slice()),
        };
        let set = class::posix(plain).map(|set| self.fold(set));
        match set {
            Some(set) if negated => Ok(Some(set.negated())),
            Some(set) => Ok(Some(set)),
            None => Err(RegexError::BadRange(self.since(start))),
        }
    }

    fn class_byte(&mut self) -> Result<u8, RegexError> {
        if self.peek() == Some(b'\\') {
            return self.escaped_byte();
        }
        self.next().ok_or(RegexError::UnclosedClass)
    }

    fn fold(&self, set: ByteSet) -> ByteSet {
        if self.flags.ignore_case {
            set.folded()
        } else {
            set
        }
    }
}

fn is_name(name: &[u8]) -> bool {
    !name.is_empty()
        && name
            .iter()
            .all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
}

/// The number of copies of the most repeated part of a tree in its expansion.
fn copies(node: &Node) -> u64 {
    match node {
        Node::Repeat { node, min, max } => {
            let times = u64::from(max.unwrap_or(*min)).max(1);
            times.saturating_mul(copies(node))
        }
        Node::Concat(nodes) | Node::Alternate(nodes) => nodes.iter().map(copies).max().unwrap_or(1),
        Node::Byte(_) | Node::Class(_) | Node::Look(_) => 1,
    }
}
