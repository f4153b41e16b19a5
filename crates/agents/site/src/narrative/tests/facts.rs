//! Results of tools, as the demo fleet gives them.

use chrono::{DateTime, FixedOffset, NaiveDate};
use contracts::tools::*;
use contracts::ui::{FleetHealthRow, HealthWord};

pub(super) fn day(text: &str) -> NaiveDate {
    text.parse().unwrap()
}

pub(super) fn at(text: &str) -> DateTime<FixedOffset> {
    DateTime::parse_from_rfc3339(text).unwrap()
}

pub(super) const IDS: [&str; 4] = ["GW-INV-001", "LTI-INV-001", "MEIER-INV-001", "SD-INV-001"];

fn device(id: &str, state: DeviceState, energy: f64) -> FleetDevice {
    FleetDevice {
        logger_id: id.to_owned(),
        logger_type: "goodwe".to_owned(),
        site_id: "demo".to_owned(),
        role: LoggerRole::Inverter,
        state,
        counted: true,
        power_watts: Some(1_203.4),
        energy_today_kwh: Some(energy),
        energy_source: Some(EnergySource::DailyRegister),
        specific_yield: Some(7.1),
        last_seen: Some(at("2025-12-04T14:05:00+01:00")),
        age_minutes: Some(0.0),
        flags: Vec::new(),
    }
}

/// The fleet with the last `offline` of its devices offline.
pub(super) fn overview(offline: usize, historical: bool, night: bool) -> FleetOverview {
    let online = 4 - offline;
    let state = if night {
        DeviceState::Asleep
    } else {
        DeviceState::Producing
    };
    FleetOverview {
        kind: "fleet_overview".to_owned(),
        timestamp: at("2025-12-04T14:05:00+01:00"),
        local_date: day("2025-12-04"),
        status: FleetStatus {
            total_loggers: 4,
            active_loggers: online as u64,
            producing: if night { 0 } else { online as u64 },
            asleep: if night { online as u64 } else { 0 },
            offline: offline as u64,
            percent_online: online as f64 * 25.0,
            fleet_health: match offline {
                0 => FleetHealth::Healthy,
                1 => FleetHealth::Degraded,
                _ => FleetHealth::Critical,
            },
        },
        production: FleetProduction {
            current_total_power_watts: 9_876.5,
            today_total_energy_kwh: 132.47,
            site_avg_irradiance: Some(612.3),
            specific_yield: Some(6.31),
        },
        summary: "x".to_owned(),
        date_mismatch: historical.then(|| DateMismatch {
            requested_date: day("2026-03-01"),
            actual_data_date: day("2025-12-04"),
            days_difference: 87,
            is_historical: true,
        }),
        oldest_reading_minutes: Some(5.0),
        energy_source: EnergySource::DailyRegister,
        offline_loggers: IDS[online..]
            .iter()
            .map(|id| OfflineLogger {
                logger_id: (*id).to_owned(),
                site_id: "demo".to_owned(),
                last_seen: Some(at("2025-12-03T09:10:00+01:00")),
                reason: "No readings.".to_owned(),
            })
            .collect(),
        devices: IDS
            .iter()
            .enumerate()
            .map(|(index, id)| {
                device(
                    id,
                    if index < online {
                        state
                    } else {
                        DeviceState::Offline
                    },
                    30.0 + index as f64,
                )
            })
            .collect(),
        sites: vec![FleetSite {
            site_id: "demo".to_owned(),
            name: "Demo Site".to_owned(),
            timezone: "Europe/Zurich".to_owned(),
            anchor: Some(at("2025-12-04T14:05:00+01:00")),
            local_date: Some(day("2025-12-04")),
            power_watts: 9_876.5,
            energy_today_kwh: 132.47,
            total_loggers: 4,
            offline: offline as u64,
            night,
            current: true,
        }],
        flags: Vec::new(),
    }
}

