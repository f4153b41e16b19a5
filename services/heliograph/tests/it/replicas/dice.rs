//! Chance that can be repeated.

/// Splitmix64: the same seed, the same throws.
#[derive(Debug, Clone)]
pub(crate) struct Dice(u64);

impl Dice {
    /// The throws of one seed; `who` distinguishes several.
    pub(crate) fn new(seed: u64, who: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ who.wrapping_mul(0xd1b5_4a32_d192_ed03))
    }

    /// A number below this one.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^= mixed >> 31;
        usize::try_from(mixed % end as u64).unwrap()
    }

    pub(crate) fn one_in(&mut self, many: usize) -> bool {
        self.below(many) == 0
    }
}
