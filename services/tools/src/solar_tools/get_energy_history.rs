//! `get_energy_history`: the energy of each day, week, month or year, from daily figures.
//!
//! The days are those that `calculate_financial_savings` counts, and the total is the same: the sum
//! of each device's energy, rounded once. Days and weeks are rounded on their own.

use std::collections::BTreeSet;

use chrono::{Days, NaiveDate};
use contracts::tools::{
    DeviceEnergy, EnergyHistory, EnergyHistoryArguments, EnergyInterval, EnergyPeriod,
    GetEnergyHistory, LeftOut, Period, Scope, Sunlight, SunlightOfDay, Tool, ToolEnvelope,
};
use solar::calendar::local_day;
use solar::money::{PeriodEnergy, period_energy};
use solar::series::epoch;
use solar::{DayFigures, EnergySource};

use super::moment::{Moment, Progress};
use super::subject::Subject;
use super::subjects::{Selection, Subjects, counted, excuse};
use super::window::LONGEST;
use super::{SolarTools, wire};
use crate::error::Error;
use crate::store::{Logger, LoggerRole, Site, daily};

/// Days on either side that say what a complete day is.
const NEIGHBOURS: u64 = 15;

/// Most days, weeks, months and years that one answer lists.
const MOST_PERIODS: usize = 1_000;

/// Days without data from which on a device has ended, beside others that continue. One that is
/// silent for less is missing.
const LONGEST_SILENCE: u64 = 31;

/// One device with its days.
struct Device {
    subject: Subject,
    period: Period,
    /// The days of the period on which it was in use: it had begun, and had not ended.
    used: Period,
    energy: PeriodEnergy,
    sources: Vec<EnergySource>,
    counted: bool,
    /// Its last day that is over. A day that runs is not ranked.
    last_whole: NaiveDate,
}

pub(super) async fn run(
    toolbox: &SolarTools,
    tenant: &str,
    arguments: EnergyHistoryArguments,
) -> Result<ToolEnvelope<EnergyHistory>, Error> {
    let start = arguments.start_date;
    if let Some(end) = arguments.end_date {
        check(start, end)?;
    }
    let wanted = Selection::of(
        arguments.logger_id.as_ref(),
        arguments.logger_ids.as_ref(),
        arguments.site_id.as_ref(),
    )?;
    let mut conn = toolbox.kept.acquire().await?;
    let mut subjects = None;
    let (mut asked, mut left_out) = (Vec::new(), Vec::new());
    match wanted {
        Selection::One(logger_id) => {
            let subject = Subject::find(toolbox, &mut conn, tenant, logger_id).await?;
            let end = arguments.end_date.unwrap_or(subject.newest_day);
            if end < start {
                return Err(subject.nothing_in(Period { start, end: start }));
            }
            if subject.logger.role == LoggerRole::Weather {
                check(start, end)?;
                let period = Period { start, end };
                let days = daily::load(&mut conn, subject.logger.key, start, end).await?;
                return Ok(ToolEnvelope::ok(sunlight(&subject, period, &days)?));
            }
            asked.push((subject, Period { start, end }));
        }
        several => {
            let mut found = Subjects::find(toolbox, &mut conn, tenant, several).await?;
            for subject in std::mem::take(&mut found.found) {
                let newest = || found.newest_day(&subject);
                let end = arguments.end_date.unwrap_or_else(newest);
                if end < start {
                    let nothing = subject.nothing_in(Period { start, end: start });
                    left_out.push(excuse(subject.logger.logger_id.clone(), nothing)?);
                } else {
                    asked.push((subject, Period { start, end }));
                }
            }
            left_out.append(&mut found.left_out);
            subjects = Some(found);
        }
    }
    let around = Days::new(NEIGHBOURS);
    let keys: Vec<i32> = asked.iter().map(|(one, _)| one.logger.key).collect();
    let firsts: Vec<NaiveDate> = asked.iter().map(|(_, p)| p.start - around).collect();
    let lasts: Vec<NaiveDate> = asked.iter().map(|(_, p)| p.end + around).collect();
    let days = daily::load_energies_of_many(&mut conn, &keys, &firsts, &lasts).await?;
    conn.keep();
    let mut devices = Vec::new();
    for (subject, period) in asked {
        check(period.start, period.end)?;
        let days = days.get(&subject.logger.key).map_or(&[][..], Vec::as_slice);
        let energy = period_energy(days, period.start, period.end);
        if energy.days.is_empty() {
            let nothing = subject.no_energy_in(period, days);
            if subjects.is_none() {
                return Err(nothing);
            }
            left_out.push(excuse(subject.logger.logger_id.clone(), nothing)?);
            continue;
        }
        let within = days
            .iter()
            .filter(|day| (period.start..=period.end).contains(&day.date));
        let sources = within.filter_map(|day| day.energy().map(|(_, source)| source));
        devices.push(Device {
            used: period,
            last_whole: last_whole(&subject.logger.site, epoch(toolbox.clock.now())),
            sources: sources.collect(),
            subject,
            period,
            energy,
            counted: true,
        });
    }
    if let Some(subjects) = &mut subjects {
        subjects.left_out.clone_from(&left_out);
        subjects.or_nothing(&devices)?;
    }
    limit_to_use(&mut devices);
    let scope = subjects.map(|subjects| subjects.scope);
    let history = history(devices, scope, left_out, arguments.interval)?;
    Ok(ToolEnvelope::ok(history))
}

