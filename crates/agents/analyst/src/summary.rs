//! Results in sentences and a picture, made of the rows, which go out beside them: the text names
//! the first of them, and shows one alone whole.

pub(crate) mod chart;
mod conditions;
mod groups;
pub(crate) mod left_out;
mod named;
pub(crate) mod phrases;
mod record;
pub(crate) mod ties;
mod values;

use std::fmt::Write;

use contracts::tools::search::{IndexDescription, QueryRun, ResultColumn, Total, TotalRelation};

use serde_json::Value;

use crate::words;
pub(crate) use conditions::adjective;
use conditions::{adjectives, conditions};

/// The column that says how many records a group has; of everything it is the total.
const COUNT: &str = "count";

/// Maximum number of findings of an analysis in the text.
const FINDINGS: usize = 8;

/// A value of a result as people read it.
pub(crate) fn value(run: &QueryRun, value: &Value, column: &str) -> String {
    let groups = run.structure.as_ref().map(|query| &query.group_by);
    let group = groups.and_then(|groups| groups.iter().find(|group| group.field == column));
    if let Some(group) = group.filter(|_| run.aggregated) {
        return named::of_group(group, value);
    }
    let column = run.columns.iter().find(|one| one.name == column);
    column.map_or_else(String::new, |column| values::with_unit(value, column))
}

/// What people call the records of an index, one and several.
pub(crate) fn nouns(index: Option<&IndexDescription>, name: &str) -> (String, String) {
    let nouns = index.map_or(&[][..], |index| &index.nouns);
    let singular = nouns.first().cloned();
    let plural = nouns.get(1).cloned();
    let plural = plural.or_else(|| singular.as_deref().map(plural_of));
    match (singular, plural) {
        (Some(singular), Some(plural)) => (singular, plural),
        _ if name.is_empty() => ("record".to_owned(), "records".to_owned()),
        _ => {
            let plural = words::label(name);
            let singular = plural.strip_suffix('s').unwrap_or(&plural).to_owned();
            (singular, plural)
        }
    }
}

/// The plural of a noun of which only one form is described.
fn plural_of(noun: &str) -> String {
    let before_y = noun.strip_suffix('y');
    let before_y = before_y.filter(|rest| !rest.ends_with(['a', 'e', 'i', 'o', 'u']));
    match before_y {
        _ if noun.ends_with('s') => noun.to_owned(),
        Some(rest) => format!("{rest}ies"),
        None if noun.ends_with("ch") || noun.ends_with("sh") || noun.ends_with('x') => {
            format!("{noun}es")
        }
        None => format!("{noun}s"),
    }
}

/// The result of a query, in sentences. A missing part is a note of its task.
pub(crate) fn of_run(run: &QueryRun, index: Option<&IndexDescription>) -> String {
    let nouns = nouns(index, run.index.as_deref().unwrap_or_default());
    if run.aggregated {
        of_groups(run, &nouns, index)
    } else {
        of_records(run, &nouns, index)
    }
}

fn of_records(
    run: &QueryRun,
    (singular, plural): &(String, String),
    index: Option<&IndexDescription>,
) -> String {
    let found = counted(run, singular, plural);
    let text = format!("Found {found}{}", asked(run, singular, index));
    match run.rows.as_slice() {
        [record] => format!("{text}.\n\n{}", record::lines(run, record)),
        _ => format!("{text}{}.", named::records(run)),
    }
}

fn of_groups(
    run: &QueryRun,
    (singular, plural): &(String, String),
    index: Option<&IndexDescription>,
) -> String {
    let over = counted(run, singular, plural);
    let groups = run
        .structure
        .as_ref()
        .map_or(0, |query| query.group_by.len());
    if let ([one], 0) = (run.rows.as_slice(), groups) {
        let figures: Vec<&ResultColumn> =
            run.columns.iter().filter(|is| is.name != COUNT).collect();
        if figures.is_empty() {
            let be = if over.starts_with("1 ") { "is" } else { "are" };
            return format!("There {be} {over}{}.", asked(run, singular, index));
        }
        let figures = figures.into_iter().filter_map(|column| {
            let value = one.get(&column.name)?;
            Some(format!(
                "{} {}",
                words::quantity(&column.label),
                values::with_unit(value, column)
            ))
        });
        let figures = words::capital(&words::list(figures));
        return format!("{figures}, over {over}{}.", asked(run, singular, index));
    }
    let groups = Total {
        value: run.rows.len() as u64,
        relation: TotalRelation::Eq,
    };
    let groups = words::counted(groups, "group", "groups");
    let text = format!("{groups} over {over}{}.", asked(run, singular, index));
    match run.rows.as_slice() {
        [group] => format!("{text}\n\n{}", record::lines(run, group)),
        _ => format!("{text}{}{}", groups::extremes(run), named::groups(run)),
    }
}

/// `142 late shipments`.
fn counted(run: &QueryRun, singular: &str, plural: &str) -> String {
    let which = run.structure.as_ref().map(adjectives).unwrap_or_default();
    words::counted(
        run.total,
        &format!("{which}{singular}"),
        &format!("{which}{plural}"),
    )
}

/// The conditions, behind the result.
fn asked(run: &QueryRun, noun: &str, index: Option<&IndexDescription>) -> String {
    match &run.structure {
        Some(query) => conditions(query, noun, index),
        None if run.summary.is_empty() => String::new(),
        None => format!(" ({})", run.summary.trim().trim_end_matches('.')),
    }
}

/// The sentence that nothing fits, and what could be changed about that.
pub(crate) fn of_nothing(
    run: &QueryRun,
    index: Option<&IndexDescription>,
    reach: Option<&str>,
) -> String {
    let (singular, plural) = nouns(index, run.index.as_deref().unwrap_or_default());
    let which = run.structure.as_ref().map(adjectives).unwrap_or_default();
    let mut text = format!(
        "I found no {which}{plural}{}.",
        asked(run, &singular, index)
    );
    match reach {
        Some(reach) => {
            let _ = write!(text, " {reach}");
        }
        None => text.push_str(" Try fewer conditions, or other days."),
    }
    text
}

/// The findings of an analysis: its sentences, and the number of records behind them.
pub(crate) fn of_findings(findings: &[String], records: u64, total: u64, request: &str) -> String {
    let mut text = if total > records {
        format!(
            "I looked at {} of the {} records of \u{201c}{request}\u{201d}.",
            words::whole(records),
            words::whole(total)
        )
    } else {
        format!(
            "I looked at all {} records of \u{201c}{request}\u{201d}.",
            words::whole(records)
        )
    };
    if findings.is_empty() {
        text.push_str(" Nothing stands out in them.");
        return text;
    }
    text.push('\n');
    for finding in findings.iter().take(FINDINGS) {
        let _ = write!(text, "\n- {finding}");
    }
    text
}

#[cfg(test)]
mod tests;
