//! Devices counted and ranked by how they are.

use contracts::tools::{AnomalyReport, Comparison, DeviceState, FleetDevice, FleetOverview};

use super::{Asked, is_silent};
use crate::narrative::{fleet_health, format, health};

/// Most devices that a sentence lists.
const LISTED: usize = 8;

/// Most devices behind the first one of a ranking.
const BEHIND: usize = 3;

/// The devices that a count is about: a meter is not one of those that it measures.
fn counted(reports: &[AnomalyReport]) -> Vec<&AnomalyReport> {
    reports.iter().filter(|report| report.counted).collect()
}

fn was_out(report: &AnomalyReport) -> bool {
    health::outages_of(report).next().is_some() || !report.dead_days.is_empty()
}

fn ids<'r>(reports: impl Iterator<Item = &'r AnomalyReport>) -> Vec<&'r str> {
    let mut ids: Vec<&str> = reports.map(|report| report.logger_id.as_str()).collect();
    ids.sort_unstable();
    ids
}

/// Nothing is known of these.
fn unknown(devices: &[&AnomalyReport]) -> String {
    let silent = ids(devices.iter().copied().filter(|report| is_silent(report)));
    if silent.is_empty() {
        return String::new();
    }
    format!(
        " Of {} there are no data then, so I can't tell.",
        format::list_most(&silent, LISTED)
    )
}

/// The number of devices that a count is of; of those without data nothing is known.
fn with_data(devices: &[&AnomalyReport]) -> String {
    let silent = |report: &&&AnomalyReport| is_silent(report) && !was_out(report);
    let unknown = devices.iter().filter(silent).count();
    let known = format::count((devices.len() - unknown) as u64, "device");
    if unknown == 0 {
        known
    } else {
        format!("{known} with data")
    }
}

/// Number and names of the devices that stood still.
pub(super) fn how_many_out(reports: &[AnomalyReport]) -> String {
    let devices = counted(reports);
    let all = with_data(&devices);
    let when = fleet_health::period(reports);
    let out = ids(devices.iter().copied().filter(|report| was_out(report)));
    let unknown = unknown(&devices);
    match out.as_slice() {
        [] => format!("None of your {all} stood still in sunshine{when}.{unknown}"),
        [one] => format!("One of your {all} was out{when}: {one}.{unknown}"),
        several => format!(
            "{} of your {all} were out{when}: {}.{unknown}",
            several.len(),
            format::list_most(several, LISTED)
        ),
    }
}

/// Number and names of the devices that did not stand still.
pub(super) fn who_ran(reports: &[AnomalyReport]) -> String {
    let devices = counted(reports);
    let all = with_data(&devices);
    let seen_count = devices.iter().filter(|report| !is_silent(report)).count();
    let seen = devices.iter().copied().filter(|report| !is_silent(report));
    let ran = ids(seen.filter(|report| !was_out(report)));
    let unknown = unknown(&devices);
    match ran.as_slice() {
        [] => format!("None of your {all} ran without standing still then.{unknown}"),
        several if several.len() == seen_count => {
            format!("None of your {all} stood still then.{unknown}")
        }
        several => format!(
            "{} of your {all} didn't stand still then: {}.{unknown}",
            several.len(),
            format::list_most(several, LISTED)
        ),
    }
}

/// The devices by their state now.
pub(super) fn now(asked: Asked, overview: &FleetOverview) -> String {
    match asked {
        Asked::Offline => super::places::offline(overview),
        Asked::Online => online(overview),
        Asked::Producing { none } => producing(overview, none),
        _ => String::new(),
    }
}

