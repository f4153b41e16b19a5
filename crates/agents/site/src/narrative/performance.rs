//! The performance ratio of a day or a period.

use contracts::tools::{CapacityBasis, Flag, PerformanceRating, PerformanceReport};

use super::compose::Story;
use super::{Branch, format, registers};

pub(super) fn tell(report: &PerformanceReport, branch: Branch) -> Story {
    let day = report.date.to_string();
    let mut story = Story::about(&[&report.logger_id, &day]);
    let (id, when, ratio) = (
        &subject(report),
        report.period.map_or_else(
            || format::from_to(report.date, report.date),
            |period| format::from_to(period.start, period.end),
        ),
        format::percent(report.performance_ratio),
    );
    let relative = is_estimated(report);
    if relative {
        let whose = if report.scope.is_some() {
            "their"
        } else {
            "its"
        };
        story.must(format!(
            "With a capacity that is estimated, the performance ratio of {id} was {ratio} {when}."
        ));
        story.must(if report.capacity_basis == CapacityBasis::Peers {
            "Its size isn't stated, so I took that of the site's other inverters; unless it's smaller than they are, it lags behind them.".to_owned()
        } else {
            format!("I don't know {whose} size, so that's no verdict.")
        });
    } else {
        story.must(story.pick([
            format!("{id} ran at a performance ratio of {ratio} {when}."),
            format!("{id} gave {ratio} of what size and sun promised {when}."),
        ]));
    }
    devices(report, &mut story);
    reservations(report, relative, &mut story);
    let plausible = !report.flags.contains(&Flag::CapacityImplausible);
    if !relative
        && plausible
        && let Some(rating) = report.rating
    {
        story.should(match rating {
            PerformanceRating::Normal => "That's a normal, healthy figure.",
            PerformanceRating::Low => "That's lower than healthy panels reach.",
            PerformanceRating::Critical => "That's far below what healthy panels reach.",
        });
    }
    if let Some(corrected) = report.pr_25c {
        story.should(format!(
            "Corrected for module temperature, it's {}.",
            format::percent(corrected * 100.0)
        ));
    }
    let counted: Vec<&str> = report
        .devices
        .iter()
        .filter(|device| device.counted)
        .map(|device| device.logger_id.as_str())
        .collect();
    // Others may have been named since the devices that the ratio rests on.
    let they = match counted[..] {
        _ if report.scope.is_none() => "It",
        [one] => one,
        _ => "They",
    };
    story.should(format!(
        "{they} delivered {} kWh per kW, out of {} hours' worth of full sun.",
        format::figure(report.yf),
        format::figure(report.yr)
    ));
    story.may(format!(
        "Its peak was {}, and it averaged {}.",
        format::power(report.metrics.peak_power_watts),
        format::power(report.metrics.avg_power_watts)
    ));
    story.may(format!(
        "Sunlight averaged {} W/m².",
        format::decimal(report.metrics.avg_irradiance, 0)
    ));
    let source = if relative {
        "estimated from the data"
    } else {
        "as configured or as you gave it"
    };
    story.method(format!(
        "I reckoned with a capacity of {} kW, {source}.",
        format::figure(report.capacity_kw)
    ));
    story.method(format!(
        "It rests on {} with both power and sunlight.",
        format::count(report.paired_records, "reading")
    ));
    match branch {
        Branch::WarningMultiple | Branch::CriticalHighSeverity if report.scope.is_none() => {
            story.next("check its health")
        }
        _ if counted.len() == 1 => story.next(format!("check the health of {}", counted[0])),
        _ if report.scope.is_some() => story.next("check the health of the lowest one"),
        _ => story.next("look at its power curve"),
    };
    story
}

/// The devices that the ratio rests on.
fn subject(report: &PerformanceReport) -> String {
    const NAMED: usize = 4;
    let counted: Vec<&str> = report
        .devices
        .iter()
        .filter(|device| device.counted)
        .map(|device| device.logger_id.as_str())
        .collect();
    let all = report
        .scope
        .as_ref()
        .is_none_or(|scope| u32::try_from(counted.len()) == Ok(scope.devices));
    if all || counted.is_empty() {
        return report.logger_id.clone();
    }
    if counted.len() <= NAMED {
        return format::list(&counted);
    }
    format::count(counted.len() as u64, "device")
}

fn is_estimated(report: &PerformanceReport) -> bool {
    matches!(
        report.capacity_basis,
        CapacityBasis::Inferred | CapacityBasis::Peers | CapacityBasis::Unknown
    )
}

