//! Reproducible random choices. The generator (`SplitMix64`) is implemented here because libraries
//! change theirs.

/// A source of random choices.
pub(super) struct Dice(u64);

impl Dice {
    pub(super) fn new(seed: u64) -> Self {
        // Seeds are mixed first. Otherwise neighbouring seeds would give shifted copies of one
        // sequence.
        let mut dice = Self(seed);
        Self(dice.next())
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// An index into a list with `length` entries, which is not empty.
    pub(super) fn index(&mut self, length: usize) -> usize {
        let length = u64::try_from(length).unwrap_or(u64::MAX).max(1);
        usize::try_from(self.next() % length).unwrap_or_default()
    }

    /// A number from `low` to `high`, both included.
    pub(super) fn between(&mut self, low: i64, high: i64) -> i64 {
        let span = high.abs_diff(low).saturating_add(1);
        low.saturating_add_unsigned(self.next() % span)
    }

    /// True with a probability of `share` per cent.
    pub(super) fn percent(&mut self, share: i64) -> bool {
        self.between(1, 100) <= share
    }

    /// One of the given values.
    pub(super) fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.index(from.len())]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbouring_seeds_give_different_sequences() {
        let rolls = |seed| {
            let mut dice = Dice::new(seed);
            (0..20)
                .map(move |_| dice.between(1, 1_000_000))
                .collect::<Vec<_>>()
        };
        let (one, two) = (rolls(1), rolls(2));
        assert!(one.iter().all(|roll| !two.contains(roll)));
    }

    #[test]
    fn choices_are_fair_and_within_bounds() {
        let mut dice = Dice::new(7);
        let mut counts = [0; 6];
        for _ in 0..6_000 {
            counts[dice.index(6)] += 1;
        }
        assert!(
            counts.iter().all(|count| (850..1_150).contains(count)),
            "{counts:?}"
        );
        let rolls: Vec<i64> = (0..500).map(|_| dice.between(-2, 2)).collect();
        assert!((-2..=2).all(|n| rolls.contains(&n)) && rolls.iter().all(|n| (-2..=2).contains(n)));
    }
}
