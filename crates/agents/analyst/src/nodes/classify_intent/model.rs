//! A model says what a message is that no rule understands.

use contracts::{run::Source, todo::AskedClarification, tools::clarification::ClarificationAnswer};
use serde_json::{Map, Value, json};

use super::Sure;
use crate::{language::Reply, prompt, step::Step};

const PROMPT: &str = include_str!("../../../prompts/classify.md");

/// The model's reading of the message; `None` where there is none, or it is not possible.
pub(super) async fn decide(
    step: &Step,
    text: &str,
    asked: Option<&AskedClarification>,
    otherwise: &Reply,
) -> Option<(Reply, Sure)> {
    if !step.settings().model_routing || !step.node.has_model() {
        return None;
    }
    let work = &step.work;
    let routes = [
        "exact_answer",
        "modification",
        "new_request",
        "continue",
        "cancel",
        "analysis",
        "edit_query",
    ];
    let members = [
        ("route", json!({ "type": "string", "enum": routes })),
        ("confidence", json!({ "type": "number" })),
        (
            "option_ids",
            json!({ "type": "array", "items": { "type": "string" } }),
        ),
        ("addition", json!({ "type": "string" })),
    ];
    let material = json!({
        "message": text,
        "said_before": prompt::recent(&work.recalled.entries, &step.node.run().history),
        "request": work.plan.list.as_ref().map(|list| &list.rewritten_request),
        "open_question": asked.map(|asked| &asked.clarification),
        "earlier_results": work.recalled.newest_query.as_ref().map(|query| &query.summary),
    });
    let request = prompt::brief(PROMPT, "message", &members, &material);
    let answer = step
        .ask_object(request, step.settings().reading_timeout)
        .await?;
    let reply = reply(&answer, text, asked, otherwise)?;
    let possible = match &reply {
        Reply::Exact(_) | Reply::FreeAnswer(_) | Reply::NoneOfThem => asked.is_some(),
        Reply::Continue | Reply::Cancel | Reply::Modification { .. } => work.plan.list.is_some(),
        Reply::Analysis | Reply::Edit | Reply::Correct(_) => work.recalled.newest_query.is_some(),
        Reply::NewRequest { .. } | Reply::Unclear(_) => true,
    };
    let reply = if possible {
        reply
    } else {
        Reply::NewRequest {
            text: text.to_owned(),
        }
    };
    let confidence = answer.get("confidence").and_then(Value::as_f64);
    let sure = Sure {
        confidence: confidence.unwrap_or_default().clamp(0.0, 1.0),
        source: Source::Model,
    };
    Some((reply, sure))
}

fn reply(
    answer: &Map<String, Value>,
    text: &str,
    asked: Option<&AskedClarification>,
    otherwise: &Reply,
) -> Option<Reply> {
    let addition = answer
        .get("addition")
        .and_then(Value::as_str)
        .map(str::trim)
        .filter(|addition| !addition.is_empty())
        .unwrap_or(text);
    Some(match answer.get("route")?.as_str()? {
        "exact_answer" => match asked {
            Some(asked) => answered(answer, text, asked, otherwise),
            None => Reply::NewRequest {
                text: text.to_owned(),
            },
        },
        "modification" => Reply::Modification {
            answers: asked.map(|asked| chosen(answer, asked)).unwrap_or_default(),
            addition: addition.to_owned(),
        },
        "new_request" => Reply::NewRequest {
            text: text.to_owned(),
        },
        "continue" => Reply::Continue,
        "cancel" => Reply::Cancel,
        "analysis" => Reply::Analysis,
        "edit_query" => Reply::Edit,
        _ => return None,
    })
}

/// The options that the model means; where it means none that exist, the person's own words.
fn answered(
    answer: &Map<String, Value>,
    text: &str,
    asked: &AskedClarification,
    otherwise: &Reply,
) -> Reply {
    let answers = chosen(answer, asked);
    if !answers.is_empty() {
        return Reply::Exact(answers);
    }
    if let Reply::FreeAnswer(_) = otherwise {
        return otherwise.clone();
    }
    let first = asked.clarification.parts.first();
    Reply::FreeAnswer(
        first
            .map(|part| ClarificationAnswer {
                about: part.about.clone(),
                option_id: None,
                text: text.to_owned(),
            })
            .into_iter()
            .collect(),
    )
}

/// The options of these ids; what was not offered is not taken.
fn chosen(answer: &Map<String, Value>, asked: &AskedClarification) -> Vec<ClarificationAnswer> {
    let ids: Vec<&str> = answer
        .get("option_ids")
        .and_then(Value::as_array)
        .map(|ids| ids.iter().filter_map(Value::as_str).collect())
        .unwrap_or_default();
    let mut answers = Vec::new();
    for part in &asked.clarification.parts {
        for option in part
            .options
            .iter()
            .filter(|option| ids.contains(&&*option.id))
        {
            answers.push(ClarificationAnswer {
                about: part.about.clone(),
                option_id: Some(option.id.clone()),
                text: option.label.clone(),
            });
        }
    }
    answers
}
