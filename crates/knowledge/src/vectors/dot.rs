//! Dot products, fast enough to compare a query with every vector of a tenant.

/// Numbers that are multiplied side by side: enough for the compiler to use the widest registers
/// and hide their latency.
const LANES: usize = 16;

/// The dot product of two vectors of one length.
pub fn dot(a: &[f32], b: &[f32]) -> f32 {
    let (a_lanes, a_rest) = a.as_chunks::<LANES>();
    let (b_lanes, b_rest) = b.as_chunks::<LANES>();
    let mut sums = [0.0_f32; LANES];
    for (a, b) in a_lanes.iter().zip(b_lanes) {
        for lane in 0..LANES {
            sums[lane] += a[lane] * b[lane];
        }
    }
    let rest: f32 = a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum();
    sums.iter().sum::<f32>() + rest
}

/// A vector at length 1. One of length 0 stays: it is near to nothing.
pub fn unit(mut vector: Vec<f32>) -> Vec<f32> {
    let length = vector
        .iter()
        .map(|number| f64::from(*number) * f64::from(*number))
        .sum::<f64>()
        .sqrt();
    if length > 0.0 {
        for number in &mut vector {
            #[expect(clippy::cast_possible_truncation, reason = "a quotient of at most 1")]
            let scaled = (f64::from(*number) / length) as f32;
            *number = scaled;
        }
    }
    vector
}

/// The best of many, kept in order.
#[derive(Debug)]
pub struct Best {
    limit: usize,
    /// The worst first.
    kept: Vec<(f32, i64)>,
}

impl Best {
    /// None yet, of at most `limit`.
    pub fn of(limit: usize) -> Self {
        Self {
            limit,
            kept: Vec::with_capacity(limit.min(10_000) + 1),
        }
    }

    /// Takes one in if it is good enough. Of equals the one with the lower id is better.
    pub fn offer(&mut self, score: f32, id: i64) {
        if self.kept.len() == self.limit
            && self
                .kept
                .first()
                .is_none_or(|worst| !is_better((score, id), *worst))
        {
            return;
        }
        let at = self
            .kept
            .partition_point(|kept| is_better((score, id), *kept));
        self.kept.insert(at, (score, id));
        if self.kept.len() > self.limit {
            self.kept.remove(0);
        }
    }

    /// The best first.
    pub fn into_vec(mut self) -> Vec<(f32, i64)> {
        self.kept.reverse();
        self.kept
    }
}

fn is_better(one: (f32, i64), other: (f32, i64)) -> bool {
    match one.0.total_cmp(&other.0) {
        std::cmp::Ordering::Greater => true,
        std::cmp::Ordering::Less => false,
        std::cmp::Ordering::Equal => one.1 < other.1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_product_is_that_of_the_textbook_at_every_length() {
        for length in [0, 1, 15, 16, 17, 384, 1000] {
            let a: Vec<f32> = (0..length).map(|n| (n % 7) as f32 - 3.0).collect();
            let b: Vec<f32> = (0..length).map(|n| (n % 5) as f32 - 2.0).collect();
            let expected: f32 = a.iter().zip(&b).map(|(a, b)| a * b).sum();
            assert!((dot(&a, &b) - expected).abs() < 1e-3, "{length}");
        }
    }

    #[test]
    fn a_vector_gets_length_one_unless_it_has_none() {
        let unit = super::unit(vec![3.0, 4.0]);
        assert!((dot(&unit, &unit) - 1.0).abs() < 1e-6);
        assert_eq!(super::unit(vec![0.0, 0.0]), [0.0, 0.0]);
    }

    #[test]
    fn the_best_are_kept_in_order_and_ties_go_to_the_lower_id() {
        let mut best = Best::of(3);
        for (score, id) in [(0.1, 1), (0.9, 2), (0.5, 3), (0.5, 4), (0.9, 0)] {
            best.offer(score, id);
        }
        assert_eq!(best.into_vec(), [(0.9, 0), (0.9, 2), (0.5, 3)]);
        let mut none = Best::of(0);
        none.offer(1.0, 1);
        assert!(none.into_vec().is_empty());
    }
}
