//! Several devices side by side.

use contracts::tools::{Comparison, ComparisonBasis, ComparisonMetric, ComparisonSummary};

use super::compose::Story;
use super::{Branch, format};

pub(super) fn tell(comparison: &Comparison, branch: Branch) -> Story {
    let key: Vec<&str> = comparison.logger_ids.iter().map(String::as_str).collect();
    let mut story = Story::about(&key);
    let when = format::from_to(comparison.period.start, comparison.period.end);
    let (Some(best), Some(worst), Some(spread)) = (
        &comparison.best,
        &comparison.worst,
        comparison.spread_percent,
    ) else {
        story.must(format!(
            "I can't rank {} {when}, because they have too few readings in common.",
            format::list_most(&key, 5)
        ));
        story.next("try another day, or other devices");
        return story;
    };
    let spread = format::percent(spread);
    let what = measured(comparison);
    let text = match branch {
        Branch::ComparisonConsistent => story.pick([
            format!(
                "Your {} are close together {when}: only {spread} between best and worst {what}.",
                devices(comparison)
            ),
            format!(
                "There's little between your {} {when}: {best} leads {worst} by {spread} {what}.",
                devices(comparison)
            ),
        ]),
        Branch::ComparisonModerate => {
            format!("{best} leads {when}, with {worst} {spread} behind {what}.")
        }
        _ => story.pick([
            format!("{worst} lags well behind {when}: {spread} below {best} {what}."),
            format!("{worst} is your weak spot {when}, {spread} behind {best} {what}."),
        ]),
    };
    story.must(text);
    if !comparison.underperformers.is_empty() {
        let (s, others) = if comparison.underperformers.len() == 1 {
            ("s", "the others")
        } else {
            ("", "the rest")
        };
        story.should(format!(
            "{} lag{s} {others} by more than chance explains.",
            format::list_most(&comparison.underperformers, 3)
        ));
    }
    if branch != Branch::ComparisonConsistent {
        story.must("Roof direction or shade can explain some of that, so rule those out before you suspect a fault.");
    }
    figures(comparison, best, worst, &mut story);
    details(comparison, worst, &mut story);
    match branch {
        Branch::ComparisonConsistent => story.next(format!(
            "compare them on {}",
            other_metric(comparison.metric)
        )),
        _ => story.next(format!("check the health of {worst}")),
    };
    story
}

fn devices(comparison: &Comparison) -> String {
    format::count(comparison.logger_ids.len() as u64, "device")
}

/// What the ranking measures.
fn measured(comparison: &Comparison) -> &'static str {
    match (comparison.metric, comparison.basis) {
        (ComparisonMetric::Irradiance, _) => "in sunlight",
        (_, ComparisonBasis::StatedCapacity) => "for their size",
        (_, ComparisonBasis::StcPower | ComparisonBasis::RobustPeak) => {
            "for what they usually reach"
        }
        (_, ComparisonBasis::Absolute) => "in absolute terms",
    }
}

pub(super) fn other_metric(metric: ComparisonMetric) -> &'static str {
    match metric {
        ComparisonMetric::Energy => "power",
        ComparisonMetric::Power | ComparisonMetric::Irradiance => "energy",
    }
}

fn figures(comparison: &Comparison, best: &str, worst: &str, story: &mut Story) {
    let (Some(top), Some(bottom)) = (comparison.summary.get(best), comparison.summary.get(worst))
    else {
        return;
    };
    if let (Some(top), Some(bottom)) = (shown(comparison, top), shown(comparison, bottom)) {
        story.should(format!("{best} came to {top} and {worst} to {bottom}."));
    }
    let per = match comparison.basis {
        ComparisonBasis::StatedCapacity => "kWh per kWp",
        ComparisonBasis::StcPower => "kWh per kW at full sun",
        ComparisonBasis::RobustPeak => "kWh per kW of their own peak",
        ComparisonBasis::Absolute => return,
    };
    if let (Some(top), Some(bottom)) = (top.specific_yield, bottom.specific_yield) {
        story.should(format!(
            "That's {} against {} {per}.",
            format::decimal(top, 2),
            format::decimal(bottom, 2)
        ));
    }
}

/// The metric's figure of one device.
fn shown(comparison: &Comparison, summary: &ComparisonSummary) -> Option<String> {
    match comparison.metric {
        ComparisonMetric::Energy => summary.total.map(format::energy),
        ComparisonMetric::Power => summary
            .average
            .map(|watts| format!("{} on average", format::power(watts))),
        ComparisonMetric::Irradiance => summary
            .average
            .map(|value| format!("{} W/m²", format::decimal(value, 0))),
    }
}

fn details(comparison: &Comparison, worst: &str, story: &mut Story) {
    let deviation = comparison
        .summary
        .get(worst)
        .and_then(|summary| summary.vs_median_pct)
        .filter(|percent| *percent < 0.0 && comparison.logger_ids.len() > 2);
    if let Some(percent) = deviation {
        story.may(format!(
            "{worst} is {} below the median of the group.",
            format::percent(percent.abs())
        ));
    }
    for id in comparison
        .logger_ids
        .iter()
        .filter(|id| comparison.best.as_ref() != Some(id) && comparison.worst.as_ref() != Some(id))
    {
        if let Some(shown) = comparison
            .summary
            .get(id)
            .and_then(|summary| shown(comparison, summary))
        {
            story.may(format!("{id} came to {shown}."));
        }
    }
    if comparison.basis == ComparisonBasis::Absolute
        && comparison.metric != ComparisonMetric::Irradiance
    {
        story.should("I don't know their sizes, so a bigger device looks better here.");
    }
    story.method(format!(
        "I compared {} that all of them have.",
        format::count(comparison.record_count, "reading")
    ));
}
