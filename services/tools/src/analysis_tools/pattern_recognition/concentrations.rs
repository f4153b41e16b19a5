//! Which groups are over-represented among high, positive and anomalous records.

use analytics::concentration::{self, Concentration as Found};
use analytics::order::quantile;
use analytics::p_values::holm;
use contracts::tools::analysis::Concentration;

use super::super::choice::{Grouping, Measure};
use super::super::stats_analysis::{restates, test};
use super::super::wording::{amount, counted, figure, p_value, percent, sentence};

/// Fields with more groups than this have no group of size.
pub(super) const MOST_GROUPS: usize = 50;
/// Maximum number of reported concentrations.
const MOST: usize = 12;
/// Among fewer records nothing concentrates.
const LEAST_RECORDS: usize = 5;
const LEVEL: f64 = 0.05;
/// A group that is hardly more frequent than elsewhere is not reported, however significant it is.
const LEAST_LIFT: f64 = 1.2;

/// Some of the records: those whose measure is high.
struct Set {
    name: &'static str,
    above: Option<f64>,
    rows: Vec<Option<bool>>,
}

/// Over-represented groups, the clearest first.
pub(super) fn of(
    measure: Measure<'_>,
    groupings: &[Grouping<'_>],
    odd_rows: &[usize],
    notes: &mut Vec<String>,
) -> Vec<Concentration> {
    let groupings: Vec<Grouping<'_>> = groupings
        .iter()
        .copied()
        .filter(|grouping| {
            let is_same = !grouping.is_named && grouping.is_boolean && restates(measure, *grouping);
            if is_same {
                let (field, measure) = (&grouping.field.name, &measure.field.name);
                notes.push(format!(
                    "{field} says again whether {measure} is high, so nothing is looked for in it."
                ));
            }
            !is_same
        })
        .collect();
    let sets = sets(measure, odd_rows);
    let mut found: Vec<(&Set, Grouping<'_>, Found)> = Vec::new();
    for set in &sets {
        for grouping in &groupings {
            let groups = concentration::of_groups(&set.rows, grouping.labels);
            found.extend(groups.into_iter().map(|group| (set, *grouping, group)));
        }
    }
    let p_values: Vec<f64> = found.iter().map(|(_, _, found)| found.test.p).collect();
    let adjusted = holm(&p_values);
    let mut clear: Vec<(f64, (&Set, Grouping<'_>, Found))> = adjusted
        .into_iter()
        .zip(found)
        .filter(|(p, (_, _, found))| *p < LEVEL && found.lift() >= LEAST_LIFT)
        .collect();
    clear.sort_by(|(p, (_, _, one)), (q, (_, _, other))| {
        p.total_cmp(q).then(other.lift().total_cmp(&one.lift()))
    });
    // The same group among high and among positive records is reported once.
    let mut told: Vec<(String, usize)> = Vec::new();
    clear.retain(|(_, (_, grouping, found))| {
        let group = (grouping.field.name.clone(), found.label);
        let is_new = !told.contains(&group);
        told.push(group);
        is_new
    });
    clear.truncate(MOST);
    clear
        .into_iter()
        .map(|(p, (set, grouping, found))| concentration(measure, set, grouping, &found, p))
        .collect()
}

fn sets(measure: Measure<'_>, odd_rows: &[usize]) -> Vec<Set> {
    let column = measure.column;
    let above = |limit: f64| -> Vec<Option<bool>> {
        let rows = 0..column.values().len();
        rows.map(|row| column.get(row).map(|value| value > limit))
            .collect()
    };
    let sorted = column.sorted();
    let mut sets = Vec::new();
    if let Some(limit) = quantile(&sorted, 0.75) {
        sets.push(Set {
            name: "high",
            above: Some(limit),
            rows: above(limit),
        });
    }
    if sorted.first().is_some_and(|least| *least < 0.0) {
        sets.push(Set {
            name: "above_zero",
            above: Some(0.0),
            rows: above(0.0),
        });
    }
    let mut odd: Vec<Option<bool>> = (0..column.values().len())
        .map(|row| column.get(row).map(|_| false))
        .collect();
    for &row in odd_rows {
        odd[row] = Some(true);
    }
    sets.push(Set {
        name: "anomalous",
        above: None,
        rows: odd,
    });
    sets.retain(|set| {
        let inside = set.rows.iter().filter(|row| **row == Some(true)).count();
        inside >= LEAST_RECORDS && inside < column.count()
    });
    sets
}

fn concentration(
    measure: Measure<'_>,
    set: &Set,
    grouping: Grouping<'_>,
    found: &Found,
    p_adjusted: f64,
) -> Concentration {
    let value = grouping.labels.name(found.label);
    let label = &measure.field.label;
    let among = match set.above {
        Some(limit) => format!(
            "{label} above {}",
            amount(limit, measure.field.unit.as_deref())
        ),
        None => format!("an anomalous {label}"),
    };
    let group = if grouping.is_boolean {
        sentence(&grouping.called(found.label))
    } else {
        format!("{} {value}", sentence(&grouping.field.label))
    };
    let finding = format!(
        "{group} makes up {} of the {} with {among}, but {} of all {}: {} times its share ({}).",
        percent(found.share()),
        counted(found.of, "record", "records"),
        percent(found.share_of_all()),
        figure(found.all as f64),
        figure(found.lift()),
        p_value(p_adjusted),
    );
    Concentration {
        among: set.name.to_owned(),
        above: set.above,
        field: grouping.field.name.clone(),
        value: value.to_owned(),
        count: found.count as u64,
        of: found.of as u64,
        share: found.share(),
        share_of_all: found.share_of_all(),
        count_of_all: found.count_of_all as u64,
        lift: found.lift(),
        test: test(&found.test),
        p_adjusted,
        finding,
    }
}
