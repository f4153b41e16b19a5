//! A person sees the plan before it runs, and says whether it may.

use std::{fmt::Write, sync::Arc};

use agent_kit::approval::{CANCEL, CHANGE, PlanAnswer, RUN};
use contracts::{
    run::{Channel, RunEvent, Source},
    ui::{RequestUserSelection, SelectionOption},
};
use graph::NodeResult;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::{
    draft::Draft,
    prompt,
    run::Context,
    settings::{Approval, DataSettings},
    state::{DataState, Ending, Origin, Work},
};

const WHAT_ELSE: &str = "What should be different? Say it in your own words, or say \u{201c}run it\u{201d} or \u{201c}cancel\u{201d}.";

/// A plan that waits for a person's approval: the payload of the graph's interrupt, whose answer is
/// a [`PlanAnswer`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PlanPreview {
    /// The open call of `request_user_selection`.
    pub call_id: String,
    /// The question.
    pub question: String,
    /// The query, with logical table names.
    pub sql: String,
    /// The target that it would run on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// The tables that it reads.
    pub tables: Vec<String>,
    /// The joins of the plan.
    pub plan: Vec<String>,
    /// Maximum number of rows that it returns.
    pub max_rows: u32,
    /// The rows that the database expected to read for the query before this one, which was refused
    /// as too expensive.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub estimated_rows: Option<f64>,
    /// The person was asked what is to be different.
    #[serde(default)]
    pub asks_for_change: bool,
}

/// Whether a person has to be asked before this query runs.
pub(crate) fn is_needed(work: &Work, settings: &DataSettings) -> bool {
    let reads = if work.query.reads.is_empty() {
        work.plan.tables.len() + work.plan.bridges.len()
    } else {
        work.query.reads.len()
    };
    !work.review.approved
        && (work.asked.wants_approval
            || match settings.approval {
                Approval::Never => false,
                // A confirmed query was approved when it was confirmed; one that the person wrote
                // needs no approval.
                Approval::Always => !matches!(work.query.origin, Origin::Past | Origin::Person),
                Approval::Expensive => work.repair.narrowed || reads > settings.approval_tables,
            })
}

/// Shows the plan and waits.
pub(crate) async fn approve(state: Arc<DataState>, context: Context) -> NodeResult<DataState> {
    let mut draft = Draft::new(&state, context);
    let preview = preview(&draft, &state);
    let mut answer: PlanAnswer = match draft.node.context().interrupt("plan", &preview) {
        Ok(answer) => answer,
        Err(question) => {
            show(&draft, &preview).await;
            return Err(question);
        }
    };
    // Asked in words as long as nothing is said; each time is a question of its own.
    let mut round = 0;
    while answer == PlanAnswer::Change(String::new()) {
        round += 1;
        let asking = PlanPreview {
            asks_for_change: true,
            ..preview.clone()
        };
        let key = format!("change_{round}");
        answer = match draft.node.context().interrupt(&key, &asking) {
            Ok(answer) => answer,
            Err(question) => {
                routed(&draft).await;
                if round == 1 {
                    answered(&draft, &state, CHANGE).await;
                }
                draft.node.say_in_step(WHAT_ELSE).await;
                return Err(question);
            }
        };
    }
    routed(&draft).await;
    if round == 0 {
        let word = match &answer {
            PlanAnswer::Run => RUN,
            PlanAnswer::Cancel => CANCEL,
            PlanAnswer::Change(text) => text,
        };
        answered(&draft, &state, word).await;
    }
    match answer {
        PlanAnswer::Run => draft.work.review.approved = true,
        PlanAnswer::Cancel => draft.work.ending = Some(Ending::Declined),
        PlanAnswer::Change(text) => begin_again(&mut draft, text),
    }
    Ok(draft.done())
}

/// The question is answered again, as the person needs it.
fn begin_again(draft: &mut Draft, change: String) {
    draft.found.result = None;
    let work = &mut draft.work;
    work.review.change = Some(change);
    work.repair.iterations = 0;
    work.repair.corrections = 0;
    work.repair.attempts.clear();
    work.repair.trouble = None;
    work.repair.empty_once = false;
}