/// Number and names of the devices that are online now, and why the others are not.
fn online(overview: &FleetOverview) -> String {
    let counted: Vec<&str> = overview
        .devices
        .iter()
        .filter(|device| device.counted)
        .map(|device| device.logger_id.as_str())
        .collect();
    let offline = |id: &str| {
        let mut all = overview.offline_loggers.iter();
        all.any(|one| one.logger_id == id)
    };
    let mut online: Vec<&str> = counted.iter().copied().filter(|id| !offline(id)).collect();
    online.sort_unstable();
    if online.is_empty() {
        return "All of them are offline.".to_owned();
    }
    let all = format::count(counted.len() as u64, "device");
    let online = format!(
        "{} of your {all} {} online: {}.",
        online.len(),
        if online.len() == 1 { "is" } else { "are" },
        format::list_most(&online, LISTED)
    );
    if overview.offline_loggers.is_empty() {
        return online;
    }
    format!("{online} {}", super::places::reasons(overview))
}

/// Number and names of the devices that deliver power now, or of those that deliver none.
fn producing(overview: &FleetOverview, none: bool) -> String {
    let counted: Vec<&FleetDevice> = overview
        .devices
        .iter()
        .filter(|device| device.counted)
        .collect();
    let shown = counted
        .iter()
        .filter(|device| (device.state == DeviceState::Producing) != none);
    let mut shown: Vec<&str> = shown.map(|device| device.logger_id.as_str()).collect();
    shown.sort_unstable();
    let all = format::count(counted.len() as u64, "device");
    let (one, several) = if none {
        ("delivers no power", "deliver no power")
    } else {
        ("delivers power", "deliver power")
    };
    match shown.as_slice() {
        [] => format!("None of your {all} {one} by its newest reading."),
        [id] => format!("1 of your {all} {one}: {id}."),
        ids => format!(
            "{} of your {all} {several}: {}.",
            ids.len(),
            format::list_most(ids, LISTED)
        ),
    }
}

/// The devices by their health scores.
pub(super) fn by_health(reports: &[AnomalyReport], worst: bool) -> String {
    let devices = counted(reports);
    // A low score for a size that is a guess is none of the worst; alone it is all that there is.
    let judged = |report: &&AnomalyReport| !fleet_health::rests_on_a_guess(report);
    let any = devices.iter().any(judged);
    let mut scored: Vec<(&str, f64)> = devices
        .into_iter()
        .filter(|report| !any || judged(report))
        .filter_map(|report| Some((report.logger_id.as_str(), report.health_score?)))
        .collect();
    scored.sort_by(|(a, one), (b, other)| {
        let order = one.total_cmp(other);
        if worst { order } else { order.reverse() }.then_with(|| a.cmp(b))
    });
    let Some((_, end)) = scored.first().copied() else {
        return "There's too little data to rank them by health.".to_owned();
    };
    let shown = format::figure(end);
    let level = scored
        .iter()
        .filter(|(_, score)| format::figure(*score) == shown)
        .count();
    if level == scored.len() && level > 1 {
        return format!("They all have the same health score, {shown}.");
    }
    let first: Vec<&str> = scored[..level].iter().map(|(id, _)| *id).collect();
    let next: Vec<String> = scored[level..]
        .iter()
        .take(BEHIND)
        .map(|(id, score)| format!("{id} ({})", format::figure(*score)))
        .collect();
    let next = if next.is_empty() {
        String::new()
    } else {
        format!(
            " Next {} {}.",
            if next.len() == 1 { "comes" } else { "come" },
            format::list(&next)
        )
    };
    format!(
        "{} {} the {} health score, {shown}.{next}",
        format::list_most(&first, LISTED),
        if level == 1 { "has" } else { "have" },
        if worst { "lowest" } else { "highest" },
    )
}

