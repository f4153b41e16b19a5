//! Every device's health.

use chrono::Datelike;
use contracts::tools::{AnomalyReport, CapacityBasis, Flag, HealthEvent, HealthEventKind, Money};
use contracts::ui::{FleetHealthRow, HealthWord};

use super::compose::Story;
use super::{Branch, format, health, low_days};

/// Standstills that a sentence lists.
const MOST_TOLD: usize = 6;

pub(super) fn tell(rows: &[FleetHealthRow], reports: &[AnomalyReport], branch: Branch) -> Story {
    let key: Vec<&str> = rows.iter().map(|row| row.logger_id.as_str()).collect();
    let mut story = Story::about(&key);
    let when = period(reports);
    let total = format::count(rows.len() as u64, "device");
    let affected: Vec<&FleetHealthRow> = rows.iter().filter(|row| row.anomaly_count > 0).collect();
    let worst = worst(rows, reports);
    let unknown: Vec<&str> = rows
        .iter()
        .filter(|row| row.status == HealthWord::Unknown)
        .map(|row| row.logger_id.as_str())
        .collect();
    let text = match (branch, worst) {
        (Branch::DataIncomplete, _) => {
            format!("There's too little data to judge your {total}{when}.")
        }
        (_, Some(worst)) if affected.len() == 1 => format!(
            "One of your {total} showed anomalies{when}: {}, with {}{}.",
            worst.logger_id,
            worst.anomaly_count,
            kinds(worst, reports)
        ),
        (_, Some(worst)) => {
            let found = anomalies(worst.anomaly_count) + &kinds(worst, reports);
            let (count, worst) = (affected.len(), &worst.logger_id);
            story.pick([
                format!("{count} of your {total} show anomalies{when}; {worst} is worst off, with {found}."),
                format!("I found anomalies on {count} of your {total}{when}; {worst} is worst off, with {found}."),
            ])
        }
        (_, None) if let Some(lowest) = lowest(rows) => format!(
            "I found no anomalies on your {total}{when}, though {} has a health score of {}.",
            lowest.logger_id,
            format::figure(score(lowest))
        ),
        (_, None) if unknown.is_empty() && rows.len() > 1 => story.pick([
            format!("Your {total} look healthy{when}: no anomalies."),
            format!("Good news: I found no anomalies on your {total}{when}."),
        ]),
        (_, None) => {
            format!("What I could judge of your {total} looks healthy{when}: no anomalies.")
        }
    };
    story.must(text);
    if !unknown.is_empty() {
        story.must(format!(
            "I couldn't judge {}.",
            format::list_most(&unknown, 3)
        ));
    }
    out_that_day(reports, &mut story);
    guessed_sizes(reports, &mut story);
    if let Some(worst) = worst {
        scores(worst, reports, &mut story);
    }
    let fine: Vec<&str> = rows
        .iter()
        .filter(|row| row.anomaly_count == 0 && row.status == HealthWord::Healthy)
        .map(|row| row.logger_id.as_str())
        .collect();
    if !fine.is_empty() && !affected.is_empty() {
        story.should(format!(
            "{} {} fine.",
            format::list_most(&fine, 4),
            if fine.len() == 1 { "looks" } else { "look" }
        ));
    }
    clocks(reports, &mut story);
    let wrong: Vec<&str> = reports
        .iter()
        .filter(|report| report.flags.contains(&Flag::CapacityImplausible))
        .map(|report| report.logger_id.as_str())
        .collect();
    if !wrong.is_empty() {
        story.should(health::wrong_capacity(&wrong));
    }
    for row in &affected {
        if let Some(score) = row
            .health_score
            .filter(|_| worst.is_none_or(|worst| worst.logger_id != row.logger_id))
        {
            story.may(format!(
                "{} scores {} with {}.",
                row.logger_id,
                format::figure(score),
                anomalies(row.anomaly_count)
            ));
        }
    }
    match worst {
        Some(worst) => story.next(format!("check the health of {} in detail", worst.logger_id)),
        None if branch == Branch::DataIncomplete => story.next("try a longer period"),
        None => story.next("compare how efficiently they're working"),
    };
    story
}

