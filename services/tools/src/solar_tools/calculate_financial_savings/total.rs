//! The savings of several devices: each on its own, their total, and each site's part.
//!
//! Everything is rounded once, per device; totals are sums of the rounded figures, so that the rows
//! add up to what is below them.

use std::collections::BTreeSet;

use chrono::{Days, NaiveDate};
use contracts::tools::{
    Co2Factor, EnergySource, ExcludedLogger, FinancialReport, FinancialSavingsArguments, Flag,
    LeftOut, Period, Scope, SiteSavings, YearProjection,
};
use solar::series::epoch;
use sqlx::PgConnection;

use super::{NEIGHBOURS, check_period, of_days, worth};
use crate::error::Error;
use crate::solar_tools::hours::{comparable, unfinished};
use crate::solar_tools::moment::begun;
use crate::solar_tools::subject::Subject;
use crate::solar_tools::subjects::{Subjects, by_site, common, counted, excuse};
use crate::solar_tools::{SolarTools, sizes, wire};
use crate::store::{Logger, daily};

/// kg of CO2 per urban tree seedling grown for ten years.
const KG_PER_TREE: f64 = 60.0;

pub(super) async fn of(
    toolbox: &SolarTools,
    conn: &mut PgConnection,
    mut subjects: Subjects,
    arguments: &FinancialSavingsArguments,
) -> Result<FinancialReport, Error> {
    let start = arguments.start_date;
    let mut asked: Vec<(Subject, Period)> = Vec::new();
    let Fair {
        found,
        last,
        unfinished,
        other_hours,
    } = fair(toolbox, &mut subjects, arguments);
    for subject in found {
        let end = arguments
            .end_date
            .unwrap_or_else(|| subjects.newest_day(&subject));
        let end = last.map_or(end, |last| end.min(last));
        if end < start {
            let nothing = subject.nothing_in(Period { start, end: start });
            let id = subject.logger.logger_id.clone();
            subjects.left_out.push(excuse(id, nothing)?);
        } else {
            check_period(start, end)?;
            match begun(toolbox, &subject, Period { start, end }) {
                Ok(period) => asked.push((subject, period)),
                Err(error) => {
                    let id = subject.logger.logger_id.clone();
                    subjects.left_out.push(excuse(id, error)?);
                }
            }
        }
    }
    let around = Days::new(NEIGHBOURS);
    let keys: Vec<i32> = asked.iter().map(|(one, _)| one.logger.key).collect();
    let firsts: Vec<NaiveDate> = asked.iter().map(|(_, p)| p.start - around).collect();
    let lasts: Vec<NaiveDate> = asked.iter().map(|(_, p)| p.end + around).collect();
    let days = daily::load_energies_of_many(conn, &keys, &firsts, &lasts).await?;
    let loggers: Vec<&Logger> = asked.iter().map(|(one, _)| &one.logger).collect();
    let (starts, ends): (Vec<_>, Vec<_>) = asked.iter().map(|(_, p)| (p.start, p.end)).unzip();
    let sizes = sizes::of(conn, &loggers, &starts, &ends).await?;
    let mut devices: Vec<(&Logger, FinancialReport)> = Vec::new();
    for (subject, period) in &asked {
        let days = days.get(&subject.logger.key).map_or(&[][..], Vec::as_slice);
        let rate = arguments.electricity_rate;
        match of_days(toolbox, subject, *period, days, &sizes, rate) {
            Ok(report) => devices.push((&subject.logger, report)),
            Err(error) => {
                let id = subject.logger.logger_id.clone();
                subjects.left_out.push(excuse(id, error)?);
            }
        }
    }
    subjects.or_nothing(&devices)?;
    let mut report = total(devices, subjects.scope, subjects.left_out);
    report.unfinished_day = unfinished;
    report.other_hours = other_hours;
    Ok(report)
}

/// The devices of a report. `last` is its last day, where a ranking ends before the day that is
/// asked for.
struct Fair {
    found: Vec<Subject>,
    last: Option<NaiveDate>,
    unfinished: Option<NaiveDate>,
    other_hours: Vec<ExcludedLogger>,
}