/// The next node.
pub(crate) fn after(state: &DataState) -> &'static str {
    let work = &state.work;
    if work.ending.is_some() {
        "finalize"
    } else if work.review.approved {
        "execute"
    } else {
        "select_tables"
    }
}

/// The id of the picker is the same each time that the node runs for this plan.
fn preview(draft: &Draft, state: &DataState) -> PlanPreview {
    let work = &draft.work;
    PlanPreview {
        call_id: state.work.review.plan_call.clone(),
        question: work.asked.question.clone(),
        sql: work.query.sql.clone().unwrap_or_default(),
        target: work.place.target.clone(),
        tables: if work.query.reads.is_empty() {
            work.plan
                .tables
                .iter()
                .chain(&work.plan.bridges)
                .cloned()
                .collect()
        } else {
            work.query.reads.clone()
        },
        plan: joins_used(work),
        max_rows: draft.limits().max_query_rows,
        estimated_rows: work.query.estimated_rows,
        asks_for_change: false,
    }
}

/// The joins of the plan that the query has: both tables and both columns of each are in it.
fn joins_used(work: &Work) -> Vec<String> {
    let sql = work.query.sql.as_deref().unwrap_or_default().to_lowercase();
    let said: Vec<&str> = sql
        .split(|c: char| !c.is_alphanumeric() && c != '_')
        .collect();
    let is_read = |table: &str| {
        work.query.reads.is_empty()
            || work
                .query
                .reads
                .iter()
                .any(|read| read.eq_ignore_ascii_case(table))
    };
    let is_said = |name: &str| said.contains(&&*name.to_lowercase());
    let used = work.plan.steps.iter().filter(|step| {
        let edge = &step.edge;
        let tables = [&edge.from_table, &edge.to_table];
        let columns = [&edge.from_column, &edge.to_column];
        tables.iter().all(|table| is_read(table) && is_said(table))
            && columns.iter().all(|column| is_said(column))
    });
    used.map(|step| prompt::told(&step.edge)).collect()
}

/// The plan in words, and the picker.
async fn show(draft: &Draft, preview: &PlanPreview) {
    draft.node.begin_step().await;
    draft.node.say(Channel::Final, &words(preview)).await;
    draft.node.end_step().await;
    let option = SelectionOption::described;
    let options = vec![
        option(RUN, "Run it", "As it stands"),
        option(CHANGE, "Change it", "Say what should be different"),
        option(CANCEL, "Cancel", "Nothing is run"),
    ];
    let picker = RequestUserSelection {
        context_message: Some(preview.sql.clone()),
        ..RequestUserSelection::one_of("Shall I run it?", options)
    };
    draft.node.begin_step().await;
    draft
        .node
        .open_picker(preview.call_id.clone(), &picker)
        .await;
    draft.node.end_step().await;
}

fn words(preview: &PlanPreview) -> String {
    let mut text = format!(
        "This is what I would run to answer \u{201c}{}\u{201d}. It reads {}",
        preview.question,
        preview.tables.join(", ")
    );
    if !preview.plan.is_empty() {
        let _ = write!(text, ", joined by {}", preview.plan.join(" and "));
    }
    let _ = write!(
        text,
        ", and brings at most {} rows.\n\n```sql\n{}\n```",
        preview.max_rows, preview.sql
    );
    if let Some(rows) = preview.estimated_rows {
        let _ = write!(
            text,
            "\n\nThe query before it was refused because the database expected to read about {rows:.0} rows."
        );
    }
    text
}

/// The turn that continues has a route as well.
async fn routed(draft: &Draft) {
    draft.node.route("sql", 1.0, Source::Rules).await;
}

/// The picker of the earlier message got its answer.
async fn answered(draft: &Draft, state: &DataState, selection: &str) {
    draft
        .node
        .emit(RunEvent::ToolAnswered {
            id: state.work.review.plan_call.clone(),
            output: json!({ "selection": selection }),
        })
        .await;
}
