//! `calculate_financial_savings`: the energy of a period in money and carbon, from daily figures.

mod total;

use std::collections::BTreeSet;

use chrono::{Days, NaiveDate};
use contracts::tools::{
    Co2Factor, FinancialReport, FinancialSavingsArguments, Flag, InsightKind, InsightSeverity,
    NextStepPriority, Period, ToolContext, ToolEnvelope, YearProjection, names,
};
use serde_json::{Value, json};
use solar::DayFigures;
use solar::money::{PeriodEnergy, period_energy, savings};
use sqlx::PgConnection;

use super::guidance::Guidance;
use super::moment::begun;
use super::sizes::{self, Sizes};
use super::subject::Subject;
use super::subjects::{Selection, Subjects};
use super::{SolarTools, remarks, wire};
use crate::error::Error;
use crate::store::daily;

/// Days on either side that say what a complete day is.
const NEIGHBOURS: u64 = 15;

/// The longest period, days: ten years. The days without data are listed one by one.
const LONGEST_PERIOD: i64 = 3660;

pub(super) async fn run(
    toolbox: &SolarTools,
    tenant: &str,
    arguments: FinancialSavingsArguments,
) -> Result<ToolEnvelope<FinancialReport>, Error> {
    if let Some(end) = arguments.end_date {
        check_period(arguments.start_date, end)?;
    }
    let wanted = Selection::of(
        arguments.logger_id.as_ref(),
        arguments.logger_ids.as_ref(),
        arguments.site_id.as_ref(),
    )?;
    let mut conn = toolbox.kept.acquire().await?;
    let report = match wanted {
        Selection::One(logger_id) => {
            let subject = Subject::find(toolbox, &mut conn, tenant, logger_id).await?;
            one(toolbox, &mut conn, &subject, &arguments).await?
        }
        several => {
            let subjects = Subjects::find(toolbox, &mut conn, tenant, several).await?;
            total::of(toolbox, &mut conn, subjects, &arguments).await?
        }
    };
    let context = guidance(&report);
    conn.keep();
    Ok(ToolEnvelope {
        context: Some(context),
        ..ToolEnvelope::ok(report)
    })
}

async fn one(
    toolbox: &SolarTools,
    conn: &mut PgConnection,
    subject: &Subject,
    arguments: &FinancialSavingsArguments,
) -> Result<FinancialReport, Error> {
    let start = arguments.start_date;
    let end = arguments.end_date.unwrap_or(subject.newest_day);
    if end < start {
        return Err(subject.nothing_in(Period { start, end: start }));
    }
    check_period(start, end)?;
    let around = Days::new(NEIGHBOURS);
    let days = daily::load_energies(conn, subject.logger.key, start - around, end + around).await?;
    let period = begun(toolbox, subject, Period { start, end })?;
    let sizes = sizes::of(conn, &[&subject.logger], &[start], &[end]).await?;
    let rate = arguments.electricity_rate;
    of_days(toolbox, subject, period, &days, &sizes, rate)
}

/// The report of one device from its days, which may reach beyond the period.
fn of_days(
    toolbox: &SolarTools,
    subject: &Subject,
    period: Period,
    days: &[DayFigures],
    sizes: &Sizes,
    rate: Option<f64>,
) -> Result<FinancialReport, Error> {
    let energy = period_energy(days, period.start, period.end);
    if energy.days.is_empty() {
        return Err(subject.no_energy_in(period, days));
    }
    let mut report = report(toolbox, subject, period, days, &energy, rate);
    if sizes.is_implausible(subject.logger.key) {
        report.flags.push(Flag::CapacityImplausible);
    }
    if let Some(size) = sizes.get(subject.logger.key) {
        report.capacity_kw = Some(wire::cents(size.kw));
        report.capacity_basis = Some(wire::size_basis(size));
        report.specific_yield = Some(wire::thousandths(energy.total_kwh / size.kw));
    }
    Ok(report)
}

fn check_period(start: NaiveDate, end: NaiveDate) -> Result<(), Error> {
    if end < start {
        return Err(Error::reversed("/end_date", start, end));
    }
    if (end - start).num_days() >= LONGEST_PERIOD {
        return Err(Error::invalid(
            "/start_date",
            format!("a period has at most {LONGEST_PERIOD} days; this one ends on {end}"),
        ));
    }
    Ok(())
}

