//! Servers that fail again and again during a long read and a large write, as a seed decides.

mod adds;
mod answers;
mod bytes;
mod connections;
mod reads;
mod tasks;
mod writes;

use std::sync::Mutex;

use bigtable_model_tests::runs::nightly;

/// Seeds of the normal and of the nightly run; `BIGTABLE_MODEL_SEED` selects a single seed.
fn seeds() -> std::ops::Range<u64> {
    if let Ok(seed) = std::env::var("BIGTABLE_MODEL_SEED") {
        let seed = seed.parse().unwrap();
        return seed..seed + 1;
    }
    nightly(0..1000, 0..50)
}

/// Numbers derived from a seed (SplitMix64).
#[derive(Debug)]
struct Dice(Mutex<u64>);

impl Dice {
    fn new(seed: u64) -> Self {
        Self(Mutex::new(seed))
    }

    /// A number in `0..sides`.
    fn roll(&self, sides: usize) -> usize {
        let mut state = self.0.lock().unwrap();
        *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = *state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((z ^ (z >> 31)) % sides as u64).unwrap()
    }
}
