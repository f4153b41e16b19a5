//! Repeatable chance for generated data: the same seed gives the same data on every machine.
//!
//! ```
//! use demo_chance::Chance;
//!
//! let storm = Chance::new(7).of(2025).happens(0.1);
//! assert_eq!(storm, Chance::new(7).of(2025).happens(0.1));
//! ```

/// Repeatable chance: the same seed and coordinates give the same number on every machine.
#[derive(Debug, Clone, Copy)]
pub struct Chance(u64);

impl Chance {
    /// The chance of this seed.
    pub fn new(seed: u64) -> Self {
        Self(mix(seed))
    }

    /// A chance of its own for one of many things.
    #[must_use]
    pub fn of(self, thing: u64) -> Self {
        Self(mix(self.0 ^ thing.wrapping_mul(0x9E37_79B9_7F4A_7C15)))
    }

    /// 0 to 1.
    pub fn unit(self) -> f64 {
        // 53 bits are what a double holds.
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    /// `low` to `high`.
    pub fn between(self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// Whether something of this probability happens.
    pub fn happens(self, probability: f64) -> bool {
        self.unit() < probability
    }
}

/// The finalizer of `SplitMix64`: spreads any pattern of bits.
fn mix(bits: u64) -> u64 {
    let mut z = bits.wrapping_add(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chance_is_fair_and_never_leaves_its_bounds() {
        let all: Vec<f64> = (0..10_000)
            .map(|thing| Chance::new(5).of(thing).unit())
            .collect();
        assert!(all.iter().all(|value| (0.0..1.0).contains(value)));
        let mean = all.iter().sum::<f64>() / 10_000.0;
        assert!((mean - 0.5).abs() < 0.02, "{mean}");
    }
}
