//! Order statistics: quantiles, ranks, ties.

use crate::column::Column;

/// The factor from a median absolute deviation to a standard deviation, for normal values: 1 ÷
/// Φ⁻¹(3/4).
pub const MAD_TO_SD: f64 = 1.482_602_218_505_602;
/// The factor from a mean absolute deviation to a standard deviation, for normal values: √(π/2).
pub const MEAN_AD_TO_SD: f64 = 1.253_314_137_315_500_3;

/// The quantile of sorted values by linear interpolation: type 7 of Hyndman & Fan (1996), the
/// default of R and numpy.
pub fn quantile(sorted: &[f64], q: f64) -> Option<f64> {
    let last = sorted.len().checked_sub(1)?;
    let position = q.clamp(0.0, 1.0) * last as f64;
    let below = index(position).min(last);
    let above = (below + 1).min(last);
    let fraction = position - below as f64;
    let (low, high) = (sorted[below], sorted[above]);
    Some(if fraction == 0.0 {
        low
    } else {
        low + (high - low) * fraction
    })
}

/// The median of sorted values: the middle value, or the mean of the two middle values.
pub fn median(sorted: &[f64]) -> Option<f64> {
    quantile(sorted, 0.5)
}

/// The median of values in any order, without NaN. Reorders them.
pub fn median_of(values: &mut [f64]) -> Option<f64> {
    let half = values.len().checked_sub(1)? / 2;
    let is_even = values.len().is_multiple_of(2);
    let (_, &mut low, above) = values.select_nth_unstable_by(half, f64::total_cmp);
    let next = above.iter().copied().min_by(f64::total_cmp);
    Some(match next {
        Some(next) if is_even => low + (next - low) / 2.0,
        _ => low,
    })
}

/// A centre and a spread that are robust against outliers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Robust {
    /// The median.
    pub median: f64,
    /// 1.4826 times the median absolute deviation. Where more than half of the values are the same,
    /// 1.2533 times the mean absolute deviation (Iglewicz & Hoaglin 1993); 0 of a constant.
    pub scale: f64,
}

/// The median of values without NaN, and their spread about it.
pub fn robust(values: &[f64]) -> Option<Robust> {
    let median = median_of(&mut values.to_vec())?;
    let mut deviations: Vec<f64> = values.iter().map(|value| (value - median).abs()).collect();
    let mad = median_of(&mut deviations)?;
    let scale = if mad > 0.0 {
        mad * MAD_TO_SD
    } else {
        deviations.sort_by(f64::total_cmp);
        deviations.iter().sum::<f64>() / deviations.len() as f64 * MEAN_AD_TO_SD
    };
    Some(Robust { median, scale })
}

/// The ranks of sorted values, from 1, and Σ(t³ − t) over the ties. Ties share the mean of their
/// ranks.
pub fn sorted_ranks(sorted: &[f64]) -> (Vec<f64>, f64) {
    let mut ranks = Vec::with_capacity(sorted.len());
    let mut ties = 0.0;
    // The values are sorted, so a value that is not less is equal.
    for run in sorted.chunk_by(|a, b| a >= b) {
        let before = ranks.len() as f64;
        let length = run.len() as f64;
        ties += length * length * length - length;
        ranks.resize(ranks.len() + run.len(), before + f64::midpoint(length, 1.0));
    }
    (ranks, ties)
}

/// The ranks, by row, of the rows for which `has` holds; 0 for the others. Also returns the number
/// of ranked rows, and Σ(t³ − t) over the ties.
pub fn ranks(column: &Column, has: impl Fn(usize) -> bool) -> (Vec<f64>, usize, f64) {
    let rows: Vec<usize> = column
        .order()
        .iter()
        .copied()
        .filter(|&row| has(row))
        .collect();
    let sorted: Vec<f64> = rows.iter().map(|&row| column.values()[row]).collect();
    let (sorted, ties) = sorted_ranks(&sorted);
    let mut ranks = vec![0.0; column.values().len()];
    for (row, rank) in rows.iter().zip(sorted) {
        ranks[*row] = rank;
    }
    (ranks, rows.len(), ties)
}

/// A float that is not negative as an index, rounded down.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "callers pass values between zero and a length"
)]
pub(crate) fn index(value: f64) -> usize {
    value as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_those_of_r() {
        // R 4.3: quantile(c(1, 2, 4, 7, 11), c(.1, .25, .5, .75, 1))
        let sorted = [1.0, 2.0, 4.0, 7.0, 11.0];
        for (q, expected) in [
            (0.1, 1.4),
            (0.25, 2.0),
            (0.5, 4.0),
            (0.75, 7.0),
            (1.0, 11.0),
        ] {
            assert!((quantile(&sorted, q).unwrap() - expected).abs() < 1e-12);
        }
        assert_eq!(quantile(&sorted[..4], 0.75), Some(4.75));
        assert_eq!(quantile(&[], 0.5), None);
        assert_eq!(median_of(&mut [4.0, 1.0, 3.0, 2.0]), Some(2.5));
        assert_eq!(median_of(&mut [9.0, 1.0, 3.0]), Some(3.0));
        assert_eq!(median_of(&mut []), None);
    }

    #[test]
    fn a_spread_exists_even_when_most_values_are_the_same() {
        let spread = robust(&[1.0, 2.0, 3.0, 4.0, 100.0]).unwrap();
        assert_eq!(spread.median, 3.0);
        assert!((spread.scale - MAD_TO_SD).abs() < 1e-12);
        let mostly_same = robust(&[5.0, 5.0, 5.0, 5.0, 9.0]).unwrap();
        assert!((mostly_same.scale - 0.8 * MEAN_AD_TO_SD).abs() < 1e-12);
        assert_eq!(robust(&[5.0, 5.0]).unwrap().scale, 0.0);
        assert_eq!(robust(&[]), None);
    }

    #[test]
    fn ties_share_their_rank() {
        let (ranks, ties) = sorted_ranks(&[1.0, 2.0, 2.0, 2.0, 5.0]);
        assert_eq!(ranks, [1.0, 3.0, 3.0, 3.0, 5.0]);
        assert_eq!(ties, 24.0);
        let column = Column::new(vec![7.0, f64::NAN, 3.0, 7.0, 1.0]);
        let (ranks, count, ties) = super::ranks(&column, |row| row != 4);
        assert_eq!(
            (ranks, count, ties),
            (vec![2.5, 0.0, 1.0, 2.5, 0.0], 3, 6.0)
        );
    }
}