fn fair(
    toolbox: &SolarTools,
    subjects: &mut Subjects,
    arguments: &FinancialSavingsArguments,
) -> Fair {
    let start = arguments.start_date;
    let own_ends = subjects.found.iter().map(|one| subjects.newest_day(one));
    let end = arguments.end_date.or(own_ends.max()).unwrap_or(start);
    let window = Period {
        start,
        end: end.max(start),
    };
    let found = std::mem::take(&mut subjects.found);
    let clock = epoch(toolbox.clock.now());
    if !arguments.ranked {
        // Days that have begun nowhere are in no report.
        let days = found.iter().map(|one| {
            let today = toolbox.today(one.logger.site.zone);
            today.max(one.newest_day)
        });
        let last = days.max().unwrap_or(window.end).min(window.end);
        return Fair {
            unfinished: unfinished(&found, last, clock),
            found,
            last: None,
            other_hours: Vec::new(),
        };
    }
    let mut other_hours = Vec::new();
    let fair = comparable(found, window, true, clock, &mut other_hours);
    Fair {
        found: fair.subjects,
        last: Some(fair.window.end),
        unfinished: fair.unfinished,
        other_hours,
    }
}

fn total(
    mut devices: Vec<(&Logger, FinancialReport)>,
    scope: Scope,
    left_out: Vec<LeftOut>,
) -> FinancialReport {
    let loggers: Vec<&Logger> = devices.iter().map(|(logger, _)| *logger).collect();
    for ((_, report), counts) in devices.iter_mut().zip(counted(&loggers)) {
        report.counted = counts;
    }
    devices.sort_by(|(_, a), (_, b)| {
        b.total_energy_kwh
            .total_cmp(&a.total_energy_kwh)
            .then_with(|| a.logger_id.cmp(&b.logger_id))
    });
    let sites = sites(&devices);
    let all = || devices.iter().map(|(_, report)| report);
    let rows: Vec<&FinancialReport> = all().filter(|report| report.counted).collect();
    let rows = rows.as_slice();
    let energy = sum(rows, |row| row.total_energy_kwh);
    let co2 = sum(rows, |row| row.co2_offset_kg);
    let trees = wire::tenths(co2 / KG_PER_TREE);
    let currency = common(rows.iter().map(|row| row.currency.clone())).flatten();
    let rate = currency
        .as_ref()
        .and_then(|_| common(rows.iter().map(|row| row.electricity_rate)).flatten());
    let savings = currency
        .as_ref()
        .map(|_| sum(rows, |row| row.savings.unwrap_or_default()));
    let newest = rows
        .iter()
        .map(|row| row.period)
        .max_by_key(|period| period.end);
    let missing: BTreeSet<NaiveDate> = rows
        .iter()
        .flat_map(|row| row.missing_days.iter().copied())
        .collect();
    let flags: BTreeSet<_> = rows.iter().flat_map(|row| row.flags.clone()).collect();
    // A capacity that cannot be right is none of a total.
    let capacity_of = |row: &&FinancialReport| {
        row.capacity_kw
            .filter(|_| !row.flags.contains(&Flag::CapacityImplausible))
    };
    let capacity = rows.iter().map(capacity_of).sum::<Option<f64>>();
    let mut report = FinancialReport {
        kind: "financial_report".to_owned(),
        logger_id: scope.name.clone(),
        site_id: common(sites.iter().map(|site| site.site_id.clone())),
        scope: Some(scope),
        period: newest.unwrap_or(devices[0].1.period),
        days_expected: rows.iter().map(|row| row.days_expected).sum(),
        days_with_data: rows.iter().map(|row| row.days_with_data).sum(),
        missing_days: missing.into_iter().collect(),
        total_energy_kwh: energy,
        unallocated_kwh: Some(sum(rows, |row| row.unallocated_kwh.unwrap_or_default()))
            .filter(|kwh| *kwh > 0.0),
        capacity_kw: capacity.map(wire::cents),
        capacity_basis: None,
        specific_yield: capacity
            .filter(|kw| *kw > 0.0)
            .map(|kw| wire::thousandths(energy / kw)),
        energy_source: common(rows.iter().map(|row| row.energy_source))
            .unwrap_or(EnergySource::Mixed),
        electricity_rate: rate,
        electricity_rate_usd: rate,
        default_tariff: rows.iter().any(|row| row.default_tariff),
        savings,
        savings_usd: savings,
        co2_offset_kg: co2,
        co2_factor: co2_factor(rows, energy, co2),
        trees_grown_10_years: trees,
        trees_equivalent: trees,
        projected_year: projection(rows, currency.is_some()),
        currency,
        counted: true,
        summary: String::new(),
        flags: flags.into_iter().collect(),
        devices: Vec::new(),
        sites,
        left_out,
        unfinished_day: None,
        other_hours: Vec::new(),
    };
    report.devices = devices.into_iter().map(|(_, report)| report).collect();
    report.summary = summary(&report);
    report
}