fn report(
    toolbox: &SolarTools,
    subject: &Subject,
    period: Period,
    days: &[DayFigures],
    energy: &PeriodEnergy,
    rate: Option<f64>,
) -> FinancialReport {
    let site = &subject.logger.site;
    let tariff = toolbox.tariff(site);
    let default_tariff = rate.is_none() && tariff.is_default;
    let rate = rate.unwrap_or(tariff.rate);
    let co2_factor = co2_factor(toolbox, subject);
    let value = savings(energy.total_kwh, rate, co2_factor.value);
    let known = |day: &NaiveDate| {
        energy
            .days
            .binary_search_by_key(day, |(date, _)| *date)
            .is_ok()
    };
    let missing = period
        .start
        .iter_days()
        .take_while(|day| *day <= period.end)
        .filter(|day| !known(day));
    let sources = days
        .iter()
        .filter(|day| (period.start..=period.end).contains(&day.date))
        .filter_map(|day| day.energy().map(|(_, source)| source));
    let trees = wire::tenths(value.trees_grown_10_years);
    let mut report = FinancialReport {
        kind: "financial_report".to_owned(),
        logger_id: subject.logger.logger_id.clone(),
        scope: None,
        site_id: Some(site.site_id.clone()),
        period,
        days_expected: energy.days_expected,
        days_with_data: u32::try_from(energy.days.len()).unwrap_or(u32::MAX),
        missing_days: missing.collect(),
        total_energy_kwh: wire::cents(energy.total_kwh),
        unallocated_kwh: (energy.unallocated_kwh > 0.0)
            .then(|| wire::cents(energy.unallocated_kwh)),
        capacity_kw: None,
        capacity_basis: None,
        specific_yield: None,
        energy_source: wire::energy_source_of(sources),
        electricity_rate: Some(rate),
        electricity_rate_usd: Some(rate),
        default_tariff,
        savings: Some(wire::cents(value.savings)),
        savings_usd: Some(wire::cents(value.savings)),
        currency: Some(site.currency.clone()),
        co2_offset_kg: wire::cents(value.co2_kg),
        co2_factor,
        trees_grown_10_years: trees,
        trees_equivalent: trees,
        projected_year: energy.projected_year_kwh().map(|kwh| YearProjection {
            energy_kwh: wire::cents(kwh),
            savings: Some(wire::cents(kwh * rate)),
        }),
        counted: true,
        devices: Vec::new(),
        sites: Vec::new(),
        left_out: Vec::new(),
        unfinished_day: None,
        other_hours: Vec::new(),
        summary: String::new(),
        flags: wire::flags(energy.flags, subject.historical),
    };
    let asked: Vec<DayFigures> = days
        .iter()
        .filter(|day| (period.start..=period.end).contains(&day.date))
        .cloned()
        .collect();
    report.summary = summary(&report);
    if let Some(remark) = remarks::register(&report.logger_id, &asked) {
        report.summary = format!("{} {remark}", report.summary);
    }
    report
}

fn co2_factor(toolbox: &SolarTools, subject: &Subject) -> Co2Factor {
    match &subject.logger.site.co2_factor {
        Some(factor) => Co2Factor {
            value: factor.kg_per_kwh,
            name: factor.name.clone(),
            year: factor.year,
        },
        None => Co2Factor {
            value: toolbox.settings.co2_kg_per_kwh,
            name: toolbox.settings.co2_factor_name.clone(),
            year: toolbox.settings.co2_factor_year,
        },
    }
}

fn summary(report: &FinancialReport) -> String {
    let Period { start, end } = report.period;
    let gaps = match report.missing_days.len() {
        0 => String::new(),
        1 => " One day of the period has no data and is not counted.".to_owned(),
        n => format!(" {n} days of the period have no data and are not counted."),
    };
    let unallocated = report.unallocated_kwh.map_or_else(String::new, |kwh| {
        format!(
            " The register gained another {} over days without data, which is not counted either.",
            wire::spoken_energy(kwh)
        )
    });
    let worth = worth(report.savings, report.currency.as_deref()).unwrap_or_default();
    let (rate, currency) = (
        report.electricity_rate.unwrap_or_default(),
        report.currency.as_deref().unwrap_or_default(),
    );
    format!(
        "{} delivered {} from {} to {}, worth {worth} at {rate} {currency} per kWh if all of it replaced purchased power.{gaps}{unallocated}",
        report.logger_id,
        wire::spoken_energy(report.total_energy_kwh),
        wire::spoken(start),
        wire::spoken(end),
    )
}

