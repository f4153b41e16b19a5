//! The request is made complete in itself: relative dates as days, what was left out taken from the conversation. Rules write it; a model
//! only where they leave something to do, and only as long as it loses and adds nothing.

use std::sync::Arc;

use contracts::tools::search::SourceList;
use graph::{Context, NodeResult};
use serde_json::{Value, json};

use crate::{
    language::{self, Previous},
    prompt,
    scene::Scene,
    state::{AnalystState, IntentRoute, Next, Phase},
};

const PROMPT: &str = include_str!("../../prompts/rewrite.md");

/// Words that stand for something said before.
const PRONOUNS: [&str; 12] = [
    "it", "its", "they", "them", "their", "those", "these", "that", "this", "same", "there", "ones",
];

/// Makes the request complete.
pub(crate) async fn reiterate_intention(
    state: Arc<AnalystState>,
    context: Context<AnalystState>,
) -> NodeResult<AnalystState> {
    let mut scene = Scene::new(&state, context)?;
    scene.state.current_phase = Phase::Reiteration;
    let modified = scene.state.intent.route == IntentRoute::Modification;
    let mut text = scene.state.work.request.original.clone();
    if modified && !scene.state.work.request.rewritten.is_empty() {
        text.clone_from(&scene.state.work.request.rewritten);
    }
    let today = scene.today(&text);
    let mentions = mentions(&scene);
    // What gave way leaks nothing into what takes its place.
    let before = if modified || scene.state.work.gives_way.is_some() {
        None
    } else {
        before(&scene)
    };
    let previous = before.as_deref().map(|request| Previous {
        request,
        mentions: &mentions,
    });
    let draft = language::rewrite(&text, previous, today);
    let draft = if draft.trim().is_empty() {
        text.clone()
    } else {
        draft
    };
    let rewritten = match by_model(&scene, &text, &draft, before.as_deref()).await {
        Some(rewritten) => rewritten,
        None => draft,
    };
    scene.state.intent.rewritten_question = Some(rewritten.clone());
    scene.state.work.request.rewritten = rewritten;
    Ok(scene.then(Next::Plan))
}

/// The names that the newest request had.
fn mentions(scene: &Scene) -> Vec<String> {
    let resolved = scene.state.resolution.resolved.values().flatten();
    resolved.map(|entity| entity.mention.clone()).collect()
}

/// The request before this one, for data.
fn before(scene: &Scene) -> Option<String> {
    let entries = scene.state.work.entries.iter().rev();
    let mut for_data =
        entries.filter(|entry| entry.active_todo_list_snapshot["query_strategy"] != "analysis");
    for_data.find_map(|entry| entry.rewritten_question.clone())
}

/// The model's rewrite, where the draft has something left to be done, and it holds.
async fn by_model(scene: &Scene, text: &str, draft: &str, before: Option<&str>) -> Option<String> {
    if !scene.options().model_rewriting || !scene.has_model() {
        return None;
    }
    let today = scene.today(draft);
    let sources: Arc<SourceList> = scene.sources();
    let read = language::read_request(draft, &sources, today);
    let refers = draft
        .split(|c: char| !c.is_alphanumeric())
        .any(|word| PRONOUNS.contains(&word.to_lowercase().as_str()));
    if !refers && read.leftover.iter().all(|left| left.name_like) {
        return None;
    }
    let material = json!({
        "message": text, "draft": draft, "today": today,
        "said_before": prompt::recent(&scene.state.work.entries, &scene.turn.history),
    });
    let members = [("request", json!({ "type": "string" }))];
    let asked = prompt::object(PROMPT, "rewrite", &members, &material);
    let answer = scene
        .ask_object(asked, scene.options().reading_timeout)
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
    let answers = &scene.state.work.request.answers;
    names.extend(answers.iter().map(|answer| answer.text.as_str()));
    // Numbers and days of the conversation are not invented.
    let original = match before {
        Some(before) => format!("{draft} ({before})"),
        None => draft.to_owned(),
    };
    match language::check_rewrite(&original, rewritten, &names, today) {
        Ok(()) => Some(rewritten.to_owned()),
        Err(refused) => {
            tracing::warn!(%refused, "the model's rewrite is not taken");
            None
        }
    }
}