/// The lowest and the highest of several devices, and those without a ratio.
fn devices(report: &PerformanceReport, story: &mut Story) {
    let (ranked, estimated) = ranked(report);
    for device in estimated
        .iter()
        .filter(|device| is_estimated(device))
        .take(3)
    {
        story.must(format!(
            "With an estimated capacity, {} comes to {}.",
            device.logger_id,
            format::percent(device.performance_ratio)
        ));
    }
    if let [lowest, .., highest] = ranked.as_slice() {
        let ratios = [lowest, highest].map(|device| format::percent(device.performance_ratio));
        story.must(if ratios[0] == ratios[1] {
            format!("Each of them reached {}.", ratios[0])
        } else {
            format!(
                "{} has the lowest, {}, and {} the highest, {}.",
                lowest.logger_id, ratios[0], highest.logger_id, ratios[1]
            )
        });
    }
    story.must(format::left_out(&report.left_out, |ids, _| {
        format!("I have no ratio for {ids}.")
    }));
}

/// The device with the lowest ratio of several.
pub(super) fn lowest(report: &PerformanceReport) -> Option<&PerformanceReport> {
    ranked(report).0.first().copied()
}

/// The devices that the ratios rank, lowest first, and those that they do not.
fn ranked(report: &PerformanceReport) -> (Vec<&PerformanceReport>, Vec<&PerformanceReport>) {
    let plausible = |device: &&PerformanceReport| {
        !device.flags.contains(&Flag::CapacityImplausible)
            || report.flags.contains(&Flag::CapacityImplausible)
    };
    // A ratio that rests on an estimated capacity is another figure than the others.
    let (ranked, estimated): (Vec<_>, Vec<_>) = report
        .devices
        .iter()
        .filter(plausible)
        .partition(|device| device.counted);
    // A register that does not agree with the power leads nothing. Missing readings alone make the
    // two differ, so a device that lacks some may be the lowest.
    let differs = |device: &&PerformanceReport| device.flags.contains(&Flag::RegisterPowerMismatch);
    let is_partial = |device: &&PerformanceReport| device.flags.contains(&Flag::IncompleteDay);
    let mut trusted: Vec<&PerformanceReport> = ranked
        .iter()
        .filter(|device| !differs(device) || is_partial(device))
        .copied()
        .collect();
    while trusted.len() > 2 && trusted.last().is_some_and(differs) {
        trusted.pop();
    }
    let ranked = if trusted.len() > 1 { trusted } else { ranked };
    (ranked, estimated)
}

/// What makes the figure less than it seems; said before any verdict.
fn reservations(report: &PerformanceReport, relative: bool, story: &mut Story) {
    let has = |flag| report.flags.contains(&flag);
    if report.coverage < 0.9 || has(Flag::IncompleteDay) {
        let what = if report.period.is_some() {
            "The period"
        } else {
            "The day"
        };
        let share = format::percent(report.coverage * 100.0);
        // Pairs of power and irradiance may be whole where the readings of a day are not.
        story.must(if share == format::percent(100.0) {
            let partial: Vec<&str> = report
                .devices
                .iter()
                .filter(|device| device.flags.contains(&Flag::IncompleteDay))
                .map(|device| device.logger_id.as_str())
                .collect();
            let whose = if partial.is_empty() || partial.len() == report.devices.len() {
                String::new()
            } else {
                format!(" of {}", format::list_most(&partial, 3))
            };
            format!("{what} is incomplete: readings{whose} are missing.")
        } else {
            format!("{what} is incomplete, with {share} of its daylight readings.")
        });
    }
    if has(Flag::DeadDay) {
        story.must(if report.period.is_some() || report.scope.is_some() {
            "There were outages, which pull the figure down."
        } else {
            "It was out that day, which pulls the figure down."
        });
    }
    let wrong: Vec<&str> = report
        .devices
        .iter()
        .filter(|device| device.flags.contains(&Flag::CapacityImplausible))
        .map(|device| device.logger_id.as_str())
        .collect();
    if has(Flag::CapacityImplausible) {
        story.must("That's hardly plausible, so please check the capacity.");
    } else if !wrong.is_empty() {
        story.must(format!(
            "I left out {}: no array has such a ratio, so please check the capacity.",
            format::list_most(&wrong, 3)
        ));
    }
    registers(&report.flags, story);
    if has(Flag::IrradianceNotPoa) {
        let text = "The sunlight isn't measured in the panels' plane, so it's rough.";
        // Against its own usual the same error cancels out.
        if relative {
            story.should(text);
        } else {
            story.must(text);
        }
    }
}
