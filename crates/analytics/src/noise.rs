//! Reproducible pseudo-random numbers for tests.

/// A generator of numbers from a seed: `SplitMix64` (Steele, Lea & Flood 2014).
pub(crate) struct Noise(u64);

const STEP: u64 = 0x9E37_79B9_7F4A_7C15;

impl Noise {
    /// The seed is mixed: otherwise neighbouring seeds would give the same numbers, shifted by one.
    pub(crate) fn of(seed: u64) -> Self {
        Self(mixed(seed.wrapping_add(STEP)))
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(STEP);
        mixed(self.0)
    }

    /// A number from 0 to 1.
    pub(crate) fn uniform(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// A standard normal deviate, by Box and Muller.
    pub(crate) fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.uniform()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.uniform()).cos()
    }

    /// `count` standard normal deviates.
    pub(crate) fn normals(&mut self, count: usize) -> Vec<f64> {
        (0..count).map(|_| self.normal()).collect()
    }
}

fn mixed(mut bits: u64) -> u64 {
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    bits ^ (bits >> 31)
}