/// Error codes of `id`; the code of the demo is in no table.
pub(super) fn errors(id: &str, known: bool, count: usize) -> DiagnosticsReport {
    let issue = |index: usize| ErrorCodeIssue {
        logger_ids: Vec::new(),
        code: format!("E-50{}", index + 1),
        description: if known {
            "Isolation fault on the DC side".to_owned()
        } else {
            "Unknown code".to_owned()
        },
        severity: if known {
            IssueSeverity::Critical
        } else {
            IssueSeverity::Unknown
        },
        occurrences: 48,
        events: 2,
        hours: 7.92,
        first_seen: at("2025-11-22T10:00:00+01:00"),
        last_seen: at("2025-11-29T13:55:00+01:00"),
        suggested_fix: "Have an electrician check the cables.".to_owned(),
        source: known.then(|| "goodwe".to_owned()),
        overlaps_outage: true,
    };
    DiagnosticsReport {
        kind: "diagnostics_report".to_owned(),
        logger_id: id.to_owned(),
        scope: None,
        devices: Vec::new(),
        left_out: Vec::new(),
        logger_type: "lti".to_owned(),
        period: Period {
            start: day("2025-11-28"),
            end: day("2025-12-04"),
        },
        overall_health: match (count, known) {
            (0, _) => OverallHealth::Good,
            (_, true) => OverallHealth::Critical,
            (_, false) => OverallHealth::Unknown,
        },
        issue_count: count as u64,
        issues: (0..count).map(issue).collect(),
        summary: "x".to_owned(),
        flags: Vec::new(),
    }
}

pub(super) fn financial(with_data: u32, expected: u32) -> FinancialReport {
    let end = day("2025-12-04");
    let start = end - chrono::Days::new(u64::from(expected.saturating_sub(1)));
    let missing = start
        .iter_days()
        .take((expected - with_data) as usize)
        .collect();
    let energy = f64::from(with_data) * 45.118;
    FinancialReport {
        kind: "financial_report".to_owned(),
        logger_id: "GW-INV-001".to_owned(),
        scope: None,
        site_id: None,
        counted: true,
        devices: Vec::new(),
        sites: Vec::new(),
        left_out: Vec::new(),
        unfinished_day: None,
        other_hours: Vec::new(),
        period: Period { start, end },
        days_expected: expected,
        days_with_data: with_data,
        missing_days: missing,
        total_energy_kwh: energy,
        unallocated_kwh: None,
        capacity_kw: None,
        capacity_basis: None,
        specific_yield: None,
        energy_source: EnergySource::DailyRegister,
        electricity_rate: Some(0.285),
        electricity_rate_usd: Some(0.285),
        default_tariff: false,
        savings: Some(energy * 0.285),
        savings_usd: Some(energy * 0.285),
        currency: Some("CHF".to_owned()),
        co2_offset_kg: energy * 0.394,
        co2_factor: Co2Factor {
            value: 0.394,
            name: "US average, delivered".to_owned(),
            year: 2022,
        },
        trees_grown_10_years: energy * 0.394 / 60.0,
        trees_equivalent: energy * 0.394 / 60.0,
        projected_year: (with_data >= 60).then_some(YearProjection {
            energy_kwh: 16_468.0,
            savings: Some(4_693.4),
        }),
        summary: "x".to_owned(),
        flags: vec![Flag::HistoricalData],
    }
}

pub(super) fn forecast(days: u32) -> ProductionForecast {
    let rows: Vec<ForecastDay> = (1..=days)
        .map(|horizon| ForecastDay {
            date: day("2025-12-04") + chrono::Days::new(u64::from(horizon)),
            horizon,
            expected_kwh: 40.0 + f64::from(horizon),
            range_min: 31.27,
            range_max: 52.11,
            lower: 31.27,
            upper: 52.11,
            confidence: ForecastConfidence::Medium,
            method: "cliper_30".to_owned(),
            basis: ForecastBasis::History,
        })
        .collect();
    ProductionForecast {
        kind: "production_forecast".to_owned(),
        logger_id: "GW-INV-001".to_owned(),
        basis: ForecastBasis::History,
        weather: None,
        method: "cliper_30".to_owned(),
        horizon: days,
        based_on_days: 30,
        insufficient_data: days == 0,
        silent_since: None,
        historical_stats: Some(HistoricalStats {
            average_kwh: 44.93,
            std_dev_kwh: 3.0,
            min_kwh: 28.5,
            max_kwh: 49.0,
        }),
        total_predicted: rows.iter().map(|row| row.expected_kwh).sum(),
        forecasts: rows,
        confidence_level: 0.8,
        energy_source: EnergySource::DailyRegister,
        backtest: vec![Backtest {
            horizon: 1,
            nmae: 0.083,
            nrmse: 0.12,
            skill: 0.2,
            days: 29,
        }],
        hourly_shape: Vec::new(),
        summary: "x".to_owned(),
        flags: Vec::new(),
    }
}

