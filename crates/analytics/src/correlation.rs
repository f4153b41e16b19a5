//! The correlation of two columns.

use crate::column::Column;
use crate::order;
use crate::p_values::student;

/// Minimum number of rows; with fewer, any two columns correlate.
const LEAST: usize = 4;

/// The correlation of two columns over the rows that have both values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Correlation {
    /// Number of rows that have both values.
    pub count: usize,
    /// Pearson's r.
    pub pearson: f64,
    /// The p-value of Pearson's r.
    pub pearson_p: f64,
    /// Spearman's rho.
    pub spearman: f64,
    /// The p-value of Spearman's rho, by Student's t.
    pub spearman_p: f64,
}

/// Pearson's and Spearman's correlation. Returns `None` with fewer than four rows that have both
/// values, and where a column does not vary.
pub fn correlation(one: &Column, other: &Column) -> Option<Correlation> {
    let has_both = |row: usize| one.get(row).is_some() && other.get(row).is_some();
    let (ranks, count, _) = order::ranks(one, has_both);
    if count < LEAST {
        return None;
    }
    let (other_ranks, ..) = order::ranks(other, has_both);
    let rows: Vec<usize> = (0..one.values().len())
        .filter(|&row| has_both(row))
        .collect();
    let pearson = of_rows(&rows, one.values(), other.values())?;
    let spearman = of_rows(&rows, &ranks, &other_ranks)?;
    let p = |r: f64| {
        let freedom = count as f64 - 2.0;
        student(r * (freedom / ((1.0 - r) * (1.0 + r))).sqrt(), freedom)
    };
    Some(Correlation {
        count,
        pearson,
        pearson_p: p(pearson),
        spearman,
        spearman_p: p(spearman),
    })
}

fn of_rows(rows: &[usize], one: &[f64], other: &[f64]) -> Option<f64> {
    let n = rows.len() as f64;
    // Values are divided by the largest, so that the squares of tiny values do not underflow.
    let scale = |values: &[f64]| {
        rows.iter()
            .map(|&row| values[row].abs())
            .fold(0.0, f64::max)
    };
    let (scale_one, scale_other) = (scale(one), scale(other));
    if scale_one == 0.0 || scale_other == 0.0 {
        return None;
    }
    let mean =
        |values: &[f64], scale: f64| rows.iter().map(|&row| values[row] / scale).sum::<f64>() / n;
    let (mean_one, mean_other) = (mean(one, scale_one), mean(other, scale_other));
    let (mut products, mut squares_one, mut squares_other) = (0.0, 0.0, 0.0);
    for &row in rows {
        let a = one[row] / scale_one - mean_one;
        let b = other[row] / scale_other - mean_other;
        products += a * b;
        squares_one += a * a;
        squares_other += b * b;
    }
    // The rounding error of a constant.
    let nothing = n * 1e-26;
    if squares_one <= nothing || squares_other <= nothing {
        return None;
    }
    Some((products / (squares_one.sqrt() * squares_other.sqrt())).clamp(-1.0, 1.0))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::noise::Noise;

    fn close(ours: f64, theirs: f64) {
        assert!((ours - theirs).abs() <= 1e-9, "{ours} is not {theirs}");
    }

    #[test]
    fn coefficients_and_p_values_are_those_of_scipy() {
        let one = Column::new(vec![1.0, 2.0, 3.0, 4.0, 4.0, 6.0, 7.0, 50.0, f64::NAN, 3.0]);
        let other = Column::new(vec![2.0, 1.0, 4.0, 3.0, 7.0, 5.0, 8.0, 9.0, 1.0, f64::NAN]);
        let found = correlation(&one, &other).unwrap();
        assert_eq!(found.count, 8);
        // scipy.stats.pearsonr, scipy.stats.spearmanr 1.17.1 over the eight pairs
        close(found.pearson, 0.649_421_370_177_341_4);
        close(found.pearson_p, 0.081_382_654_169_810_41);
        close(found.spearman, 0.898_219_696_434_944_1);
        close(found.spearman_p, 0.002_438_796_796_382_354);
    }

    #[test]
    fn constants_and_few_rows_do_not_correlate() {
        let rising = Column::new(vec![1.0, 2.0, 3.0, 4.0, 5.0]);
        assert_eq!(correlation(&rising, &Column::new(vec![0.1; 5])), None);
        assert_eq!(correlation(&rising, &Column::new(vec![0.0; 5])), None);
        let gaps = Column::new(vec![1.0, f64::NAN, 3.0, f64::NAN, 5.0]);
        assert_eq!(correlation(&rising, &gaps), None);
        let same = correlation(&rising, &rising).unwrap();
        assert_eq!(
            (same.pearson, same.pearson_p, same.spearman),
            (1.0, 0.0, 1.0)
        );
        let vast = Column::new(vec![1e100, -1e100, 5e99, 1e99, -3e98]);
        assert!(correlation(&rising, &vast).unwrap().pearson.is_finite());
    }

    #[test]
    fn noise_correlates_as_often_as_the_level_says() {
        let found = (0..400)
            .filter(|seed| {
                let mut noise = Noise::of(*seed);
                let (one, other) = (
                    Column::new(noise.normals(40)),
                    Column::new(noise.normals(40)),
                );
                correlation(&one, &other).unwrap().spearman_p < 0.05
            })
            .count();
        assert!((8..=36).contains(&found), "{found} of 400");
    }

    proptest! {
        #[test]
        fn shift_and_scale_do_not_change_the_result(seed in 0_u64..1_000, shift in -1e3..1e3_f64, scale in 0.01..100.0_f64) {
            let mut noise = Noise::of(seed);
            let (one, other) = (noise.normals(30), noise.normals(30));
            let moved: Vec<f64> = other.iter().map(|x| -x * scale + shift).collect();
            let (one, other) = (Column::new(one), Column::new(other));
            let before = correlation(&one, &other).unwrap();
            let after = correlation(&one, &Column::new(moved)).unwrap();
            prop_assert!((before.pearson + after.pearson).abs() < 1e-6);
            prop_assert!((before.spearman + after.spearman).abs() < 1e-9);
            let swapped = correlation(&other, &one).unwrap();
            prop_assert!((before.pearson - swapped.pearson).abs() < 1e-12);
        }
    }
}
