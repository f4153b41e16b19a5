//! One device's health.

use contracts::tools::{AnomalyReport, CapacityBasis, Flag, HealthEvent, HealthEventKind};

use super::branch::faulty_days;
use super::compose::Story;
use super::{Branch, Severity, format, health_severity, low_days};
use crate::sentences;

pub(super) fn tell(report: &AnomalyReport, branch: Branch) -> Story {
    let (start, end) = (
        report.period.start.to_string(),
        report.period.end.to_string(),
    );
    let mut story = Story::about(&[&report.logger_id, &start, &end]);
    let text = lead(report, branch, &story);
    story.must(text);
    missing(report, &mut story);
    outages(report, &mut story);
    lost(report, &mut story);
    shortfall(report, &mut story);
    notes(report, &mut story);
    details(report, &mut story);
    next(report, branch, &mut story);
    story
}

fn lead(report: &AnomalyReport, branch: Branch, story: &Story) -> String {
    let (id, when) = (
        &report.logger_id,
        format::from_to(report.period.start, report.period.end),
    );
    let found = format::count_of(report.anomaly_count, "anomaly", "anomalies");
    if let Some(silence) = report.silence {
        let last = silence.last_reading.date_naive();
        let silent = sentences::silent(id, last, silence.days.into());
        let score = report.health_score.map_or_else(String::new, |score| {
            format!(
                "; its health score is {}{}",
                format::figure(score),
                verdict(score)
            )
        });
        return format!("{silent} So it can't be called healthy {when}{score}.");
    }
    match (branch, report.health_score) {
        (Branch::DataIncomplete, _) | (_, None) => {
            format!("There's too little data to judge the health of {id} {when}.")
        }
        (Branch::HealthyAllClear, Some(score)) => story.pick([
            format!(
                "{id} looks healthy: I found no anomalies {when}, and its health score is {}.",
                format::figure(score)
            ),
            format!(
                "Good news: {id} had no anomalies {when}, and its health score is {}.",
                format::figure(score)
            ),
        ]),
        (Branch::HealthyMinorNotes, Some(score)) => format!(
            "{id} had no anomalies {when}, though its health score is {}.",
            format::figure(score)
        ),
        (Branch::RecurrentIssue, Some(score)) => format!(
            "{id} has a recurring fault: it went down on {} different days {when}, and its health score is {}{}.",
            faulty_days(report),
            format::figure(score),
            verdict(score)
        ),
        (Branch::CriticalHighSeverity, Some(score)) if report.anomaly_count == 0 => format!(
            "{id} needs attention: its health score is {} {when}{}.",
            format::figure(score),
            verdict(score)
        ),
        (Branch::CriticalHighSeverity, Some(score)) => format!(
            "{id} needs attention: I found {found} {when}, and its health score is {}{}.",
            format::figure(score),
            verdict(score)
        ),
        (_, Some(score)) => story.pick([
            format!(
                "I found {found} on {id} {when}; its health score is {}{}.",
                format::figure(score),
                verdict(score)
            ),
            format!(
                "{id} shows {found} {when}, with a health score of {}{}.",
                format::figure(score),
                verdict(score)
            ),
        ]),
    }
}

/// The meaning of a score.
fn verdict(score: f64) -> &'static str {
    match health_severity(score) {
        Severity::Excellent => ", still excellent",
        Severity::Good => ", still good",
        Severity::Attention => "",
        Severity::Concern => ", which is low",
        Severity::Urgent => ", which is very low",
    }
}

fn missing(report: &AnomalyReport, story: &mut Story) {
    if !report.missing_days.is_empty() {
        story.must(without_data(report));
    }
}

/// The counter does not count what the power makes.
pub(super) const COUNTER_DIFFERS: &str =
    "On some days its energy counter and its power readings don't agree.";

/// How the days without data begin.
pub(super) const WITHOUT_DATA: &str = "There are no data for ";

/// The days without data, of which there are some.
pub(super) fn without_data(report: &AnomalyReport) -> String {
    let days = &report.missing_days;
    if days.len() <= 3 {
        let dates: Vec<String> = days.iter().map(|day| format::day_month(*day)).collect();
        format!("{WITHOUT_DATA}{}.", format::list(&dates))
    } else {
        format!("{WITHOUT_DATA}{}.", format::count(days.len() as u64, "day"))
    }
}

/// The outages; those of a day on which nothing came are part of that day.
pub(super) fn outages_of(report: &AnomalyReport) -> impl Iterator<Item = &HealthEvent> {
    report.events.iter().filter(|event| {
        event.kind == HealthEventKind::Outage
            && !report.dead_days.contains(&event.start.date_naive())
    })
}

