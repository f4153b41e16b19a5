//! `calculate_financial_savings`: the energy of a period in money and carbon, from daily figures.

use chrono::{Days, NaiveDate};
use contracts::tools::{
    Co2Factor, FinancialReport, FinancialSavingsArguments, InsightKind, InsightSeverity,
    NextStepPriority, Period, ToolContext, ToolEnvelope, YearProjection, names,
};
use serde_json::json;
use solar::DayFigures;
use solar::money::{PeriodEnergy, period_energy, savings};

use super::guidance::Guidance;
use super::subject::Subject;
use super::{SolarTools, remarks, wire};
use crate::error::Error;
use crate::store::daily;

/// Days on either side that tell what a complete day is.
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
    let mut conn = toolbox.pool.acquire().await?;
    let subject = Subject::find(toolbox, &mut conn, tenant, &arguments.logger_id).await?;
    let start = arguments.start_date;
    let end = arguments.end_date.unwrap_or(subject.newest_day);
    if end < start {
        return Err(subject.nothing_in(Period { start, end: start }));
    }
    check_period(start, end)?;
    let around = Days::new(NEIGHBOURS);
    let days =
        daily::load_energies(&mut conn, subject.logger.key, start - around, end + around).await?;
    let energy = period_energy(&days, start, end);
    if energy.days.is_empty() {
        return Err(subject.nothing_in(Period { start, end }));
    }
    let period = Period { start, end };
    let report = report(
        toolbox,
        &subject,
        period,
        &days,
        &energy,
        arguments.electricity_rate,
    );
    let asked = |day: &&DayFigures| (start..=end).contains(&day.date);
    let asked: Vec<DayFigures> = days.iter().filter(asked).cloned().collect();
    let registers = remarks::register(&report.logger_id, &asked);
    let context = guidance(&report, registers);
    Ok(ToolEnvelope {
        context: Some(context),
        ..ToolEnvelope::ok(report)
    })
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
    let rate = rate
        .or(site.tariff_per_kwh)
        .unwrap_or(toolbox.settings.rate_per_kwh);
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
        period,
        days_expected: energy.days_expected,
        days_with_data: u32::try_from(energy.days.len()).unwrap_or(u32::MAX),
        missing_days: missing.collect(),
        total_energy_kwh: wire::cents(energy.total_kwh),
        unallocated_kwh: (energy.unallocated_kwh > 0.0)
            .then(|| wire::cents(energy.unallocated_kwh)),
        energy_source: wire::energy_source_of(sources),
        electricity_rate: rate,
        electricity_rate_usd: rate,
        savings: wire::cents(value.savings),
        savings_usd: wire::cents(value.savings),
        currency: site.currency.clone(),
        co2_offset_kg: wire::cents(value.co2_kg),
        co2_factor,
        trees_grown_10_years: trees,
        trees_equivalent: trees,
        projected_year: energy.projected_year_kwh().map(|kwh| YearProjection {
            energy_kwh: wire::cents(kwh),
            savings: wire::cents(kwh * rate),
        }),
        summary: String::new(),
        flags: wire::flags(energy.flags, subject.historical),
    };
    report.summary = summary(&report);
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
        format!(" Its register gained another {kwh:.2} kWh over days without data, which is not counted either.")
    });
    format!(
        "{} delivered {:.2} kWh from {} to {}, worth {:.2} {} at {} {} per kWh if all of it replaced purchased power.{gaps}{unallocated}",
        report.logger_id,
        report.total_energy_kwh,
        wire::spoken(start),
        wire::spoken(end),
        report.savings,
        report.currency,
        report.electricity_rate,
        report.currency,
    )
}

fn guidance(report: &FinancialReport, registers: Option<String>) -> ToolContext {
    let id = report.logger_id.as_str();
    let days = f64::from(report.days_with_data.max(1));
    let (per_day, worth) = (report.total_energy_kwh / days, report.savings / days);
    let currency = &report.currency;
    let mut guidance = Guidance::new(&report.summary)
        .insight(
            InsightKind::Financial,
            InsightSeverity::Info,
            "Per day",
            format!(
                "On average {per_day:.2} kWh, worth {worth:.2} {currency}, over {} days with data.",
                report.days_with_data
            ),
        )
        .measured(format!("{:.2} {currency}", report.savings), None);
    guidance = match &report.projected_year {
        Some(year) => guidance.insight(
            InsightKind::Financial,
            InsightSeverity::Info,
            "Projection",
            format!(
                "A whole year at this pace would bring {:.0} kWh, worth {:.2} {currency}. That is a projection, not a measurement.",
                year.energy_kwh, year.savings
            ),
        ),
        None => guidance,
    };
    guidance
        .insight(
            InsightKind::Performance,
            InsightSeverity::Info,
            "Carbon",
            format!(
                "{:.1} kg of CO₂ avoided, as much as {:.1} urban tree seedlings take up in ten years ({}, {}).",
                report.co2_offset_kg, report.trees_grown_10_years, report.co2_factor.name, report.co2_factor.year
            ),
        )
        .step(
            NextStepPriority::Suggested,
            "See what the next days bring",
            "A forecast shows how the sum will grow.",
            (names::FORECAST_PRODUCTION, json!({ "logger_id": id, "days_ahead": 7 })),
        )
        .step(
            NextStepPriority::Optional,
            "Check the device's health",
            "An outage costs money as long as it is not seen.",
            (names::ANALYZE_INVERTER_HEALTH, json!({ "logger_id": id, "days": 30 })),
        )
        .alert(registers)
        .show("metric_grid", "standard", Some("savings"), "success")
        .build()
}
