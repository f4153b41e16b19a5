//! The request is made complete in itself: relative dates as days, what was left out taken from the
//! conversation. Rules write it; a model only where they leave something to do, and only as long as
//! it loses and adds nothing.

use std::sync::Arc;

use contracts::tools::{meanings::TermRole, search::SourceList};
use graph::NodeResult;
use serde_json::{Value, json};

use crate::{
    language::{self, Previous, Request},
    prompt,
    run::Context,
    state::{AnalystState, IntentRoute, Phase},
    step::Step,
};

const PROMPT: &str = include_str!("../../prompts/rewrite.md");

/// Words that represent something said before.
const PRONOUNS: [&str; 12] = [
    "it", "its", "they", "them", "their", "those", "these", "that", "this", "same", "there", "ones",
];

/// Completes the request.
pub(crate) async fn reiterate_intention(
    state: Arc<AnalystState>,
    context: Context,
) -> NodeResult<AnalystState> {
    let mut step = Step::new(&state, context);
    step.state.current_phase = Phase::Reiteration;
    let modified = step.state.intent.route == IntentRoute::Modification;
    let mut text = step.work.request.original.clone();
    if modified && !step.work.request.rewritten.is_empty() {
        text.clone_from(&step.work.request.rewritten);
    }
    let today = step.today(&text);
    let mentions = mentions(&step);
    // What gave way leaks nothing into what takes its place.
    let before = if modified || step.work.plan.gives_way.is_some() {
        None
    } else {
        before(&step)
    };
    let previous = before.as_deref().map(|request| Previous {
        request,
        mentions: &mentions,
        known: step
            .work
            .recalled
            .newest_query
            .as_ref()
            .is_some_and(|query| query.query_structure.is_some()),
    });
    let draft = language::rewrite(&text, previous, today);
    let draft = if draft.trim().is_empty() {
        text.clone()
    } else {
        draft
    };
    let rewritten = match by_model(&step, &text, &draft, before.as_deref()).await {
        Some(rewritten) => rewritten,
        None => draft,
    };
    step.state.intent.rewritten_question = Some(rewritten.clone());
    step.work.request.rewritten = rewritten;
    Ok(step.done())
}

/// The names that the newest request had.
fn mentions(step: &Step) -> Vec<String> {
    let resolved = step.state.resolution.resolved.values().flatten();
    resolved.map(|entity| entity.mention.clone()).collect()
}

/// The request before this one, for data.
fn before(step: &Step) -> Option<String> {
    let entries = step.work.recalled.entries.iter().rev();
    let mut for_data =
        entries.filter(|entry| entry.active_todo_list_snapshot["query_strategy"] != "analysis");
    for_data.find_map(|entry| entry.rewritten_question.clone())
}

/// The model's rewrite, where the draft has something left to be done, and it holds.
async fn by_model(step: &Step, text: &str, draft: &str, before: Option<&str>) -> Option<String> {
    if !step.settings().model_rewriting || !step.node.has_model() {
        return None;
    }
    let today = step.today(draft);
    let sources: Arc<SourceList> = step.sources();
    let read = language::read_request(draft, &sources, today);
    let refers = draft
        .split(|c: char| !c.is_alphanumeric())
        .any(|word| PRONOUNS.contains(&word.to_lowercase().as_str()));
    if !refers && read.leftover.iter().all(|left| left.name_like) {
        return None;
    }
    let said_before = prompt::recent(&step.work.recalled.entries, &step.node.run().history);
    let conversation = said_before.to_string();
    let material = json!({
        "message": text, "draft": draft, "today": today, "said_before": said_before,
    });
    let members = [("request", json!({ "type": "string" }))];
    let asked = prompt::object(PROMPT, "rewrite", &members, &material);
    let answer = step
        .ask_object(asked, step.settings().reading_timeout)
        .await?;
    let rewritten = answer.get("request").and_then(Value::as_str)?.trim();
    let mut names: Vec<&str> = read
        .entity_hints
        .iter()
        .map(|mention| mention.text.as_str())
        .collect();
    names.extend(
        read.leftover
            .iter()
            .filter(|left| left.name_like)
            .map(|left| left.words.as_str()),
    );
    let answers = &step.work.request.answers;
    names.extend(answers.iter().map(|answer| answer.text.as_str()));
    // Numbers and days of the conversation are not invented.
    let original = match before {
        Some(before) => format!("{draft} ({before})"),
        None => draft.to_owned(),
    };
    let after = language::read_request(rewritten, &sources, today);
    let earlier = before.map(|before| language::read_request(before, &sources, today));
    match language::check_rewrite(&original, rewritten, &names, &conversation, today) {
        Ok(()) if !has_conditions_of(&after, &read, earlier.as_ref()) => {
            tracing::warn!("the model's rewrite has other conditions, and is not taken");
            None
        }
        Ok(()) => Some(rewritten.to_owned()),
        Err(refused) => {
            tracing::warn!(%refused, "the model's rewrite is not taken");
            None
        }
    }
}

/// Whether a rewrite has the conditions of the draft, and no others but those of the request before
/// it.
fn has_conditions_of(after: &Request, draft: &Request, before: Option<&Request>) -> bool {
    let conditions = |request: &Request| {
        let filters = request.terms.iter();
        let filters = filters.filter(|term| term.role == TermRole::Filter);
        filters.cloned().collect::<Vec<_>>()
    };
    let days = |request: &Request| {
        let range = request.time_range.as_ref();
        range.map(|range| (range.start, range.end))
    };
    let (own, kept) = (conditions(draft), conditions(after));
    let allowed = before.map(conditions).unwrap_or_default();
    let adds = kept
        .iter()
        .any(|one| !own.contains(one) && !allowed.contains(one));
    let excluded = draft.negated.len();
    let excludes = match before {
        Some(_) => after.negated.len() >= excluded,
        None => after.negated.len() == excluded,
    };
    own.iter().all(|one| kept.contains(one))
        && !adds
        && excludes
        && (draft.limit.is_none() || after.limit == draft.limit)
        && (days(draft).is_none() || days(after) == days(draft))
}
