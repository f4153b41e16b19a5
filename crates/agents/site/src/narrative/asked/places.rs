//! Places of a ranking, sums and ratios of devices, and the devices that are offline.

use contracts::tools::{Comparison, ComparisonBasis, FinancialReport, FleetOverview, Unranked};

use super::{Place, by_energy, ranked_by, ranking};
use crate::narrative::format;

/// Most devices that a sentence names.
const NAMED: usize = 5;

/// Most devices that are named as level with one another.
const LEVEL: usize = 20;

const ORDINALS: [&str; 6] = ["", "second ", "third ", "fourth ", "fifth ", "sixth "];

/// Who has a place of the ranking, and with which figure.
pub(super) fn at(place: Place, comparison: &Comparison) -> String {
    let made = by_energy(comparison);
    let ranked = ranking(comparison);
    let mut order: Vec<&str> = if place.by_energy {
        made.iter().map(|(id, _)| id.as_str()).collect()
    } else {
        ranked.iter().map(String::as_str).collect()
    };
    if place.worst {
        order.reverse();
    } else {
        // A device that made nothing is none of the best.
        let made_any = |id: &str| {
            let own = comparison.summary.get(id);
            own.and_then(|own| own.total).is_none_or(|kwh| kwh > 0.0)
        };
        order.retain(|id| made_any(id));
    }
    let nth = place.nth.saturating_sub(1);
    let ordinal = ORDINALS.get(nth).copied().unwrap_or_default();
    let Some(id) = order.get(nth) else {
        return format!(
            "Only {} {}, so there is none in that place.",
            format::count(order.len() as u64, "device"),
            if order.len() < ranked.len() {
                "made anything"
            } else {
                "can be ranked"
            }
        );
    };
    let kwh = comparison.summary.get(*id).and_then(|own| own.total);
    if place.by_energy {
        let end = if place.worst { "least" } else { "most" };
        let energy = kwh.map(format::energy).unwrap_or_default();
        let level: Vec<&str> = made
            .iter()
            .filter(|(other, kwh)| other.as_str() != *id && format::energy(*kwh) == energy)
            .map(|(other, _)| other.as_str())
            .collect();
        if level.len() + 1 == made.len() {
            return format!("Each of them made the same, {energy}.");
        }
        let level = level_with(&level);
        return format!("{id} made the {ordinal}{end} energy, {energy}{level}.");
    }
    let end = if place.worst { "worst" } else { "best" };
    let own = ranked_by(comparison, id);
    let level: Vec<&str> = order
        .iter()
        .copied()
        .filter(|other| other != id && own.is_some() && ranked_by(comparison, other) == own)
        .collect();
    format!("{id} is the {ordinal}{end}{}.", level_with(&level))
}

/// The end of a sentence about a device, with those that are level with it.
fn level_with(others: &[&str]) -> String {
    if others.is_empty() {
        return String::new();
    }
    format!(", level with {}", format::list_most(others, LEVEL))
}

/// What puts the first and the last of a ranking there, as far as the figures say.
pub(super) fn why(comparison: &Comparison) -> String {
    let (Some(best), Some(worst)) = (&comparison.best, &comparison.worst) else {
        return String::new();
    };
    let told = |id: &String| {
        let own = comparison.summary.get(id)?;
        let made = own.total.map(format::energy)?;
        let per = own.compared_yield.or(own.specific_yield);
        let size = own
            .capacity_kw
            .filter(|_| comparison.basis != ComparisonBasis::Absolute);
        Some(match (size, per) {
            (Some(kw), Some(per)) => format!(
                "{made} with {} kW, {} kWh per kW",
                format::figure(kw),
                format::decimal(per, 2)
            ),
            _ => made,
        })
    };
    let (Some(first), Some(last)) = (told(best), told(worst)) else {
        return String::new();
    };
    format!(
        "{best} is first because it made {first}, and {worst} is last with {last}.{}",
        weakness(comparison, worst)
    )
}

/// A sentence about the last device of a ranking, beside its energy.
fn weakness(comparison: &Comparison, worst: &str) -> String {
    let Some(own) = comparison.summary.get(worst) else {
        return String::new();
    };
    let partial = own.incomplete_days + own.filled_days;
    if own.total == Some(0.0) {
        format!(" {worst} sent readings and delivered nothing, so it stood still.")
    } else if partial > 0 {
        format!(
            " Readings of {worst} are missing on {}.",
            format::count(u64::from(partial), "day")
        )
    } else {
        format!(" What held {worst} back the ranking doesn't say; its health report may.")
    }
}

