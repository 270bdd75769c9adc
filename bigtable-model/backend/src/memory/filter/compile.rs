//! From a request's filter to one that can be applied. Refuses what the service refuses.

use std::ops::Bound;

use bytes::Bytes;

use super::one_pass;
use super::span::Span;
use super::tree::{Filter, Node};
use crate::Status;
use crate::data::RowFilter;
use crate::memory::check::invalid;
use crate::memory::regex::Budget;
use crate::memory::regex::Matcher;
use crate::memory::{Profile, limits};

pub(super) fn compile(filter: &RowFilter, profile: Profile) -> Result<Filter, Status> {
    let deepest = match profile {
        Profile::Service => RowFilter::MAX_LEVELS,
        Profile::Emulator => limits::EMULATOR_FILTER_DEPTH,
    };
    let depth = filter.levels();
    if depth > deepest {
        return Err(invalid(format!(
            "A filter has at most {deepest} levels, not {depth}"
        )));
    }
    if profile == Profile::Service {
        let size = filter.wire_size();
        if size > RowFilter::MAX_BYTES {
            return Err(invalid(format!(
                "A filter has at most {} bytes, not {size}",
                RowFilter::MAX_BYTES
            )));
        }
    }
    let mut compiler = Compiler {
        profile,
        in_condition: false,
        labels: Vec::new(),
        regexes: Budget::new(count_regexes(filter)),
    };
    let node = compiler.node(filter)?;
    let labels = compiler.labels;
    Ok(Filter {
        in_one_pass: one_pass::is_fit(&node),
        node,
        labels,
    })
}

fn count_regexes(filter: &RowFilter) -> usize {
    let one = matches!(
        filter,
        RowFilter::RowKeyRegex(_)
            | RowFilter::FamilyRegex(_)
            | RowFilter::QualifierRegex(_)
            | RowFilter::ValueRegex(_)
    );
    let inside: usize = filter.children().map(count_regexes).sum();
    usize::from(one) + inside
}

/// Whether the emulator evaluates the filter once for every cell, and so never for a row without
/// cells.
fn is_of_cells(filter: &RowFilter) -> bool {
    matches!(
        filter,
        RowFilter::FamilyRegex(_)
            | RowFilter::QualifierRegex(_)
            | RowFilter::ValueRegex(_)
            | RowFilter::Label(_)
    )
}

fn has_label(filter: &RowFilter) -> bool {
    matches!(filter, RowFilter::Label(_)) || filter.children().any(has_label)
}

struct Compiler {
    profile: Profile,
    in_condition: bool,
    labels: Vec<String>,
    regexes: Budget,
}

impl Compiler {
    fn node(&mut self, filter: &RowFilter) -> Result<Node, Status> {
        match self.checked(filter) {
            Err(status) if self.emulated() => Ok(Node::Refused {
                status,
                of_cells: is_of_cells(filter),
            }),
            result => result,
        }
    }

    fn checked(&mut self, filter: &RowFilter) -> Result<Node, Status> {
        Ok(match filter {
            RowFilter::Chain(filters) => Node::Chain(self.chain(filters)?),
            RowFilter::Interleave(filters) => {
                Node::Interleave(self.children("Interleave", filters)?)
            }
            RowFilter::Condition {
                predicate,
                if_true,
                if_false,
            } => self.condition(predicate, if_true.as_deref(), if_false.as_deref())?,
            RowFilter::Sink | RowFilter::ValueBitmask(_) if self.emulated() => Node::Ignored,
            RowFilter::Sink if self.in_condition => {
                return Err(invalid("A sink cannot be used within a condition"));
            }
            RowFilter::Sink => Node::Sink,
            RowFilter::PassAll => Node::PassAll,
            RowFilter::BlockAll => Node::BlockAll,
            RowFilter::RowKeyRegex(regex) => {
                if regex.is_empty() && self.emulated() {
                    return Err(field("row_key_regex_filter", "argument must not be empty"));
                }
                Node::RowKey(self.matcher("row_key_regex_filter", regex)?)
            }
            RowFilter::RowSample(probability) => row_sample(*probability)?,
            RowFilter::FamilyRegex(regex) => self.family_regex(regex)?,
            RowFilter::QualifierRegex(regex) => {
                Node::Qualifier(self.matcher("column_qualifier_regex_filter", regex)?)
            }
            RowFilter::QualifierRange { family, start, end } => Node::QualifierRange {
                family: family.clone(),
                span: span(start, end),
            },
            RowFilter::TimestampRange {
                start_micros,
                end_micros,
            } => self.timestamps(*start_micros, *end_micros)?,
            RowFilter::ValueRegex(regex) => Node::Value(self.matcher("value_regex_filter", regex)?),
            RowFilter::ValueRange { start, end } => Node::ValueRange(span(start, end)),
            RowFilter::ValueBitmask(mask) => Node::ValueBitmask(mask.clone()),
            RowFilter::CellsPerRowOffset(n) => {
                let n = usize::try_from(*n)
                    .map_err(|_| field("cells_per_row_offset_filter", "argument must be >= 0"))?;
                Node::RowOffset(n)
            }
            RowFilter::CellsPerRowLimit(n) => {
                Node::RowLimit(positive("cells_per_row_limit_filter", *n)?)
            }
            RowFilter::CellsPerColumnLimit(n) => {
                Node::ColumnLimit(positive("cells_per_column_limit_filter", *n)?)
            }
            RowFilter::StripValue if self.emulated() => {
                Node::Chain(vec![Node::StripValue, Node::Unlabel])
            }
            RowFilter::StripValue => Node::StripValue,
            RowFilter::Label(label) => self.label(label)?,
        })
    }

