//! Energy in money and carbon.

use contracts::tools::{
    EnergySource, FinancialReport, Flag, ForecastBasis, ProductionForecast, ScopeKind, SiteSavings,
};

use super::compose::Story;
use super::{Branch, audit, format, registers};
use crate::language::Ranked;

pub(super) fn tell(
    report: &FinancialReport,
    forecast: Option<&ProductionForecast>,
    branch: Branch,
) -> Story {
    let (start, end) = (
        report.period.start.to_string(),
        report.period.end.to_string(),
    );
    let mut story = Story::about(&[&report.logger_id, &start, &end]);
    if report.days_with_data == 0 {
        story.must(format!(
            "I have no energy readings from {} {}, so I can't work out any savings.",
            report.logger_id,
            format::from_to(report.period.start, report.period.end)
        ));
        story.next("try a period for which there are data");
        return story;
    }
    let text = lead(report, branch, &story);
    story.must(text);
    missing(report, &mut story);
    story.should(made(report));
    without_tariff(report, &mut story);
    parts(report, &mut story);
    not_added(report, &mut story);
    story.should(carbon(report));
    if let Some(forecast) = forecast {
        coming(forecast, &mut story);
    }
    if let Some(year) = &report.projected_year {
        let worth = match (year.savings, &report.currency) {
            (Some(savings), Some(currency)) => format::money(savings, currency),
            _ => format::energy(year.energy_kwh),
        };
        story.may(format!(
            "At this pace, a whole year would bring about {worth}, which is a projection."
        ));
    }
    if report.trees_grown_10_years >= 1.0 {
        story.may(format!(
            "It'd take {} young trees ten years to soak up as much.",
            format::decimal(report.trees_grown_10_years, 0)
        ));
    }
    story.method(format!(
        "The CO2 figure uses {} kg per kWh ({}, {}).",
        format::decimal(report.co2_factor.value, 3),
        report.co2_factor.name,
        report.co2_factor.year
    ));
    if report.energy_source == EnergySource::Power {
        story.method(
            "I worked the energy out from power readings, as there's no energy counter to read.",
        );
    }
    odd_counter(report, &mut story);
    registers(&report.flags, &mut story);
    if let Some(kwh) = report.unallocated_kwh {
        story.should(format!(
            "The counter gained another {} over days without data, which I didn't count.",
            format::energy(kwh)
        ));
    }
    story.next(story.pick([
        "look at the forecast for the coming days".to_owned(),
        "compare it with your other devices".to_owned(),
    ]));
    story
}

/// The same report, asked for its energy.
pub(super) fn tell_energy(report: &FinancialReport, branch: Branch) -> Story {
    let (start, end) = (
        report.period.start.to_string(),
        report.period.end.to_string(),
    );
    let mut story = Story::about(&[&report.logger_id, &start, &end, "energy"]);
    let (id, when) = (
        &subject(report),
        format::from_to(report.period.start, report.period.end),
    );
    if report.days_with_data == 0 {
        story.must(format!(
            "I have no energy readings from {id} {when}, so I can't add them up."
        ));
        story.next("try a period for which there are data");
        return story;
    }
    let energy = format::energy(report.total_energy_kwh);
    story.must(match branch {
        Branch::DataIncomplete if report.scope.is_none() => format!(
            "I only have data for {} of {} from {id} {when}; on those it came to {energy}.",
            report.days_with_data,
            format::count(u64::from(report.days_expected), "day")
        ),
        _ => format!("{id} made {energy} {when}."),
    });
    parts(report, &mut story);
    missing(report, &mut story);
    not_added(report, &mut story);
    story.should(format!(
        "That's worth {}, if all of it replaces purchased power.",
        worth(report)
    ));
    without_tariff(report, &mut story);
    story.may(carbon(report));
    registers(&report.flags, &mut story);
    odd_counter(report, &mut story);
    if report.energy_source == EnergySource::Power {
        story.method(
            "I worked the energy out from power readings, as there's no energy counter to read.",
        );
    }
    story.next("compare it with the days before");
    story
}

/// A sentence about a counter that was reset, replaced, or jumped.
fn odd_counter(report: &FinancialReport, story: &mut Story) {
    if report.flags.contains(&Flag::RegisterSuspect) {
        let when = if report.days_with_data > 1 {
            " on some days"
        } else {
            ""
        };
        let done = match report.energy_source {
            EnergySource::Power => "I took the power readings instead.",
            EnergySource::Mixed => {
                "I left its jumps out, and took the power readings where they count more."
            }
            EnergySource::DailyRegister | EnergySource::LifetimeRegister => {
                "I counted what it showed before and after, and left out the step between."
            }
        };
        story.should(format!(
            "The energy counter looks odd{when}, as after a reset or an exchange. {done}"
        ));
    }
}

