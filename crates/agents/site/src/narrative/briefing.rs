//! The whole site at a glance.

use chrono::{DateTime, FixedOffset, TimeDelta};
use contracts::tools::{
    DeviceState, DiagnosticsReport, EnergySource, FleetOverview, IssueSeverity,
};

use super::compose::Story;
use super::{Branch, Change, FleetSnapshot, Severity, fleet_severity, format};

/// Number of devices that are named one by one.
const NAMED: usize = 3;

pub(super) fn tell(
    overview: &FleetOverview,
    diagnostics: &[DiagnosticsReport],
    previous: Option<&FleetSnapshot>,
    branch: Branch,
) -> Story {
    let stamp = overview.timestamp.to_rfc3339();
    let mut story = Story::about(&[&stamp, branch.as_str()]);
    if overview.status.total_loggers == 0 {
        story.must("I don't see any inverters yet, so there's nothing to report.");
        story.should("Once you upload measurements, I can tell you how your panels are doing.");
        story.next("start with a first upload of your measurements");
        return story;
    }
    let text = lead(overview, branch, &story);
    story.must(text);
    if let Some(mismatch) = &overview.date_mismatch {
        story.must(format!(
            "The newest data are from {}.",
            format::date(mismatch.actual_data_date)
        ));
    }
    production(overview, &mut story);
    for report in diagnostics.iter().take(2) {
        codes(report, &mut story);
    }
    silence(overview, &mut story);
    not_counted(overview, &mut story);
    if let Some(previous) = previous {
        changed(&previous.change_to(overview), &mut story);
    }
    details(overview, &mut story);
    next(overview, &mut story);
    story
}

/// Sites that stopped long ago: their devices are in no count and no total.
fn not_counted(overview: &FleetOverview, story: &mut Story) {
    for site in overview
        .sites
        .iter()
        .filter(|site| !site.current)
        .take(NAMED)
    {
        let since = site.anchor.map_or_else(String::new, |at| {
            format!(" since {}", format::date(format::day_of(at)))
        });
        story.must(format!(
            "{} has sent nothing{since}, so I don't count it.",
            site.name
        ));
    }
}

fn lead(overview: &FleetOverview, branch: Branch, story: &Story) -> String {
    let status = &overview.status;
    let (total, offline) = (status.total_loggers, status.offline);
    let past = overview.date_mismatch.is_some();
    let (are, is) = if past { ("were", "was") } else { ("are", "is") };
    let names = offline_names(overview);
    match branch {
        Branch::TrendDegrading => format!(
            "Your fleet has slipped since the last briefing: {offline} of {} {are} offline now, {names}.",
            devices(total)
        ),
        Branch::CriticalHighSeverity => {
            let opening = match fleet_severity(status.percent_online) {
                Severity::Urgent => format!("Much of your site {is} down"),
                _ => "Your site needs attention".to_owned(),
            };
            format!(
                "{opening}: {offline} of your {} {are} offline, {names}.",
                devices(total)
            )
        }
        Branch::CriticalFleetWide | Branch::WarningMultiple => story.pick([
            format!(
                "{offline} of your {} {are} offline: {names}.",
                devices(total)
            ),
            format!(
                "Your panels aren't all delivering: {offline} of your {} {are} offline, {names}.",
                devices(total)
            ),
        ]),
        Branch::WarningSingle if total == 1 => format!("Your inverter {names} {is} offline."),
        Branch::WarningSingle => story.pick([
            format!("One of your {} {is} offline: {names}.", devices(total)),
            format!(
                "Your panels {are} doing well but for one of {}: {names} {is} offline.",
                devices(total)
            ),
        ]),
        _ => online(overview, are, story),
    }
}

fn online(overview: &FleetOverview, are: &str, story: &Story) -> String {
    let status = &overview.status;
    let all = if status.total_loggers == 1 {
        "Your inverter".to_owned()
    } else {
        format!("All {} of your inverters", status.total_loggers)
    };
    let are = if status.total_loggers == 1 {
        if are == "were" { "was" } else { "is" }
    } else {
        are
    };
    if status.producing == 0 && status.asleep > 0 {
        return format!("{all} {are} asleep for the night, just as expected.");
    }
    if overview.date_mismatch.is_some() {
        return format!("{all} {are} online at the last reading.");
    }
    story.pick([
        format!("{all} {are} online."),
        format!(
            "Good news: {} {are} online.",
            all.replacen("All", "all", 1).replacen("Your", "your", 1)
        ),
    ])
}

fn devices(total: u64) -> String {
    format::count(total, "inverter")
}

fn offline_names(overview: &FleetOverview) -> String {
    let names: Vec<&str> = overview
        .offline_loggers
        .iter()
        .map(|one| one.logger_id.as_str())
        .collect();
    if names.is_empty() {
        "which one I can't tell".to_owned()
    } else {
        format::list_most(&names, NAMED)
    }
}

fn production(overview: &FleetOverview, story: &mut Story) {
    let production = &overview.production;
    let energy = format::energy(production.today_total_energy_kwh);
    let power = format::power(production.current_total_power_watts);
    let current: Vec<_> = overview.sites.iter().filter(|site| site.current).collect();
    let night = !current.is_empty() && current.iter().all(|site| site.night);
    let several = current
        .iter()
        .filter_map(|site| site.anchor.map(format::day_of))
        .any(|day| day != overview.local_date);
    match (overview.date_mismatch.is_some(), night) {
        _ if several => story.should(format!(
            "On the newest day of each site your panels made {energy}."
        )),
        (true, true) => story.should(format!(
            "Your panels made {energy} that day, and it was night at the last reading."
        )),
        (true, false) => story.should(format!(
            "Your panels made {energy} that day and delivered {power} at the last reading."
        )),
        (false, true) => story.should(format!(
            "Your panels made {energy} today, and it's night there now."
        )),
        (false, false) => story.should(format!(
            "Your panels deliver {power} right now and have made {energy} today."
        )),
    };
}