/// The score of several devices, which the tool reports as well: the mean of their scores, and
/// below that of a healthy device as long as one of them is not healthy.
pub(crate) fn score_of_all(rows: &[FleetHealthRow]) -> Option<f64> {
    let scores = || rows.iter().filter_map(|row| row.health_score);
    let count = scores().count();
    let mean = (count > 0).then(|| scores().sum::<f64>() / count as f64)?;
    let healthy = scores().all(|score| HealthWord::of(Some(score)) == HealthWord::Healthy);
    Some(if healthy {
        mean
    } else {
        mean.min(HealthWord::HEALTHY - 0.1)
    })
}

/// The device with the lowest score, if that is not the score of a healthy device.
fn lowest(rows: &[FleetHealthRow]) -> Option<&FleetHealthRow> {
    rows.iter()
        .filter(|row| matches!(row.status, HealthWord::Warning | HealthWord::Critical))
        .min_by(|a, b| score(a).total_cmp(&score(b)))
}

/// Whether the devices with findings are those that stood still, so that a count of these says who
/// they are.
pub(super) fn only_out(rows: &[FleetHealthRow], reports: &[AnomalyReport]) -> bool {
    let stood = |id: &str| {
        reports.iter().any(|report| {
            report.logger_id == id
                && (health::outages_of(report).next().is_some() || !report.dead_days.is_empty())
        })
    };
    let mut affected = rows.iter().filter(|row| row.anomaly_count > 0).peekable();
    affected.peek().is_some() && affected.all(|row| stood(&row.logger_id))
}

/// The devices whose clocks were moved.
fn clocks(reports: &[AnomalyReport], story: &mut Story) {
    let moved: Vec<&str> = reports
        .iter()
        .filter(|report| health::events(report, HealthEventKind::ClockShift) > 0)
        .map(|report| report.logger_id.as_str())
        .collect();
    if !moved.is_empty() {
        let clocks = if moved.len() == 1 { "clock" } else { "clocks" };
        story.must(format!(
            "The {clocks} of {} seem{} to have been moved, so the times may be off.",
            format::list_most(&moved, 4),
            if moved.len() == 1 { "s" } else { "" }
        ));
    }
}

/// The findings of a device, in brackets; empty when they are not known.
fn kinds(row: &FleetHealthRow, reports: &[AnomalyReport]) -> String {
    let report = reports
        .iter()
        .find(|report| report.logger_id == row.logger_id);
    let found = report.map(health::found).unwrap_or_default();
    if found.is_empty() {
        return String::new();
    }
    format!(" ({})", format::list(&found))
}

/// The device with the lowest score among those with findings, of equals the one with the most
/// findings. One that rests on a guess comes behind the others.
pub(super) fn worst<'r>(
    rows: &'r [FleetHealthRow],
    reports: &[AnomalyReport],
) -> Option<&'r FleetHealthRow> {
    let guessed = |row: &FleetHealthRow| {
        let own = reports.iter().find(|own| own.logger_id == row.logger_id);
        own.is_some_and(rests_on_a_guess)
    };
    rows.iter()
        .filter(|row| row.anomaly_count > 0)
        .min_by(|a, b| {
            guessed(a)
                .cmp(&guessed(b))
                .then(score(a).total_cmp(&score(b)))
                .then(b.anomaly_count.cmp(&a.anomaly_count))
        })
}

/// Whether all that was found is low output for a size that is that of the other devices: it may
/// just be smaller than they are.
pub(super) fn rests_on_a_guess(report: &AnomalyReport) -> bool {
    report.capacity_basis == Some(CapacityBasis::Peers)
        && report.shortfall_kwh.is_some()
        && report.events.iter().all(|event| {
            matches!(
                event.kind,
                HealthEventKind::Underperformance | HealthEventKind::Clipping
            )
        })
}

