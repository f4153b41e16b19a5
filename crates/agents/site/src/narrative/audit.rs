//! Several devices side by side.

use chrono::NaiveDate;
use contracts::tools::{
    CapacityBasis, ComparedPlaces, Comparison, ComparisonBasis, ComparisonMetric,
    ComparisonSummary, ExcludedLogger, ExclusionReason, Period, Unranked,
};

use super::compose::Story;
use super::{Branch, by_kwh, format, registers};

/// Maximum number of devices that are named one by one.
const NAMED: usize = 5;

pub(super) fn tell(comparison: &Comparison, branch: Branch) -> Story {
    let key: Vec<&str> = comparison.logger_ids.iter().map(String::as_str).collect();
    let mut story = Story::about(&key);
    let when = format::from_to(comparison.period.start, comparison.period.end);
    let (Some(best), Some(worst), Some(spread)) = (
        &comparison.best,
        &comparison.worst,
        comparison.spread_percent,
    ) else {
        alone(comparison, &when, &mut story);
        left_out(comparison, &mut story);
        return story;
    };
    let spread = format::percent(spread);
    let what = measured(comparison);
    let unsized_energy = is_without_sizes(comparison);
    let energy_alone = is_energy_alone(comparison);
    let apart = comparison.places == ComparedPlaces::Different;
    let text = match branch {
        _ if apart && spread != format::percent(0.0) => format!(
            "{best} made the most {when} {what}, and {worst} {spread} less, which is no verdict: your sites are in different places, and the sun isn't the same there."
        ),
        _ if unsized_energy && spread != format::percent(0.0) => format!(
            "{best} made the most {when}, and {worst} {spread} less, which is no verdict: their sizes aren't stated, so either may just be the smaller one."
        ),
        _ if energy_alone && spread != format::percent(0.0) => {
            by_kwh::lead(comparison, &when).unwrap_or_default()
        }
        _ if spread == format::percent(0.0) => {
            format!("Your {} are level {when} {what}.", devices(comparison))
        }
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
    if comparison.places == ComparedPlaces::OwnSun {
        story.must("Your sites are in different places, so I measured each by the sunlight of its own site.");
    }
    left_out(comparison, &mut story);
    unranked(comparison, &mut story);
    if let Some(three) = comparison
        .ranking
        .get(..3)
        .filter(|_| comparison.ranking.len() > NAMED)
    {
        story.should(format!("{THREE_BEST}{}.", format::list(three)));
    }
    if !comparison.underperformers.is_empty() && !energy_alone {
        let (s, others) = if comparison.underperformers.len() == 1 {
            ("s", "the others")
        } else {
            ("", "the rest")
        };
        let others = if apart {
            "the others of its site"
        } else {
            others
        };
        story.should(format!(
            "{} lag{s} {others} by more than chance explains.",
            format::list_most(&comparison.underperformers, 3)
        ));
    }
    if branch != Branch::ComparisonConsistent && !energy_alone && !apart {
        story.must("Roof direction or shade can explain some of that, so rule those out before you suspect a fault.");
    }
    if !energy_alone || unsized_energy {
        figures(comparison, best, worst, &mut story);
    }
    details(comparison, worst, &mut story);
    match branch {
        _ if energy_alone && !unsized_energy => story.next("compare them by specific yield"),
        Branch::ComparisonConsistent => story.next(format!(
            "compare them on {}",
            other_metric(comparison.metric)
        )),
        _ if unsized_energy => story.next("state their capacities"),
        _ if apart => story.next("compare the devices of one site"),
        _ => story.next(format!("check the health of {worst}")),
    };
    story
}

/// Begins the sentence on the best of many devices.
pub(super) const THREE_BEST: &str = "The three best are ";

/// The last of the worst devices of a ranking: none of them leads. Empty where they are level.
pub(super) fn last(comparison: &Comparison) -> String {
    let (Some(first), Some(last), Some(spread)) = (
        &comparison.best,
        &comparison.worst,
        comparison.spread_percent,
    ) else {
        return String::new();
    };
    let spread = format::percent(spread);
    if spread == format::percent(0.0) {
        return String::new();
    }
    let verdict = if comparison.places == ComparedPlaces::Different {
        ", which is no verdict: your sites are in different places, and the sun isn't the same there"
    } else if is_without_sizes(comparison) {
        ", which is no verdict: their sizes aren't stated"
    } else {
        ""
    };
    let (when, what) = (
        format::from_to(comparison.period.start, comparison.period.end),
        measured(comparison),
    );
    let level = super::asked::level_with(comparison, last);
    let (last, is) = ends(&level);
    format!("{last} {is} last {when}, {spread} behind {first} {what}{verdict}.")
}

/// Devices that are level, and their verb.
pub(super) fn ends(level: &[&str]) -> (String, &'static str) {
    let is = if level.len() == 1 { "is" } else { "are" };
    (format::list(level), is)
}

/// Whether energies are compared whose devices have no known sizes.
pub(super) fn is_without_sizes(comparison: &Comparison) -> bool {
    comparison.basis == ComparisonBasis::Absolute
        && comparison.metric != ComparisonMetric::Irradiance
        && comparison
            .summary
            .values()
            .all(|own| own.capacity_kw.is_none())
}

/// Whether energies are compared, whatever the sizes.
fn is_energy_alone(comparison: &Comparison) -> bool {
    comparison.basis == ComparisonBasis::Absolute
        && comparison.metric != ComparisonMetric::Irradiance
}

/// Whether a size is an estimate, from the device's own best days or from its peers.
pub(super) fn is_estimated(own: &ComparisonSummary) -> bool {
    matches!(
        own.capacity_basis,
        Some(CapacityBasis::Inferred | CapacityBasis::Peers)
    )
}

/// The number of devices that are ranked: a meter among them counts as none.
fn devices(comparison: &Comparison) -> String {
    let ranked = comparison.ranking.len();
    let all = comparison.logger_ids.len();
    let shown = if ranked == 0 { all } else { ranked };
    format::count(shown as u64, "device")
}

/// The sentence when fewer than two devices can be ranked.
fn alone(comparison: &Comparison, when: &str, story: &mut Story) {
    let text = match &comparison.logger_ids[..] {
        [] => format!("None of the devices has a value to compare {when}."),
        [one] => format!("Only {one} has data {when}, so it has no rank."),
        _ if comparison.best.is_some() => {
            only_one_ranked(comparison, when, story);
            return;
        }
        ids if !comparison.ranking.is_empty() => format!(
            "None of {} leads {when}: those with a sound counter made nothing.",
            format::list_most(ids, NAMED)
        ),
        ids => format!(
            "I can't rank {} {when}, because they have no day in common.",
            format::list_most(ids, NAMED)
        ),
    };
    story.must(text);
    if let [one] = &comparison.logger_ids[..]
        && let Some(summary) = comparison.summary.get(one)
        && let Some(shown) = shown(comparison, summary)
    {
        story.should(format!("It came to {shown}."));
    }
    story.next("try another day, or other devices");
}

/// The figures of all, when only one of them can be ranked: a meter beside an inverter, say.
fn only_one_ranked(comparison: &Comparison, when: &str, story: &mut Story) {
    let came_to = |id: &String| {
        let own = comparison.summary.get(id)?;
        Some(format!("{id} came to {}", shown(comparison, own)?))
    };
    let figures: Vec<String> = comparison
        .logger_ids
        .iter()
        .take(NAMED)
        .filter_map(came_to)
        .collect();
    if !figures.is_empty() {
        story.must(format!("{} {when}.", format::list(&figures)));
    }
    unranked(comparison, story);
    story.must(format!(
        "That leaves {} alone, so there's no order.",
        format::list(&comparison.ranking)
    ));
    story.next("compare it with other inverters");
}

/// The devices that are left out for such a reason.
fn excluded<'c>(
    comparison: &'c Comparison,
    wanted: &dyn Fn(ExclusionReason) -> bool,
) -> Vec<&'c str> {
    comparison
        .excluded
        .iter()
        .filter(|one| wanted(one.reason))
        .map(|one| one.logger_id.as_str())
        .collect()
}

