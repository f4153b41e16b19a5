//! The performance ratio of one day.

use contracts::tools::{CapacityBasis, Flag, PerformanceRating, PerformanceReport};

use super::compose::Story;
use super::{Branch, format};

pub(super) fn tell(report: &PerformanceReport, branch: Branch) -> Story {
    let day = report.date.to_string();
    let mut story = Story::about(&[&report.logger_id, &day]);
    let (id, date, ratio) = (
        &report.logger_id,
        format::date(report.date),
        format::percent(report.performance_ratio),
    );
    let relative = matches!(
        report.capacity_basis,
        CapacityBasis::Inferred | CapacityBasis::Peers | CapacityBasis::Unknown
    );
    if relative {
        story.must(format!(
            "Measured against its own usual, {id} ran at {ratio} on {date}."
        ));
        story.must("I don't know its capacity, so that's no verdict.");
    } else {
        story.must(story.pick([
            format!("{id} ran at a performance ratio of {ratio} on {date}."),
            format!("Your panels on {id} gave {ratio} of what their size and the sun promised on {date}."),
        ]));
    }
    reservations(report, relative, &mut story);
    if !relative && let Some(rating) = report.rating {
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
    story.should(format!(
        "It delivered {} kWh per kW, out of {} hours' worth of full sun.",
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
        Branch::WarningMultiple | Branch::CriticalHighSeverity => story.next("check its health"),
        _ => story.next("look at its power curve"),
    };
    story
}

/// What makes the figure less than it seems; said before any verdict.
fn reservations(report: &PerformanceReport, relative: bool, story: &mut Story) {
    let has = |flag| report.flags.contains(&flag);
    if report.coverage < 0.9 || has(Flag::IncompleteDay) {
        story.must(format!(
            "The day is incomplete, with {} of its daylight readings.",
            format::percent(report.coverage * 100.0)
        ));
    }
    if has(Flag::DeadDay) {
        story.must("It was out that day, which pulls the figure down.");
    }
    if has(Flag::CapacityImplausible) {
        story.must("That's hardly plausible, so please check the capacity.");
    }
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
