//! The conclusion from the facts: the first rule that holds decides.

use std::collections::BTreeSet;

use contracts::tools::{
    AnomalyReport, AnomalySeverity, Comparison, FinancialReport, Flag, FleetOverview,
    HealthEventKind, OverallHealth, PerformanceRating, PerformanceReport, PowerCurve,
    ProductionForecast, ServiceHealth, SummaryStats, Trend,
};
use contracts::ui::{FleetHealthRow, HealthWord};
use serde::{Deserialize, Serialize};

use super::{Facts, FleetSnapshot};

/// The conclusion from the facts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Branch {
    /// Less than half of the data that a judgement needs.
    DataIncomplete,
    /// Nothing is wrong in the data, and the data are old.
    DataStale,
    /// Less than 10 % between best and worst.
    ComparisonConsistent,
    /// 10 to 30 %.
    ComparisonModerate,
    /// 30 % or more, or a device that lags beyond chance.
    ComparisonSignificant,
    /// The same fault on three days or more.
    RecurrentIssue,
    /// Worse than the time before.
    TrendDegrading,
    /// A finding of high severity.
    CriticalHighSeverity,
    /// More than three in ten devices are affected.
    CriticalFleetWide,
    /// Several findings, or one of medium severity.
    WarningMultiple,
    /// A few findings of low severity.
    WarningSingle,
    /// Nothing found and a score of 95 or more.
    HealthyAllClear,
    /// Nothing found and a lower score.
    HealthyMinorNotes,
    /// Figures that are neither good nor bad.
    Plain,
}

impl Branch {
    /// The name in logs and state.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::DataIncomplete => "data_incomplete",
            Self::DataStale => "data_stale",
            Self::ComparisonConsistent => "comparison_consistent",
            Self::ComparisonModerate => "comparison_moderate",
            Self::ComparisonSignificant => "comparison_significant",
            Self::RecurrentIssue => "recurrent_issue",
            Self::TrendDegrading => "trend_degrading",
            Self::CriticalHighSeverity => "critical_high_severity",
            Self::CriticalFleetWide => "critical_fleet_wide",
            Self::WarningMultiple => "warning_multiple",
            Self::WarningSingle => "warning_single",
            Self::HealthyAllClear => "healthy_all_clear",
            Self::HealthyMinorNotes => "healthy_minor_notes",
            Self::Plain => "plain",
        }
    }

    /// Whether a user should do something.
    pub const fn action_required(self) -> bool {
        matches!(
            self,
            Self::CriticalHighSeverity
                | Self::CriticalFleetWide
                | Self::WarningMultiple
                | Self::RecurrentIssue
                | Self::TrendDegrading
                | Self::ComparisonSignificant
        )
    }
}

/// How bad it is, for the wording.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Severity {
    Excellent,
    Good,
    Attention,
    Concern,
    Urgent,
}

/// The band of a share of devices online, in percent.
pub fn fleet_severity(percent_online: f64) -> Severity {
    band(percent_online, [99.0, 95.0, 85.0, 70.0])
}

/// The band of a health score.
pub fn health_severity(score: f64) -> Severity {
    band(
        score,
        [98.0, HealthWord::HEALTHY, HealthWord::CRITICAL, 50.0],
    )
}

fn band(value: f64, [excellent, good, attention, concern]: [f64; 4]) -> Severity {
    match value {
        v if v >= excellent => Severity::Excellent,
        v if v >= good => Severity::Good,
        v if v >= attention => Severity::Attention,
        v if v >= concern => Severity::Concern,
        _ => Severity::Urgent,
    }
}

/// The branch of `facts`.
pub(super) fn of(facts: &Facts<'_>) -> Branch {
    match *facts {
        Facts::Greeting { .. } | Facts::Loggers { .. } | Facts::Presented { .. } => Branch::Plain,
        Facts::Briefing {
            overview, previous, ..
        } => briefing(overview, previous),
        Facts::Financial { report, .. } | Facts::Energy { report } => financial(report),
        Facts::Audit { comparison } => audit(comparison),
        Facts::Health { report } => health(report),
        Facts::FleetHealth { rows, reports, .. } => fleet_health(rows, reports),
        Facts::PowerCurve { curve, stats } => power_curve(curve, stats),
        Facts::Forecast { forecast } => forecasting(forecast),
        Facts::Performance { report } => performance(report),
        Facts::Errors { report } => errors(report.overall_health, report.issue_count),
        Facts::Service { report } => match report.status {
            ServiceHealth::Healthy => Branch::HealthyAllClear,
            ServiceHealth::Degraded => Branch::CriticalHighSeverity,
        },
    }
}

/// Faults come before the age of the data: an old fault is still a fault, whereas an old all-clear
/// is none.
fn briefing(overview: &FleetOverview, previous: Option<&FleetSnapshot>) -> Branch {
    let status = &overview.status;
    if status.total_loggers == 0 {
        return Branch::DataIncomplete;
    }
    if previous.is_some_and(|before| before.change_to(overview).points < -2.0) {
        return Branch::TrendDegrading;
    }
    let share = status.offline as f64 / status.total_loggers as f64;
    match status.offline {
        0 if overview.date_mismatch.is_some() => Branch::DataStale,
        0 => Branch::HealthyAllClear,
        _ if share >= 0.5 => Branch::CriticalHighSeverity,
        _ if share > 0.3 => Branch::CriticalFleetWide,
        1 => Branch::WarningSingle,
        _ => Branch::WarningMultiple,
    }
}

