//! The performance ratio of several devices: the energy of all over what their capacities should
//! have made of their sunshine.

use std::collections::{BTreeSet, HashMap};

use chrono::{Days, NaiveDate};
use contracts::tools::{
    CapacityBasis, Flag, IrradianceBasis, LeftOut, PerformanceMetrics, PerformanceRating,
    PerformanceReport, Period, ScopeKind, ToolStatus,
};
use solar::DayFigures;
use solar::ratio::rate;
use sqlx::PgConnection;

use super::{Judged, NEIGHBOURS, of_days, rating};
use crate::error::Error;
use crate::solar_tools::subject::Subject;
use crate::solar_tools::subjects::{Subjects, common, counted, excuse};
use crate::solar_tools::{sizes, wire};
use crate::store::{Logger, daily};

/// Days of loggers whose figures are held at a time.
const HELD: i64 = 30_000;

pub(super) async fn of(
    conn: &mut PgConnection,
    mut subjects: Subjects,
    period: Period,
) -> Result<PerformanceReport, Error> {
    let found = std::mem::take(&mut subjects.found);
    // A meter is ranked beside its inverters only by name.
    let meters = if subjects.scope.kind == ScopeKind::Loggers {
        Vec::new()
    } else {
        measuring(&found)
    };
    let found: Vec<Subject> = found
        .into_iter()
        .filter(|one| !meters.contains(&one.logger.logger_id))
        .collect();
    let around = Days::new(NEIGHBOURS);
    let (first, last) = (period.start - around, period.end + around);
    let at_a_time = (HELD / (last - first).num_days().max(1)).max(1);
    let mut devices: Vec<(&Logger, Judged)> = Vec::new();
    for part in found.chunks(usize::try_from(at_a_time).unwrap_or(1)) {
        let keys: Vec<i32> = part.iter().map(|one| one.logger.key).collect();
        let firsts: Vec<NaiveDate> = vec![first; keys.len()];
        let lasts: Vec<NaiveDate> = vec![last; keys.len()];
        let days: HashMap<i32, Vec<DayFigures>> =
            daily::load_ranges(conn, &keys, &firsts, &lasts).await?;
        let loggers: Vec<&Logger> = part.iter().map(|one| &one.logger).collect();
        let (starts, ends) = (vec![period.start; keys.len()], vec![period.end; keys.len()]);
        let sizes = sizes::of(conn, &loggers, &starts, &ends).await?;
        for subject in part {
            let days = days.get(&subject.logger.key).map_or(&[][..], Vec::as_slice);
            match of_days(subject, period, days, &sizes, None) {
                Ok(judged) => devices.push((&subject.logger, judged)),
                Err(error) => {
                    let id = subject.logger.logger_id.clone();
                    subjects.left_out.push(excuse(id, error)?);
                }
            }
        }
    }
    subjects.or_nothing(&devices)?;
    mark_counted(&mut devices);
    devices.sort_by(|(_, a), (_, b)| {
        a.report
            .pr
            .total_cmp(&b.report.pr)
            .then_with(|| a.report.logger_id.cmp(&b.report.logger_id))
    });
    Ok(total(devices, &subjects, &meters, period))
}

/// The meters that measure what other devices among these deliver.
fn measuring(found: &[Subject]) -> Vec<String> {
    let loggers: Vec<&Logger> = found.iter().map(|one| &one.logger).collect();
    loggers
        .iter()
        .zip(counted(&loggers))
        .filter(|(_, counts)| !counts)
        .map(|(logger, _)| logger.logger_id.clone())
        .collect()
}

/// A meter is not added to its inverters. A ratio with an estimated capacity is another figure than
/// one of stated capacities, so it counts only where all are of its kind; so does one that no array
/// has, as the stated capacity behind it is wrong.
fn mark_counted(devices: &mut [(&Logger, Judged)]) {
    let loggers: Vec<&Logger> = devices.iter().map(|(logger, _)| *logger).collect();
    for ((_, judged), counts) in devices.iter_mut().zip(counted(&loggers)) {
        judged.report.counted = counts;
    }
    for is_another in [is_implausible, is_estimated] {
        let counting = || devices.iter().filter(|(_, judged)| judged.report.counted);
        let mixed = counting().any(|(_, judged)| !is_another(&judged.report))
            && counting().any(|(_, judged)| is_another(&judged.report));
        for (_, judged) in devices.iter_mut().filter(|_| mixed) {
            judged.report.counted &= !is_another(&judged.report);
        }
    }
}

