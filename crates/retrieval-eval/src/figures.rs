//! Retrieval figures from the ranks of the right passages.

use serde::{Deserialize, Serialize};

/// The usual figures over questions with one right passage each. All are 1 if it always ranked
/// first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Figures {
    /// Share of questions whose passage ranked first.
    pub recall_at_1: f64,
    /// Share of questions whose passage ranked among the first three.
    pub recall_at_3: f64,
    /// Share of questions whose passage ranked among the first five.
    pub recall_at_5: f64,
    /// Share of questions whose passage ranked among the first ten.
    pub recall_at_10: f64,
    /// Mean of 1 ÷ rank; 0 beyond rank ten.
    pub mrr_at_10: f64,
    /// Mean of 1 ÷ log2(rank + 1); 0 beyond rank ten.
    pub ndcg_at_10: f64,
}

impl Figures {
    /// The figures of ranks that start at 0.
    pub fn of(ranks: &[Option<usize>]) -> Self {
        let mean = |worth: &dyn Fn(usize) -> f64| {
            let worths = ranks
                .iter()
                .flatten()
                .filter(|rank| **rank < 10)
                .map(|rank| worth(*rank));
            worths.sum::<f64>() / (ranks.len().max(1) as f64)
        };
        let within = |limit: usize| mean(&|rank| f64::from(u8::from(rank < limit)));
        Self {
            recall_at_1: within(1),
            recall_at_3: within(3),
            recall_at_5: within(5),
            recall_at_10: within(10),
            mrr_at_10: mean(&|rank| 1.0 / (rank as f64 + 1.0)),
            ndcg_at_10: mean(&|rank| 1.0 / (rank as f64 + 2.0).log2()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_follow_their_definitions() {
        let figures = Figures::of(&[Some(0), Some(3), Some(10), None]);
        let expected = Figures {
            recall_at_1: 0.25,
            recall_at_3: 0.25,
            recall_at_5: 0.5,
            recall_at_10: 0.5,
            mrr_at_10: (1.0 + 0.25) / 4.0,
            ndcg_at_10: (1.0 + 1.0 / 5.0_f64.log2()) / 4.0,
        };
        assert_eq!(figures, expected);
        assert_eq!(Figures::of(&[]), Figures::default());
    }
}
