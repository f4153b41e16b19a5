//! `diagnose_error_codes`: what the device says itself.

use chrono::{DateTime, Utc};
use contracts::tools::{
    DiagnosticsReport, ErrorCodeIssue, ErrorCodesArguments, InsightKind, InsightSeverity,
    IssueSeverity, NextStepPriority, OverallHealth, ToolContext, ToolEnvelope, names,
};
use serde_json::{Map, Value, json};
use solar::calendar::DaySpan;
use solar::errors::{Brand, CodedReading, Issue, Severity, codes_in, diagnose, overall_severity};
use solar::series::epoch;
use solar::{Flag, Flags};
use sqlx::PgConnection;
use sqlx::types::Json;

use super::analyze_inverter_health::examine;
use super::guidance::Guidance;
use super::subject::{Subject, period};
use super::subjects::Wanted;
use super::window::Window;
use super::{SolarTools, wire};
use crate::error::Error;

/// The metadata of a reading.
type Metadata = Map<String, Value>;

pub(super) async fn run(
    toolbox: &SolarTools,
    tenant: &str,
    arguments: ErrorCodesArguments,
) -> Result<ToolEnvelope<DiagnosticsReport>, Error> {
    let Wanted::One(logger_id) = Wanted::of(
        arguments.logger_id.as_ref(),
        arguments.logger_ids.as_ref(),
        arguments.site_id.as_ref(),
    )?
    else {
        return Err(Error::invalid("/logger_id", "is required"));
    };
    let mut conn = toolbox.pool.acquire().await?;
    let subject = Subject::find(toolbox, &mut conn, tenant, logger_id).await?;
    let window = Window::of(arguments.days, arguments.start_date, arguments.end_date)?
        .span(subject.newest_day, subject.logger.site.zone)?;
    if window.first > subject.available.end || window.last < subject.available.start {
        return Err(subject.nothing_in(period(window)));
    }
    let brand = Brand::of_logger_type(&subject.logger.logger_type);
    let readings = coded_readings(&mut conn, &subject, window, brand).await?;
    // Outages matter only where there is a code that they could explain.
    let outages = if readings.is_empty() {
        Vec::new()
    } else {
        examine(&mut conn, &subject, window).await?.health.events
    };
    let issues = diagnose(
        readings,
        brand,
        subject.logger.calibration.step_hours,
        &outages,
    );
    let report = report(toolbox, &subject, window, &issues);
    let context = guidance(&report);
    Ok(ToolEnvelope {
        context: Some(context),
        ..ToolEnvelope::ok(report)
    })
}

async fn coded_readings(
    conn: &mut PgConnection,
    subject: &Subject,
    window: DaySpan,
    brand: Brand,
) -> Result<Vec<CodedReading>, Error> {
    let rows: Vec<(DateTime<Utc>, Json<Metadata>)> =
        sqlx::query_as(include_str!("../../queries/diagnose_error_codes.sql"))
            .bind(subject.logger.key)
            .bind(window.after_utc())
            .bind(window.until_utc())
            .fetch_all(conn)
            .await?;
    Ok(rows
        .into_iter()
        .map(|(at, metadata)| CodedReading {
            time: epoch(at),
            codes: codes_in(&metadata.0, brand),
        })
        .filter(|reading| !reading.codes.is_empty())
        .collect())
}

fn report(
    toolbox: &SolarTools,
    subject: &Subject,
    window: DaySpan,
    issues: &[Issue],
) -> DiagnosticsReport {
    let logger = &subject.logger;
    let mut report = DiagnosticsReport {
        kind: "diagnostics_report".to_owned(),
        logger_id: logger.logger_id.clone(),
        scope: None,
        logger_type: logger.logger_type.clone(),
        period: period(window),
        overall_health: match overall_severity(issues) {
            None => OverallHealth::Good,
            Some(Severity::Info) => OverallHealth::Info,
            Some(Severity::Unknown) => OverallHealth::Unknown,
            Some(Severity::Warning) => OverallHealth::Warning,
            Some(Severity::Critical) => OverallHealth::Critical,
        },
        issue_count: issues.len() as u64,
        issues: issues
            .iter()
            .take(toolbox.settings.issue_limit)
            .map(|found| issue(found, subject))
            .collect(),
        devices: Vec::new(),
        left_out: Vec::new(),
        summary: String::new(),
        flags: wire::flags(flags(subject), subject.historical),
    };
    report.summary = summary(&report);
    report
}

