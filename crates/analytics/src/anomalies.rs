//! Values that are far from the others, in robust standard deviations.

use crate::column::Column;
use crate::order::{Robust, median_of, robust};

/// A value whose distance from the median exceeds this many robust standard deviations is an
/// anomaly (Iglewicz & Hoaglin 1993).
pub const FAR: f64 = 3.5;
/// The same threshold for series, where each value is compared with its neighbours only.
pub const FAR_IN_SERIES: f64 = 4.0;
/// Number of periods on each side that a value is compared with.
pub const NEIGHBOURS: usize = 10;
/// Minimum number of values. Smaller samples have no anomalies.
const LEAST: usize = 8;

/// A value that is far from the others.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Anomaly {
    /// The index of the row, or of the period.
    pub place: usize,
    /// The value at that index.
    pub value: f64,
    /// The median that the value is compared with.
    pub expected: f64,
    /// The distance from `expected` in robust standard deviations; negative for low values.
    pub score: f64,
}

/// The anomalies of a column.
#[derive(Debug, Clone, PartialEq)]
pub struct Anomalies {
    /// The median and spread that the values are compared with.
    pub centre: Robust,
    /// The anomalies, the farthest first.
    pub found: Vec<Anomaly>,
}

/// The values of a column that are more than [`FAR`] from its median. Returns `None` for a column
/// with fewer than eight values and for a constant column.
pub fn of_column(column: &Column) -> Option<Anomalies> {
    let sorted = column.sorted();
    if sorted.len() < LEAST {
        return None;
    }
    let centre = robust(&sorted).filter(|centre| centre.scale > 0.0)?;
    let found = column.order().iter().filter_map(|&row| {
        let value = column.values()[row];
        far(row, value, centre, FAR)
    });
    Some(Anomalies {
        centre,
        found: farthest_first(found.collect()),
    })
}

/// Hampel's identifier: the values of a series that are far from the median of the periods around
/// them. The spread of the neighbours is raised to at least the spread of the whole series about
/// such medians. Otherwise the next small wave after a calm stretch would be an anomaly.
pub fn of_series(values: &[f64]) -> Vec<Anomaly> {
    let known = values.iter().filter(|value| !value.is_nan()).count();
    if known < LEAST {
        return Vec::new();
    }
    let around: Vec<Option<Robust>> = (0..values.len())
        .map(|place| robust(&neighbours(values, place)))
        .collect();
    let mut deviations: Vec<f64> = values
        .iter()
        .zip(&around)
        .filter_map(|(value, around)| Some((value - around.as_ref()?.median).abs()))
        .filter(|deviation| !deviation.is_nan())
        .collect();
    let overall = median_of(&mut deviations).unwrap_or(0.0) * crate::order::MAD_TO_SD;
    let found = values
        .iter()
        .zip(around)
        .enumerate()
        .filter_map(|(place, (&value, around))| {
            let mut around = around.filter(|_| !value.is_nan())?;
            around.scale = around.scale.max(overall);
            far(place, value, around, FAR_IN_SERIES)
        });
    farthest_first(found.collect())
}

/// The known values around `place`, the value at `place` included.
fn neighbours(values: &[f64], place: usize) -> Vec<f64> {
    let from = place.saturating_sub(NEIGHBOURS);
    let to = (place + NEIGHBOURS + 1).min(values.len());
    values[from..to]
        .iter()
        .copied()
        .filter(|value| !value.is_nan())
        .collect()
}

fn far(place: usize, value: f64, centre: Robust, limit: f64) -> Option<Anomaly> {
    if centre.scale <= 0.0 {
        return None;
    }
    let score = (value - centre.median) / centre.scale;
    (score.abs() > limit).then_some(Anomaly {
        place,
        value,
        expected: centre.median,
        score,
    })
}

fn farthest_first(mut found: Vec<Anomaly>) -> Vec<Anomaly> {
    found.sort_by(|a, b| {
        b.score
            .abs()
            .total_cmp(&a.score.abs())
            .then(a.place.cmp(&b.place))
    });
    found
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::noise::Noise;

    #[test]
    fn anomalies_follow_the_published_formula() {
        // Iglewicz & Hoaglin: M = 0.6745 (x − median) ÷ MAD
        let column = Column::new(vec![
            2.1,
            2.6,
            2.4,
            2.5,
            2.3,
            2.1,
            2.3,
            2.6,
            8.2,
            8.3,
            f64::NAN,
        ]);
        let found = of_column(&column).unwrap();
        assert_eq!(
            found
                .found
                .iter()
                .map(|anomaly| anomaly.place)
                .collect::<Vec<_>>(),
            [9, 8]
        );
        assert!((found.centre.median - 2.45).abs() < 1e-12);
        // The deviations are .35 .35 .15 .15 .15 .15 .05 .05 5.75 5.85; the middle two .15 and .15.
        assert!((found.found[0].score - 0.674_489_75 * 5.85 / 0.15).abs() < 1e-6);
    }

    #[test]
    fn constants_and_small_samples_have_no_anomalies() {
        assert_eq!(of_column(&Column::new(vec![1.0, 2.0, 900.0])), None);
        assert_eq!(of_column(&Column::new(vec![4.0; 20])), None);
        assert!(of_series(&[4.0; 30]).is_empty());
        assert!(of_series(&[f64::NAN; 30]).is_empty());
        assert!(of_series(&[]).is_empty());
        let odd = [vec![0.0; 40], vec![5.0]].concat();
        assert_eq!(of_column(&Column::new(odd)).unwrap().found[0].place, 40);
    }

    #[test]
    fn noise_has_as_few_as_the_normal_distribution() {
        // P(|z| > 3.5) = 0.00047; medians of few values are rougher.
        let (mut of_columns, mut of_periods) = (0, 0);
        for seed in 0..200 {
            let noise = Noise::of(seed).normals(200);
            of_periods += of_series(&noise).len();
            of_columns += of_column(&Column::new(noise)).unwrap().found.len();
        }
        assert!(of_columns <= 40, "{of_columns} of 40,000");
        assert!(of_periods <= 60, "{of_periods} of 40,000");
    }

    proptest! {
        #[test]
        fn planted_ones_are_found_and_their_scores_do_not_change_with_the_unit(
            seed in 0_u64..500,
            place in 12_usize..108,
            sign in prop::sample::select(vec![-1.0, 1.0]),
            scale in 0.01..100.0_f64,
            shift in -1e3..1e3_f64,
        ) {
            let mut values = Noise::of(seed).normals(120);
            values[place] += sign * 15.0;
            let found = of_column(&Column::new(values.clone())).unwrap().found;
            prop_assert_eq!(found[0].place, place);
            // On a slope, where the value is not far from the values of the whole series.
            let sloped: Vec<f64> = values.iter().enumerate().map(|(i, x)| x + 0.1 * i as f64).collect();
            let in_series = of_series(&sloped);
            prop_assert_eq!(in_series[0].place, place);
            let moved: Vec<f64> = sloped.iter().map(|x| x * scale + shift).collect();
            prop_assert!((of_series(&moved)[0].score - in_series[0].score).abs() < 1e-6);
        }

        #[test]
        fn no_input_makes_it_fail(values in prop::collection::vec(prop::num::f64::ANY, 0..60)) {
            let column = Column::new(values);
            for anomaly in of_column(&column).iter().flat_map(|found| &found.found) {
                prop_assert!(column.get(anomaly.place).is_some());
            }
            prop_assert!(of_series(column.values()).len() <= column.count());
        }
    }
}
