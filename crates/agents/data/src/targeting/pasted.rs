//! The target of a query that the person pasted: the one that has its tables. The guard of each
//! target decides.

use std::fmt::Write as _;

use contracts::tools::sql::{CheckSqlArguments, SqlCheck, SqlFinding, names};
use futures::future::join_all;

use super::{Seen, option, take};
use crate::{
    draft::{CallFailed, Draft},
    nodes::choose_target::TargetOption,
    state::Ending,
};

/// The kind of the finding for a table that a target does not have.
const UNKNOWN_TABLE: &str = "unknown_table";

/// Targets and tables that are named in a refusal.
const NAMED: usize = 3;

/// A target's findings about the query.
#[derive(Debug, Clone)]
struct Verdict {
    target: String,
    valid: bool,
    findings: Vec<SqlFinding>,
}

impl Verdict {
    /// The tables of the query that the target does not have.
    fn lacks(&self) -> impl Iterator<Item = &SqlFinding> {
        let findings = self.findings.iter();
        findings.filter(|finding| finding.kind == UNKNOWN_TABLE)
    }

    fn lacks_table(&self, name: &str) -> bool {
        self.lacks()
            .filter_map(|finding| finding.name.as_deref())
            .any(|lacking| lacking.eq_ignore_ascii_case(name))
    }
}

/// Keeps the target that the query is for. Returns the targets to choose among if it would run on
/// several; the work holds its refusal if it would run on none and no single target can report the
/// fault.
pub(super) async fn choose(
    draft: &mut Draft,
    all: Vec<Seen>,
    sql: &str,
    of_thread: Option<&str>,
) -> Result<Vec<TargetOption>, CallFailed> {
    let draft_now = &*draft;
    let checks = all.iter().map(|seen| async move {
        let arguments = CheckSqlArguments {
            target: Some(seen.tables.target.clone()),
            sql: sql.to_owned(),
        };
        let check: SqlCheck = draft_now
            .look_up_quietly(names::CHECK_SQL, &arguments)
            .await
            .ok()?;
        Some(Verdict {
            target: seen.tables.target.clone(),
            valid: check.valid,
            findings: check.findings,
        })
    });
    let verdicts: Vec<Verdict> = join_all(checks).await.into_iter().flatten().collect();
    let valid: Vec<&Verdict> = verdicts.iter().filter(|verdict| verdict.valid).collect();
    let is_thread = |verdict: &&&Verdict| Some(&*verdict.target) == of_thread;
    let complete = || {
        verdicts
            .iter()
            .filter(|verdict| verdict.lacks().count() == 0)
    };
    let mut choices = Vec::new();
    let chosen = match (valid.as_slice(), valid.iter().find(is_thread)) {
        ([only], _) | (_, Some(only)) => Some(&only.target),
        ([first, ..], None) => {
            choices = all
                .iter()
                .filter(|seen| valid.iter().any(|it| it.target == seen.tables.target))
                .map(option)
                .collect();
            Some(&first.target)
        }
        ([], _) => {
            let has_all: Vec<&Verdict> = complete().collect();
            // A single target that has the tables reports the fault itself.
            let tells = match has_all.as_slice() {
                [only] => Some(*only),
                _ => None,
            };
            if tells.is_none() {
                draft.work.ending = Some(Ending::NotAccepted(refused(&verdicts)));
            }
            tells
                .or_else(|| verdicts.first())
                .map(|verdict| &verdict.target)
        }
    };
    let name = match chosen {
        Some(name) => name.clone(),
        None => all[0].tables.target.clone(),
    };
    take(draft, all, &name, sql).await?;
    Ok(choices)
}

/// Why no target takes the query.
fn refused(verdicts: &[Verdict]) -> String {
    let has_all: Vec<&Verdict> = verdicts
        .iter()
        .filter(|verdict| verdict.lacks().count() == 0)
        .collect();
    if !has_all.is_empty() {
        return told_by(&has_all);
    }
    let mut nowhere: Vec<&str> = Vec::new();
    for name in lacking(verdicts) {
        let is_new = !nowhere.iter().any(|known| known.eq_ignore_ascii_case(name));
        if is_new && verdicts.iter().all(|verdict| verdict.lacks_table(name)) {
            nowhere.push(name);
        }
    }
    if let [first, ..] = nowhere.as_slice() {
        let mut text = format!(
            "No database has a table \u{201c}{first}\u{201d} that you may see.{}",
            near(verdicts, first)
        );
        if let [_, second, ..] = nowhere.as_slice() {
            // Writing to a string cannot fail.
            _ = write!(text, " The same goes for \u{201c}{second}\u{201d}.");
        }
        return text;
    }
    let mut fewest: Vec<&Verdict> = verdicts.iter().collect();
    fewest.sort_by_key(|verdict| verdict.lacks().count());
    let lists: Vec<String> = fewest.into_iter().take(NAMED).map(lacks_told).collect();
    format!(
        "A query reads one database, and none has all of its tables: {}.",
        lists.join("; ")
    )
}

