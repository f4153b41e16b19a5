//! Cycles: by the hour of the day, the day of the week, the month and the quarter of the year.

use analytics::calendar::Cycle;
use analytics::seasons::{Phase, Season as Found, season};
use chrono::Timelike;
use chrono_tz::Tz;
use contracts::tools::analysis::{Season, SeasonPhase};

use super::super::choice::Dates;
use super::super::stats_analysis::test;
use super::super::subject;
use super::super::wording::{amount, figure, p_value, sentence};
use super::Target;

/// Series of hours may be longer than others: their cycle is only a day.
const MOST_HOURS: usize = 10_000;

/// The cycles that show, each in the series of its interval. Quarters only if months do not show.
pub(super) fn find(target: Target<'_>, dates: Dates<'_>, zone: Tz) -> Vec<Found> {
    let mut found: Vec<Found> = Vec::new();
    let with_hours = dates
        .times
        .iter()
        .flatten()
        .any(|time| time.with_timezone(&zone).hour() > 0);
    for cycle in [
        Cycle::DayOfWeek,
        Cycle::HourOfDay,
        Cycle::MonthOfYear,
        Cycle::QuarterOfYear,
    ] {
        let is_told = cycle == Cycle::QuarterOfYear
            && found
                .iter()
                .any(|season| season.cycle == Cycle::MonthOfYear);
        if is_told || (cycle == Cycle::HourOfDay && !with_hours) {
            continue;
        }
        let series = target.series(dates.times, zone, cycle.interval(), MOST_HOURS);
        found.extend(series.and_then(|series| season(&series, cycle)));
    }
    found
}

/// A cycle as the contract has it.
pub(super) fn told(target: Target<'_>, found: &Found) -> Season {
    let (interval, _) = subject::interval(found.cycle.interval());
    let profile = found.profile.iter().map(|phase| SeasonPhase {
        phase: found.cycle.phase_name(phase.phase),
        count: phase.count as u64,
        mean: phase.mean,
        median: phase.median,
    });
    Season {
        cycle: name(found.cycle).to_owned(),
        interval,
        autocorrelation: found.autocorrelation,
        strength: found.strength,
        test: test(&found.test),
        profile: profile.collect(),
        finding: finding(target, found),
    }
}

fn name(cycle: Cycle) -> &'static str {
    match cycle {
        Cycle::HourOfDay => "hour_of_day",
        Cycle::DayOfWeek => "day_of_week",
        Cycle::MonthOfYear => "month_of_year",
        Cycle::QuarterOfYear => "quarter_of_year",
    }
}

fn finding(target: Target<'_>, found: &Found) -> String {
    let by_mean = |a: &&Phase, b: &&Phase| a.mean.total_cmp(&b.mean);
    let (Some(highest), Some(lowest)) = (
        found.profile.iter().max_by(by_mean),
        found.profile.iter().min_by(by_mean),
    ) else {
        return String::new();
    };
    let told = |phase: &Phase| {
        format!(
            "{} ({} on average)",
            found.cycle.phase_name(phase.phase),
            amount(phase.mean, target.unit())
        )
    };
    let when = if found.cycle == Cycle::DayOfWeek {
        "on"
    } else {
        "in"
    };
    format!(
        "{} depends on the {}: it is highest {when} {} and lowest {when} {} (strength of the season {}, {}).",
        sentence(target.label()),
        name(found.cycle).replace('_', " "),
        told(highest),
        told(lowest),
        figure(found.strength),
        p_value(found.test.p),
    )
}