/// The name of a total: where devices are only counted, as many as it adds up.
pub(crate) fn subject(report: &FinancialReport) -> String {
    let number = |count: u32| format!("{count} devices");
    let counts = report.scope.as_ref().is_some_and(|scope| {
        scope.kind == ScopeKind::All || report.logger_id == number(scope.devices)
    });
    let added = report
        .devices
        .iter()
        .filter(|device| device.counted && device.days_with_data > 0)
        .count();
    let all = report
        .scope
        .as_ref()
        .is_none_or(|scope| u32::try_from(added) == Ok(scope.devices));
    if !counts || all || added == 0 {
        return report.logger_id.clone();
    }
    format::count(added as u64, "device")
}

/// A sentence about a tariff that is not set.
fn without_tariff(report: &FinancialReport, story: &mut Story) {
    if !report.default_tariff {
        return;
    }
    let sites: Vec<&SiteSavings> = report
        .sites
        .iter()
        .filter(|site| site.default_tariff)
        .collect();
    let default = match (&sites[..], report.electricity_rate, &report.currency) {
        ([site, ..], ..) => Some(format::rate(site.electricity_rate, &site.currency)),
        (_, Some(rate), Some(currency)) => Some(format::rate(rate, currency)),
        _ => None,
    };
    let Some(default) = default else { return };
    let at = if sites.is_empty() || sites.len() == report.sites.len() {
        String::new()
    } else {
        let names: Vec<&str> = sites.iter().map(|site| site.name.as_str()).collect();
        format!(" for {}", format::list_most(&names, 3))
    };
    story.must(format!(
        "No tariff is set{at}, so I took the default of {default} per kWh."
    ));
}

/// How the energy of each site begins.
pub(super) const BY_SITE: &str = "By site: ";

/// The emissions that the energy avoids.
pub(super) fn carbon(report: &FinancialReport) -> String {
    format!(
        "That kept about {} of CO2 out of the air.",
        format::mass(report.co2_offset_kg)
    )
}

/// The price of a kWh, each site's where they differ.
pub(super) fn tariff(report: &FinancialReport) -> String {
    let own = report.electricity_rate.zip(report.currency.as_deref());
    if let Some((rate, currency)) = own {
        let default = if report.default_tariff {
            ", the default: none is set"
        } else {
            ""
        };
        return format!(
            "The tariff is {} per kWh{default}.",
            format::rate(rate, currency)
        );
    }
    let parts: Vec<String> = report
        .sites
        .iter()
        .map(|site| {
            let rate = format::rate(site.electricity_rate, &site.currency);
            format!("{rate} at {}", site.name)
        })
        .collect();
    if parts.is_empty() {
        return String::new();
    }
    format!("The tariff per kWh is {}.", format::list(&parts))
}

/// The energy that the second of two sites made less than the first, kWh.
pub(super) fn difference_of_sites(report: &FinancialReport) -> Option<f64> {
    match report.sites.as_slice() {
        [one, other] => Some((one.total_energy_kwh - other.total_energy_kwh).abs()),
        _ => None,
    }
}

/// The sites by their energy, most first.
pub(super) fn sites(report: &FinancialReport) -> String {
    let mut sites: Vec<_> = report.sites.iter().collect();
    sites.sort_by(|a, b| b.total_energy_kwh.total_cmp(&a.total_energy_kwh));
    let [most, others @ ..] = sites.as_slice() else {
        return String::new();
    };
    if others.is_empty() {
        let all = report
            .scope
            .as_ref()
            .is_none_or(|scope| scope.kind == ScopeKind::All);
        return match (all, report.left_out.is_empty()) {
            (false, _) => String::new(),
            (true, true) => format!(
                "{} is your only site, so there is nothing to compare it with.",
                most.name
            ),
            (true, false) => format!(
                "Of your sites only {} has data {}, so there is nothing to compare it with.",
                most.name,
                format::from_to(report.period.start, report.period.end)
            ),
        };
    }
    let less = match (others.len(), difference_of_sites(report)) {
        (1, Some(kwh)) => format!(", which is {} less", format::energy(kwh)),
        _ => String::new(),
    };
    let others: Vec<String> = others
        .iter()
        .map(|site| {
            format!(
                "{} {}{less}",
                site.name,
                format::energy(site.total_energy_kwh)
            )
        })
        .collect();
    format!(
        "{} made the most energy, {}; {}. Their sizes and their sun differ, so that says little about how well each works.",
        most.name,
        format::energy(most.total_energy_kwh),
        format::list(&others)
    )
}