/// The devices that are left out because they have no data of the days.
fn without_data(comparison: &Comparison) -> Vec<&str> {
    excluded(comparison, &|reason| {
        !matches!(
            reason,
            ExclusionReason::Meter | ExclusionReason::DayNotBegun | ExclusionReason::OtherHours
        )
    })
}

/// The sentence on them.
fn no_data(silent: &[&str]) -> String {
    match silent {
        [one] => format!("{one} has no data then, so I left it out."),
        several => format!(
            "{} have no data then, so I left them out.",
            format::list_most(several, NAMED)
        ),
    }
}

/// The devices that were asked for and are not compared.
fn left_out(comparison: &Comparison, story: &mut Story) {
    let ids = |wanted: &dyn Fn(ExclusionReason) -> bool| excluded(comparison, wanted);
    other_hours(
        comparison.unfinished_day,
        comparison.period,
        &comparison.excluded,
        story,
    );
    let silent = without_data(comparison);
    if !silent.is_empty() {
        story.must(no_data(&silent));
    }
    let meters = ids(&|reason| reason == ExclusionReason::Meter);
    if !meters.is_empty() {
        let (s, they) = if meters.len() == 1 {
            ("s", "a meter")
        } else {
            ("", "meters")
        };
        story.should(format!(
            "{} measure{s} what the inverters deliver, so I didn't add {they} to them.",
            format::list_most(&meters, NAMED)
        ));
    }
}

