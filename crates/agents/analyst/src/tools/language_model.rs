//! `llm_tool`: the task and what earlier tasks found in; words out, as far as their figures are
//! those of the material.

use agent_kit::{figures::Known, prose};
use chrono::Datelike;
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
    let material = json!({ "task": task, "request": request, "found": found });
    let asked = prompt::text(PROMPT, &material);
    let patience = job.step.settings().wording_timeout;
    let answer = job.step.node.ask(asked, patience).await;
    let answer = match answer {
        Some(text) => {
            let mut known = Known::of(&material);
            known.learn_text(&request, job.step.run().began_at().year());
            let held = prose::sentences(&text);
            let held = held
                .into_iter()
                .take_while(|sentence| prose::supported(sentence, &known));
            Ok(json!({ "text": held.collect::<Vec<_>>().join(" ") }))
        }
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