/// The sites at an end of their ranking by energy.
pub(super) fn end_of_sites(report: &FinancialReport, ranked: Ranked) -> String {
    let mut by_energy: Vec<_> = report.sites.iter().collect();
    by_energy.sort_by(|a, b| b.total_energy_kwh.total_cmp(&a.total_energy_kwh));
    if ranked.worst {
        by_energy.reverse();
    }
    let count = usize::try_from(ranked.count).unwrap_or(usize::MAX);
    if by_energy.len() < 2 || count > by_energy.len() {
        return sites(report);
    }
    let told: Vec<String> = by_energy[..count]
        .iter()
        .map(|site| {
            format!(
                "{} with {}",
                site.name,
                format::energy(site.total_energy_kwh)
            )
        })
        .collect();
    format!(
        "Of your {} the {} energy was made by {}. Their sizes and their sun differ, so that says little about how well each works.",
        format::count(by_energy.len() as u64, "site"),
        if ranked.worst { "least" } else { "most" },
        format::list(&told)
    )
}

/// The sites by the money that they saved, or by the carbon dioxide that they avoided, most first.
pub(super) fn sites_by_worth(report: &FinancialReport, carbon: bool) -> String {
    let mut sites: Vec<&SiteSavings> = report.sites.iter().collect();
    let worth = |site: &SiteSavings| {
        if carbon {
            site.co2_offset_kg
        } else {
            site.savings
        }
    };
    sites.sort_by(|a, b| worth(b).total_cmp(&worth(a)));
    let shown = |site: &SiteSavings| {
        if carbon {
            format::mass(site.co2_offset_kg)
        } else {
            format::money(site.savings, &site.currency)
        }
    };
    let [most, others @ ..] = sites.as_slice() else {
        return String::new();
    };
    if others.is_empty() {
        return self::sites(report);
    }
    let others_shown: Vec<String> = others
        .iter()
        .map(|site| format!("{} {}", site.name, shown(site)))
        .collect();
    let others_shown = format::list(&others_shown);
    if carbon {
        return format!(
            "{} avoided the most CO2, {}; {others_shown}.",
            most.name,
            shown(most)
        );
    }
    if others.iter().any(|site| site.currency != most.currency) {
        return "The sites have different currencies, so I can't say which saved the most."
            .to_owned();
    }
    format!(
        "{} saved the most money, {}; {others_shown}.",
        most.name,
        shown(most)
    )
}

/// Most devices that are named as level with one another.
const LEVEL: usize = 20;

/// Who made most and least of a total.
fn parts(report: &FinancialReport, story: &mut Story) {
    if report.sites.len() > 1 {
        let sites: Vec<String> = report
            .sites
            .iter()
            .map(|site| format!("{} {}", site.name, format::energy(site.total_energy_kwh)))
            .collect();
        story.must(format!("{BY_SITE}{}.", format::list_most(&sites, 5)));
    }
    // A day that is over at one site and runs at another one makes no fair ranking.
    let unequal = |day| day <= report.period.end && report.other_hours.is_empty();
    if report.unfinished_day.is_some_and(unequal) {
        return;
    }
    let counted = || {
        let devices = report.devices.iter();
        devices.filter(|device| device.counted && device.days_with_data > 0)
    };
    if let (Some(most), Some(least), true) = (
        counted().next(),
        counted().next_back(),
        counted().count() > 1,
    ) {
        let level = |end: &FinancialReport| {
            let energy = format::energy(end.total_energy_kwh);
            let level = counted().filter(|one| format::energy(one.total_energy_kwh) == energy);
            let ids: Vec<&str> = level.map(|one| one.logger_id.as_str()).collect();
            let each = if ids.len() > 1 { " each" } else { "" };
            format!("{} made {energy}{each}", format::list_most(&ids, LEVEL))
        };
        let energy = format::energy(most.total_energy_kwh);
        if energy == format::energy(least.total_energy_kwh) {
            story.should(format!("Each of them made the same, {energy}."));
            return;
        }
        story.should(format!(
            "{}, the most, and {}, the least.",
            level(most),
            level(least)
        ));
    }
}

