//! Histograms with bins of equal width.

use crate::column::Column;
use crate::describe::Moments;
use crate::order::{index, quantile};

/// Maximum number of bins.
const MOST: usize = 50;

/// A histogram with bins of equal width.
#[derive(Debug, Clone, PartialEq)]
pub struct Histogram {
    /// The width of a bin; 0 for a constant.
    pub width: f64,
    /// The bins from the smallest value to the largest, without gaps.
    pub bins: Vec<Bin>,
}

/// A bin of a histogram.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bin {
    /// The lower limit, inclusive.
    pub from: f64,
    /// The upper limit: exclusive, in the last bin inclusive.
    pub to: f64,
    /// Number of values in the bin.
    pub count: usize,
}

/// The histogram of a column. The width of a bin follows Freedman and Diaconis (1981): 2 IQR
/// n^(−1/3). Where the quartiles are the same, it follows Scott (1979): 3.49 sd n^(−1/3). Whole
/// numbers get bins of whole width.
pub fn histogram(column: &Column) -> Option<Histogram> {
    let sorted = column.sorted();
    let (least, greatest) = (*sorted.first()?, *sorted.last()?);
    let range = greatest - least;
    if range <= 0.0 {
        let only = Bin {
            from: least,
            to: greatest,
            count: sorted.len(),
        };
        return Some(Histogram {
            width: 0.0,
            bins: vec![only],
        });
    }
    // Values so close that their variance is nothing have one bin.
    let bins = width(&sorted).map_or(1.0, |width| (range / width).ceil());
    let bins = bins.clamp(1.0, MOST as f64);
    let width = if sorted.iter().all(|value| value.fract() == 0.0) && range < 1e15 {
        (range / bins).ceil()
    } else {
        range / bins
    };
    let count = index((range / width).ceil()).clamp(1, MOST);
    let mut bins: Vec<Bin> = (0..count)
        .map(|place| Bin {
            from: least + width * place as f64,
            to: least + width * (place + 1) as f64,
            count: 0,
        })
        .collect();
    for value in sorted {
        bins[index((value - least) / width).min(count - 1)].count += 1;
    }
    Some(Histogram { width, bins })
}

fn width(sorted: &[f64]) -> Option<f64> {
    let cube_root = (sorted.len() as f64).cbrt();
    let spread = quantile(sorted, 0.75)? - quantile(sorted, 0.25)?;
    if spread > 0.0 {
        return Some(2.0 * spread / cube_root);
    }
    let sd = Moments::of(sorted)?.sd()?;
    (sd > 0.0).then(|| 3.49 * sd / cube_root)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_width_is_that_of_freedman_and_diaconis() {
        let column = Column::new((0..1_000).map(|i| f64::from(i) * 0.25).collect());
        let found = histogram(&column).unwrap();
        // 2 × 124.875 ÷ 10 = 24.975; a range of 249.75 has ten of them.
        assert_eq!(found.bins.len(), 10);
        assert!((found.width - 24.975).abs() < 1e-9);
    }

    #[test]
    fn whole_numbers_have_whole_bins_and_constants_one() {
        let dice = Column::new((0..600).map(|i| f64::from(i % 6 + 1)).collect());
        let found = histogram(&dice).unwrap();
        assert_eq!(found.width, 1.0);
        assert_eq!(
            histogram(&Column::new(vec![3.0; 4])).unwrap().bins[0].count,
            4
        );
        assert_eq!(histogram(&Column::new(vec![f64::NAN])), None);
        let close = Column::new(vec![-0.0, 0.0, -0.0, -1.5e-247, -0.0]);
        assert_eq!(histogram(&close).unwrap().bins[0].count, 5);
        let mostly_zero = Column::new([vec![0.0; 99], vec![1e6]].concat());
        assert!(histogram(&mostly_zero).unwrap().bins.len() > 1);
    }

    proptest! {
        #[test]
        fn every_value_is_in_one_bin(values in prop::collection::vec(prop::num::f64::ANY, 0..80)) {
            let column = Column::new(values);
            let found = histogram(&column);
            prop_assert_eq!(found.is_some(), column.count() > 0);
            if let Some(found) = found {
                prop_assert_eq!(found.bins.iter().map(|bin| bin.count).sum::<usize>(), column.count());
                prop_assert!(found.bins.len() <= MOST);
                prop_assert!(found.bins.iter().all(|bin| bin.from.is_finite() && bin.to.is_finite()));
            }
        }
    }
}
