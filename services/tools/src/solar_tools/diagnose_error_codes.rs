//! `diagnose_error_codes`: what the devices say themselves.

mod total;

use std::collections::HashMap;

use contracts::tools::{
    DiagnosticsReport, ErrorCodeIssue, ErrorCodesArguments, InsightKind, InsightSeverity,
    IssueSeverity, NextStepPriority, OverallHealth, ToolContext, ToolEnvelope, names,
};
use serde_json::json;
use solar::calendar::DaySpan;
use solar::errors::{Brand, Code, CodedRun, Issue, Severity, codes_in, diagnose, overall_severity};
use solar::health::Event;
use solar::series::epoch;
use solar::{Flag, Flags};
use sqlx::PgConnection;

use super::analyze_inverter_health::examination::{Asked, Neighbourhood, examine, parts};
use super::guidance::Guidance;
use super::subject::{Subject, period};
use super::subjects::{Selection, Subjects, again};
use super::window::Window;
use super::{SolarTools, wire};
use crate::error::Error;
use crate::store::codes::{self, CodeRun};

pub(super) async fn run(
    toolbox: &SolarTools,
    tenant: &str,
    arguments: ErrorCodesArguments,
) -> Result<ToolEnvelope<DiagnosticsReport>, Error> {
    let window = Window::of(arguments.days, arguments.start_date, arguments.end_date)?;
    let wanted = Selection::of(
        arguments.logger_id.as_ref(),
        arguments.logger_ids.as_ref(),
        arguments.site_id.as_ref(),
    )?;
    let mut conn = toolbox.kept.acquire().await?;
    let report = if let Selection::One(logger_id) = wanted {
        let subject = Subject::find(toolbox, &mut conn, tenant, logger_id).await?;
        let span = window.span(subject.newest_day, subject.logger.site.zone)?;
        if span.first > subject.available.end || span.last < subject.available.start {
            return Err(subject.nothing_in(period(span)));
        }
        let reports = diagnosed(toolbox, &mut conn, tenant, &[(&subject, span)]).await?;
        let report = reports.into_iter().next();
        report.ok_or_else(|| subject.nothing_in(period(span)))?
    } else {
        let subjects = Subjects::find(toolbox, &mut conn, tenant, wanted).await?;
        total::of(toolbox, &mut conn, tenant, subjects, window).await?
    };
    conn.keep();
    let context = guidance(&report);
    Ok(ToolEnvelope {
        context: Some(context),
        ..ToolEnvelope::ok(report)
    })
}

/// Each device's report, in the order given.
async fn diagnosed(
    toolbox: &SolarTools,
    conn: &mut PgConnection,
    tenant: &str,
    asked: &[Asked<'_>],
) -> Result<Vec<DiagnosticsReport>, Error> {
    let mut runs = coded_runs(conn, asked).await?;
    // Outages matter only where there is a code that they could explain.
    let with_codes: Vec<Asked<'_>> = asked
        .iter()
        .filter(|(subject, _)| runs.contains_key(&subject.logger.key))
        .copied()
        .collect();
    let mut outages: HashMap<i32, Vec<Event>> = HashMap::new();
    if !with_codes.is_empty() {
        let neighbourhood = Neighbourhood::of(conn, tenant, &with_codes).await?;
        for part in parts(&with_codes) {
            let examined = examine(conn, &neighbourhood, part).await?;
            for ((subject, _), examined) in part.iter().zip(examined) {
                if let Ok(examined) = examined {
                    outages.insert(subject.logger.key, examined.health.events);
                }
            }
        }
    }
    Ok(asked
        .iter()
        .map(|(subject, window)| {
            let logger = &subject.logger;
            let issues = diagnose(
                runs.remove(&logger.key).unwrap_or_default(),
                Brand::of_logger_type(&logger.logger_type),
                logger.calibration.step_hours,
                outages.get(&logger.key).map_or(&[][..], Vec::as_slice),
            );
            report(toolbox, subject, *window, &issues)
        })
        .collect())
}

/// The runs of error codes of several loggers, by key; loggers without any are left out.
pub(super) async fn coded_runs(
    conn: &mut PgConnection,
    asked: &[Asked<'_>],
) -> Result<HashMap<i32, Vec<CodedRun>>, Error> {
    let days: Vec<codes::Days> = asked
        .iter()
        .map(|(subject, span)| codes::Days {
            logger_key: subject.logger.key,
            zone: subject.logger.site.zone,
            span: *span,
        })
        .collect();
    let mut stored = codes::load(conn, &days).await?;
    let mut found = HashMap::new();
    for (subject, _) in asked {
        let logger = &subject.logger;
        let brand = Brand::of_logger_type(&logger.logger_type);
        let runs = stored.remove(&logger.key).unwrap_or_default().into_iter();
        let runs: Vec<CodedRun> = runs
            .map(|run| coded_run(&run, brand))
            .filter(|run| !run.codes.is_empty())
            .collect();
        if !runs.is_empty() {
            found.insert(logger.key, runs);
        }
    }
    Ok(found)
}

fn coded_run(run: &CodeRun, brand: Brand) -> CodedRun {
    let mut codes: Vec<Code> = run
        .codes
        .iter()
        .flat_map(|metadata| codes_in(metadata, brand))
        .collect();
    codes.sort_unstable();
    codes.dedup();
    CodedRun {
        first: epoch(run.first_at),
        last: epoch(run.last_at),
        readings: run.readings.unsigned_abs(),
        codes,
    }
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

/// Without irradiance it is not known whether a code overlaps an outage.
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
    let health = match &report.scope {
        None => json!({ "logger_id": id, "days": 7 }),
        Some(scope) => again(
            scope,
            &report.devices,
            |one| &one.logger_id,
            json!({ "days": 7 }),
        ),
    };
    let mut health = health;
    health["end_date"] = json!(report.period.end);
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
            (names::ANALYZE_INVERTER_HEALTH, health),
        )
        .show("data_table", "detailed", Some("overallHealth"), colours)
        .build()
}
