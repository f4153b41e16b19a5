//! Descriptive statistics of a column.

use crate::column::Column;
use crate::order::quantile;
use crate::p_values::student_quantile;

/// The confidence level of intervals.
pub const CONFIDENCE: f64 = 0.95;

/// Descriptive statistics of a column. A figure that needs more values is `None`.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Description {
    /// Number of known values.
    pub count: usize,
    /// Number of rows without a value.
    pub missing: usize,
    /// The sum of the values.
    pub sum: Option<f64>,
    /// The arithmetic mean.
    pub mean: Option<f64>,
    /// The standard deviation of the sample (n − 1).
    pub sd: Option<f64>,
    /// The standard error of the mean.
    pub sem: Option<f64>,
    /// The confidence interval of the mean, by Student's t.
    pub interval: Option<(f64, f64)>,
    /// The smallest value.
    pub min: Option<f64>,
    /// The first quartile, type 7.
    pub q1: Option<f64>,
    /// The median, type 7.
    pub median: Option<f64>,
    /// The third quartile, type 7.
    pub q3: Option<f64>,
    /// The largest value.
    pub max: Option<f64>,
    /// The adjusted Fisher–Pearson coefficient of skewness (G1).
    pub skewness: Option<f64>,
    /// Number of values outside Tukey's fences.
    pub outliers: usize,
    /// Number of values above 0.
    pub positive: usize,
    /// Number of values below 0.
    pub negative: usize,
}

/// Computes the descriptive statistics of a column.
pub fn describe(column: &Column) -> Description {
    let sorted = column.sorted();
    let moments = Moments::of(&sorted);
    let n = sorted.len() as f64;
    let (q1, q3) = (quantile(&sorted, 0.25), quantile(&sorted, 0.75));
    let sem = moments.and_then(Moments::sd).map(|sd| sd / n.sqrt());
    Description {
        count: sorted.len(),
        missing: column.missing(),
        sum: moments.map(|_| sorted.iter().sum()),
        mean: moments.map(|moments| moments.mean),
        sd: moments.and_then(Moments::sd),
        sem,
        interval: interval(moments, sem),
        min: sorted.first().copied(),
        q1,
        median: quantile(&sorted, 0.5),
        q3,
        max: sorted.last().copied(),
        skewness: moments.and_then(|moments| skewness(&sorted, moments)),
        outliers: q1
            .zip(q3)
            .map_or(0, |quartiles| beyond_fences(&sorted, quartiles)),
        positive: sorted.iter().filter(|value| **value > 0.0).count(),
        negative: sorted.iter().filter(|value| **value < 0.0).count(),
    }
}

/// Tukey's fences: 1.5 interquartile ranges outside the quartiles.
pub fn fences((q1, q3): (f64, f64)) -> (f64, f64) {
    let reach = 1.5 * (q3 - q1);
    (q1 - reach, q3 + reach)
}

fn beyond_fences(sorted: &[f64], quartiles: (f64, f64)) -> usize {
    let (low, high) = fences(quartiles);
    sorted
        .iter()
        .filter(|value| **value < low || **value > high)
        .count()
}

fn interval(moments: Option<Moments>, sem: Option<f64>) -> Option<(f64, f64)> {
    let (moments, sem) = moments.zip(sem)?;
    let reach = sem * student_quantile(CONFIDENCE, moments.count - 1.0)?;
    Some((moments.mean - reach, moments.mean + reach))
}

fn skewness(sorted: &[f64], moments: Moments) -> Option<f64> {
    let n = moments.count;
    let sd = moments.sd()?;
    if n < 3.0 || sd == 0.0 {
        return None;
    }
    let cubes: f64 = sorted
        .iter()
        .map(|value| ((value - moments.mean) / sd).powi(3))
        .sum();
    Some(cubes * n / ((n - 1.0) * (n - 2.0)))
}

/// The number of values, their mean, and the sum of squares about it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Moments {
    pub(crate) count: f64,
    pub(crate) mean: f64,
    /// Σ(x − mean)².
    pub(crate) squares: f64,
}

impl Moments {
    /// The moments of values without NaN. The squares are summed in a second pass about the mean of
    /// the first, so that a constant has a spread of exactly 0.
    pub(crate) fn of(values: &[f64]) -> Option<Self> {
        let first = *values.first()?;
        let count = values.len() as f64;
        if values.iter().all(|value| value.total_cmp(&first).is_eq()) {
            return Some(Self {
                count,
                mean: first,
                squares: 0.0,
            });
        }
        let rough = values.iter().sum::<f64>() / count;
        let mean = rough + values.iter().map(|value| value - rough).sum::<f64>() / count;
        let squares = values.iter().map(|value| (value - mean).powi(2)).sum();
        Some(Self {
            count,
            mean,
            squares,
        })
    }

