//! The body of a request for a run, read as a message to an assistant.

use contracts::named_events::MessageOptions;
use contracts::threads::Multitask;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::Mode;
use crate::elicitation;

/// The body of `POST /threads/{id}/runs`, `/runs/stream` and `/runs/wait`. Unknown members are
/// ignored.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct RunRequest {
    #[serde(default)]
    assistant_id: Option<String>,
    #[serde(default)]
    input: Value,
    #[serde(default)]
    command: Option<Map<String, Value>>,
    #[serde(default)]
    config: Option<Value>,
    #[serde(default)]
    context: Option<Value>,
    #[serde(default)]
    stream_mode: Option<OneOrMany>,
    #[serde(default)]
    multitask_strategy: Option<String>,
    #[serde(default)]
    if_not_exists: Option<String>,
    #[serde(default)]
    on_disconnect: Option<String>,
    #[serde(default)]
    on_completion: Option<String>,
    #[serde(default)]
    checkpoint: Option<Value>,
    #[serde(default)]
    checkpoint_id: Option<String>,
    #[serde(default)]
    interrupt_before: Option<Value>,
    #[serde(default)]
    interrupt_after: Option<Value>,
    #[serde(default)]
    webhook: Option<String>,
    #[serde(default)]
    after_seconds: Option<f64>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
enum OneOrMany {
    One(String),
    Many(Vec<String>),
}

/// A run that is wanted.
#[derive(Debug, Clone, Default, PartialEq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a member of the request"
)]
pub struct Wanted {
    /// The assistant.
    pub assistant: String,
    /// The words of the person.
    pub text: String,
    /// What to see of the run.
    pub modes: Vec<Mode>,
    /// The names of the modes, to follow the run in the same ones.
    pub mode_names: Vec<String>,
    /// What to do when the thread is busy.
    pub multitask: Multitask,
    /// Whether a run that is in the way is stopped.
    pub interrupts: bool,
    /// Whether a missing thread is made.
    pub creates_thread: bool,
    /// Whether the run stops when its reader goes away.
    pub stops_on_disconnect: bool,
    /// Whether a thread that was made for the run is kept.
    pub keeps_thread: bool,
    /// The checkpoint that the client takes for the newest.
    pub checkpoint: Option<String>,
    /// For the assistant.
    pub context: Option<Value>,
    /// Wishes for the model.
    pub options: MessageOptions,
}

/// A part of a request that is refused, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// A JSON pointer.
    pub pointer: &'static str,
    /// The reason.
    pub detail: String,
}

impl RunRequest {
    /// The run in it; refuses what no assistant can do.
    pub fn wanted(self) -> Result<Wanted, Refused> {
        self.check_unsupported()?;
        let assistant = self.assistant_id.filter(|name| !name.is_empty());
        let assistant =
            assistant.ok_or_else(|| refused("/assistant_id", "must name an assistant"))?;
        let text = match &self.command {
            Some(command) => resumed(command)?,
            None => question(&self.input).ok_or_else(|| {
                refused(
                    "/input",
                    "must hold `messages` that end with one of a person",
                )
            })?,
        };
        let mode_names = match self.stream_mode {
            None => vec!["values".to_owned()],
            Some(OneOrMany::One(mode)) => vec![mode],
            Some(OneOrMany::Many(modes)) => modes,
        };
        let known = |name: &String| {
            Mode::named(name)
                .ok_or_else(|| refused("/stream_mode", format!("there is no mode `{name}`")))
        };
        let modes = mode_names
            .iter()
            .map(known)
            .collect::<Result<Vec<Mode>, Refused>>()?;
        let (multitask, interrupts) = match self.multitask_strategy.as_deref() {
            Some("reject") => (Multitask::Reject, false),
            None | Some("enqueue") => (Multitask::Enqueue, false),
            Some("interrupt") => (Multitask::Enqueue, true),
            Some(other) => {
                let detail =
                    format!("`{other}` cannot be done: it must be reject, enqueue or interrupt");
                return Err(refused("/multitask_strategy", detail));
            }
        };
        let configurable = self
            .config
            .as_ref()
            .and_then(|config| config.get("configurable"));
        let named = self
            .checkpoint
            .as_ref()
            .and_then(|checkpoint| checkpoint.get("checkpoint_id"));
        let named = named.and_then(Value::as_str).map(str::to_owned);
        Ok(Wanted {
            assistant,
            text,
            modes,
            mode_names,
            multitask,
            interrupts,
            creates_thread: self.if_not_exists.as_deref() == Some("create"),
            stops_on_disconnect: self.on_disconnect.as_deref() == Some("cancel"),
            keeps_thread: self.on_completion.as_deref() == Some("keep"),
            checkpoint: self.checkpoint_id.or(named),
            context: self.context.filter(|context| !context.is_null()),
            options: options(configurable),
        })
    }

    fn check_unsupported(&self) -> Result<(), Refused> {
        let is_set = |value: &Option<Value>| match value {
            None | Some(Value::Null) => false,
            Some(Value::Array(nodes)) => !nodes.is_empty(),
            Some(_) => true,
        };
        if is_set(&self.interrupt_before) || is_set(&self.interrupt_after) {
            let detail =
                "an assistant asks when it needs an answer and cannot be interrupted at a node";
            return Err(refused("/interrupt_before", detail));
        }
        if self.webhook.is_some() {
            return Err(refused(
                "/webhook",
                "no webhook is called; join the run instead",
            ));
        }
        if self.after_seconds.is_some_and(|seconds| seconds > 0.0) {
            return Err(refused("/after_seconds", "a run begins at once"));
        }
        Ok(())
    }
}