fn is_implausible(report: &PerformanceReport) -> bool {
    report.flags.contains(&Flag::CapacityImplausible)
}

fn differs(report: &PerformanceReport) -> bool {
    report.flags.contains(&Flag::RegisterPowerMismatch)
}

fn is_estimated(report: &PerformanceReport) -> bool {
    matches!(
        report.capacity_basis,
        CapacityBasis::Inferred | CapacityBasis::Peers | CapacityBasis::Unknown
    )
}

fn total(
    devices: Vec<(&Logger, Judged)>,
    subjects: &Subjects,
    meters: &[String],
    period: Period,
) -> PerformanceReport {
    let rows: Vec<&Judged> = devices
        .iter()
        .map(|(_, judged)| judged)
        .filter(|judged| judged.report.counted)
        .collect();
    let sum = |figure: &dyn Fn(&Judged) -> f64| rows.iter().map(|row| figure(row)).sum::<f64>();
    let kw = |row: &Judged| row.figures.capacity.map_or(0.0, |capacity| capacity.kw);
    let (capacity, energy) = (sum(&kw), sum(&|row| row.figures.pairs.energy_kwh));
    let reference = sum(&|row| kw(row) * row.figures.pairs.insolation_kwh_m2);
    let pr = energy / reference.max(f64::MIN_POSITIVE);
    let corrected = rows
        .iter()
        .all(|row| row.figures.pr_25c.is_some())
        .then(|| {
            let reference = sum(&|row| kw(row) * row.figures.corrected.insolation_kwh_m2);
            sum(&|row| row.figures.corrected.energy_kwh) / reference.max(f64::MIN_POSITIVE)
        });
    let paired: u64 = rows.iter().map(|row| row.report.paired_records).sum();
    let daylight: u32 = rows.iter().map(|row| row.figures.daylight).sum();
    let all = |figure: &dyn Fn(&PerformanceReport) -> Option<f64>| {
        let figures: Option<Vec<f64>> = rows.iter().map(|row| figure(&row.report)).collect();
        figures.map(|figures| wire::cents(figures.iter().sum()))
    };
    let rated = rows.iter().all(|row| row.figures.rating.is_some());
    let flags: BTreeSet<_> = rows
        .iter()
        .flat_map(|row| row.report.flags.clone())
        .collect();
    let peaks = rows.iter().map(|row| row.report.metrics.peak_power_watts);
    let mut report = PerformanceReport {
        kind: "performance_report".to_owned(),
        logger_id: subjects.scope.name.clone(),
        scope: Some(subjects.scope.clone()),
        date: period.start,
        period: (period.end > period.start).then_some(period),
        performance_ratio: wire::tenths(100.0 * pr),
        pr: wire::thousandths(pr),
        pr_25c: corrected.map(wire::thousandths),
        yf: wire::thousandths(sum(&|row| row.figures.energy_kwh) / capacity.max(f64::MIN_POSITIVE)),
        yr: wire::thousandths(reference / capacity.max(f64::MIN_POSITIVE)),
        paired_records: paired,
        coverage: if daylight > 0 {
            wire::thousandths(paired as f64 / f64::from(daylight))
        } else {
            0.0
        },
        capacity_kw: wire::cents(rows.iter().map(|row| row.report.capacity_kw).sum()),
        capacity_basis: common(rows.iter().map(|row| row.report.capacity_basis)).unwrap_or(
            if rows.iter().any(|row| is_estimated(&row.report)) {
                CapacityBasis::Inferred
            } else {
                CapacityBasis::Configured
            },
        ),
        inferred_capacity_kw: all(&|report| report.inferred_capacity_kw),
        stc_power_kw: all(&|report| report.stc_power_kw),
        irradiance_basis: common(rows.iter().map(|row| row.report.irradiance_basis))
            .unwrap_or(IrradianceBasis::Unknown),
        rating: None,
        metrics: PerformanceMetrics {
            avg_power_watts: wire::tenths(sum(&|row| row.report.metrics.avg_power_watts)),
            peak_power_watts: peaks.reduce(f64::max).unwrap_or(0.0),
            avg_irradiance: wire::tenths(
                sum(&|row| kw(row) * row.report.metrics.avg_irradiance)
                    / capacity.max(f64::MIN_POSITIVE),
            ),
            data_points: paired,
        },
        counted: true,
        devices: Vec::new(),
        left_out: subjects.left_out.clone(),
        interpretation: String::new(),
        flags: flags.into_iter().collect(),
    };
    report.devices = devices
        .into_iter()
        .map(|(_, judged)| judged.report)
        .collect();
    let weak = weak(&report);
    report.rating = rated
        .then(|| rating(rate(pr)))
        .filter(|rating| *rating != PerformanceRating::Normal || weak.is_none());
    report.interpretation = interpretation(&report, weak.as_deref(), meters);
    report.left_out.extend(meters.iter().map(|id| LeftOut {
        logger_id: id.clone(),
        status: ToolStatus::Error,
        message: format!(
            "{id} is a meter: it measures what the inverters of its site deliver, and is not ranked with them."
        ),
        available_range: None,
    }));
    report
}