/// The error codes of an offline device.
fn codes(report: &DiagnosticsReport, story: &mut Story) {
    let Some(issue) = report.issues.first() else {
        story.should(format!("{} has reported no error codes.", report.logger_id));
        return;
    };
    let known = issue.severity != IssueSeverity::Unknown && issue.source.is_some();
    if known {
        story.should(format!(
            "{} reports {}: {}",
            report.logger_id,
            issue.code,
            format::sentence(&issue.description)
        ));
    } else {
        story.should(format!(
            "{} reports {}, a code I don't know the meaning of.",
            report.logger_id, issue.code
        ));
    }
}

fn silence(overview: &FleetOverview, story: &mut Story) {
    let Some(first) = overview.offline_loggers.first() else {
        return;
    };
    if let Some(text) = silent_for_longer(overview) {
        story.must(text);
        return;
    }
    match first.last_seen {
        Some(at) => story.should(format!(
            "I last heard from {} on {} at {}.",
            first.logger_id,
            format::date(at.date_naive()),
            format::clock(at)
        )),
        None => story.should(format!(
            "I've never had a power reading from {}.",
            first.logger_id
        )),
    };
}

/// The offline devices that stopped more than a day before the other offline ones; `None` if none
/// or all of them did.
fn silent_for_longer(overview: &FleetOverview) -> Option<String> {
    let offline = || overview.offline_loggers.iter();
    let newest = offline().filter_map(|one| one.last_seen).max()?;
    let is_silent = |at: DateTime<FixedOffset>| newest - at > TimeDelta::days(1);
    let silent: Vec<String> = offline()
        .filter_map(|one| {
            let at = one.last_seen.filter(|at| is_silent(*at))?;
            Some(format!(
                "{} has sent nothing since {}",
                one.logger_id,
                format::date(format::day_of(at))
            ))
        })
        .collect();
    (!silent.is_empty()).then(|| {
        format!(
            "{}; the last readings of the others that are offline are of {}.",
            format::list_most(&silent, NAMED),
            format::date(format::day_of(newest))
        )
    })
}

fn changed(change: &Change, story: &mut Story) {
    if change.same_data {
        story.may("No new data have come in since the last briefing.");
        return;
    }
    if change.points.abs() >= 1.0 {
        let word = if change.points > 0.0 { "up" } else { "down" };
        story.should(format!(
            "The share online is {word} {} percentage points since the last briefing.",
            format::decimal(change.points.abs(), 0)
        ));
    }
    if !change.back_online.is_empty() {
        story.should(format!(
            "{} came back since then.",
            format::list_most(&change.back_online, NAMED)
        ));
    }
    if !change.newly_offline.is_empty() {
        story.should(format!(
            "{} dropped out since then.",
            format::list_most(&change.newly_offline, NAMED)
        ));
    }
}

fn details(overview: &FleetOverview, story: &mut Story) {
    if overview.status.asleep > 0 && overview.status.producing > 0 {
        story.may(format!(
            "{} asleep, because it's night where they stand.",
            are(overview.status.asleep)
        ));
    }
    let best = overview
        .devices
        .iter()
        .filter(|device| device.counted)
        .filter_map(|one| Some((one, one.energy_today_kwh?)))
        .max_by(|a, b| a.1.total_cmp(&b.1))
        .filter(|(device, energy)| *energy > 0.0 && device.state != DeviceState::Offline);
    if let Some((device, energy)) =
        best.filter(|_| overview.status.total_loggers > 1 && one_clock(overview))
    {
        story.may(format!(
            "{} leads with {}.",
            device.logger_id,
            format::energy(energy)
        ));
    }
    if let Some(specific) = overview.production.specific_yield {
        story.may(format!(
            "For the size of your panels, that's {} kWh per kWp.",
            format::figure(specific)
        ));
    }
    if let Some(irradiance) = overview.production.site_avg_irradiance {
        story.may(format!(
            "The latest sunlight readings average {} W/m².",
            format::decimal(irradiance, 0)
        ));
    }
    match overview.energy_source {
        EnergySource::Power => story.method("I worked the energy out from the power readings, as there's no energy counter to read."),
        EnergySource::DailyRegister | EnergySource::LifetimeRegister => story.method("The energy comes from the inverters' own counters."),
        EnergySource::Mixed => story.method("The energy comes from the inverters' own counters where they have one, and from power readings elsewhere."),
    };
    if let Some(minutes) = overview.oldest_reading_minutes {
        story.method(format!(
            "The oldest reading behind the power figure is {} old.",
            format::duration(minutes)
        ));
    }
}

/// Whether all sites that count have the same hours of the same day.
fn one_clock(overview: &FleetOverview) -> bool {
    let sites = overview.sites.iter().filter(|site| site.current);
    let mut hours = sites.map(|site| (site.local_date, site.anchor.map(|at| *at.offset())));
    let first = hours.next();
    hours.all(|other| Some(other) == first)
}

fn are(count: u64) -> String {
    format!(
        "{} {}",
        format::count(count, "inverter"),
        if count == 1 { "is" } else { "are" }
    )
}

fn next(overview: &FleetOverview, story: &mut Story) {
    match overview.offline_loggers.first() {
        Some(first) => story.next(format!("check the health of {}", first.logger_id)),
        None if overview.status.total_loggers > 1 => {
            story.next("compare how efficiently your inverters are working")
        }
        None => story.next("look at what your panels have saved you"),
    };
}