/// Finds the days on which each device was in use, so that sites of different ages do not make
/// each other incomplete.
fn limit_to_use(devices: &mut [Device]) {
    let newest = devices.iter().map(|one| one.subject.available.end).max();
    for device in devices {
        let there = device.subject.available;
        device.used.start = device.period.start.max(there.start);
        let silent_until = there.end + Days::new(LONGEST_SILENCE);
        if newest.is_some_and(|newest| silent_until < newest) {
            device.used.end = device.period.end.min(there.end);
        }
    }
}

/// The last day that is over by the clock where a device stands.
fn last_whole(site: &Site, clock: i64) -> NaiveDate {
    let now = Moment::of(clock, clock);
    let today = local_day(now.seconds(), site.zone);
    match now.progress(site, today) {
        Progress::Over => today,
        Progress::NotBegun | Progress::Running { .. } => today.pred_opt().unwrap_or(today),
    }
}

fn check(start: NaiveDate, end: NaiveDate) -> Result<(), Error> {
    if end < start {
        return Err(Error::reversed("/end_date", start, end));
    }
    if (end - start).num_days() >= LONGEST {
        return Err(Error::invalid(
            "/start_date",
            format!("a period has at most {LONGEST} days; this one ends on {end}"),
        ));
    }
    Ok(())
}

fn history(
    mut devices: Vec<Device>,
    scope: Option<Scope>,
    left_out: Vec<LeftOut>,
    interval: Option<EnergyInterval>,
) -> Result<EnergyHistory, Error> {
    let loggers: Vec<&Logger> = devices.iter().map(|one| &one.subject.logger).collect();
    let counts = counted(&loggers);
    if scope.is_some() {
        for (device, counts) in devices.iter_mut().zip(counts) {
            device.counted = counts;
        }
    }
    devices.sort_by(|a, b| {
        let order = b.energy.total_kwh.total_cmp(&a.energy.total_kwh);
        order.then_with(|| a.subject.logger.logger_id.cmp(&b.subject.logger.logger_id))
    });
    let rows: Vec<&Device> = devices.iter().filter(|device| device.counted).collect();
    let period = rows
        .iter()
        .map(|device| device.period)
        .max_by_key(|period| period.end)
        .unwrap_or(devices[0].period);
    let length = (period.end - period.start).num_days() + 1;
    let interval = interval.unwrap_or_else(|| EnergyInterval::fitting(length));
    let periods = periods(&rows, period, interval)?;
    let whole = || periods.iter().filter(|one| one.complete);
    let kwh = |one: &&EnergyPeriod| one.energy_kwh.unwrap_or_default();
    let several = whole().nth(1).is_some();
    let highest = whole().max_by(|a, b| kwh(a).total_cmp(&kwh(b)));
    let lowest = whole().min_by(|a, b| kwh(a).total_cmp(&kwh(b)));
    let (highest, lowest) = (
        highest.filter(|_| several).cloned(),
        lowest.filter(|_| several).cloned(),
    );
    let unallocated: f64 = rows.iter().map(|one| one.energy.unallocated_kwh).sum();
    let flags: BTreeSet<_> = rows
        .iter()
        .flat_map(|one| wire::flags(one.energy.flags, one.subject.historical))
        .collect();
    let name = &devices[0].subject.logger.logger_id;
    let mut history = EnergyHistory {
        kind: "energy_history".to_owned(),
        logger_id: scope.as_ref().map_or(name, |scope| &scope.name).clone(),
        period,
        interval,
        total_energy_kwh: wire::cents(
            rows.iter()
                .map(|one| wire::cents(one.energy.total_kwh))
                .sum(),
        ),
        days_expected: rows.iter().map(|one| one.energy.days_expected).sum(),
        days_with_data: rows.iter().map(|one| count(one.energy.days.len())).sum(),
        unallocated_kwh: (unallocated > 0.0).then(|| wire::cents(unallocated)),
        periods,
        highest,
        lowest,
        devices: if scope.is_some() {
            devices.iter().map(device).collect()
        } else {
            Vec::new()
        },
        scope,
        left_out,
        sunlight: None,
        energy_source: wire::energy_source_of(rows.iter().flat_map(|one| one.sources.clone())),
        summary: String::new(),
        flags: flags.into_iter().collect(),
    };
    history.summary = GetEnergyHistory::facts(&history).join(" ");
    Ok(history)
}