/// What a ratio that is normal for all together would hide: the lowest ratio that is not normal,
/// and days without energy.
fn weak(report: &PerformanceReport) -> Option<String> {
    let judged = |one: &&PerformanceReport| {
        let relative = one.capacity_basis == CapacityBasis::Inferred;
        !relative && !is_implausible(one) && one.irradiance_basis != IrradianceBasis::Ghi
    };
    let lowest = report
        .devices
        .iter()
        .filter(judged)
        .find(|one| rate(one.pr) != solar::ratio::Rating::Normal)
        .map(|one| {
            format!(
                " {} reaches only {:.1} %.",
                one.logger_id, one.performance_ratio
            )
        });
    let dead: Vec<&str> = report
        .devices
        .iter()
        .filter(|one| one.flags.contains(&Flag::DeadDay))
        .map(|one| one.logger_id.as_str())
        .collect();
    let dead = (!dead.is_empty()).then(|| {
        format!(
            " Next to nothing came on whole days from {}.",
            dead.join(", ")
        )
    });
    match (lowest, dead) {
        (None, None) => None,
        (lowest, dead) => Some(lowest.unwrap_or_default() + &dead.unwrap_or_default()),
    }
}

fn interpretation(report: &PerformanceReport, weak: Option<&str>, meters: &[String]) -> String {
    let counted = report.devices.iter().filter(|one| one.counted).count();
    let verdict = match report.rating {
        _ if is_estimated(report) => {
            "relative to what their days before and the site's other inverters tell of their sizes, as no capacities are stated"
        }
        Some(contracts::tools::PerformanceRating::Normal) => "which is normal",
        Some(contracts::tools::PerformanceRating::Low) => "which is low",
        Some(contracts::tools::PerformanceRating::Critical) => "which is critically low",
        None if weak.is_some() && !is_implausible(report) => "of which not all devices are normal",
        None if is_implausible(report) => {
            "which no array has, so the stated capacities must be wrong"
        }
        None => "without a verdict",
    };
    let listed = |wanted: &dyn Fn(&PerformanceReport) -> bool| {
        let devices = report.devices.iter().filter(|one| wanted(one));
        let ids: Vec<&str> = devices.map(|one| one.logger_id.as_str()).collect();
        ids.join(", ")
    };
    let own_capacity =
        |one: &PerformanceReport| !one.counted && is_estimated(one) && !is_estimated(report);
    let left_out = |why: &str, ids: &str| match ids {
        "" => String::new(),
        ids => format!(" Not in it, because {why}: {ids}."),
    };
    let implausible = left_out(
        "no array has such a ratio, so the stated capacity must be wrong",
        &listed(&|one| !one.counted && is_implausible(one) && !differs(one)),
    ) + &left_out(
        "no array has such a ratio, so the stated capacity or the register must be wrong",
        &listed(&|one| !one.counted && is_implausible(one) && differs(one)),
    );
    let relative = left_out(
        "no capacity is stated and the ratio rests on an estimate",
        &listed(&own_capacity),
    );
    let named = listed(&|one| !one.counted && !is_implausible(one) && !own_capacity(one));
    let meters: Vec<&str> = meters
        .iter()
        .map(String::as_str)
        .chain(Some(named.as_str()).filter(|ids| !ids.is_empty()))
        .collect();
    let meters = left_out(
        "a meter measures what the inverters deliver",
        &meters.join(", "),
    );
    let registers = match listed(&differs).as_str() {
        "" => String::new(),
        ids => format!(
            " On some days the register does not agree with the power, and the register counts: {ids}."
        ),
    };
    let who = match counted {
        1 => "one device".to_owned(),
        several => format!("{several} devices together, weighted by capacity,"),
    };
    format!(
        "The performance ratio of {who} is {:.1} %, {verdict}.{}{implausible}{relative}{meters}{registers}",
        report.performance_ratio,
        weak.unwrap_or_default()
    )
}
