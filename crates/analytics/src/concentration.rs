//! Groups that are over-represented among a selection of the rows.

use crate::compare::Test;
use crate::labels::Labels;
use crate::p_values;

/// Minimum expected count of a cell for chi². Below it, Fisher's exact test is used.
const EXPECTED: f64 = 5.0;

/// A group within a selection of the rows.
#[derive(Debug, Clone, PartialEq)]
pub struct Concentration {
    /// The number of the group in [`Labels`].
    pub label: usize,
    /// Number of selected rows in the group.
    pub count: usize,
    /// Number of selected rows.
    pub of: usize,
    /// Number of rows in the group.
    pub count_of_all: usize,
    /// Number of all rows.
    pub all: usize,
    /// The test for a difference between the two shares.
    pub test: Test,
}

impl Concentration {
    /// The group's share of the selected rows.
    pub fn share(&self) -> f64 {
        self.count as f64 / self.of as f64
    }

    /// The group's share of all rows.
    pub fn share_of_all(&self) -> f64 {
        self.count_of_all as f64 / self.all as f64
    }

    /// The ratio of the two shares.
    pub fn lift(&self) -> f64 {
        self.share() / self.share_of_all()
    }
}

/// Every group among the rows that are `Some(true)`, compared with those that are `Some(false)`.
/// Rows that are `None` or have no label are ignored. Returns nothing when either kind of rows is
/// empty.
pub fn of_groups(rows: &[Option<bool>], labels: &Labels) -> Vec<Concentration> {
    let mut inside = vec![0; labels.count()];
    let mut outside = vec![0; labels.count()];
    for (row, belongs) in rows.iter().enumerate() {
        match (belongs, labels.get(row)) {
            (Some(true), Some(label)) => inside[label] += 1,
            (Some(false), Some(label)) => outside[label] += 1,
            _ => {}
        }
    }
    let (of, others): (usize, usize) = (inside.iter().sum(), outside.iter().sum());
    if of == 0 || others == 0 {
        return Vec::new();
    }
    inside
        .into_iter()
        .zip(outside)
        .enumerate()
        .filter(|(_, (count, without))| count + without > 0)
        .map(|(label, (count, without))| Concentration {
            label,
            count,
            of,
            count_of_all: count + without,
            all: of + others,
            test: test([count, of - count, without, others - without]),
        })
        .collect()
}

/// The test of a two by two table: chi² without a correction for continuity, or Fisher's exact
/// test.
fn test(table: [usize; 4]) -> Test {
    let [both, only_inside, only_group, neither] = table;
    let [a, b, c, d] = table.map(|count| count as f64);
    let all = a + b + c + d;
    let margins = [a + b, c + d, a + c, b + d];
    let expected = margins[0].min(margins[1]) * margins[2].min(margins[3]) / all;
    if expected < EXPECTED {
        return Test {
            name: "fisher_exact",
            statistic: f64::NAN,
            freedom: Vec::new(),
            p: p_values::fisher_exact(both, only_inside, only_group, neither),
        };
    }
    let difference = a * d - b * c;
    let statistic =
        all * (difference / (margins[0] * margins[1])) * (difference / (margins[2] * margins[3]));
    Test {
        name: "chi_square",
        statistic,
        freedom: vec![1.0],
        p: p_values::chi_squared(statistic, 1.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noise::Noise;

    fn close(ours: f64, theirs: f64) {
        assert!(
            (ours - theirs).abs() <= 1e-9 * theirs.abs().max(1e-6),
            "{ours} is not {theirs}"
        );
    }

    #[test]
    fn tables_are_tested_as_scipy_does() {
        // scipy.stats.chi2_contingency([[30, 70], [60, 240]], correction=False); fisher_exact([[4,
        // 6], [3, 37]])
        let chi = test([30, 70, 60, 240]);
        assert_eq!(chi.name, "chi_square");
        close(chi.statistic, 4.301_075_268_817_204);
        close(chi.p, 0.038_088_284_206_292_09);
        let fisher = test([4, 6, 3, 37]);
        assert_eq!(fisher.name, "fisher_exact");
        close(fisher.p, 0.022_825_185_914_917_646);
    }

    #[test]
    fn a_group_that_is_mostly_late_stands_out() {
        let labels =
            Labels::new((0..300).map(|row| Some(if row % 10 == 0 { "slow" } else { "other" })));
        let late: Vec<Option<bool>> = (0..300)
            .map(|row| (row % 7 != 6).then_some(row % 10 == 0 || row % 11 == 0))
            .collect();
        let found = of_groups(&late, &labels);
        let slow = found
            .iter()
            .find(|group| labels.name(group.label) == "slow")
            .unwrap();
        assert_eq!(slow.count, slow.count_of_all);
        assert!(slow.lift() > 3.0 && slow.test.p < 1e-9);
        assert!((slow.share() / slow.share_of_all() - slow.lift()).abs() < 1e-12);
    }

    #[test]
    fn all_or_no_rows_selected_concentrate_nothing() {
        let labels = Labels::new(["a", "b", "a"].map(Some));
        assert!(of_groups(&[Some(true); 3], &labels).is_empty());
        assert!(of_groups(&[Some(false), None, None], &labels).is_empty());
        assert!(of_groups(&[], &labels).is_empty());
    }

    #[test]
    fn noise_concentrates_no_more_often_than_the_level_says() {
        let found: usize = (0..200)
            .map(|seed| {
                let mut noise = Noise::of(seed);
                let labels = Labels::new((0..200).map(|row| Some((row % 4).to_string())));
                let high: Vec<Option<bool>> =
                    (0..200).map(|_| Some(noise.uniform() < 0.25)).collect();
                let p_values: Vec<f64> = of_groups(&high, &labels)
                    .iter()
                    .map(|group| group.test.p)
                    .collect();
                usize::from(crate::p_values::holm(&p_values).iter().any(|p| *p < 0.05))
            })
            .sum();
        assert!(found <= 18, "{found} of 200");
    }
}