/// The longest outage.
pub(super) fn worst_outage(report: &AnomalyReport) -> Option<&HealthEvent> {
    outages_of(report).max_by(|a, b| a.minutes.total_cmp(&b.minutes))
}

/// The findings, a word or two for each kind.
pub(super) fn found(report: &AnomalyReport) -> Vec<&'static str> {
    let dead = |event: &HealthEvent| report.dead_days.contains(&event.start.date_naive());
    let has = |kind: HealthEventKind| {
        report
            .events
            .iter()
            .any(|event| event.kind == kind && (kind != HealthEventKind::Outage || !dead(event)))
    };
    [
        (HealthEventKind::DeadDay, "days without energy"),
        (HealthEventKind::Outage, "outages"),
        (HealthEventKind::Underperformance, "low output"),
        (HealthEventKind::MissingDay, "days without data"),
        (HealthEventKind::DataOutage, "gaps in the data"),
        (
            HealthEventKind::RegisterMismatch,
            "a counter that differs from the power",
        ),
        (HealthEventKind::StaleValues, "stuck readings"),
        (
            HealthEventKind::IrradianceSuspect,
            "a sunlight sensor that shows light at night",
        ),
        (HealthEventKind::ClockShift, "a clock that was moved"),
    ]
    .into_iter()
    .filter(|(kind, _)| has(*kind))
    .map(|(_, words)| words)
    .collect()
}

/// Number of events of a kind.
pub(super) fn events(report: &AnomalyReport, kind: HealthEventKind) -> usize {
    report
        .events
        .iter()
        .filter(|event| event.kind == kind)
        .count()
}

fn outages(report: &AnomalyReport, story: &mut Story) {
    if let Some(event) = worst_outage(report) {
        story.should(longest(report, event));
    }
    dead_days(report, story);
}

/// The longest outage in a sentence.
pub(super) fn longest(report: &AnomalyReport, event: &HealthEvent) -> String {
    let alone = outages_of(report).count() == 1;
    let which = if alone {
        "It was out in full sun for"
    } else {
        "The longest outage lasted"
    };
    format!(
        "{which} {}, from {} on {}.",
        format::duration(event.minutes),
        format::clock(event.start),
        format::date(event.start.date_naive())
    )
}

fn dead_days(report: &AnomalyReport, story: &mut Story) {
    match report.dead_days.as_slice() {
        [] => {}
        [day] => {
            story.should(format!(
                "On {} it delivered nothing all day.",
                format::date(*day)
            ));
        }
        [first, .., last] => {
            story.should(format!(
                "It delivered nothing all day on {}, the first on {} and the last on {}.",
                format::count(report.dead_days.len() as u64, "day"),
                format::day_month(*first),
                format::day_month(*last)
            ));
        }
    }
}

fn lost(report: &AnomalyReport, story: &mut Story) {
    if report.lost_kwh > 0.0 {
        story.should(cost(report));
    }
}

/// What outages and dead days cost.
pub(super) fn cost(report: &AnomalyReport) -> String {
    let money = report
        .lost_money
        .as_ref()
        .filter(|money| money.amount > 0.0)
        .map(|money| format!(", worth {}", format::lost_money(money)));
    let what = match (report.dead_days.len(), worst_outage(report)) {
        (0, _) => "Outages",
        (1, None) => "The dead day",
        (_, None) => "The dead days",
        _ => "Outages and dead days",
    };
    format!(
        "{what} cost you about {}{}.",
        format::energy(report.lost_kwh),
        money.unwrap_or_default()
    )
}

/// The shortfall against its peers, or itself, while it ran.
fn shortfall(report: &AnomalyReport, story: &mut Story) {
    let Some(kwh) = report.shortfall_kwh else {
        return;
    };
    let days = low_days::when(report);
    match report.vs_peers_pct {
        Some(_) if days.is_some() => {
            story.must(low_on_days(kwh, &days.unwrap_or_default()));
            size_of_the_others(report, story)
        }
        Some(percent) if percent < 0.0 => {
            story.must(format!(
                "While it ran it made {} less than its site's other inverters for its size, about {}.",
                format::percent(-percent),
                format::energy(kwh)
            ));
            size_of_the_others(report, story)
        }
        _ => story.must(format!(
            "While it ran it made about {} less than a sound device of its size.",
            format::energy(kwh)
        )),
    };
}

/// The energy that a device made less on some days of the period.
fn low_on_days(kwh: f64, days: &str) -> String {
    format!(
        "It made about {} less {days} than its site's other inverters for its size.",
        format::energy(kwh)
    )
}

fn size_of_the_others<'s>(report: &AnomalyReport, story: &'s mut Story) -> &'s mut Story {
    if report.capacity_basis == Some(CapacityBasis::Peers) {
        story.must("Its size isn't stated, so I took theirs: if it's smaller, state its capacity.");
    }
    story
}

