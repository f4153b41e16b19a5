//! Order statistics, the way numpy's defaults define them.

/// Linear interpolation between order statistics. Reorders `values`, which must not hold NaN.
pub(crate) fn quantile(values: &mut [f64], q: f64) -> Option<f64> {
    if values.is_empty() {
        return None;
    }
    let position = q * (values.len() - 1) as f64;
    let lower = to_index(position.floor());
    let fraction = position - position.floor();
    let (_, &mut at, above) = values.select_nth_unstable_by(lower, f64::total_cmp);
    if fraction == 0.0 || above.is_empty() {
        return Some(at);
    }
    let next = above.iter().copied().fold(f64::INFINITY, f64::min);
    Some(at + (next - at) * fraction)
}

/// The middle value, or the mean of the two middle ones.
pub(crate) fn median(values: &mut [f64]) -> Option<f64> {
    quantile(values, 0.5)
}

/// Factor that makes the median absolute deviation comparable with a standard deviation.
const MAD_TO_SIGMA: f64 = 1.4826;

/// The spread that absolute `distances` from a level have, as a standard deviation that single odd
/// values do not change; 0 of nothing.
pub(crate) fn spread(distances: &mut [f64]) -> f64 {
    MAD_TO_SIGMA * median(distances).unwrap_or(0.0)
}

/// The arithmetic mean; `None` of nothing.
pub(crate) fn mean(values: impl IntoIterator<Item = f64>) -> Option<f64> {
    let (sum, count) = values
        .into_iter()
        .fold((0.0, 0_u32), |(sum, count), value| (sum + value, count + 1));
    (count > 0).then(|| sum / f64::from(count))
}

/// A non-negative float as an index.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "callers pass whole numbers between zero and a length"
)]
pub(crate) fn to_index(value: f64) -> usize {
    value as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_interpolate() {
        let mut values = [4.0, 1.0, 3.0, 2.0];
        assert_eq!(median(&mut values), Some(2.5));
        assert_eq!(quantile(&mut values, 1.0), Some(4.0));
        assert_eq!(quantile(&mut values, 0.1), Some(1.3));
        assert_eq!(quantile(&mut [], 0.5), None);
    }
}