/// The devices by the energy that they lost.
pub(super) fn by_losses(reports: &[AnomalyReport]) -> String {
    let mut lost: Vec<&AnomalyReport> = counted(reports);
    lost.retain(|report| lost_by(report) > 0.0);
    lost.sort_by(|a, b| lost_by(b).total_cmp(&lost_by(a)));
    let Some((most, next)) = lost.split_first() else {
        return "None of them lost energy to outages or dead days.".to_owned();
    };
    let worth = if fleet_health::shortfall(most) > 0.0 {
        if most.lost_kwh > 0.0 {
            let stood = format::energy(most.lost_kwh);
            format!(", {stood} of it while it stood still")
        } else {
            ", all of it while it ran".to_owned()
        }
    } else {
        most.lost_money
            .as_ref()
            .filter(|money| money.amount > 0.0)
            .map_or_else(String::new, |money| {
                format!(", worth {}", format::lost_money(money))
            })
    };
    let next: Vec<String> = next
        .iter()
        .take(BEHIND)
        .map(|report| format!("{} ({})", report.logger_id, format::energy(lost_by(report))))
        .collect();
    let others = if next.is_empty() {
        " The others lost nothing to outages or dead days.".to_owned()
    } else {
        format!(
            " Next {} {}.",
            if next.len() == 1 { "comes" } else { "come" },
            format::list(&next)
        )
    };
    format!(
        "{} lost the most, {}{worth}.{others}",
        most.logger_id,
        format::energy(lost_by(most))
    )
}

/// The energy that a device lost while it stood still, and made less than its neighbours while it
/// ran, kWh.
pub(in crate::narrative) fn lost_by(report: &AnomalyReport) -> f64 {
    report.lost_kwh + fleet_health::shortfall(report)
}

/// The energy that sound devices would have made beyond what these did.
pub(super) fn possible(reports: &[AnomalyReport]) -> String {
    let devices = counted(reports);
    if devices.iter().all(|report| report.health_score.is_none()) {
        return String::new();
    }
    let more: f64 = devices.iter().map(|report| lost_by(report)).sum();
    let when = fleet_health::period(reports);
    let they = if reports.len() == 1 { "it" } else { "they" };
    if more <= 0.0 {
        return format!("As far as the readings say, {they} lost nothing{when}.");
    }
    let dead =
        |report: &&AnomalyReport| u32::try_from(report.dead_days.len()) == Ok(report.days_analyzed);
    let more = format::energy(more);
    let capital = if reports.len() == 1 { "It" } else { "They" };
    if devices.iter().all(dead) {
        format!("{capital} would have made about {more}{when}, and made nothing.")
    } else {
        format!("{capital} could have made about {more} more than {they} did{when}.")
    }
}

/// Whether any device lags the others.
pub(super) fn lagging(comparison: &Comparison) -> String {
    let lags = &comparison.underperformers;
    if lags.is_empty() {
        return "No: none of them lags the others by more than chance explains.".to_owned();
    }
    // The sentence that they lag is there.
    format!(
        "Yes: {} {} behind.",
        format::list_most(lags, LISTED),
        if lags.len() == 1 { "is" } else { "are" }
    )
}

/// Since when a device is behind the others of its site, with its ratio to them before and after.
pub(super) fn lags_since(report: &AnomalyReport) -> String {
    let id = &report.logger_id;
    let Some(lag) = report.lag else {
        return format!(
            "Since which day {id} makes less I can't tell: there are too few days on which its yield and that of other inverters of its site are known."
        );
    };
    let first = format::date(lag.first_day);
    let times = |ratio: f64| format::decimal(ratio, 2);
    let after = times(lag.ratio_after);
    match (lag.lags, lag.since, lag.ratio_before) {
        (true, Some(since), Some(before)) => format!(
            "{id} has been behind the other inverters of its site since {}: for its size it made {} times what they make before that day, and {after} times since.",
            format::date(since),
            times(before)
        ),
        (true, ..) => format!(
            "{id} has been behind the other inverters of its site on all days that I can compare, from {first} on: for its size it makes {after} times what they make. So no day shows on which that began."
        ),
        (false, ..) => format!(
            "{id} doesn't lag: for its size it makes {after} times what the other inverters of its site make, and since {first} no lasting fall shows."
        ),
    }
}
