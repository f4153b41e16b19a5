//! The router's second tier: a model says which workflow a message asks for, when no rule is sure.

use agent_kit::{PastMessage, PastRole, Unusable, warn_once};
use chrono::NaiveDate;
use llm::{AnswerSize, ChatRequest, Message, ResponseFormat};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Site, prompt};
use crate::{
    language::{Classification, Flow, Horizon, LoggerMention, extract},
    run::{Node, site},
    state::SiteState,
};

/// Messages before the one in question that the model gets, and how much of each.
const RECENT: usize = 4;
const RECENT_CHARS: usize = 200;

/// Maximum number of devices that one message names.
const MOST_DEVICES: usize = 12;

/// The model's reading of the message.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Routed {
    pub(crate) found: Classification,
    /// Devices and days that the message means and does not spell out, as a person would have spelt
    /// them out. They are read and checked like the message itself.
    pub(crate) slots: String,
}

#[derive(Debug, Deserialize)]
struct ModelRoute {
    flow: Flow,
    confidence: f64,
    #[serde(default)]
    logger_ids: Vec<String>,
    #[serde(default)]
    start_date: Option<NaiveDate>,
    #[serde(default)]
    end_date: Option<NaiveDate>,
}

/// Asks the model; `None` when it cannot be had, or says nothing that can be used.
pub(crate) async fn route(
    node: &Node,
    state: &SiteState,
    text: &str,
    recent: &[PastMessage],
) -> Option<Routed> {
    let run = node.run();
    let settings = &run.assistant.settings;
    if !settings.routing {
        return None;
    }
    run.model()?;
    let site = site(run, state).await;
    let request = request(site, text, recent);
    node.hint("Working out what you need").await;
    let answer = node.ask(request, settings.routing_timeout).await?;
    let routed = read(&answer).map(|answer| checked(&answer, text, site));
    if routed.is_none() {
        tracing::warn!("the model's classification cannot be read");
        warn_once(node, Unusable::classification(&answer)).await;
    }
    routed
}

fn request(site: &Site, text: &str, recent: &[PastMessage]) -> ChatRequest {
    let recent: Vec<_> = recent[recent.len().saturating_sub(RECENT)..]
        .iter()
        .map(|past| {
            let role = match past.role {
                PastRole::User => "user",
                PastRole::Assistant => "assistant",
            };
            json!({ "role": role, "text": past.text.chars().take(RECENT_CHARS).collect::<String>() })
        })
        .collect();
    let question = json!({ "recent": recent, "message": text }).to_string();
    ChatRequest {
        system: Some(prompt::classify(site).into()),
        messages: [Message::user(question)].into(),
        response: ResponseFormat::Json {
            name: "classification".to_owned(),
            schema: schema(),
        },
        size: AnswerSize::Brief,
        ..ChatRequest::default()
    }
}

/// Every member is required, as some providers demand; what is not known is empty or null.
fn schema() -> Value {
    let flows: Vec<_> = Flow::ALL
        .into_iter()
        .filter(|flow| *flow != Flow::Greeting)
        .map(Flow::as_str)
        .collect();
    json!({
        "type": "object",
        "properties": {
            "flow": { "type": "string", "enum": flows },
            "confidence": { "type": "number" },
            "logger_ids": { "type": "array", "items": { "type": "string" } },
            "start_date": { "type": ["string", "null"] },
            "end_date": { "type": ["string", "null"] },
        },
        "required": ["flow", "confidence", "logger_ids", "start_date", "end_date"],
        "additionalProperties": false,
    })
}

/// The object in the answer; small models put words or a fence around it.
fn read(text: &str) -> Option<ModelRoute> {
    let (start, end) = (text.find('{')?, text.rfind('}')?);
    let answer: ModelRoute = serde_json::from_str(text.get(start..=end)?).ok()?;
    let usable = (0.0..=1.0).contains(&answer.confidence) && answer.flow != Flow::Greeting;
    usable.then_some(answer)
}

/// The well-formed slots, without those that the message names in words that the rules understand.
fn checked(answer: &ModelRoute, text: &str, site: &Site) -> Routed {
    let horizon = Horizon {
        loggers: &site.loggers,
        anchor: site.newest.unwrap_or(site.today),
        today: site.today,
    };
    let words = extract(text, &horizon);
    let mut slots = Vec::new();
    if words.loggers == LoggerMention::None {
        let known = |id: &&String| {
            site.loggers
                .iter()
                .any(|logger| logger.logger_id == id.as_str())
        };
        slots.extend(
            answer
                .logger_ids
                .iter()
                .filter(known)
                .take(MOST_DEVICES)
                .cloned(),
        );
    }
    if words.when.is_none() && words.days_ahead.is_none() {
        match (answer.start_date, answer.end_date) {
            (Some(start), Some(end)) if start < end => {
                slots.push(format!("from {start} to {end}"));
            }
            (Some(day), _) | (None, Some(day)) => slots.push(format!("on {day}")),
            (None, None) => {}
        }
    }
    Routed {
        found: Classification {
            flow: answer.flow,
            confidence: answer.confidence,
        },
        slots: slots.join(", "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_whole_and_sensible_answer_is_read() {
        let good = r#"```json {"flow": "health_check", "confidence": 0.9, "logger_ids": [], "start_date": null, "end_date": null} ```"#;
        assert_eq!(read(good).unwrap().flow, Flow::HealthCheck);
        for bad in [
            "",
            "health_check",
            r#"{"flow": "health_check"}"#,
            r#"{"flow": "dance", "confidence": 0.9}"#,
            r#"{"flow": "health_check", "confidence": 7}"#,
            r#"{"flow": "greeting", "confidence": 1}"#,
            r#"{"flow": "health_check", "confidence": 0.9, "start_date": "soon"}"#,
            "}{",
        ] {
            assert!(read(bad).is_none(), "{bad}");
        }
    }
}