/// A sentence about a day that is not over at every site, and the devices that are left out.
pub(super) fn other_hours(
    unfinished: Option<NaiveDate>,
    period: Period,
    excluded: &[ExcludedLogger],
    story: &mut Story,
) {
    let Some(day) = unfinished else {
        return;
    };
    let excluded = |wanted: ExclusionReason| -> Vec<&str> {
        let found = excluded.iter().filter(|one| one.reason == wanted);
        found.map(|one| one.logger_id.as_str()).collect()
    };
    if day > period.end {
        story.must(format!(
            "{} isn't over at all of your sites, so I compared days that are.",
            format::date(day)
        ));
        return;
    }
    let others = excluded(ExclusionReason::OtherHours);
    if !others.is_empty() {
        story.must(format!(
            "{} had other hours of that day so far, so I left {} out.",
            format::list_most(&others, NAMED),
            if others.len() == 1 { "it" } else { "them" }
        ));
    }
    let not_begun = excluded(ExclusionReason::DayNotBegun);
    if !not_begun.is_empty() {
        story.must(format!(
            "The day hasn't begun for {}.",
            format::list_most(&not_begun, NAMED)
        ));
    }
}

/// The devices that are compared and have no rank, and why.
fn unranked(comparison: &Comparison, story: &mut Story) {
    let (reasons, meters) = without_rank(comparison);
    for reason in reasons {
        story.must(reason);
    }
    if let Some(meters) = meters {
        story.should(meters);
    }
}

/// The devices of a ranking that have no place in it, and why.
pub(crate) fn not_ranked(comparison: &Comparison) -> Vec<String> {
    let (mut sentences, meters) = without_rank(comparison);
    sentences.extend(meters);
    sentences.extend(without_values(comparison));
    sentences
}

/// The sentence on the devices that are left out because they have no data.
pub(crate) fn without_values(comparison: &Comparison) -> Option<String> {
    let silent = without_data(comparison);
    (!silent.is_empty()).then(|| no_data(&silent))
}

