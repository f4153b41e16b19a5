//! `llm_tool`: the task and what earlier tasks found in; words out, as far as they name facts of
//! the material.

use agent_kit::facts::FactRegistry;
use serde_json::{Value, json};

use super::{Failure, Job, Outcome};
use crate::{plan::catalogue::LLM_TOOL, prompt};

const PROMPT: &str = include_str!("../../prompts/tool.md");

pub(super) async fn run(job: &mut Job<'_>) -> Outcome {
    let found: Vec<Value> = job
        .list
        .tasks
        .iter()
        .take_while(|(key, _)| **key != job.key)
        .filter_map(|(key, task)| Some(json!({ "task": key, "found": task.result.as_ref()? })))
        .collect();
    let task = job.task().description.clone();
    let request = job.list.rewritten_request.clone();
    let mut facts = FactRegistry::default();
    let found = facts.annotate(&Value::Array(found));
    let material =
        json!({ "task": task, "request": request, "found": found, "derived": facts.derived() });
    let asked = prompt::text(PROMPT, &material);
    let patience = job.step.settings().wording_timeout;
    let answer = job.step.node.ask(asked, patience).await;
    let answer = match answer {
        Some(text) => Ok(json!({ "text": facts.word(&text).text })),
        None => Err("There is no language model to do that.".to_owned()),
    };
    job.tell(LLM_TOOL, &json!({ "task": task }), &answer).await;
    match answer {
        Ok(result) => Outcome::success(&result, format!("{task}: done by the language model.")),
        Err(message) => Outcome::Failure(Failure {
            message,
            away: true,
        }),
    }
}