/// The energy of all of them, and what meters beside them counted.
pub(super) fn together(comparison: &Comparison) -> String {
    let made = by_energy(comparison);
    let meters: Vec<String> = comparison
        .summary
        .iter()
        .filter(|(_, own)| own.unranked == Some(Unranked::Meter))
        .filter_map(|(id, own)| Some(format!("{id} counted {}", format::energy(own.total?))))
        .collect();
    if made.len() + meters.len() < 2 || made.is_empty() {
        return String::new();
    }
    let ids: Vec<&str> = comparison
        .logger_ids
        .iter()
        .map(String::as_str)
        .filter(|id| made.iter().any(|(other, _)| other == id))
        .collect();
    let (own, ids) = (
        made.iter().map(|(_, kwh)| kwh).sum::<f64>(),
        format::list_most(&ids, NAMED),
    );
    let all = comparison.total_kwh.unwrap_or(own);
    if meters.is_empty() {
        return format!("Together {ids} made {}.", format::energy(all));
    }
    let counted = format::list_most(&meters, NAMED);
    if format::energy(all) != format::energy(own) {
        // A meter of a site without any of these inverters.
        let all = format::energy(all);
        return format!(
            "Together they come to {all}: {ids} made {}, and {counted}.",
            format::energy(own)
        );
    }
    let own = format::energy(own);
    format!(
        "{ids} made {own}, and {counted}; a meter counts what inverters deliver, so I don't add the two."
    )
}

/// The energy of the first device as a multiple of that of the second.
pub(super) fn ratio(comparison: &Comparison) -> String {
    let [first, second] = comparison.logger_ids.as_slice() else {
        return String::new();
    };
    let kwh = |id: &String| comparison.summary.get(id).and_then(|own| own.total);
    match (kwh(first), kwh(second)) {
        (Some(one), Some(other)) if other > 0.0 => format!(
            "{first} made {} times as much as {second}: {} against {}.",
            format::decimal(one / other, 2),
            format::energy(one),
            format::energy(other)
        ),
        _ => String::new(),
    }
}

/// Which device saved most money, or avoided most carbon dioxide, and which the least.
pub(super) fn by_worth(report: &FinancialReport, carbon: bool) -> String {
    let mut devices: Vec<&FinancialReport> = report
        .devices
        .iter()
        .filter(|device| device.counted && device.days_with_data > 0)
        .collect();
    let worth = |device: &FinancialReport| {
        if carbon {
            Some(device.co2_offset_kg)
        } else {
            device.savings
        }
    };
    let shown = |device: &FinancialReport| match (carbon, device.savings, &device.currency) {
        (true, ..) => format::mass(device.co2_offset_kg),
        (false, Some(savings), Some(currency)) => format::money(savings, currency),
        _ => String::new(),
    };
    let currency = devices.first().and_then(|one| one.currency.as_ref());
    let one_currency = devices
        .iter()
        .all(|device| device.currency.as_ref() == currency);
    if !carbon && !one_currency {
        return "The sites have different currencies, so I can't say who saved the most."
            .to_owned();
    }
    devices.sort_by(|a, b| worth(b).unwrap_or(0.0).total_cmp(&worth(a).unwrap_or(0.0)));
    let (verb, what) = if carbon {
        ("avoided", "CO2")
    } else {
        ("saved", "money")
    };
    match devices.as_slice() {
        [most, .., least] if shown(most) == shown(least) => {
            format!("Each of them {verb} the same, {}.", shown(most))
        }
        [most, .., least] => {
            let level = |end: &FinancialReport| {
                let figure = shown(end);
                let level = devices.iter().filter(|one| shown(one) == figure);
                let ids: Vec<&str> = level.map(|one| one.logger_id.as_str()).collect();
                let each = if ids.len() > 1 { " each" } else { "" };
                (format::list_most(&ids, LEVEL), format!("{figure}{each}"))
            };
            let ((most, highest), (least, lowest)) = (level(most), level(least));
            format!("{most} {verb} the most {what}, {highest}, and {least} the least, {lowest}.")
        }
        _ => String::new(),
    }
}

/// The number of the devices that are offline now, and each with the reason.
pub(super) fn offline(overview: &FleetOverview) -> String {
    let offline = overview.offline_loggers.len();
    if offline == 0 {
        return "None of them is offline.".to_owned();
    }
    let all = overview.devices.iter().filter(|device| device.counted);
    let all = all.count();
    if offline >= all {
        return reasons(overview);
    }
    format!(
        "{offline} of your {} {} offline. {}",
        format::count(all as u64, "device"),
        if offline == 1 { "is" } else { "are" },
        reasons(overview)
    )
}

/// The devices that are offline now, those that are silent longest first, each with the reason.
pub(super) fn reasons(overview: &FleetOverview) -> String {
    let mut offline: Vec<_> = overview.offline_loggers.iter().collect();
    offline.sort_by_key(|one| one.last_seen);
    let told: Vec<String> = offline
        .iter()
        .take(NAMED)
        .map(|one| {
            let reason = one.reason.trim_end_matches('.');
            let reason = reason.strip_prefix("It ").unwrap_or(reason);
            format!("{} {reason}.", one.logger_id)
        })
        .collect();
    let more = offline.len().saturating_sub(NAMED);
    let more = if more > 0 {
        format!(" {more} more are offline.")
    } else {
        String::new()
    };
    format!("{}{more}", told.join(" "))
}