/// The sentences on devices that have no rank, and why; and the one on meters.
fn without_rank(comparison: &Comparison) -> (Vec<String>, Option<String>) {
    let mut reasons = Vec::new();
    let of = |why: Unranked| {
        let rows = comparison.summary.iter();
        let found = rows.filter(move |(_, row)| row.unranked == Some(why));
        found.map(|(id, _)| id.as_str()).collect::<Vec<_>>()
    };
    let few = of(Unranked::SizeUnknown);
    if !few.is_empty() {
        let (has, its) = if few.len() == 1 {
            ("has", "its")
        } else {
            ("have", "their")
        };
        reasons.push(format!(
            "{} {has} no rank: {its} size isn't stated, and there are too few other days to estimate it from.",
            format::list_most(&few, NAMED)
        ));
    }
    for (id, own) in &comparison.summary {
        if own.unranked == Some(Unranked::SizeEstimated) {
            let by_it = own.specific_yield.map_or_else(String::new, |kwh| {
                format!(
                    ", by which it came to {} kWh per estimated kWp",
                    format::decimal(kwh, 2)
                )
            });
            reasons.push(format!(
                "{id} has no rank among the others: its size is only estimated{by_it}."
            ));
        }
    }
    let wrong = of(Unranked::CapacityImplausible);
    if !wrong.is_empty() {
        let (has, capacity, makes) = if wrong.len() == 1 {
            ("has", "its stated capacity", "it makes")
        } else {
            ("have", "their stated capacities", "they make")
        };
        reasons.push(format!(
            "{} {has} no rank: {capacity} can't be right for what {makes}.",
            format::list_most(&wrong, NAMED)
        ));
    }
    let apart = of(Unranked::NoCommonDay);
    if !apart.is_empty() {
        reasons.push(format!(
            "{} {} no rank: there is no day that the others have, too.",
            format::list_most(&apart, NAMED),
            if apart.len() == 1 { "has" } else { "have" }
        ));
    }
    let meters = of(Unranked::Meter);
    let meters = (!meters.is_empty()).then(|| {
        format!(
            "{} measure{} what the inverters deliver, without a size of {} own, so I didn't rank {}.",
            format::list_most(&meters, NAMED),
            if meters.len() == 1 { "s" } else { "" },
            if meters.len() == 1 { "its" } else { "their" },
            if meters.len() == 1 { "it" } else { "them" },
        )
    });
    (reasons, meters)
}

/// The quantity by which the devices of a comparison are ranked.
pub(crate) fn ranking_of(comparison: &Comparison) -> &'static str {
    match (comparison.metric, comparison.basis) {
        (ComparisonMetric::Irradiance, _) => "sunlight",
        (_, ComparisonBasis::Absolute) => "energy alone, since not all sizes are known",
        _ if comparison.places == ComparedPlaces::OwnSun => {
            "energy for their size and their sunlight"
        }
        _ => "energy for their size",
    }
}

/// The figure that a device is ranked by, with what it is in.
pub(crate) fn ranked_figure(comparison: &Comparison, id: &str) -> Option<String> {
    let own = comparison.summary.get(id)?;
    let value = super::ranked_by(comparison, id)?;
    let unit = match (comparison.metric, comparison.basis) {
        _ if own.per_sunlight.is_some() => "kWh per kWp for each kWh/m\u{b2}",
        (ComparisonMetric::Irradiance, _) => "W/m\u{b2}",
        (_, ComparisonBasis::Absolute) => "kWh",
        _ if is_estimated(own) => "kWh per estimated kWp",
        _ => "kWh per kWp",
    };
    // The place counts days that it lacks; its own figure is of the days that it has.
    let own_days = own
        .specific_yield
        .filter(|_| own.filled_days > 0 && own.compared_yield.is_some())
        .map_or_else(String::new, |kwh| {
            format!(
                " with {} as the others of its site had them, {} over the {} it has data",
                format::count(u64::from(own.filled_days), "day"),
                format::decimal(kwh, 2),
                format::count(u64::from(own.days_with_data), "day")
            )
        });
    Some(format!("{value} {unit}{own_days}"))
}

