//! `forecast_production`: the production of the coming days, from daily figures.

use chrono::{Days, NaiveDate};
use contracts::figures::energy;
use contracts::tools::{
    Backtest, EnergySource, ForecastArguments, ForecastBasis, ForecastConfidence, ForecastDay,
    HistoricalStats, InsightKind, InsightSeverity, NextStepPriority, ProductionForecast,
    ToolContext, ToolEnvelope, WeatherUse, names,
};
use serde_json::json;
use solar::calendar::local_day;
use solar::forecast::{
    Basis, Confidence, DailyEnergies, DayForecast, Forecast, LONGEST_HORIZON, Verdict,
    forecast_with,
};
use sqlx::PgConnection;

use super::guidance::Guidance;
use super::subject::Subject;
use super::subjects::TAKEN_DOWN;
use super::{SolarTools, wire};
use crate::error::Error;
use crate::store::{daily, loggers, weather};

/// Days of history: the last 60 known forecasts, of up to 7 days ahead, from autocorrelations over
/// 90 days, and some more for those that are missing.
const HISTORY_DAYS: u64 = 210;

pub(super) async fn run(
    toolbox: &SolarTools,
    tenant: &str,
    arguments: ForecastArguments,
) -> Result<ToolEnvelope<ProductionForecast>, Error> {
    let mut conn = toolbox.kept.acquire().await?;
    let subject = Subject::find(toolbox, &mut conn, tenant, &arguments.logger_id).await?;
    let last = subject.newest_day;
    let present = present(toolbox, &mut conn, tenant, &subject).await?;
    let silent = u32::try_from((present - last).num_days()).unwrap_or(0);
    let days = daily::load_energies(
        &mut conn,
        subject.logger.key,
        last - Days::new(HISTORY_DAYS),
        last,
    )
    .await?;
    let history = DailyEnergies::of_days(&days, last);
    let context = subject.logger.context();
    let weather = weather::load(
        &mut conn,
        subject.logger.key,
        last - Days::new(HISTORY_DAYS),
        last + Days::new(u64::from(LONGEST_HORIZON)),
        toolbox.clock.now(),
    )
    .await?;
    if silent >= LONGEST_HORIZON {
        return Ok(silent_for_long(&subject, arguments.days_ahead, &history));
    }
    let horizon = arguments.days_ahead.max(silent + 1);
    match forecast_with(&history, &weather, horizon, &context) {
        Ok(mut found) => {
            found.days.retain(|day| day.date > present);
            found.total_kwh = found.days.iter().map(|day| day.expected_kwh).sum();
            let weather = (!weather.is_empty()).then(|| weather_use(&found));
            let mut report = report(&subject, &history, &found, weather);
            report.silent_since = (silent > 0).then_some(last);
            let context = guidance(toolbox, &subject, &report);
            Ok(ToolEnvelope {
                context: Some(context),
                ..ToolEnvelope::ok(report)
            })
        }
        Err(insufficient) => {
            let known = insufficient.known_days;
            let message = format!(
                "{} has {known} complete days among the last 30; a forecast needs at least 5.",
                subject.logger.logger_id
            );
            let report =
                without_forecast(&subject, arguments.days_ahead, &history, message.clone());
            Ok(ToolEnvelope {
                message: Some(message),
                ..ToolEnvelope::ok(report)
            })
        }
    }
}

/// The newest day of the logger's site, or today where the site itself fell silent lately: days
/// until then are not to be forecast. The data of a site that ended long ago are taken as they are.
async fn present(
    toolbox: &SolarTools,
    conn: &mut PgConnection,
    tenant: &str,
    subject: &Subject,
) -> Result<NaiveDate, Error> {
    let site = &subject.logger.site;
    let newest = loggers::newest_of_sites(conn, tenant, &[&site.site_id]).await?;
    let newest = newest
        .get(&site.site_id)
        .map_or(subject.newest_day, |newest| local_day(*newest, site.zone))
        .max(subject.newest_day);
    let yesterday = toolbox.today(site.zone) - Days::new(1);
    let ended_lately = (1..=TAKEN_DOWN).contains(&(yesterday - newest).num_days());
    Ok(if ended_lately { yesterday } else { newest })
}

/// The answer about a logger whose forecast could only be of the past.
fn silent_for_long(
    subject: &Subject,
    days_ahead: u32,
    history: &DailyEnergies,
) -> ToolEnvelope<ProductionForecast> {
    let last = subject.newest_day;
    let message = format!(
        "{} has sent nothing since {}. A forecast reaches {LONGEST_HORIZON} days beyond the newest reading, so it would be of days in the past.",
        subject.logger.logger_id,
        wire::spoken(last)
    );
    let mut report = without_forecast(subject, days_ahead, history, message.clone());
    report.silent_since = Some(last);
    ToolEnvelope {
        message: Some(message),
        ..ToolEnvelope::ok(report)
    }
}