/// The measurements of a weather station on the days on which its sensor can be trusted.
fn sunlight(
    subject: &Subject,
    period: Period,
    days: &[DayFigures],
) -> Result<EnergyHistory, Error> {
    let measured = days
        .iter()
        .filter(|day| day.sun.records > 0 && !day.sun.suspect);
    let days: Vec<SunlightOfDay> = measured
        .map(|day| SunlightOfDay {
            date: day.date,
            insolation_kwh_m2: wire::cents(day.sun.insolation_kwh_m2),
        })
        .collect();
    if days.is_empty() {
        return Err(subject.nothing_in(period));
    }
    let length = (period.end - period.start).num_days() + 1;
    let mut history = EnergyHistory {
        kind: "energy_history".to_owned(),
        logger_id: subject.logger.logger_id.clone(),
        scope: None,
        period,
        interval: EnergyInterval::Day,
        total_energy_kwh: 0.0,
        days_expected: u32::try_from(length).unwrap_or(u32::MAX),
        days_with_data: count(days.len()),
        unallocated_kwh: None,
        periods: Vec::new(),
        highest: None,
        lowest: None,
        devices: Vec::new(),
        left_out: Vec::new(),
        sunlight: Some(Sunlight {
            insolation_kwh_m2: wire::cents(days.iter().map(|day| day.insolation_kwh_m2).sum()),
            days,
        }),
        energy_source: contracts::tools::EnergySource::Power,
        summary: String::new(),
        flags: wire::flags(solar::Flags::default(), subject.historical),
    };
    history.summary = GetEnergyHistory::facts(&history).join(" ");
    Ok(history)
}

fn device(device: &Device) -> DeviceEnergy {
    DeviceEnergy {
        logger_id: device.subject.logger.logger_id.clone(),
        energy_kwh: wire::cents(device.energy.total_kwh),
        days_with_data: count(device.energy.days.len()),
        counted: device.counted,
    }
}

/// The energy of each interval of the period. Where sites have different newest days, an interval
/// has the days that each site has.
fn periods(
    devices: &[&Device],
    period: Period,
    interval: EnergyInterval,
) -> Result<Vec<EnergyPeriod>, Error> {
    let mut periods = Vec::new();
    let mut start = period.start;
    while start <= period.end {
        if periods.len() == MOST_PERIODS {
            let noun = interval.noun();
            return Err(Error::invalid(
                "/interval",
                format!(
                    "the period has more than {MOST_PERIODS} {noun}s; choose a longer interval or a shorter period"
                ),
            ));
        }
        let around = interval.around(start);
        let end = around.end.min(period.end);
        periods.push(energy_of(devices, Period { start, end }, around));
        let Some(next) = end.succ_opt() else { break };
        start = next;
    }
    Ok(periods)
}

/// The energy of the devices in `within`, which is `around` or the part of it that was asked for.
fn energy_of(devices: &[&Device], within: Period, around: Period) -> EnergyPeriod {
    let (mut kwh, mut expected, mut with_data) = (0.0, 0, 0);
    let mut used: Vec<Period> = Vec::new();
    for device in devices {
        let first = within.start.max(device.used.start);
        let last = within.end.min(device.used.end);
        expected += u32::try_from((last - first).num_days() + 1).unwrap_or(0);
        if first <= last {
            used.push(Period {
                start: first,
                end: last,
            });
        }
        let days = &device.energy.days;
        let from = days.partition_point(|(day, _)| *day < within.start);
        let until = days.partition_point(|(day, _)| *day <= within.end);
        let days = &days[from..until.max(from)];
        kwh += days.iter().map(|(_, kwh)| kwh).sum::<f64>();
        with_data += count(days.len());
    }
    EnergyPeriod {
        start: within.start,
        end: within.end,
        energy_kwh: (with_data > 0).then(|| wire::cents(kwh)),
        days_expected: expected,
        days_with_data: with_data,
        complete: within == around
            && with_data == expected
            && with_data > 0
            && cover(used, within)
            && devices.iter().all(|one| within.end <= one.last_whole),
    }
}

/// Whether there is a device in use on each day.
fn cover(mut used: Vec<Period>, within: Period) -> bool {
    used.sort_by_key(|period| period.start);
    let mut open = Some(within.start);
    for period in used {
        if let Some(day) = open.filter(|day| period.start <= *day && *day <= period.end) {
            open = period.end.succ_opt().filter(|next| *next > day);
        }
    }
    open.is_none_or(|day| day > within.end)
}

fn count(of: usize) -> u32 {
    u32::try_from(of).unwrap_or(u32::MAX)
}