fn financial(report: &FinancialReport) -> Branch {
    if report.days_expected == 0 || report.days_with_data * 2 < report.days_expected {
        Branch::DataIncomplete
    } else {
        Branch::Plain
    }
}

fn audit(comparison: &Comparison) -> Branch {
    match comparison.spread_percent {
        _ if comparison.best.is_none() || comparison.worst.is_none() => Branch::DataIncomplete,
        None => Branch::DataIncomplete,
        _ if !comparison.underperformers.is_empty() => Branch::ComparisonSignificant,
        Some(spread) if spread < 10.0 => Branch::ComparisonConsistent,
        Some(spread) if spread < 30.0 => Branch::ComparisonModerate,
        Some(_) => Branch::ComparisonSignificant,
    }
}

/// Fewest readings that the health of a device is judged by.
const FEWEST_READINGS: u64 = 4;

fn health(report: &AnomalyReport) -> Branch {
    // A reading or two say nothing of a device, as on the day before its first one.
    let Some(score) = report
        .health_score
        .filter(|_| report.total_records >= FEWEST_READINGS || report.silence.is_some())
    else {
        return Branch::DataIncomplete;
    };
    if faulty_days(report) >= 3 {
        return Branch::RecurrentIssue;
    }
    by_findings(
        report.anomaly_count,
        report.anomalies.iter().map(|one| one.severity),
        score,
    )
}

fn by_findings(
    count: u64,
    severities: impl Iterator<Item = AnomalySeverity>,
    score: f64,
) -> Branch {
    match (count, HealthWord::of(Some(score)), severities.max()) {
        (_, HealthWord::Critical, _) => Branch::CriticalHighSeverity,
        (0, HealthWord::Healthy, _) => Branch::HealthyAllClear,
        (0, ..) => Branch::HealthyMinorNotes,
        (4.., ..) | (.., Some(AnomalySeverity::Medium | AnomalySeverity::High)) => {
            Branch::WarningMultiple
        }
        _ => Branch::WarningSingle,
    }
}

/// Local days on which the device was out.
pub(super) fn faulty_days(report: &AnomalyReport) -> usize {
    let outages = report
        .events
        .iter()
        .filter(|event| event.kind == HealthEventKind::Outage);
    let days: BTreeSet<_> = outages
        .map(|event| event.start.date_naive())
        .chain(report.dead_days.iter().copied())
        .collect();
    days.len()
}

fn fleet_health(rows: &[FleetHealthRow], reports: &[AnomalyReport]) -> Branch {
    let judged = rows
        .iter()
        .filter(|row| row.status != HealthWord::Unknown)
        .count();
    if judged == 0 || judged * 2 < rows.len() {
        return Branch::DataIncomplete;
    }
    let severities = || {
        reports
            .iter()
            .flat_map(|report| &report.anomalies)
            .map(|one| one.severity)
    };
    if rows.iter().any(|row| row.status == HealthWord::Critical) {
        return Branch::CriticalHighSeverity;
    }
    let affected = rows.iter().filter(|row| row.anomaly_count > 0).count();
    if affected as f64 / judged as f64 > 0.3 {
        return Branch::CriticalFleetWide;
    }
    by_findings(
        rows.iter().map(|row| row.anomaly_count).sum(),
        severities(),
        super::score_of_all(rows).unwrap_or(0.0),
    )
}

fn power_curve(curve: &PowerCurve, stats: Option<&SummaryStats>) -> Branch {
    match stats {
        None => Branch::DataIncomplete,
        Some(_) if curve.flags.contains(&Flag::IncompleteDay) => Branch::DataIncomplete,
        Some(stats) if stats.trend == Trend::Decreasing => Branch::WarningSingle,
        Some(_) => Branch::Plain,
    }
}

fn forecasting(forecast: &ProductionForecast) -> Branch {
    if forecast.insufficient_data || forecast.forecasts.is_empty() {
        Branch::DataIncomplete
    } else {
        Branch::Plain
    }
}

fn performance(report: &PerformanceReport) -> Branch {
    match report.rating {
        _ if report.coverage < 0.5 => Branch::DataIncomplete,
        Some(PerformanceRating::Normal) => Branch::HealthyAllClear,
        Some(PerformanceRating::Low) => Branch::WarningMultiple,
        Some(PerformanceRating::Critical) => Branch::CriticalHighSeverity,
        None => Branch::Plain,
    }
}

fn errors(health: OverallHealth, issues: u64) -> Branch {
    match health {
        _ if issues == 0 => Branch::HealthyAllClear,
        OverallHealth::Critical => Branch::CriticalHighSeverity,
        OverallHealth::Warning => Branch::WarningMultiple,
        OverallHealth::Unknown | OverallHealth::Info | OverallHealth::Good => Branch::WarningSingle,
    }
}