/// The quantity of the ranking.
fn measured(comparison: &Comparison) -> &'static str {
    match (comparison.metric, comparison.basis) {
        (ComparisonMetric::Irradiance, _) => "in sunlight",
        _ if comparison.places == ComparedPlaces::OwnSun => "for their size and their sunlight",
        (
            _,
            ComparisonBasis::StatedCapacity
            | ComparisonBasis::StcPower
            | ComparisonBasis::RobustPeak,
        ) => "for their size",
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
    if let (Some(top), Some(bottom)) = (top.per_sunlight, bottom.per_sunlight) {
        story.should(format!(
            "For each kWh/m² of sunlight that's {} against {} kWh per kWp.",
            format::decimal(top, 2),
            format::decimal(bottom, 2)
        ));
        return;
    }
    if comparison.basis == ComparisonBasis::Absolute {
        return;
    }
    let (of_best, per) = match (is_estimated(top), is_estimated(bottom)) {
        (false, false) => ("", "kWh per kWp"),
        (true, true) => ("", "kWh per estimated kWp"),
        (true, false) => (" kWh per estimated kWp", "kWh per kWp"),
        (false, true) => (" kWh per kWp", "kWh per estimated kWp"),
    };
    let ranked_by = |summary: &ComparisonSummary| summary.compared_yield.or(summary.specific_yield);
    if let (Some(top_yield), Some(bottom_yield)) = (ranked_by(top), ranked_by(bottom)) {
        let days = if top.filled_days + bottom.filled_days > 0 {
            ", with the days that one of them lacks as the others of its site had them"
        } else if top.register_differs || bottom.register_differs {
            ", by the lower of register and power"
        } else {
            ""
        };
        story.should(format!(
            "That's {}{of_best} against {} {per}{days}.",
            format::decimal(top_yield, 2),
            format::decimal(bottom_yield, 2)
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
    let together = comparison.total_kwh.filter(|_| {
        comparison.metric == ComparisonMetric::Energy && comparison.logger_ids.len() > 1
    });
    if let Some(kwh) = together {
        story.should(format!("Together they made {}.", format::energy(kwh)));
    }
    estimated(comparison, story);
    let named = comparison
        .logger_ids
        .iter()
        .filter(|_| comparison.logger_ids.len() <= NAMED);
    for id in named
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
        let unknown: Vec<&str> = comparison
            .summary
            .iter()
            .filter(|(_, own)| own.capacity_kw.is_none() || is_estimated(own))
            .map(|(id, _)| id.as_str())
            .collect();
        let whose = if unknown.is_empty() || unknown.len() == comparison.summary.len() {
            "their sizes".to_owned()
        } else {
            format!("the size of {}", format::list_most(&unknown, NAMED))
        };
        story.should(if by_kwh::is_asked(comparison) {
            "A bigger device makes more, so this says nothing about how well each works.".to_owned()
        } else {
            format!("I don't know {whose}, so a bigger device looks better here.")
        });
    }
    registers(&comparison.flags, story);
    if let Some(period) = comparison.chart_period {
        story.must(format!(
            "The chart shows only the last part of that, {}.",
            format::period(period)
        ));
    }
    story.method("Each device counts with the energy of its days, as in every other answer.");
}

/// The devices whose size was not stated, and those that were not measured all day.
fn estimated(comparison: &Comparison, story: &mut Story) {
    let of = |wanted: &dyn Fn(&ComparisonSummary) -> bool| {
        let found = comparison
            .summary
            .iter()
            .filter(|(_, summary)| wanted(summary));
        found.map(|(id, _)| id.as_str()).collect::<Vec<_>>()
    };
    let basis = |basis| {
        of(&move |summary| summary.capacity_basis == Some(basis) && summary.unranked.is_none())
    };
    let peers = basis(CapacityBasis::Peers);
    if !peers.is_empty() {
        story.must(format!(
            "The size of {} isn't stated, so I took that of the other devices of its kind.",
            format::list_most(&peers, NAMED)
        ));
    }
    let inferred = basis(CapacityBasis::Inferred);
    if inferred.len() == 2 && comparison.logger_ids.len() == 2 {
        story.must(format!(
            "I estimated the size of {} from the best days of each, so one that was always weak looks like a smaller one.",
            format::list(&inferred)
        ));
    } else if !inferred.is_empty() && comparison.basis != ComparisonBasis::Absolute {
        let whose = if inferred.len() == 1 { "its" } else { "their" };
        story.must(format!(
            "I estimated the size of {} from {whose} best days outside this period.",
            format::list_most(&inferred, NAMED)
        ));
    }
    let partial = of(&|summary| summary.incomplete_days > 0);
    if !partial.is_empty() {
        story.should(format!(
            "{} didn't report all day, so the figures are of what is known.",
            format::list_most(&partial, NAMED)
        ));
    }
}
