//! The state that all clones share: the rules with their counts, and the log.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;

use super::rule::{Fault, FaultRule, FaultRuleError};
use super::target::{Keys, Target};
use crate::Method;
use crate::Status;

/// How many calls the log holds; older ones are dropped from it.
const CALLS_KEPT: usize = 10_000;

/// One call that a [`FaultyBackend`](super::FaultyBackend) was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Call {
    /// Its number among all calls, from 1.
    pub number: u64,
    /// What was called.
    pub method: Method,
    /// On which table.
    pub table: Option<String>,
    /// On which row, if this kind of request names exactly one.
    pub key: Option<Bytes>,
    /// What was done to it.
    pub faults: Vec<InjectedFault>,
}

/// A fault that was injected into a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct InjectedFault {
    /// The rule's position, from 0.
    pub rule: usize,
    /// For a failed entry: its position in the request.
    pub entry: Option<usize>,
}

/// How many faults were injected.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Injected {
    /// Calls answered with an error instead of by the backend.
    pub errors: u64,
    /// Calls delayed.
    pub latencies: u64,
    /// Reads interrupted. A read that ended before its cut does not count.
    pub cuts: u64,
    /// Entries answered with an error.
    pub entries: u64,
    /// Answers replaced.
    pub answers: u64,
    /// The number of faults of each rule.
    pub by_rule: Vec<u64>,
}

impl Injected {
    /// The number of all faults.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.errors + self.latencies + self.cuts + self.entries + self.answers
    }
}

#[derive(Debug)]
pub(super) struct Shared {
    seed: u64,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    active: bool,
    rules: Vec<Counted>,
    calls: u64,
    log: VecDeque<Call>,
    injected: Injected,
}

#[derive(Debug)]
struct Counted {
    rule: FaultRule,
    matched: u64,
}

/// What is to happen to a call.
#[derive(Debug)]
pub(super) struct Decision {
    pub(super) call: u64,
    pub(super) delay: Duration,
    pub(super) hit: Option<Hit>,
}

/// A rule that makes a call fail.
#[derive(Debug)]
pub(super) struct Hit {
    pub(super) rule: usize,
    pub(super) failing: Failing,
    /// The status for the caller.
    pub(super) status: Status,
}

/// How a call fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Failing {
    /// The backend is not called.
    Refused,
    /// The backend is called and its answer dropped.
    Unanswered,
    /// A read is interrupted.
    Cut { after_rows: u64, inside_row: bool },
}

/// What is to happen to an entry of a bulk write.
#[derive(Debug)]
pub(super) struct EntryHit {
    pub(super) rule: usize,
    pub(super) applied: bool,
    pub(super) status: Status,
}

impl Shared {
    pub(super) fn new(seed: u64, rules: Vec<FaultRule>) -> Result<Self, FaultRuleError> {
        for (rule, given) in rules.iter().enumerate() {
            let checked = given.check();
            checked.map_err(|reason| FaultRuleError { rule, reason })?;
        }
        let mut state = State {
            active: true,
            ..State::default()
        };
        state.injected.by_rule = vec![0; rules.len()];
        let counted = |rule| Counted { rule, matched: 0 };
        state.rules = rules.into_iter().map(counted).collect();
        let state = Mutex::new(state);
        Ok(Self { seed, state })
    }

    pub(super) fn seed(&self) -> u64 {
        self.seed
    }

    pub(super) fn rules(&self) -> Vec<FaultRule> {
        let state = self.state();
        state.rules.iter().map(|held| held.rule.clone()).collect()
    }