/// A sum of figures with two decimals.
fn sum(rows: &[&FinancialReport], figure: impl Fn(&FinancialReport) -> f64) -> f64 {
    wire::cents(rows.iter().map(|row| figure(row)).sum())
}

fn sites(devices: &[(&Logger, FinancialReport)]) -> Vec<SiteSavings> {
    by_site(devices)
        .into_iter()
        .filter_map(|(logger, reports)| {
            let rows: Vec<&FinancialReport> = reports
                .into_iter()
                .filter(|report| report.counted)
                .collect();
            let first = rows.first()?;
            Some(SiteSavings {
                site_id: logger.site.site_id.clone(),
                name: logger.site.name.clone(),
                period: first.period,
                devices: u32::try_from(rows.len()).unwrap_or(u32::MAX),
                total_energy_kwh: sum(&rows, |row| row.total_energy_kwh),
                electricity_rate: first.electricity_rate.unwrap_or_default(),
                default_tariff: first.default_tariff,
                savings: sum(&rows, |row| row.savings.unwrap_or_default()),
                currency: logger.site.currency.clone(),
                co2_offset_kg: sum(&rows, |row| row.co2_offset_kg),
            })
        })
        .collect()
}

fn co2_factor(rows: &[&FinancialReport], energy: f64, co2: f64) -> Co2Factor {
    match common(rows.iter().map(|row| &row.co2_factor)) {
        Some(factor) => factor.clone(),
        None => Co2Factor {
            value: if energy > 0.0 {
                wire::thousandths(co2 / energy)
            } else {
                0.0
            },
            name: "the sites' own factors, weighted by energy".to_owned(),
            year: rows
                .iter()
                .map(|row| row.co2_factor.year)
                .max()
                .unwrap_or_default(),
        },
    }
}

/// The sum of the devices' projections, when each has one.
fn projection(rows: &[&FinancialReport], one_currency: bool) -> Option<YearProjection> {
    let years: Vec<&YearProjection> = rows
        .iter()
        .map(|row| row.projected_year.as_ref())
        .collect::<Option<_>>()?;
    Some(YearProjection {
        energy_kwh: wire::cents(years.iter().map(|year| year.energy_kwh).sum()),
        savings: one_currency.then(|| {
            wire::cents(
                years
                    .iter()
                    .map(|year| year.savings.unwrap_or_default())
                    .sum(),
            )
        }),
    })
}

fn summary(report: &FinancialReport) -> String {
    let (energy, name) = (
        wire::spoken_energy(report.total_energy_kwh),
        &report.logger_id,
    );
    let when =
        if let Some(Period { start, end }) = common(report.sites.iter().map(|site| site.period)) {
            format!("from {} to {}", wire::spoken(start), wire::spoken(end))
        } else {
            let ends: Vec<String> = report
                .sites
                .iter()
                .map(|site| format!("{} ({})", wire::spoken(site.period.end), site.name))
                .collect();
            format!(
                "from {} to each site's newest day: {}",
                wire::spoken(report.period.start),
                ends.join(", ")
            )
        };
    let worth = match (
        worth(report.savings, report.currency.as_deref()),
        report.electricity_rate,
    ) {
        (Some(worth), Some(rate)) => format!(
            "{worth} at {rate} {} per kWh",
            report.currency.as_deref().unwrap_or_default()
        ),
        (Some(worth), None) => format!("{worth} at the sites' own tariffs"),
        (None, _) => {
            let parts: Vec<String> = report
                .sites
                .iter()
                .map(|site| format!("{:.2} {} at {}", site.savings, site.currency, site.name))
                .collect();
            format!(
                "{}; the currencies differ and are not added",
                parts.join(" and ")
            )
        }
    };
    let ids = |rows: &mut dyn Iterator<Item = &String>| {
        let ids: Vec<&str> = rows.map(String::as_str).collect();
        ids.join(", ")
    };
    let meters = ids(&mut report
        .devices
        .iter()
        .filter(|row| !row.counted)
        .map(|row| &row.logger_id));
    let meters = match meters.as_str() {
        "" => String::new(),
        meters => {
            format!(" Not added, because a meter measures what the inverters deliver: {meters}.")
        }
    };
    let without = ids(&mut report.left_out.iter().map(|one| &one.logger_id));
    let without = match without.as_str() {
        "" => String::new(),
        without => format!(" Without data then: {without}."),
    };
    format!(
        "Together {name} delivered {energy} {when}, worth {worth}, if all of it replaced purchased power.{meters}{without}"
    )
}
