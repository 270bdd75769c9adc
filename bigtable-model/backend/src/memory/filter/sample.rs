//! The random numbers of `RowFilter::RowSample`.

use std::hash::{BuildHasher, Hasher, RandomState};

/// A sequence of numbers that differs from run to run (splitmix64 from a random start).
///
/// Most reads draw nothing, so the seed is chosen at the first draw.
#[derive(Debug, Default, Clone)]
pub(in crate::memory) struct Sampler(Option<u64>);

impl Sampler {
    /// True with this probability.
    pub(in crate::memory) fn draw(&mut self, probability: f64) -> bool {
        let state = self
            .0
            .get_or_insert_with(|| RandomState::new().build_hasher().finish());
        *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = *state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^= mixed >> 31;
        // The upper 32 bits as a fraction below 1.
        let [a, b, c, d, ..] = mixed.to_be_bytes();
        f64::from(u32::from_be_bytes([a, b, c, d])) / 4_294_967_296.0 < probability
    }
}