    pub(crate) fn variance(self) -> Option<f64> {
        (self.count > 1.0).then(|| self.squares / (self.count - 1.0))
    }

    pub(crate) fn sd(self) -> Option<f64> {
        self.variance().map(f64::sqrt)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn close(ours: Option<f64>, theirs: f64) {
        let ours = ours.unwrap();
        assert!(
            (ours - theirs).abs() <= 1e-9 * theirs.abs().max(1.0),
            "{ours} is not {theirs}"
        );
    }

    #[test]
    fn figures_are_those_of_scipy() {
        // numpy 2 / scipy 1.17.1: mean, std(ddof=1), sem, t.interval(0.95, ...), skew(bias=False),
        // quantile
        let column = Column::new(vec![2.0, 4.0, 4.0, 5.0, 7.0, 9.0, 30.0, f64::NAN, -3.0]);
        let figures = describe(&column);
        assert_eq!(
            (figures.count, figures.missing, figures.outliers),
            (8, 1, 2)
        );
        assert_eq!((figures.positive, figures.negative), (7, 1));
        close(figures.sum, 58.0);
        close(figures.mean, 7.25);
        close(figures.sd, SD);
        close(figures.sem, SEM);
        close(figures.interval.map(|interval| interval.0), LOW);
        close(figures.interval.map(|interval| interval.1), HIGH);
        close(figures.skewness, SKEWNESS);
        assert_eq!(
            [
                figures.min,
                figures.q1,
                figures.median,
                figures.q3,
                figures.max
            ]
            .map(Option::unwrap),
            [-3.0, 3.5, 4.5, 7.5, 30.0]
        );
    }

    const SD: f64 = 9.852_483_370_776_556;
    const SEM: f64 = 3.483_378_901_501_897_7;
    const LOW: f64 = -0.986_882_227_978_018_3;
    const HIGH: f64 = 15.486_882_227_978_018;
    const SKEWNESS: f64 = 2.086_855_225_023_886;

    #[test]
    fn few_values_have_few_figures() {
        assert_eq!(describe(&Column::new(Vec::new())), Description::default());
        let one = describe(&Column::new(vec![4.0]));
        assert_eq!(
            (one.mean, one.median, one.sd, one.interval),
            (Some(4.0), Some(4.0), None, None)
        );
        let constant = describe(&Column::new(vec![0.1; 7]));
        assert_eq!(
            (constant.mean, constant.sd, constant.skewness),
            (Some(0.1), Some(0.0), None)
        );
        assert_eq!(constant.interval, Some((0.1, 0.1)));
        let huge = describe(&Column::new(vec![1e100, -1e100, 9e99]));
        assert!(huge.sd.unwrap().is_finite() && huge.skewness.unwrap().is_finite());
    }

    proptest! {
        #[test]
        fn shift_and_scale_carry_over(
            values in prop::collection::vec(-1e4..1e4_f64, 3..60),
            shift in -1e4..1e4_f64,
            scale in 0.01..100.0_f64,
        ) {
            let before = describe(&Column::new(values.clone()));
            let after = describe(&Column::new(values.iter().map(|x| x * scale + shift).collect()));
            let near = |a: f64, b: f64| (a - b).abs() <= 1e-6 * (1.0 + a.abs().max(b.abs()));
            prop_assert!(near(after.mean.unwrap(), before.mean.unwrap() * scale + shift));
            prop_assert!(near(after.median.unwrap(), before.median.unwrap() * scale + shift));
            prop_assert!(near(after.sd.unwrap(), before.sd.unwrap() * scale));
            if before.sd.unwrap() > 1.0 {
                prop_assert!(near(after.skewness.unwrap(), before.skewness.unwrap()));
            }
        }

        #[test]
        fn the_order_of_rows_does_not_matter(
            values in prop::collection::vec(prop::num::f64::ANY, 0..40).prop_shuffle(),
        ) {
            let forwards = describe(&Column::new(values.clone()));
            let backwards = describe(&Column::new(values.into_iter().rev().collect()));
            prop_assert_eq!(forwards, backwards);
        }
    }
}
