//! Patterns with operators: automata whose states are built on demand.
//!
//! They process a text in pieces, so a long text, or a pattern that needs a new state for every
//! byte, does not block other tasks.

use std::collections::BTreeMap;

use regex_automata::Anchored;
use regex_automata::hybrid::LazyStateID;
use regex_automata::hybrid::dfa::{Cache, DFA};
use regex_automata::nfa::thompson::{self, WhichCaptures};
use regex_automata::util::start;

use super::render;
use super::tree::{Node, RegexError};
use crate::memory::limits;
use crate::memory::steps::{Steps, TooMany};

/// The maximum size of the compiled patterns of one filter, which are compiled in one turn.
const COMPILED: usize = 2 << 20;
/// The bytes of states that all patterns of a filter keep together, if that is enough for each.
const STATES: usize = 8 << 20;
/// The minimum and maximum size of a pattern's states, however many patterns there are.
const STATES_OF_ONE: (usize, usize) = (32 << 10, 2 << 20);

/// The number of states of a compiled pattern that cost one step for each byte that needs a new
/// state of the automaton.
const BUILT: usize = 2;
/// Bytes matched at once, and a limit on states times bytes for patterns with many states.
const PIECE: (usize, usize) = (4 << 10, 1 << 12);

/// The memory that the patterns of one filter may take together.
#[derive(Debug)]
pub(in crate::memory) struct Budget {
    compiled: usize,
    states: usize,
    machines: usize,
}

impl Budget {
    /// The budget of a filter with this many patterns.
    pub(in crate::memory) fn new(patterns: usize) -> Self {
        let (least, most) = STATES_OF_ONE;
        Self {
            compiled: COMPILED,
            states: (STATES / patterns.max(1)).clamp(least, most),
            machines: 0,
        }
    }
}

/// The states that the patterns of one filter have built so far.
#[derive(Debug, Default)]
pub(in crate::memory) struct Memories(BTreeMap<usize, Remembered>);

#[derive(Debug)]
struct Remembered {
    cache: Cache,
    /// The size of its states when it was last used.
    bytes: usize,
}

/// One pattern.
#[derive(Debug)]
pub(in crate::memory) struct Machine {
    dfa: DFA,
    /// Its number in the filter.
    number: usize,
    /// States of the compiled pattern.
    states: usize,
    piece: usize,
}

impl Machine {
    pub(super) fn new(node: &Node, budget: &mut Budget) -> Result<Self, RegexError> {
        let compiler = thompson::Config::new()
            .utf8(false)
            .which_captures(WhichCaptures::None)
            .nfa_size_limit(Some(budget.compiled));
        let config = DFA::config()
            .cache_capacity(budget.states)
            .skip_cache_capacity_check(true);
        let compiled = thompson::Compiler::new()
            .configure(compiler)
            .build_from_hir(&render::render(node))
            .map_err(|_| RegexError::TooLarge)?;
        let left = budget.compiled.checked_sub(compiled.memory_usage());
        budget.compiled = left.ok_or(RegexError::TooLarge)?;
        let states = compiled.states().len();
        let dfa = DFA::builder()
            .configure(config)
            .build_from_nfa(compiled)
            .map_err(|_| RegexError::TooLarge)?;
        let number = budget.machines;
        budget.machines += 1;
        let (bytes, looked_at) = PIECE;
        Ok(Self {
            dfa,
            number,
            states,
            piece: (looked_at / states.max(1)).clamp(1, bytes),
        })
    }

    /// Whether it matches the whole of a text.
    pub(super) async fn matches(
        &self,
        text: &[u8],
        memories: &mut Memories,
        steps: &mut Steps,
    ) -> Result<bool, TooMany> {
        let Memories(all) = memories;
        let remembered = all.entry(self.number).or_insert_with(|| self.remember());
        let Remembered { cache, bytes } = remembered;
        let start = start::Config::new().anchored(Anchored::Yes);
        let Ok(mut state) = self.dfa.start_state(cache, &start) else {
            return Ok(false);
        };
        for piece in text.chunks(self.piece) {
            steps.take(piece.len() / limits::STEP_BYTES).await?;
            let Some(next) = self.run(cache, state, piece) else {
                return Ok(false);
            };
            state = next;
            let held = cache.memory_usage();
            if held != *bytes {
                *bytes = held;
                steps.take(piece.len() * self.states / BUILT).await?;
            }
        }
        let end = self.dfa.next_eoi_state(cache, state);
        Ok(end.is_ok_and(|state| state.is_match()))
    }

    fn remember(&self) -> Remembered {
        let cache = self.dfa.create_cache();
        let bytes = cache.memory_usage();
        Remembered { cache, bytes }
    }

    /// The state after a piece of the text; `None` if no continuation can match. It never gives up,
    /// however often its states are dropped, since it is not configured to.
    fn run(&self, cache: &mut Cache, mut state: LazyStateID, piece: &[u8]) -> Option<LazyStateID> {
        for byte in piece {
            state = self.dfa.next_state(cache, state, *byte).ok()?;
            if state.is_dead() {
                return None;
            }
        }
        Some(state)
    }
}