/// The same where irradiance is forecast for the site.
pub(super) fn by_weather(days: u32, basis: ForecastBasis) -> ProductionForecast {
    ProductionForecast {
        basis,
        weather: Some(WeatherUse {
            days_available: days,
            days_used: days.div_ceil(2),
            days_tried: 7,
            error_ratio: Some(0.912),
            reason: "The irradiance that is forecast for 5 December 2025 is not used yet, because it was tried on 7 days of the past and 20 are needed.".to_owned(),
        }),
        ..forecast(days)
    }
}

/// The loggers of `ids`, each `step` percent behind the one before.
pub(super) fn comparison(
    count: usize,
    step: f64,
    metric: ComparisonMetric,
    basis: ComparisonBasis,
) -> Comparison {
    let ids: Vec<String> = IDS[..count].iter().map(|id| (*id).to_owned()).collect();
    let share = |index: usize| 1.0 - step * index as f64 / 100.0;
    let summary = ids
        .iter()
        .enumerate()
        .map(|(index, id)| {
            let figures = ComparisonSummary {
                average: Some(2_413.2 * share(index)),
                peak: Some(4_900.0 * share(index)),
                total: Some(41.2 * share(index)),
                specific_yield: (basis != ComparisonBasis::Absolute).then(|| 8.24 * share(index)),
                capacity_kw: Some(5.0),
                vs_median_pct: Some(-step * index as f64),
                rank: u32::try_from(index + 1).ok(),
                days_with_data: 1,
                common_records: 168,
                ..ComparisonSummary::default()
            };
            (id.clone(), figures)
        })
        .collect();
    Comparison {
        kind: "comparison".to_owned(),
        metric,
        date: day("2025-12-04"),
        period: Period {
            start: day("2025-12-04"),
            end: day("2025-12-04"),
        },
        record_count: 168,
        data: Vec::new(),
        summary,
        basis,
        best: ids.first().cloned(),
        worst: ids.last().cloned(),
        spread_percent: Some(step * (count.saturating_sub(1)) as f64),
        underperformers: if step > 12.0 {
            vec![ids[count - 1].clone()]
        } else {
            Vec::new()
        },
        ranking: ids.clone(),
        chart_period: None,
        unfinished_day: None,
        places: contracts::tools::ComparedPlaces::Same,
        charted: ids.clone(),
        excluded: Vec::new(),
        total_kwh: Some((0..count).map(|index| 41.2 * share(index)).sum()),
        logger_ids: ids,
        flags: Vec::new(),
    }
}

fn event(kind: HealthEventKind, start: &str, minutes: u32) -> HealthEvent {
    let start = at(start);
    HealthEvent {
        logger_id: None,
        lost_money: None,
        kind,
        start,
        end: start + chrono::TimeDelta::minutes(i64::from(minutes)),
        minutes: f64::from(minutes),
        lost_kwh: Some(7.4),
        evidence: "x".to_owned(),
    }
}