/// The words that a resume command amounts to.
fn resumed(command: &Map<String, Value>) -> Result<String, Refused> {
    for other in ["goto", "update"] {
        if command.get(other).is_some_and(|value| !value.is_null()) {
            let detail = format!("`{other}` cannot be done: only `resume` answers an assistant");
            return Err(refused("/command", detail));
        }
    }
    let resume = command.get("resume").unwrap_or(&Value::Null);
    let selection = match resume {
        // The answers by the ids of the questions; one is open at a time.
        Value::Object(answers) if !answers.contains_key("selection") => {
            answers.values().next().cloned().unwrap_or_default()
        }
        Value::Object(answer) => answer["selection"].clone(),
        other => other.clone(),
    };
    elicitation::message(&serde_json::json!({ "selection": selection })).ok_or_else(|| {
        refused(
            "/command/resume",
            "must be the chosen value, or a list of them",
        )
    })
}

/// The newest words of the person in an input.
fn question(input: &Value) -> Option<String> {
    let messages = match input {
        Value::String(text) => return Some(text.clone()),
        Value::Array(messages) => messages.as_slice(),
        Value::Object(input) => match input.get("messages")? {
            Value::Array(messages) => messages.as_slice(),
            Value::String(text) => return Some(text.clone()),
            one => std::slice::from_ref(one),
        },
        _ => return None,
    };
    let last = messages.last()?;
    if let Value::String(text) = last {
        return Some(text.clone());
    }
    // `["human", "text"]` is a message, too.
    if let Value::Array(pair) = last {
        return Some(pair.get(1)?.as_str()?.to_owned());
    }
    let role = last.get("type").or_else(|| last.get("role"))?.as_str()?;
    if !matches!(
        role,
        "human" | "user" | "HumanMessage" | "HumanMessageChunk"
    ) {
        return None;
    }
    match last.get("content")? {
        Value::String(text) => Some(text.clone()),
        Value::Array(parts) => {
            let texts = parts.iter().filter_map(|part| part.get("text")?.as_str());
            Some(texts.collect::<Vec<_>>().join("\n"))
        }
        _ => None,
    }
}

fn options(configurable: Option<&Value>) -> MessageOptions {
    let Some(configurable) = configurable else {
        return MessageOptions::default();
    };
    serde_json::from_value(configurable.clone()).unwrap_or_default()
}

fn refused(pointer: &'static str, detail: impl Into<String>) -> Refused {
    Refused {
        pointer,
        detail: detail.into(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn wanted(body: Value) -> Result<Wanted, Refused> {
        serde_json::from_value::<RunRequest>(body).unwrap().wanted()
    }

    #[test]
    fn the_last_message_of_the_person_is_the_question() {
        for input in [
            json!({ "messages": [{ "role": "user", "content": "Hello" }] }),
            json!({ "messages": [{ "type": "human", "content": [{ "type": "text", "text": "Hello" }] }] }),
            json!({ "messages": ["Hello"] }),
            json!({ "messages": [["human", "Hello"]] }),
            json!("Hello"),
        ] {
            let run = wanted(json!({ "assistant_id": "site", "input": input })).unwrap();
            assert_eq!(
                (run.text.as_str(), &*run.modes),
                ("Hello", &[Mode::Values][..])
            );
        }
    }

    #[test]
    fn a_resume_is_a_selection() {
        for resume in [
            json!("INV-1"),
            json!({ "selection": "INV-1" }),
            json!({ "call_1": "INV-1" }),
            json!(["INV-1"]),
        ] {
            let run =
                wanted(json!({ "assistant_id": "site", "command": { "resume": resume } })).unwrap();
            assert_eq!(run.text, "Selected: INV-1");
        }
    }

    #[test]
    fn what_no_assistant_can_do_is_refused() {
        let input = json!("Hello");
        for (body, pointer) in [
            (json!({ "input": input }), "/assistant_id"),
            (json!({ "assistant_id": "site" }), "/input"),
            (
                json!({ "assistant_id": "site", "input": { "messages": [{ "type": "ai", "content": "Hi" }] } }),
                "/input",
            ),
            (
                json!({ "assistant_id": "site", "input": input, "stream_mode": ["values", "odd"] }),
                "/stream_mode",
            ),
            (
                json!({ "assistant_id": "site", "input": input, "multitask_strategy": "rollback" }),
                "/multitask_strategy",
            ),
            (
                json!({ "assistant_id": "site", "input": input, "interrupt_before": ["x"] }),
                "/interrupt_before",
            ),
            (
                json!({ "assistant_id": "site", "input": input, "webhook": "https://example.org" }),
                "/webhook",
            ),
            (
                json!({ "assistant_id": "site", "command": { "goto": "x" } }),
                "/command",
            ),
            (
                json!({ "assistant_id": "site", "command": { "resume": null } }),
                "/command/resume",
            ),
        ] {
            assert_eq!(wanted(body).unwrap_err().pointer, pointer);
        }
    }
}