    fn emulated(&self) -> bool {
        self.profile == Profile::Emulator
    }

    fn children(&mut self, name: &str, filters: &[RowFilter]) -> Result<Vec<Node>, Status> {
        if filters.len() < 2 {
            return Err(invalid(format!(
                "{name} must contain at least two RowFilters"
            )));
        }
        filters.iter().map(|filter| self.node(filter)).collect()
    }

    /// A cell takes one label: only one filter of a chain may contain labels.
    fn chain(&mut self, filters: &[RowFilter]) -> Result<Vec<Node>, Status> {
        let labelled = filters.iter().filter(|filter| has_label(filter)).count();
        if labelled > 1 && !self.emulated() {
            return Err(invalid(
                "A chain may have no more than one filter that contains an apply_label_transformer",
            ));
        }
        self.children("Chain", filters)
    }

    fn condition(
        &mut self,
        predicate: &RowFilter,
        if_true: Option<&RowFilter>,
        if_false: Option<&RowFilter>,
    ) -> Result<Node, Status> {
        let outside = std::mem::replace(&mut self.in_condition, true);
        let predicate = Box::new(self.node(predicate)?);
        let mut branch = |filter: Option<&RowFilter>| {
            filter
                .map(|filter| self.node(filter).map(Box::new))
                .transpose()
        };
        let (if_true, if_false) = (branch(if_true)?, branch(if_false)?);
        self.in_condition = outside;
        Ok(Node::Condition {
            predicate,
            if_true,
            if_false,
        })
    }

    fn family_regex(&mut self, regex: &str) -> Result<Node, Status> {
        let name = "family_name_regex_filter";
        if regex.contains(':') && !self.emulated() {
            return Err(field(name, "the regex must not contain ':'"));
        }
        Ok(Node::Family(self.matcher(name, regex.as_bytes())?))
    }

    fn timestamps(&self, start: i64, end: i64) -> Result<Node, Status> {
        if !self.emulated() {
            let name = "timestamp_range_filter";
            if start < 0 || end < 0 {
                return Err(field(name, "timestamps must not be negative"));
            }
            if start % 1_000 != 0 || end % 1_000 != 0 {
                let message = "Maximum precision allowed in filter is millisecond.";
                return Err(field(name, message));
            }
        }
        Ok(Node::Timestamps {
            start,
            end: (end != 0).then_some(end),
        })
    }

    fn label(&mut self, label: &str) -> Result<Node, Status> {
        let known = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        let valid = match self.profile {
            Profile::Service => (1..=15).contains(&label.len()) && label.bytes().all(known),
            // Its pattern is not anchored: one valid character is enough.
            Profile::Emulator => label.bytes().any(known),
        };
        if !valid {
            let most = match self.profile {
                Profile::Service => " and have at most 15 characters",
                Profile::Emulator => "",
            };
            return Err(invalid(format!(
                "apply_label_transformer must match RE2([a-z0-9\\-]+){most}, but found {label}"
            )));
        }
        let number = u32::try_from(self.labels.len()).unwrap_or(u32::MAX);
        self.labels.push(label.to_owned());
        Ok(Node::Label(number))
    }

    fn matcher(&mut self, name: &str, regex: &[u8]) -> Result<Matcher, Status> {
        Matcher::new(regex, &mut self.regexes).map_err(|error| field(name, &error.to_string()))
    }
}

fn field(name: &str, message: &str) -> Status {
    invalid(format!("Error in field '{name}' : {message}"))
}

fn positive(name: &str, n: i32) -> Result<usize, Status> {
    match usize::try_from(n) {
        Ok(n) if n > 0 => Ok(n),
        _ => Err(field(name, "argument must be > 0")),
    }
}

fn row_sample(probability: f64) -> Result<Node, Status> {
    if probability > 0.0 && probability < 1.0 {
        return Ok(Node::RowSample(probability));
    }
    Err(field(
        "row_sample_filter",
        "argument must be strictly between 0.0 and 1.0",
    ))
}

fn span(start: &Bound<Bytes>, end: &Bound<Bytes>) -> Span {
    Span {
        start: start.clone(),
        end: end.clone(),
    }
}