/// A week with outages of the demo's kind on `days`, as far as `score` is known.
pub(super) fn health(
    outages: &[&str],
    severity: AnomalySeverity,
    score: Option<f64>,
) -> AnomalyReport {
    let events: Vec<HealthEvent> = outages
        .iter()
        .enumerate()
        .map(|(index, day)| {
            event(
                HealthEventKind::Outage,
                &format!("{day}T10:05:00+01:00"),
                230 + u32::try_from(index).unwrap(),
            )
        })
        .collect();
    let anomalies = events
        .iter()
        .map(|event| Anomaly {
            logger_id: None,
            timestamp: event.start,
            kind: event.kind,
            description: "Sun, and no power.".to_owned(),
            severity,
            power: Some(0.0),
            irradiance: Some(801.2),
        })
        .collect();
    AnomalyReport {
        kind: "anomaly_report".to_owned(),
        logger_id: "LTI-INV-001".to_owned(),
        scope: None,
        site_id: None,
        health_status: HealthWord::of(score),
        shortfall_kwh: None,
        vs_peers_pct: None,
        capacity_kw: None,
        capacity_basis: None,
        counted: true,
        devices: Vec::new(),
        sites: Vec::new(),
        left_out: Vec::new(),
        period: Period {
            start: day("2025-11-28"),
            end: day("2025-12-04"),
        },
        days_analyzed: 7,
        total_records: 1_851,
        anomaly_count: events.len() as u64,
        anomalies,
        points: Vec::new(),
        lost_kwh: 16.83 * events.len() as f64,
        lost_money: Some(Money {
            default_tariff: false,
            amount: 4.7965 * events.len() as f64,
            currency: "CHF".to_owned(),
        }),
        events,
        health_score: score,
        availability_time: score.map(|_| 0.9482),
        availability_energy: score.map(|_| 0.9337),
        sun_hours: if score.is_some() { 67.25 } else { 0.0 },
        dead_days: Vec::new(),
        missing_days: Vec::new(),
        gaps: Vec::new(),
        gap_count: 0,
        gap_hours: 0.0,
        silence: None,
        lag: None,
        flags: Vec::new(),
    }
}

pub(super) fn rows(counts: [u64; 4], unknown: bool) -> Vec<FleetHealthRow> {
    IDS.iter()
        .zip(counts)
        .enumerate()
        .map(|(index, (id, count))| {
            let silent = unknown && index == 3;
            FleetHealthRow {
                logger_id: (*id).to_owned(),
                logger_type: "goodwe".to_owned(),
                health_score: (!silent).then_some(100.0 - 9.5 * count as f64),
                anomaly_count: if silent { 0 } else { count },
                lost_kwh: None,
                status: if silent {
                    HealthWord::Unknown
                } else if count == 0 {
                    HealthWord::Healthy
                } else {
                    HealthWord::Warning
                },
                message: silent.then(|| "Too few readings.".to_owned()),
            }
        })
        .collect()
}

pub(super) fn curve(completeness: f64, trend: Trend) -> (PowerCurve, SummaryStats) {
    let curve = PowerCurve {
        kind: "timeseries".to_owned(),
        logger_id: "GW-INV-001".to_owned(),
        date: day("2025-11-29"),
        record_count: 264,
        data: Vec::new(),
        energy_source: EnergySource::DailyRegister,
        register_kwh: Some(43.91),
        completeness,
        hole_hours: (1.0 - completeness) * 24.0,
        night_import_kwh: 0.12,
        clipped_samples: 7,
        step_minutes: 5.0,
        flags: if completeness < 0.95 {
            vec![Flag::IncompleteDay]
        } else {
            Vec::new()
        },
    };
    let stats = SummaryStats {
        peak_value: 5_212.4,
        peak_time: at("2025-11-29T13:05:00+01:00"),
        avg_value: 2_987.6,
        total_energy: Some(44.06),
        trend,
    };
    (curve, stats)
}

pub(super) fn performance(
    basis: CapacityBasis,
    rating: Option<PerformanceRating>,
    flags: Vec<Flag>,
) -> PerformanceReport {
    PerformanceReport {
        kind: "performance_report".to_owned(),
        logger_id: "MEIER-INV-001".to_owned(),
        scope: None,
        period: None,
        counted: true,
        devices: Vec::new(),
        left_out: Vec::new(),
        date: day("2025-11-29"),
        performance_ratio: 68.3,
        pr: 0.683,
        pr_25c: Some(0.7121),
        yf: 5.46,
        yr: 8.0,
        paired_records: 161,
        coverage: 0.958,
        capacity_kw: 5.5,
        capacity_basis: basis,
        inferred_capacity_kw: Some(4.6),
        stc_power_kw: Some(3.8),
        irradiance_basis: IrradianceBasis::Poa,
        rating,
        metrics: PerformanceMetrics {
            avg_power_watts: 2_104.9,
            peak_power_watts: 3_921.0,
            avg_irradiance: 571.8,
            data_points: 161,
        },
        interpretation: "x".to_owned(),
        flags,
    }
}