fn lead(report: &FinancialReport, branch: Branch, story: &Story) -> String {
    let (id, when) = (
        &subject(report),
        format::from_to(report.period.start, report.period.end),
    );
    let money = worth(report);
    if report.total_energy_kwh <= 0.0 {
        return format!("{id} made no energy {when}, so there's nothing saved.");
    }
    if branch == Branch::DataIncomplete && report.scope.is_none() {
        return format!(
            "I only have data for {} of {} from {id} {when}; those saved you {money}, if all of it replaces purchased power.",
            report.days_with_data,
            format::count(u64::from(report.days_expected), "day")
        );
    }
    story.pick([
        format!("{id} saved you {money} {when}, if all of it replaces purchased power."),
        format!("{id} made energy worth {money} {when}, if all of it replaces purchased power."),
    ])
}

/// The value of the energy: one amount, or one per site where the currencies differ.
fn worth(report: &FinancialReport) -> String {
    if let (Some(savings), Some(currency)) = (report.savings, &report.currency) {
        return format::money(savings, currency);
    }
    let parts: Vec<String> = report
        .sites
        .iter()
        .map(|site| {
            let money = format::money(site.savings, &site.currency);
            format!("{money} at {}", site.name)
        })
        .collect();
    format::list(&parts)
}

fn made(report: &FinancialReport) -> String {
    let energy = format::energy(report.total_energy_kwh);
    let they = if report.scope.is_some() { "They" } else { "It" };
    match (report.electricity_rate, &report.currency) {
        (Some(rate), Some(currency)) => {
            format!(
                "{they} made {energy} at {} per kWh.",
                format::rate(rate, currency)
            )
        }
        (_, Some(_)) => format!("{they} made {energy}, each site at its own price per kWh."),
        _ => format!("{they} made {energy}; the currencies differ, so I don't add the money up."),
    }
}

/// Meters, and devices without data.
fn not_added(report: &FinancialReport, story: &mut Story) {
    audit::other_hours(
        report.unfinished_day,
        report.period,
        &report.other_hours,
        story,
    );
    let meters: Vec<&str> = report
        .devices
        .iter()
        .filter(|device| !device.counted)
        .map(|device| device.logger_id.as_str())
        .collect();
    if !meters.is_empty() {
        story.should(format!(
            "I didn't add {}, which measures what the inverters deliver.",
            format::list_most(&meters, 3)
        ));
    }
    story.must(format::left_out(&report.left_out, |ids, count| {
        let have = if count == 1 { "has" } else { "have" };
        format!("{ids} {have} no data then.")
    }));
}

/// Days without data; of several devices those that lack any, each with its own.
fn missing(report: &FinancialReport, story: &mut Story) {
    if report.scope.is_some() {
        let lacking: Vec<String> = report
            .devices
            .iter()
            .filter(|device| device.counted && !device.missing_days.is_empty())
            .map(|device| {
                let days = device.missing_days.len() as u64;
                format!("{} ({})", device.logger_id, format::count(days, "day"))
            })
            .collect();
        if !lacking.is_empty() {
            story.must(format!(
                "Data are missing from {}.",
                format::list_most(&lacking, 3)
            ));
        }
        return;
    }
    let days = &report.missing_days;
    match days.as_slice() {
        [] => {}
        [..] if days.len() <= 3 => {
            let dates: Vec<String> = days.iter().map(|day| format::day_month(*day)).collect();
            story.must(format!("Data are missing for {}.", format::list(&dates)));
        }
        [first, .., last] => {
            story.must(format!(
                "Data are missing for {} between {} and {}.",
                format::count(days.len() as u64, "day"),
                format::day_month(*first),
                format::day_month(*last)
            ));
        }
        [_] => {}
    }
}

fn coming(forecast: &ProductionForecast, story: &mut Story) {
    let (Some(first), Some(last)) = (forecast.forecasts.first(), forecast.forecasts.last()) else {
        story.may("There's too little history to forecast the coming days.");
        return;
    };
    let by = match forecast.basis {
        ForecastBasis::History => "",
        ForecastBasis::Weather | ForecastBasis::Mixed => {
            ", going by the irradiance that is forecast for your site"
        }
    };
    story.should(format!(
        "I expect about {} {}{by}.",
        format::energy(forecast.total_predicted),
        format::from_to(first.date, last.date)
    ));
}
