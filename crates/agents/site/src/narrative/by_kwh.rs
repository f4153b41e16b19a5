//! A comparison put in the order of the energy, for questions that ask for kWh: nothing of it is
//! about the sizes of the devices.

use contracts::tools::{
    ComparedPlaces, Comparison, ComparisonBasis, ComparisonMetric, ComparisonSummary, Unranked,
};

use super::{asked::by_energy, audit, format};

/// The comparison by energy, whatever the sizes; unchanged where fewer than two devices have any.
pub(crate) fn by_kwh(mut comparison: Comparison) -> Comparison {
    let made: Vec<(String, f64)> = by_energy(&comparison)
        .into_iter()
        .map(|(id, kwh)| (id.clone(), kwh))
        .collect();
    let ([(best, most), .., (worst, least)], true) = (
        made.as_slice(),
        comparison.metric == ComparisonMetric::Energy,
    ) else {
        return comparison;
    };
    comparison.spread_percent = (*most > 0.0).then(|| 100.0 * (most - least) / most);
    comparison.best = Some(best.clone());
    comparison.worst = Some(worst.clone());
    comparison.ranking = made.iter().map(|(id, _)| id.clone()).collect();
    comparison.basis = ComparisonBasis::Absolute;
    comparison.places = ComparedPlaces::Same;
    comparison.underperformers.clear();
    for (id, own) in &mut comparison.summary {
        let place = made.iter().position(|(other, _)| other == id);
        own.rank = place.and_then(|place| u32::try_from(place + 1).ok());
        own.unranked = own.unranked.filter(|why| *why == Unranked::Meter);
        own.compared_yield = None;
        own.per_sunlight = None;
        own.vs_median_pct = None;
        own.robust_z = None;
    }
    comparison
}

/// The ends of a ranking by energy, which may be a part of another one.
pub(super) fn lead(comparison: &Comparison, when: &str) -> Option<String> {
    let made = by_energy(comparison);
    let end = |kwh: f64| {
        let shown = format::energy(kwh);
        let level = made.iter().filter(|(_, kwh)| format::energy(*kwh) == shown);
        let ids: Vec<&str> = level.map(|(id, _)| id.as_str()).collect();
        let each = if ids.len() > 1 { " each" } else { "" };
        format!("{shown}{each} ({})", format::list(&ids))
    };
    Some(format!(
        "The energies {when} run from {} to {}.",
        end(made.first()?.1),
        end(made.last()?.1)
    ))
}

/// Whether energies are ranked though all sizes are known, because they are asked for.
pub(super) fn is_asked(comparison: &Comparison) -> bool {
    let sized = |own: &ComparisonSummary| own.capacity_kw.is_some() && !audit::is_estimated(own);
    let mut ranked = comparison.summary.values();
    comparison.basis == ComparisonBasis::Absolute
        && ranked.all(|own| own.unranked.is_some() || sized(own))
}