/// A sentence about the devices whose findings rest on a guess.
fn guessed_sizes(reports: &[AnomalyReport], story: &mut Story) {
    let guessed: Vec<&str> = reports
        .iter()
        .filter(|report| rests_on_a_guess(report))
        .map(|report| report.logger_id.as_str())
        .collect();
    if !guessed.is_empty() {
        let (its, it) = if guessed.len() == 1 {
            ("its", "it may just be smaller")
        } else {
            ("their", "they may just be smaller")
        };
        story.must(format!(
            "The size of {} is an estimate, that of {its} neighbours, so {it}.",
            format::list_most(&guessed, 4)
        ));
    }
}

/// The energy that a device made less than its neighbours while it ran, kWh; not where its size is
/// a guess.
pub(super) fn shortfall(report: &AnomalyReport) -> f64 {
    report
        .shortfall_kwh
        .filter(|kwh| *kwh > 0.0 && report.capacity_basis != Some(CapacityBasis::Peers))
        .unwrap_or_default()
}

/// What devices made less than their neighbours while they ran, each by its name.
pub(super) fn shortfalls(reports: &[AnomalyReport]) -> Option<String> {
    let counted = reports.iter().filter(|report| report.counted);
    let mut short: Vec<(&AnomalyReport, f64)> = counted
        .map(|report| (report, shortfall(report)))
        .filter(|(_, kwh)| *kwh > 0.0)
        .collect();
    short.sort_by(|(_, a), (_, b)| b.total_cmp(a));
    let told: Vec<String> = short
        .iter()
        .map(|(report, kwh)| {
            let days = low_days::when(report).map_or_else(String::new, |days| format!("{days} "));
            let id = &report.logger_id;
            format!("{id} made {days}about {}", format::energy(*kwh))
        })
        .collect();
    let (they, device) = match told.len() {
        0 => return None,
        1 => ("it", "a sound device of its size"),
        _ => ("they", "sound devices of their size"),
    };
    Some(format!(
        "While {they} ran, {} less than {device}.",
        format::list_most(&told, MOST_TOLD)
    ))
}

fn score(row: &FleetHealthRow) -> f64 {
    row.health_score.unwrap_or(f64::MAX)
}

/// Who stood still, when the question is about one day.
fn out_that_day(reports: &[AnomalyReport], story: &mut Story) {
    let one_day = reports
        .iter()
        .all(|report| report.period.start == report.period.end);
    if one_day && let Some(out) = out(reports) {
        story.must(out);
    }
}

/// Who stood still, and when; `None` when every device ran.
pub(super) fn out(reports: &[AnomalyReport]) -> Option<String> {
    let one_day = reports
        .iter()
        .all(|report| report.period.start == report.period.end);
    let mut out: Vec<(&AnomalyReport, &HealthEvent)> = reports
        .iter()
        .flat_map(|report| report.events.iter().map(move |event| (report, event)))
        .filter(|(report, event)| match event.kind {
            HealthEventKind::DeadDay => true,
            HealthEventKind::Outage => !report.dead_days.contains(&event.start.date_naive()),
            _ => false,
        })
        .collect();
    if out.is_empty() {
        return None;
    }
    // Where not all fit, the longest are listed.
    out.sort_by(|(_, a), (_, b)| b.minutes.total_cmp(&a.minutes));
    let more = out.len().saturating_sub(MOST_TOLD);
    out.truncate(MOST_TOLD);
    out.sort_by_key(|(_, event)| event.start);
    let year = |event: &HealthEvent| event.start.year();
    let same_year = out.iter().all(|(_, event)| year(event) == year(out[0].1));
    let told: Vec<String> = out
        .iter()
        .map(|(report, event)| {
            let id = &report.logger_id;
            let day = event.start.date_naive();
            let day = match (one_day, same_year) {
                (true, _) => String::new(),
                (false, true) => format!(" on {}", format::day_month(day)),
                (false, false) => format!(" on {}", format::date(day)),
            };
            if event.kind == HealthEventKind::DeadDay {
                format!("{id} all day{day}")
            } else {
                let (from, long) = (format::clock(event.start), format::duration(event.minutes));
                format!("{id}{day} from {from} for {long}")
            }
        })
        .collect();
    let when = if one_day { "that day" } else { "then" };
    let more = if more > 0 { "; and others" } else { "" };
    Some(format!("Out {when}: {}{more}.", told.join("; ")))
}

