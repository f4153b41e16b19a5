//! Comparison with scipy 1.17.1 and statsmodels 0.15.0, and properties that hold for all values.

use proptest::prelude::*;

use super::*;
use crate::noise::Noise;

const A: [f64; 7] = [12.0, 15.5, 11.0, 18.0, 14.0, 15.5, 13.0];
const B: [f64; 6] = [20.0, 19.5, 25.0, 18.0, 22.0, 30.0];
const C: [f64; 5] = [10.0, 16.0, 12.5, 19.0, 21.0];

fn close(ours: f64, theirs: f64) {
    assert!(
        (ours - theirs).abs() <= 1e-7 * theirs.abs().max(1e-3),
        "{ours} is not {theirs}"
    );
}

fn compared(groups: &[(&str, &[f64])]) -> (Comparison, Labels) {
    let rows = groups
        .iter()
        .flat_map(|(name, values)| values.iter().map(move |value| (*name, *value)));
    let (names, values): (Vec<&str>, Vec<f64>) = rows.unzip();
    let labels = Labels::new(names.into_iter().map(Some));
    (super::groups(&Column::new(values), &labels, 30), labels)
}

#[test]
fn two_groups_are_compared_as_scipy_does() {
    let (found, labels) = compared(&[("a", &A), ("b", &B)]);
    assert_eq!(
        found
            .groups
            .iter()
            .map(|group| labels.name(group.label))
            .collect::<Vec<_>>(),
        ["b", "a"]
    );
    let means = found.means.unwrap();
    // ttest_ind(B, A, equal_var=False); mannwhitneyu(B, A, method="asymptotic")
    close(means.statistic, 4.090_316_365_063_322);
    close(means.freedom[0], 7.424_716_831_808_531);
    close(means.p, 0.004_083_239_350_938_519);
    let ranks = found.ranks.unwrap();
    close(ranks.statistic, 41.5);
    close(ranks.p, 0.004_169_767_881_339_041);
    // Hedges: (mean(B) − mean(A)) ÷ pooled sd × (1 − 3 ÷ (4 df − 1)); Cliff: 2U ÷ (n m) − 1
    close(found.effects[0].value, 2.217_063_738_021_342_7);
    close(found.effects[1].value, 0.976_190_476_190_476_3);
    assert_eq!(found.effects[0].size(), "large");
    assert!(found.pairs.is_empty());
}

#[test]
fn several_groups_are_compared_as_scipy_and_statsmodels_do() {
    let (found, labels) = compared(&[("a", &A), ("b", &B), ("c", &C), ("tiny", &[900.0, 901.0])]);
    let means = found.means.unwrap();
    // statsmodels.stats.oneway.anova_oneway([A, B, C], use_var="unequal"); scipy.stats.kruskal(A,
    // B, C)
    close(means.statistic, 7.712_982_460_529_059);
    close(means.freedom[1], 7.870_149_376_028_124);
    close(means.p, 0.013_976_463_051_612_448);
    let ranks = found.ranks.unwrap();
    close(ranks.statistic, 9.251_048_899_394_29);
    close(ranks.p, 0.009_798_514_859_907_048);
    close(found.effects[0].value, 0.527_829_347_598_070_3);
    close(found.effects[1].value, 0.544_179_347_023_193_5);
    assert!(!found.groups[0].is_tested());
    // Welch's t of all three pairs, Holm
    let pair = found.pairs[0];
    assert_eq!(
        (
            labels.name(pair.higher),
            labels.name(pair.lower),
            found.pairs.len()
        ),
        ("b", "a", 3)
    );
    close(pair.p_adjusted, 0.012_249_718_052_815_557);
}

#[test]
fn groups_without_spread_or_with_few_values_have_no_test_of_means() {
    let (found, _) = compared(&[("a", &[1.0; 5]), ("b", &[2.0; 5])]);
    assert_eq!(found.means, None);
    assert!(found.ranks.unwrap().p < 0.02);
    let (found, _) = compared(&[("a", &[1.0; 5]), ("b", &[1.0; 5]), ("c", &[1.0; 5])]);
    assert_eq!(
        (found.means, found.ranks, found.effects.len()),
        (None, None, 0)
    );
    let (found, _) = compared(&[("a", &[1.0, 2.0]), ("b", &[4.0])]);
    assert_eq!(
        (found.groups.len(), found.means, found.ranks),
        (2, None, None)
    );
    let (found, _) = compared(&[]);
    assert!(found.groups.is_empty());
}

#[test]
fn the_smallest_of_many_groups_are_left_out() {
    let names: Vec<String> = (0..40)
        .flat_map(|g| vec![format!("g{g:02}"); 3 + g])
        .collect();
    let values: Vec<f64> = Noise::of(1).normals(names.len());
    let found = super::groups(
        &Column::new(values),
        &Labels::new(names.iter().map(Some)),
        30,
    );
    assert_eq!((found.groups.len(), found.left_out), (30, 10));
    assert!(found.groups.iter().all(|group| group.count >= 13));
}

#[test]
fn noise_differs_as_often_as_the_level_says() {
    for groups in [2, 5] {
        let (mut by_means, mut by_ranks) = (0, 0);
        for seed in 0..400 {
            let values = Column::new(Noise::of(seed).normals(60));
            let labels = Labels::new((0..60).map(|row| Some((row % groups).to_string())));
            let found = super::groups(&values, &labels, 30);
            by_means += usize::from(found.means.unwrap().p < 0.05);
            by_ranks += usize::from(found.ranks.unwrap().p < 0.05);
        }
        assert!(
            (8..=36).contains(&by_means),
            "{by_means} of 400, {groups} groups"
        );
        assert!(
            (8..=36).contains(&by_ranks),
            "{by_ranks} of 400, {groups} groups"
        );
    }
}

proptest! {
    #[test]
    fn shift_scale_and_order_of_rows_change_no_p_value(
        rows in prop::collection::vec((-1e3..1e3_f64, 0..4_usize), 8..80),
        shift in -1e3..1e3_f64,
        scale in 0.1..100.0_f64,
    ) {
        let compare = |rows: &[(f64, usize)]| {
            let labels = Labels::new(rows.iter().map(|row| Some(row.1.to_string())));
            super::groups(&Column::new(rows.iter().map(|row| row.0).collect()), &labels, 30)
        };
        let before = compare(&rows);
        let mut moved: Vec<(f64, usize)> = rows.iter().map(|(x, g)| (x * scale + shift, *g)).collect();
        moved.reverse();
        let after = compare(&moved);
        for (one, other) in [(before.means, after.means), (before.ranks, after.ranks)] {
            match (one, other) {
                (Some(one), Some(other)) => prop_assert!((one.p - other.p).abs() < 1e-6),
                (one, other) => prop_assert_eq!(one, other),
            }
        }
    }

    #[test]
    fn no_input_makes_it_fail(
        rows in prop::collection::vec((prop::num::f64::ANY, prop::option::of(0..5_usize)), 0..60),
    ) {
        let labels = Labels::new(rows.iter().map(|row| row.1.map(|label| label.to_string())));
        let found = super::groups(&Column::new(rows.iter().map(|row| row.0).collect()), &labels, 3);
        prop_assert!(found.groups.len() <= 3);
        for test in found.means.iter().chain(&found.ranks) {
            prop_assert!((0.0..=1.0).contains(&test.p), "{test:?}");
        }
        for effect in &found.effects {
            prop_assert!(effect.value.is_finite(), "{effect:?}");
        }
    }
}