/// The messages of the targets that have the tables; once if they are the same.
fn told_by(verdicts: &[&Verdict]) -> String {
    let said = |verdict: &Verdict| {
        let mut told: Vec<&str> = Vec::new();
        for finding in &verdict.findings {
            if !told.contains(&&*finding.person) {
                told.push(&finding.person);
            }
        }
        told.join(" ")
    };
    let first = verdicts.first().map(|verdict| said(verdict));
    let first = first.unwrap_or_default();
    if verdicts.iter().all(|verdict| said(verdict) == first) {
        return first;
    }
    let each = verdicts
        .iter()
        .take(NAMED)
        .map(|verdict| format!("In \u{201c}{}\u{201d}: {}", verdict.target, said(verdict)));
    each.collect::<Vec<_>>().join(" ")
}

fn lacking(verdicts: &[Verdict]) -> impl Iterator<Item = &str> {
    let findings = verdicts.iter().flat_map(Verdict::lacks);
    findings.filter_map(|finding| finding.name.as_deref())
}

/// "“erp” has no table “contact”"
fn lacks_told(verdict: &Verdict) -> String {
    let mut names: Vec<String> = Vec::new();
    for finding in verdict.lacks() {
        let name = finding.name.as_deref().unwrap_or("that it names");
        let quoted = format!("\u{201c}{name}\u{201d}");
        if !names.contains(&quoted) {
            names.push(quoted);
        }
    }
    format!(
        "\u{201c}{}\u{201d} has no table {}",
        verdict.target,
        names.join(", ")
    )
}

/// The tables of the targets whose names are near to this one.
fn near(verdicts: &[Verdict], name: &str) -> String {
    let mut near: Vec<String> = Vec::new();
    for verdict in verdicts {
        let own = verdict.lacks().filter(|finding| {
            let lacking = finding.name.as_deref();
            lacking.is_some_and(|lacking| lacking.eq_ignore_ascii_case(name))
        });
        for table in own.flat_map(|finding| &finding.tables).take(1) {
            near.push(format!("{table} in \u{201c}{}\u{201d}", verdict.target));
        }
    }
    near.truncate(NAMED);
    if near.is_empty() {
        return String::new();
    }
    format!(" Near to it: {}.", near.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(target: &str, lacks: &[(&str, &[&str])]) -> Verdict {
        let finding = |(name, near): &(&str, &[&str])| SqlFinding {
            kind: UNKNOWN_TABLE.to_owned(),
            message: String::new(),
            person: format!("There is no table \u{201c}{name}\u{201d} that you may see."),
            name: Some((*name).to_owned()),
            tables: near.iter().map(|near| (*near).to_owned()).collect(),
        };
        Verdict {
            target: target.to_owned(),
            valid: false,
            findings: lacks.iter().map(finding).collect(),
        }
    }

    #[test]
    fn what_no_database_takes_is_told_with_the_nearest() {
        let nowhere = [
            verdict("erp", &[("invoices", &["invoice"])]),
            verdict("crm", &[("INVOICES", &[])]),
        ];
        assert_eq!(
            refused(&nowhere),
            "No database has a table \u{201c}invoices\u{201d} that you may see. Near to it: invoice in \u{201c}erp\u{201d}."
        );
        let apart = [
            verdict("erp", &[("contact", &[])]),
            verdict("plant", &[("contact", &[]), ("invoice", &[])]),
            verdict("crm", &[("invoice", &[])]),
        ];
        assert_eq!(
            refused(&apart),
            "A query reads one database, and none has all of its tables: \u{201c}erp\u{201d} has no table \u{201c}contact\u{201d}; \
             \u{201c}crm\u{201d} has no table \u{201c}invoice\u{201d}; \u{201c}plant\u{201d} has no table \u{201c}contact\u{201d}, \u{201c}invoice\u{201d}."
        );
        let column = |target: &str, told: &str| Verdict {
            findings: vec![SqlFinding {
                kind: "unknown_column".to_owned(),
                person: told.to_owned(),
                ..verdict("", &[("x", &[])]).findings.remove(0)
            }],
            ..verdict(target, &[])
        };
        assert_eq!(
            refused(&[
                column("erp", "No wage."),
                column("crm", "No wage."),
                nowhere[0].clone()
            ]),
            "No wage."
        );
        assert_eq!(
            refused(&[column("erp", "No wage."), column("crm", "No pay.")]),
            "In \u{201c}erp\u{201d}: No wage. In \u{201c}crm\u{201d}: No pay."
        );
    }
}