/// Without irradiance a code can not be told to overlap an outage.
fn flags(subject: &Subject) -> Flags {
    let missing = !subject.logger.calibration.has_irradiance;
    missing
        .then_some(Flag::IrradianceMissing)
        .into_iter()
        .collect()
}

fn issue(issue: &Issue, subject: &Subject) -> ErrorCodeIssue {
    let (zone, brand) = (subject.logger.site.zone, &subject.logger.logger_type);
    let meaning = &issue.meaning;
    let known = meaning.severity != Severity::Unknown;
    let unknown = || format!("A code that no table here explains for loggers of type {brand}.");
    ErrorCodeIssue {
        logger_ids: Vec::new(),
        code: issue.code.clone(),
        description: meaning.description.map_or_else(unknown, str::to_owned),
        severity: match meaning.severity {
            Severity::Critical => IssueSeverity::Critical,
            Severity::Warning => IssueSeverity::Warning,
            Severity::Unknown => IssueSeverity::Unknown,
            Severity::Info => IssueSeverity::Info,
        },
        occurrences: issue.occurrences.into(),
        events: issue.events.into(),
        hours: wire::cents(issue.hours),
        first_seen: wire::time(issue.first_seen, zone),
        last_seen: wire::time(issue.last_seen, zone),
        suggested_fix: meaning
            .fix
            .unwrap_or("See the manufacturer's documentation.")
            .to_owned(),
        source: known.then(|| format!("{brand} error codes")),
        overlaps_outage: issue.overlaps_outage,
    }
}

fn summary(report: &DiagnosticsReport) -> String {
    let (id, period) = (&report.logger_id, report.period);
    let when = format!(
        "from {} to {}",
        wire::spoken(period.start),
        wire::spoken(period.end)
    );
    let Some(worst) = report.issues.first() else {
        return format!("{id} reported no error codes {when}.");
    };
    let out = if worst.overlaps_outage {
        ", and it was out meanwhile"
    } else {
        ""
    };
    let noun = if report.issue_count == 1 {
        "one error code"
    } else {
        "several error codes"
    };
    format!(
        "{id} reported {noun} {when}; foremost {} in {} readings, {:.1} hours in all{out}.",
        worst.code, worst.occurrences, worst.hours
    )
}

fn guidance(report: &DiagnosticsReport) -> ToolContext {
    let id = report.logger_id.as_str();
    let (severity, colours) = match report.overall_health {
        OverallHealth::Critical => (InsightSeverity::Critical, "danger"),
        OverallHealth::Warning | OverallHealth::Unknown => (InsightSeverity::Warning, "warning"),
        OverallHealth::Info => (InsightSeverity::Info, "neutral"),
        OverallHealth::Good => (InsightSeverity::Info, "success"),
    };
    let mut guidance = Guidance::new(&report.summary);
    for issue in &report.issues {
        guidance = guidance
            .insight(
                InsightKind::Maintenance,
                severity,
                &issue.code,
                format!("{} {}", issue.description, issue.suggested_fix),
            )
            .measured(
                format!("{} readings, {:.1} h", issue.occurrences, issue.hours),
                None,
            );
    }
    let critical = report.overall_health == OverallHealth::Critical;
    let priority = if critical {
        NextStepPriority::Urgent
    } else {
        NextStepPriority::Suggested
    };
    guidance
        .alert(critical.then(|| report.summary.clone()))
        .step(
            priority,
            "Check the device's health",
            "It tells what the codes cost.",
            (
                names::ANALYZE_INVERTER_HEALTH,
                json!({ "logger_id": id, "days": 7, "end_date": report.period.end }),
            ),
        )
        .show("data_table", "detailed", Some("overallHealth"), colours)
        .build()
}
