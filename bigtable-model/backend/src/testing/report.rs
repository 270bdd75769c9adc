//! The report of a run.

use std::fmt;

use super::expect::Failure;

/// A case in which a backend is known to differ from Bigtable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Deviation {
    case: &'static str,
    reason: &'static str,
    shows: &'static str,
    always: bool,
}

impl Deviation {
    /// The case always fails. If it passes, that is a failure too, so the list stays correct.
    #[must_use]
    pub const fn always(case: &'static str, reason: &'static str) -> Self {
        Self {
            case,
            reason,
            shows: "",
            always: true,
        }
    }

    /// The case fails sometimes, because the backend is not deterministic.
    #[must_use]
    pub const fn sometimes(case: &'static str, reason: &'static str) -> Self {
        Self {
            always: false,
            ..Self::always(case, reason)
        }
    }

    /// Requires the failure to contain this text; any other failure is not a known deviation.
    #[must_use]
    pub const fn showing(mut self, text: &'static str) -> Self {
        self.shows = text;
        self
    }

    /// The case's name.
    #[must_use]
    pub const fn case(&self) -> &'static str {
        self.case
    }

    /// Why the backend differs.
    #[must_use]
    pub const fn reason(&self) -> &'static str {
        self.reason
    }
}

/// The outcome of a case.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Outcome {
    /// The backend behaved like Bigtable.
    Passed,
    /// It behaved differently, as expected.
    Deviated {
        /// The reason from the list of deviations.
        reason: &'static str,
        /// The failure.
        failure: Failure,
    },
    /// It behaved differently.
    Failed(Failure),
    /// The case passed, but the list has it as always failing.
    Stale,
    /// The list has a case that does not exist.
    Unknown,
}

impl Outcome {
    /// Whether this outcome is acceptable.
    #[must_use]
    pub fn is_success(&self) -> bool {
        matches!(self, Self::Passed | Self::Deviated { .. })
    }
}

/// The outcomes of all cases. `Display` lists those that did not pass, with expected and actual
/// values.
#[derive(Debug, Clone)]
pub struct Report {
    outcomes: Vec<(&'static str, Outcome)>,
    deviations: Vec<Deviation>,
}

impl Report {
    pub(super) fn new(deviations: &[Deviation]) -> Self {
        Self {
            outcomes: Vec::new(),
            deviations: deviations.to_vec(),
        }
    }

    pub(super) fn add(&mut self, case: &'static str, failure: Option<Failure>) {
        let known = self.deviations.iter().find(|known| known.case == case);
        let outcome = match (failure, known) {
            (None, Some(known)) if known.always => Outcome::Stale,
            (None, _) => Outcome::Passed,
            (Some(failure), Some(known)) if failure.to_string().contains(known.shows) => {
                Outcome::Deviated {
                    reason: known.reason,
                    failure,
                }
            }
            (Some(failure), _) => Outcome::Failed(failure),
        };
        self.outcomes.push((case, outcome));
    }

    /// Adds the deviations without a case.
    pub(super) fn close(&mut self) {
        let run = |case: &str| self.outcomes.iter().any(|(name, _)| *name == case);
        let unknown: Vec<_> = self
            .deviations
            .iter()
            .filter(|known| !run(known.case))
            .map(|known| (known.case, Outcome::Unknown))
            .collect();
        self.outcomes.extend(unknown);
    }

    /// Every case with its outcome, in the order in which they ran.
    pub fn outcomes(&self) -> impl Iterator<Item = (&'static str, &Outcome)> {
        self.outcomes.iter().map(|(case, outcome)| (*case, outcome))
    }

    /// Whether every case passed, or deviated as listed.
    #[must_use]
    pub fn is_success(&self) -> bool {
        self.outcomes
            .iter()
            .all(|(_, outcome)| outcome.is_success())
    }

    /// For tests.
    ///
    /// # Panics
    ///
    /// Unless [`Report::is_success`]; the message is the report.
    #[track_caller]
    pub fn assert_passed(&self) {
        assert!(self.is_success(), "{self}");
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (case, outcome) in &self.outcomes {
            match outcome {
                Outcome::Passed => {}
                Outcome::Deviated { reason, failure } => {
                    writeln!(f, "deviates {case} ({reason}): {failure}")?;
                }
                Outcome::Failed(failure) => writeln!(f, "FAILED {case}: {failure}")?,
                Outcome::Stale => {
                    writeln!(f, "FAILED {case}: listed as a deviation, but it passed")?;
                }
                Outcome::Unknown => {
                    writeln!(
                        f,
                        "FAILED {case}: listed as a deviation, but there is no such case"
                    )?;
                }
            }
        }
        let passed = |(_, outcome): &&(_, Outcome)| outcome.is_success();
        let success = self.outcomes.iter().filter(passed).count();
        write!(f, "{success} of {} cases as expected", self.outcomes.len())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    const KNOWN: &[Deviation] = &[
        Deviation::always("a", "reason"),
        Deviation::always("b", "reason").showing("UNKNOWN"),
        Deviation::sometimes("c", "reason"),
        Deviation::always("gone", "reason"),
    ];

    fn outcome(case: &'static str, failure: Option<&str>) -> Outcome {
        let mut report = Report::new(KNOWN);
        report.add(case, failure.map(Failure::new));
        let (_, outcome) = report.outcomes().next().unwrap();
        outcome.clone()
    }

    #[test]
    fn known_deviations_are_reported_and_others_fail() {
        assert!(outcome("a", Some("it differs")).is_success());
        assert!(outcome("b", Some("got UNKNOWN")).is_success());
        assert!(!outcome("b", Some("got INTERNAL")).is_success());
        assert!(!outcome("other", Some("it differs")).is_success());
        assert!(outcome("other", None).is_success());
    }

    #[test]
    fn a_list_must_stay_true() {
        assert_eq!(outcome("a", None), Outcome::Stale);
        assert_eq!(outcome("c", None), Outcome::Passed);
        assert!(outcome("c", Some("it differs")).is_success());
        let mut report = Report::new(KNOWN);
        report.add("a", Some(Failure::new("it differs")));
        report.close();
        assert!(!report.is_success());
        let text = report.to_string();
        assert!(text.contains("deviates a (reason): it differs"), "{text}");
        assert!(text.contains("FAILED gone"), "{text}");
        assert!(text.ends_with("1 of 4 cases as expected"), "{text}");
    }
}