    /// Counts stay valid after a panic in another thread.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn set_active(&self, active: bool) {
        self.state().active = active;
    }

    pub(super) fn injected(&self) -> Injected {
        self.state().injected.clone()
    }

    pub(super) fn calls(&self) -> Vec<Call> {
        self.state().log.iter().cloned().collect()
    }

    /// Logs a call and decides what happens to it: the first rule that fails it ends the search.
    pub(super) fn begin(&self, target: Target<'_>) -> Decision {
        let state = &mut *self.state();
        let call = state.log(target);
        let mut delay = Duration::ZERO;
        for rule in 0..state.rules.len() {
            let of_calls = |fault: &Fault| !matches!(fault, Fault::FailEntry { .. });
            let (failing, status) = match state.hit(self.seed, rule, target, of_calls) {
                None | Some(Fault::FailEntry { .. }) => continue,
                Some(Fault::Latency(by)) => {
                    delay = delay.saturating_add(by);
                    state.record(call, rule, None);
                    continue;
                }
                Some(Fault::Error(status)) => (Failing::Refused, status),
                Some(Fault::LoseAnswer(status)) => (Failing::Unanswered, status),
                Some(Fault::CutRead {
                    after_rows,
                    inside_row,
                    status,
                }) => {
                    let cut = Failing::Cut {
                        after_rows,
                        inside_row,
                    };
                    (cut, status)
                }
            };
            let hit = Some(Hit {
                rule,
                failing,
                status,
            });
            return Decision { call, delay, hit };
        }
        let hit = None;
        Decision { call, delay, hit }
    }

    /// Decides what happens to one entry of a bulk write.
    pub(super) fn entry(&self, table: &str, key: &Bytes) -> Option<EntryHit> {
        let state = &mut *self.state();
        let target = Target {
            method: Method::MutateRows,
            table: Some(table),
            keys: Keys::One(key),
        };
        (0..state.rules.len()).find_map(|rule| {
            let of_entries = |fault: &Fault| matches!(fault, Fault::FailEntry { .. });
            match state.hit(self.seed, rule, target, of_entries)? {
                Fault::FailEntry { applied, status } => Some(EntryHit {
                    rule,
                    applied,
                    status,
                }),
                _ => None,
            }
        })
    }

    /// Counts a fault and puts it into the log.
    pub(super) fn record(&self, call: u64, rule: usize, entry: Option<usize>) {
        self.state().record(call, rule, entry);
    }
}

/// The log is too much for a log line.
impl fmt::Debug for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("State")
            .field("active", &self.active)
            .field("rules", &self.rules)
            .field("calls", &self.calls)
            .field("injected", &self.injected)
            .finish_non_exhaustive()
    }
}

impl State {
    fn log(&mut self, target: Target<'_>) -> u64 {
        self.calls += 1;
        if self.log.len() == CALLS_KEPT {
            self.log.pop_front();
        }
        self.log.push_back(Call {
            number: self.calls,
            method: target.method,
            table: target.table.map(str::to_owned),
            key: target.keys.one(),
            faults: Vec::new(),
        });
        self.calls
    }

    /// The fault of one rule, if it is of this kind, matches the call and hits it.
    fn hit(
        &mut self,
        seed: u64,
        index: usize,
        target: Target<'_>,
        kind: impl Fn(&Fault) -> bool,
    ) -> Option<Fault> {
        if !self.active {
            return None;
        }
        let counted = self.rules.get_mut(index)?;
        let rule = &counted.rule;
        if !kind(&rule.fault) || !rule.matches(target.method, target.table, target.keys) {
            return None;
        }
        counted.matched += 1;
        let chance = chance(seed, index, counted.matched);
        let hits = rule.when.hits(counted.matched, chance);
        hits.then(|| rule.fault.clone())
    }

    fn record(&mut self, call: u64, rule: usize, entry: Option<usize>) {
        let Some(counted) = self.rules.get(rule) else {
            return;
        };
        let injected = &mut self.injected;
        let kind = match counted.rule.fault {
            Fault::Error(_) => &mut injected.errors,
            Fault::Latency(_) => &mut injected.latencies,
            Fault::CutRead { .. } => &mut injected.cuts,
            Fault::FailEntry { .. } => &mut injected.entries,
            Fault::LoseAnswer(_) => &mut injected.answers,
        };
        *kind += 1;
        if let Some(count) = injected.by_rule.get_mut(rule) {
            *count += 1;
        }
        // A read may be cut after the log has dropped it.
        let oldest = self.log.front().map_or(0, |oldest| oldest.number);
        let place = call.checked_sub(oldest).map(usize::try_from);
        if let Some(Ok(place)) = place
            && let Some(held) = self.log.get_mut(place)
        {
            held.faults.push(InjectedFault { rule, entry });
        }
    }
}

/// The random number of a rule's match, in `0.0..1.0`. It depends on nothing else, so other rules
/// and calls never change it.
fn chance(seed: u64, rule: usize, matched: u64) -> f64 {
    let rule = u64::try_from(rule).unwrap_or(u64::MAX);
    let mixed = mix(mix(seed ^ mix(rule)) ^ matched);
    // A float holds 32 bits exactly.
    let bits = u32::try_from(mixed >> 32).unwrap_or(u32::MAX);
    f64::from(bits) / (f64::from(u32::MAX) + 1.0)
}

/// The finaliser of splitmix64: every bit of the input changes about half of the output's.
fn mix(input: u64) -> u64 {
    let mut z = input.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