fn report(
    subject: &Subject,
    history: &DailyEnergies,
    found: &Forecast,
    weather: Option<WeatherUse>,
) -> ProductionForecast {
    let method = found.days.first().map_or("", |day| day.method.as_str());
    let total = wire::cents(found.total_kwh);
    let (least, most) = found.extremes_kwh;
    ProductionForecast {
        kind: "production_forecast".to_owned(),
        logger_id: subject.logger.logger_id.clone(),
        basis: basis(found),
        method: method.to_owned(),
        horizon: u32::try_from(found.days.len()).unwrap_or(u32::MAX),
        based_on_days: found.based_on_days,
        insufficient_data: false,
        silent_since: None,
        historical_stats: Some(HistoricalStats {
            average_kwh: wire::cents(found.mean_kwh),
            std_dev_kwh: wire::cents(found.std_kwh),
            min_kwh: wire::cents(least),
            max_kwh: wire::cents(most),
        }),
        forecasts: found.days.iter().map(forecast_day).collect(),
        total_predicted: total,
        confidence_level: found.confidence_level,
        energy_source: source(history),
        backtest: found.days.iter().filter_map(backtest).collect(),
        hourly_shape: subject
            .logger
            .hourly_shape
            .iter()
            .map(|share| wire::thousandths(*share))
            .collect(),
        summary: summary(subject, found, weather.as_ref()),
        weather,
        flags: wire::flags(found.flags, subject.historical),
    }
}

fn without_forecast(
    subject: &Subject,
    days_ahead: u32,
    history: &DailyEnergies,
    summary: String,
) -> ProductionForecast {
    let known = history.kwh.iter().filter(|kwh| kwh.is_finite()).count();
    ProductionForecast {
        kind: "production_forecast".to_owned(),
        logger_id: subject.logger.logger_id.clone(),
        basis: ForecastBasis::History,
        weather: None,
        method: "none".to_owned(),
        horizon: days_ahead,
        based_on_days: u32::try_from(known).unwrap_or(u32::MAX),
        insufficient_data: true,
        silent_since: None,
        historical_stats: None,
        forecasts: Vec::new(),
        total_predicted: 0.0,
        confidence_level: 0.8,
        energy_source: source(history),
        backtest: Vec::new(),
        hourly_shape: Vec::new(),
        summary,
        flags: wire::flags(
            [solar::Flag::FewDays].into_iter().collect(),
            subject.historical,
        ),
    }
}

fn source(history: &DailyEnergies) -> EnergySource {
    history
        .source
        .map_or(EnergySource::Power, wire::energy_source)
}

fn forecast_day(day: &DayForecast) -> ForecastDay {
    let (lower, upper) = (wire::cents(day.lower_kwh), wire::cents(day.upper_kwh));
    ForecastDay {
        date: day.date,
        horizon: day.horizon,
        expected_kwh: wire::cents(day.expected_kwh),
        range_min: lower,
        range_max: upper,
        lower,
        upper,
        confidence: match day.confidence {
            Confidence::High => ForecastConfidence::High,
            Confidence::Medium => ForecastConfidence::Medium,
            Confidence::Low => ForecastConfidence::Low,
        },
        method: day.method.as_str().to_owned(),
        basis: match day.basis {
            Basis::History => ForecastBasis::History,
            Basis::Weather => ForecastBasis::Weather,
        },
    }
}

fn basis(found: &Forecast) -> ForecastBasis {
    let by_weather = days_by_weather(found);
    match found.days.len() {
        _ if by_weather == 0 => ForecastBasis::History,
        days if by_weather == days => ForecastBasis::Weather,
        _ => ForecastBasis::Mixed,
    }
}

fn days_by_weather(found: &Forecast) -> usize {
    found
        .days
        .iter()
        .filter(|day| day.basis == Basis::Weather)
        .count()
}

/// What forecast irradiance was worth, and why it is used or not.
fn weather_use(found: &Forecast) -> WeatherUse {
    let count = |wanted: &dyn Fn(Verdict) -> bool| {
        let days = found.days.iter().filter(|day| wanted(day.weather.verdict));
        u32::try_from(days.count()).unwrap_or(u32::MAX)
    };
    let tried = found.days.iter().map(|day| day.weather.tried).min();
    let first = found.days.first().map(|day| day.weather);
    WeatherUse {
        days_available: count(&|verdict| verdict != Verdict::Missing),
        days_used: count(&|verdict| verdict == Verdict::Used),
        days_tried: tried.unwrap_or(0),
        error_ratio: first
            .and_then(|first| first.error_ratio)
            .map(wire::thousandths),
        reason: reason(found),
    }
}