/// Calendar days on which any of the devices that count has data.
fn days_with_any(report: &FinancialReport) -> u32 {
    if report.scope.is_none() {
        return report.days_with_data;
    }
    let known: BTreeSet<NaiveDate> = report
        .devices
        .iter()
        .filter(|device| device.counted)
        .flat_map(|device| {
            let missing: BTreeSet<NaiveDate> = device.missing_days.iter().copied().collect();
            let Period { start, end } = device.period;
            let days = start.iter_days().take_while(move |day| *day <= end);
            days.filter(move |day| !missing.contains(day))
        })
        .collect();
    u32::try_from(known.len()).unwrap_or(u32::MAX)
}

/// `12.30 CHF`.
fn worth(savings: Option<f64>, currency: Option<&str>) -> Option<String> {
    savings
        .zip(currency)
        .map(|(savings, currency)| format!("{savings:.2} {currency}"))
}

fn guidance(report: &FinancialReport) -> ToolContext {
    let known = days_with_any(report);
    let days = f64::from(known.max(1));
    let per_day = report.total_energy_kwh / days;
    let together = if report.scope.is_some() && report.devices.len() > 1 {
        " of all devices together"
    } else {
        ""
    };
    let currency = report.currency.as_deref();
    let worth_of = |savings: Option<f64>| {
        worth(savings, currency)
            .map(|worth| format!(", worth {worth},"))
            .unwrap_or_default()
    };
    let mut guidance = Guidance::new(&report.summary).insight(
        InsightKind::Financial,
        InsightSeverity::Info,
        "Per day",
        format!(
            "On average {}{} a day{together}, over {known} days with data.",
            wire::spoken_energy(per_day),
            worth_of(report.savings.map(|savings| savings / days)),
        ),
    );
    if let Some(worth) = worth(report.savings, currency) {
        guidance = guidance.measured(worth, None);
    }
    if let Some(year) = &report.projected_year {
        guidance = guidance.insight(
            InsightKind::Financial,
            InsightSeverity::Info,
            "Projection",
            format!(
                "A whole year at this pace would bring {}{} as a projection, not a measurement.",
                wire::spoken_energy(year.energy_kwh),
                worth_of(year.savings)
            ),
        );
    }
    let (forecast, health) = next_calls(report);
    guidance = guidance.insight(
        InsightKind::Performance,
        InsightSeverity::Info,
        "Carbon",
        format!(
            "{:.1} kg of CO₂ avoided, as much as {:.1} urban tree seedlings take up in ten years ({}, {}).",
            report.co2_offset_kg, report.trees_grown_10_years, report.co2_factor.name, report.co2_factor.year
        ),
    );
    if let Some(forecast) = forecast {
        guidance = guidance.step(
            NextStepPriority::Suggested,
            "See what the next days bring",
            "A forecast shows how the sum will grow.",
            (names::FORECAST_PRODUCTION, forecast),
        );
    }
    guidance
        .step(
            NextStepPriority::Optional,
            "Check the health",
            "An outage costs money as long as it is not seen.",
            (names::ANALYZE_INVERTER_HEALTH, health),
        )
        .show("metric_grid", "standard", Some("savings"), "success")
        .build()
}

/// Arguments for a forecast, which is of one device, and for a health check of the same devices.
fn next_calls(report: &FinancialReport) -> (Option<Value>, Value) {
    let id = report.logger_id.as_str();
    match &report.scope {
        None => (
            Some(json!({ "logger_id": id, "days_ahead": 7 })),
            json!({ "logger_id": id, "days": 30 }),
        ),
        Some(scope) => (
            None,
            super::subjects::again(
                scope,
                &report.devices,
                |one| &one.logger_id,
                json!({ "days": 30 }),
            ),
        ),
    }
}
