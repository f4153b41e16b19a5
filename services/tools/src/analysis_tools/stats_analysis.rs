//! `stats_analysis`: figures of measures, trends, correlations, groups.

mod comparisons;
mod correlations;
mod summaries;
mod trends;

pub(super) use comparisons::{restates, test};

use contracts::tools::ToolEnvelope;
use contracts::tools::analysis::{Analysis, StatsAnalysis, StatsAnalysisArguments};
use service_kit::identity::Identity;

use super::choice::Choice;
use super::subject::{self, Subject};
use super::{AnalysisTools, computed, take};
use crate::error::Error;

/// Maximum number of sentences in the summary.
const MOST_FINDINGS: usize = 10;
/// Number of measures whose groups are compared and trends are computed, unless measures are named.
const FIRST_MEASURES: usize = 3;

pub(super) async fn run(
    tools: &AnalysisTools,
    caller: &Identity,
    mut arguments: StatsAnalysisArguments,
) -> Result<ToolEnvelope<StatsAnalysis>, Error> {
    let rows = tools.rows(caller, take(&mut arguments.data)).await?;
    let result = computed(move || analyse(&arguments, rows)).await?;
    Ok(ToolEnvelope::ok(result))
}

/// Takes a while: not for threads that others wait for.
fn analyse(
    arguments: &StatsAnalysisArguments,
    rows: super::data::Rows,
) -> Result<StatsAnalysis, Error> {
    let subject = Subject::of(rows, arguments.time_zone.as_deref())?;
    let table = subject.table();
    let mut choice = Choice::new(&table, arguments.question.as_deref());
    let measures = choice.measures(&arguments.measures)?;
    let dates = choice.dates(
        arguments.time_field.as_deref(),
        subject.rows.date_field.as_deref(),
    );
    let groupings = choice.groupings(&arguments.group_by, comparisons::MOST_DEFAULT_GROUPS);
    let wants = |analysis: Analysis| {
        arguments.analyses.is_empty() || arguments.analyses.contains(&analysis)
    };
    let first = if arguments.measures.is_empty() {
        &measures[..measures.len().min(FIRST_MEASURES)]
    } else {
        &measures[..]
    };

    let mut notes = std::mem::take(&mut choice.notes);
    let summaries = if wants(Analysis::Summary) {
        summaries::of(&measures)
    } else {
        Vec::new()
    };
    let distributions = if wants(Analysis::Distribution) {
        summaries::distributions(&measures)
    } else {
        Vec::new()
    };
    let trends = match dates {
        Some(dates) if wants(Analysis::Trend) => {
            trends::of(first, dates, subject.zone, arguments.interval, &mut notes)
        }
        _ => Vec::new(),
    };
    let correlations = if wants(Analysis::Correlation) {
        correlations::of(&measures)
    } else {
        Vec::new()
    };
    let comparisons = if wants(Analysis::GroupComparison) {
        comparisons::of(first, &groupings, &mut notes)
    } else {
        Vec::new()
    };
    if !comparisons.is_empty() {
        notes.push(subject::INDEPENDENT.to_owned());
    }
    if measures.is_empty() {
        notes.push("These rows have no numbers to analyse.".to_owned());
    }

    // The first measure is what was asked for; then what differs, then what moves.
    let mut findings: Vec<String> = summaries
        .iter()
        .take(1)
        .map(|summary| summary.finding.clone())
        .collect();
    let differing = comparisons
        .iter()
        .filter(|comparison| comparisons::is_clear(comparison));
    findings.extend(
        differing
            .take(4)
            .map(|comparison| comparison.finding.clone()),
    );
    let moving = trends
        .iter()
        .filter(|trend| trend.direction != contracts::tools::Trend::Stable);
    findings.extend(moving.map(|trend| trend.finding.clone()));
    let together = correlations
        .iter()
        .filter(|correlation| correlation.p_adjusted < 0.05);
    findings.extend(
        together
            .take(2)
            .map(|correlation| correlation.finding.clone()),
    );
    findings.extend(
        summaries
            .iter()
            .skip(1)
            .map(|summary| summary.finding.clone()),
    );
    findings.truncate(MOST_FINDINGS);
    subject::notes(&subject, &mut notes);
    Ok(StatsAnalysis {
        data: subject.described(dates),
        summaries,
        distributions,
        trends,
        correlations,
        comparisons,
        findings,
        notes,
    })
}