/// One sentence: why forecast irradiance is used for the first day, or, where the days differ, why
/// it is not for the first such day.
fn reason(found: &Forecast) -> String {
    let unused = found
        .days
        .iter()
        .find(|day| day.weather.verdict != Verdict::Used);
    let Some(day) = unused.or(found.days.first()) else {
        return String::new();
    };
    let review = day.weather;
    let tried = match review.tried {
        1 => "1 day".to_owned(),
        tried => format!("{tried} days"),
    };
    let when = wire::spoken(day.date);
    match review.verdict {
        Verdict::Used => format!(
            "The irradiance that is forecast for the site is used, because it erred less on {tried} of the past."
        ),
        Verdict::Missing => format!("No irradiance is forecast for the whole of {when}."),
        Verdict::Implausible => format!(
            "The irradiance that is forecast for {when} is not used, because it is implausible."
        ),
        Verdict::Untried => format!(
            "The irradiance that is forecast for {when} is not used yet, because it was tried on {tried} of the past and 20 are needed."
        ),
        Verdict::NotBetter => format!(
            "The irradiance that is forecast for {when} is not used, because on {tried} of the past it did not err clearly less than past production alone."
        ),
    }
}

fn backtest(day: &DayForecast) -> Option<Backtest> {
    let test = day.backtest?;
    Some(Backtest {
        horizon: day.horizon,
        nmae: wire::thousandths(test.nmae),
        nrmse: wire::thousandths(test.nrmse),
        skill: wire::thousandths(test.skill),
        days: test.days,
    })
}

fn summary(subject: &Subject, found: &Forecast, weather: Option<&WeatherUse>) -> String {
    let id = &subject.logger.logger_id;
    let expected = match &found.days[..] {
        [day] => format!(
            "{id} is expected to deliver {} on {}, eight times out of ten between {} and {}.",
            energy(wire::cents(day.expected_kwh)),
            wire::spoken(day.date),
            energy(wire::cents(day.lower_kwh)),
            energy(wire::cents(day.upper_kwh))
        ),
        days => format!(
            "{id} is expected to deliver {} in the {} days after {}.",
            energy(wire::cents(found.total_kwh)),
            days.len(),
            wire::spoken(subject.newest_day)
        ),
    };
    let by_weather = days_by_weather(found);
    let rests = match (basis(found), weather) {
        (ForecastBasis::Weather, _) => {
            "It rests on the irradiance that is forecast for the site.".to_owned()
        }
        (ForecastBasis::Mixed, _) => format!(
            "{by_weather} of these days rest on the irradiance that is forecast for the site, the others on past production."
        ),
        (ForecastBasis::History, Some(weather)) => {
            format!("It rests on past production. {}", weather.reason)
        }
        (ForecastBasis::History, None) => "It rests on past production.".to_owned(),
    };
    format!("{expected} {rests}")
}

fn guidance(toolbox: &SolarTools, subject: &Subject, report: &ProductionForecast) -> ToolContext {
    let id = report.logger_id.as_str();
    let site = &subject.logger.site;
    let tariff = toolbox.tariff(site);
    let default = if tariff.is_default {
        ", the default tariff"
    } else {
        ""
    };
    let confidence = report.forecasts.first().map(|day| day.confidence);
    let (words, colours) = match confidence {
        Some(ForecastConfidence::High) => ("narrow", "success"),
        Some(ForecastConfidence::Medium) => ("fair", "neutral"),
        _ => ("wide", "warning"),
    };
    let mut guidance = Guidance::new(&report.summary)
        .insight(
            InsightKind::Performance,
            InsightSeverity::Info,
            "Expected energy",
            format!(
                "The range of the first day is {words}; it rests on {} known days.",
                report.based_on_days
            ),
        )
        .measured(
            energy(report.total_predicted),
            report.historical_stats.as_ref().map(|stats| {
                format!(
                    "{} is the mean of the last known days",
                    energy(stats.average_kwh)
                )
            }),
        )
        .insight(
            InsightKind::Financial,
            InsightSeverity::Info,
            "Worth",
            format!(
                "About {:.2} {} at {} {} per kWh{default}.",
                report.total_predicted * tariff.rate,
                site.currency,
                tariff.rate,
                site.currency
            ),
        );
    if let Some(test) = report.backtest.first() {
        guidance = guidance.insight(
            InsightKind::Performance,
            InsightSeverity::Info,
            "How well this works",
            format!(
                "Over the last {} days such forecasts were off by {:.0} % on average.",
                test.days,
                100.0 * test.nmae
            ),
        );
    }
    guidance
        .step(
            NextStepPriority::Suggested,
            "See the newest day",
            "The forecast starts from it.",
            (
                names::GET_POWER_CURVE,
                json!({ "logger_id": id, "date": subject.newest_day }),
            ),
        )
        .show("chart_bar", "standard", Some("totalPredicted"), colours)
        .build()
}