/// Hours of daylight without readings from which on a report mentions them unasked.
const WORTH_TELLING: f64 = 1.0;

/// Remarks about gaps that are not faults of the inverter, and about unavailable evidence.
fn notes(report: &AnomalyReport, story: &mut Story) {
    let gaps = events(report, HealthEventKind::DataOutage);
    if gaps > 0 {
        let are = if gaps == 1 { "is a gap" } else { "are gaps" };
        story.should(format!(
            "{gaps} of the findings {are} in the data, which needn't be the inverter's fault."
        ));
    }
    if report.gap_hours >= WORTH_TELLING
        && let Some(gaps) = super::asked::missing::gaps_of_one(report)
    {
        story.should(gaps);
    }
    for (kind, text) in [
        (
            HealthEventKind::Underperformance,
            // The window as a whole has a sentence of its own.
            "On some days it made less from the sun than it usually does.",
        ),
        (
            HealthEventKind::Clipping,
            "It ran into its own power limit at times, which is normal for a small inverter on big panels.",
        ),
        (
            HealthEventKind::StaleValues,
            "Some readings got stuck at one value, so check the connection to it.",
        ),
        (
            HealthEventKind::IrradianceSuspect,
            "The sunlight sensor shows light at night, so I don't trust it.",
        ),
        (HealthEventKind::RegisterMismatch, COUNTER_DIFFERS),
    ] {
        let told = kind == HealthEventKind::Underperformance && report.shortfall_kwh.is_some();
        if events(report, kind) > 0 && !told {
            story.should(text);
        }
    }
    if let Some(moved) = clock_moved(report) {
        story.must(moved);
    }
    if report.flags.contains(&Flag::CapacityImplausible) {
        story.must("Its stated capacity can't be right for what it makes, so I didn't judge it by that; please check it.");
    } else if report.capacity_kw.is_none() && report.flags.contains(&Flag::FewDays) {
        story.should(
            "I know too few days of it to tell its size, so I didn't judge how much it makes.",
        );
    }
    if report.flags.contains(&Flag::IrradianceMissing) {
        story.should("Without sunlight readings I can only spot days that are dead as a whole.");
    } else if report.flags.contains(&Flag::IrradianceNotPoa) {
        story.may("The sunlight isn't measured in the plane of the panels, so short outages may escape me.");
    }
}

/// The day on which the clock of a device was moved, and by how much: a user who reads a time
/// has to know it.
fn clock_moved(report: &AnomalyReport) -> Option<String> {
    let mut moved = report
        .events
        .iter()
        .filter(|event| event.kind == HealthEventKind::ClockShift);
    let first = moved.next()?;
    let again = if moved.next().is_some() {
        ", and again"
    } else {
        ""
    };
    Some(format!(
        "Its clock seems to have been moved around {}{again}, so its times may be off.",
        format::date(first.start.date_naive())
    ))
}

fn details(report: &AnomalyReport, story: &mut Story) {
    if let Some(share) = report.availability_energy {
        story.may(format!(
            "Its availability by energy is {}, which says that it ran, not how well.",
            format::percent(share * 100.0)
        ));
    }
    if let Some(share) = report.availability_time {
        story.may(format!(
            "It was up for {} of the daylight time.",
            format::percent(share * 100.0)
        ));
    }
    story.method(format!(
        "I looked at {} over {}.",
        format::count(report.total_records, "reading"),
        format::count(u64::from(report.days_analyzed), "day")
    ));
    if report.sun_hours > 0.0 {
        story.method(format!(
            "That's {} of daylight.",
            format::duration(report.sun_hours * 60.0)
        ));
    }
}

fn next(report: &AnomalyReport, branch: Branch, story: &mut Story) {
    match (branch, worst_outage(report)) {
        (Branch::DataIncomplete, _) => story.next("try a longer period"),
        (Branch::HealthyAllClear | Branch::HealthyMinorNotes, _) => {
            story.next("look at what it's saved you")
        }
        (_, Some(event)) => {
            let day = format::date(event.start.date_naive());
            let curve = format!("look at its power curve on {day}");
            story.next(story.pick([curve, "check its error codes for those days".to_owned()]))
        }
        _ => story.next("check its error codes for those days"),
    };
}

/// Devices whose stated capacity contradicts what they make.
pub(crate) fn wrong_capacity(devices: &[&str]) -> String {
    let they = if devices.len() == 1 {
        "it makes"
    } else {
        "they make"
    };
    format!(
        "The stated capacity of {} can't be right for what {they}, so please check it.",
        format::list_most(devices, 4)
    )
}