/// The standstill that began last.
pub(super) fn last_out(reports: &[AnomalyReport]) -> Option<String> {
    let (report, event) = reports
        .iter()
        .flat_map(|report| report.events.iter().map(move |event| (report, event)))
        .filter(|(report, event)| match event.kind {
            HealthEventKind::DeadDay => true,
            HealthEventKind::Outage => !report.dead_days.contains(&event.start.date_naive()),
            _ => false,
        })
        .max_by_key(|(_, event)| event.start)?;
    let (id, day) = (&report.logger_id, format::date(event.start.date_naive()));
    Some(if event.kind == HealthEventKind::DeadDay {
        format!("The last outage was that of {id}, which delivered nothing all day on {day}.")
    } else {
        format!(
            "The last outage was that of {id} on {day}, from {} for {}.",
            format::clock(event.start),
            format::duration(event.minutes)
        )
    })
}

fn anomalies(count: u64) -> String {
    format::count_of(count, "anomaly", "anomalies")
}

/// The period of the reports in words; each site's, where they differ.
pub(super) fn period(reports: &[AnomalyReport]) -> String {
    let windows: Vec<String> = format::windows(reports)
        .into_iter()
        .map(|(site, period)| {
            let when = format::from_to(period.start, period.end);
            site.map_or_else(|| when.clone(), |site| format!("{when} ({site})"))
        })
        .collect();
    if windows.is_empty() {
        String::new()
    } else {
        format!(" {}", format::list(&windows))
    }
}

/// Energy lost by all devices, kWh; a meter is not added to its inverters.
pub(super) fn total_lost(reports: &[AnomalyReport]) -> f64 {
    let counted = reports.iter().filter(|report| report.counted);
    counted.map(|report| report.lost_kwh).sum()
}

/// What that energy is worth in each currency; empty where a device's loss has no price.
pub(super) fn worth(reports: &[AnomalyReport]) -> Vec<Money> {
    let mut totals: Vec<Money> = Vec::new();
    for report in reports
        .iter()
        .filter(|report| report.counted && report.lost_kwh > 0.0)
    {
        let Some(money) = report.lost_money.as_ref() else {
            return Vec::new();
        };
        match totals
            .iter_mut()
            .find(|total| total.currency == money.currency)
        {
            None => totals.push(money.clone()),
            Some(total) => {
                total.amount += money.amount;
                total.default_tariff |= money.default_tariff;
            }
        }
    }
    totals.retain(|total| total.amount > 0.0);
    totals
}

/// What outages and dead days cost in all; `None` when they cost nothing.
pub(super) fn standstill(reports: &[AnomalyReport]) -> Option<String> {
    let lost = total_lost(reports);
    (lost > 0.0).then(|| {
        let amounts: Vec<String> = worth(reports).iter().map(format::lost_money).collect();
        let worth = if amounts.is_empty() {
            String::new()
        } else {
            format!(", worth {},", format::list(&amounts))
        };
        format!(
            "Standstill cost you about {}{worth} in all.",
            format::energy(lost)
        )
    })
}

fn scores(worst: &FleetHealthRow, reports: &[AnomalyReport], story: &mut Story) {
    if let Some(score) = worst.health_score {
        story.should(format!(
            "{} has a health score of {}.",
            worst.logger_id,
            format::figure(score)
        ));
    }
    if let Some(cost) = standstill(reports) {
        story.should(cost);
    }
    let judged: f64 = reports.iter().map(|report| report.sun_hours).sum();
    if judged > 0.0 {
        story.method("I judged outages only while the sun was up, so a quiet night doesn't count against them.");
    }
}
