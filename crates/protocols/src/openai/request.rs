//! The bodies of `POST /v1/chat/completions` and `POST /v1/responses`, each read as a question to
//! an assistant.

use serde::Deserialize;
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use super::Refusal;

/// The highest temperature here; this protocol counts to 2.
const HIGHEST_TEMPERATURE: f32 = 1.0;

/// The body of `POST /v1/chat/completions`. Unknown members are ignored.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct ChatRequest {
    #[serde(default)]
    model: String,
    #[serde(default)]
    messages: Vec<Message>,
    #[serde(default)]
    stream: Option<bool>,
    #[serde(default)]
    stream_options: Option<StreamOptions>,
    #[serde(default)]
    temperature: Option<f32>,
    #[serde(default)]
    max_tokens: Option<u32>,
    #[serde(default)]
    max_completion_tokens: Option<u32>,
    #[serde(default)]
    n: Option<u32>,
    #[serde(default)]
    logprobs: Option<bool>,
    #[serde(default)]
    top_logprobs: Option<u32>,
    /// How an answer is to sound.
    #[serde(default)]
    audio: Option<Value>,
    #[serde(default)]
    response_format: Option<Value>,
    #[serde(default)]
    modalities: Option<Vec<String>>,
    #[serde(default)]
    tools: Option<Vec<Value>>,
    #[serde(default)]
    functions: Option<Vec<Value>>,
    #[serde(default)]
    metadata: Option<Map<String, Value>>,
}

/// The body of `POST /v1/responses`. Unknown members are ignored.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct ResponseRequest {
    #[serde(default)]
    model: String,
    #[serde(default)]
    input: Value,
    #[serde(default)]
    stream: Option<bool>,
    #[serde(default)]
    background: Option<bool>,
    #[serde(default)]
    previous_response_id: Option<String>,
    #[serde(default)]
    conversation: Option<Value>,
    #[serde(default)]
    temperature: Option<f32>,
    #[serde(default)]
    max_output_tokens: Option<u32>,
    #[serde(default)]
    text: Option<Value>,
    #[serde(default)]
    top_logprobs: Option<u32>,
    #[serde(default)]
    include: Option<Vec<String>>,
    #[serde(default)]
    tools: Option<Vec<Value>>,
    #[serde(default)]
    metadata: Option<Map<String, Value>>,
}

#[derive(Debug, Clone, Deserialize)]
struct Message {
    role: String,
    #[serde(default)]
    content: Value,
    /// An earlier answer that was spoken.
    #[serde(default)]
    audio: Option<Value>,
}

#[derive(Debug, Clone, Deserialize)]
struct StreamOptions {
    #[serde(default)]
    include_usage: Option<bool>,
}

/// A question to an assistant.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Question {
    /// The assistant.
    pub assistant: String,
    /// The words of the person.
    pub text: String,
    /// The conversation before, as the client has it: role and text.
    pub before: Vec<(String, String)>,
    /// The thread, when the client names one.
    pub thread: Option<String>,
    /// The response that it continues.
    pub previous_response: Option<String>,
    /// Whether the answer is a stream.
    pub stream: bool,
    /// Whether a stream ends with what it used.
    pub include_usage: bool,
    /// 0 to 1.
    pub temperature: Option<f32>,
    /// Maximum number of tokens that the model may write.
    pub max_tokens: Option<u32>,
}

impl ChatRequest {
    /// The question in it; refuses what no assistant can do.
    pub fn question(self) -> Result<Question, Refusal> {
        check_model(&self.model)?;
        check_tools(self.tools.as_deref())?;
        if self
            .functions
            .is_some_and(|functions| !functions.is_empty())
        {
            return Err(no_tools("functions"));
        }
        if self.n.is_some_and(|n| n != 1) {
            return Err(Refusal::unsupported(
                "n",
                "One answer is given: `n` must be 1.",
            ));
        }
        if self.logprobs == Some(true) {
            return Err(no_log_probabilities("logprobs"));
        }
        check_top_logprobs(self.top_logprobs)?;
        if self.audio.is_some() {
            return Err(Refusal::unsupported(
                "audio",
                "Answers are text; leave out `audio`.",
            ));
        }
        check_format("response_format", self.response_format.as_ref())?;
        if self
            .modalities
            .is_some_and(|kinds| kinds.iter().any(|kind| kind != "text"))
        {
            return Err(Refusal::unsupported("modalities", "Answers are text."));
        }
        let stream = self.stream.unwrap_or_default();
        let mut messages = Vec::with_capacity(self.messages.len());
        for (index, message) in self.messages.into_iter().enumerate() {
            let pointer = format!("messages[{index}].content");
            let text = plain_text(&message.content, &pointer)?;
            if message.audio.is_some() {
                let pointer = format!("messages[{index}].audio");
                let refused = "Assistants read text; send the transcript as `content`.";
                return Err(Refusal::unsupported(&pointer, refused));
            }
            messages.push((message.role, text));
        }
        let (before, text) = split(messages, "messages")?;
        Ok(Question {
            assistant: self.model,
            text,
            before,
            thread: thread_of(self.metadata.as_ref())?,
            previous_response: None,
            stream,
            include_usage: stream
                && self
                    .stream_options
                    .and_then(|options| options.include_usage)
                    == Some(true),
            temperature: temperature(self.temperature)?,
            max_tokens: match self.max_completion_tokens {
                Some(most) => max_tokens("max_completion_tokens", Some(most))?,
                None => max_tokens("max_tokens", self.max_tokens)?,
            },
        })
    }
}

impl ResponseRequest {
    /// The question in it; refuses what no assistant can do.
    pub fn question(self) -> Result<Question, Refusal> {
        check_model(&self.model)?;
        check_tools(self.tools.as_deref())?;
        if self.background == Some(true) {
            let message = "Responses are made at once; leave out `background`.";
            return Err(Refusal::unsupported("background", message));
        }
        check_top_logprobs(self.top_logprobs)?;
        let included = self.include.iter().flatten();
        if included.into_iter().any(|name| name.ends_with(".logprobs")) {
            return Err(no_log_probabilities("include"));
        }
        let format = self.text.as_ref().and_then(|text| text.get("format"));
        check_format("text.format", format)?;
        let (before, text) = match &self.input {
            Value::String(text) => (Vec::new(), text.clone()),
            Value::Array(items) => split(items_as_messages(items)?, "input")?,
            _ => {
                return Err(Refusal::invalid(
                    "input",
                    "`input` must be a text or a list.",
                ));
            }
        };
        if text.trim().is_empty() {
            return Err(Refusal::invalid("input", "The input has no text."));
        }
        let conversation = match &self.conversation {
            Some(Value::String(id)) => Some(id.clone()),
            Some(Value::Object(conversation)) => conversation
                .get("id")
                .and_then(Value::as_str)
                .map(str::to_owned),
            _ => None,
        };
        if conversation.is_some() && self.previous_response_id.is_some() {
            let message = "`previous_response_id` cannot be given together with `conversation`.";
            return Err(Refusal::invalid("previous_response_id", message));
        }
        Ok(Question {
            assistant: self.model,
            text,
            before,
            thread: match conversation {
                Some(id) => Some(id),
                None => thread_of(self.metadata.as_ref())?,
            },
            previous_response: self.previous_response_id,
            stream: self.stream.unwrap_or_default(),
            include_usage: true,
            temperature: temperature(self.temperature)?,
            max_tokens: max_tokens("max_output_tokens", self.max_output_tokens)?,
        })
    }
}

/// A key of a conversation as the client has it: the same for the same words, whatever the space
/// between them. Roles other than those of the two speakers are not part of it: instructions vary.
pub fn transcript<'a>(
    assistant: &str,
    messages: impl Iterator<Item = (&'a str, &'a str)>,
) -> Vec<u8> {
    let mut hash = Sha256::new();
    hash.update(assistant.as_bytes());
    for (role, text) in messages {
        if !matches!(role, "user" | "assistant") {
            continue;
        }
        hash.update([0]);
        hash.update(role.as_bytes());
        for word in text.split_whitespace() {
            hash.update([1]);
            hash.update(word.as_bytes());
        }
    }
    hash.finalize().to_vec()
}

/// The conversation before, and the newest words of the person.
fn split(
    mut messages: Vec<(String, String)>,
    param: &str,
) -> Result<(Vec<(String, String)>, String), Refusal> {
    // Instructions after the question do not make it another's turn.
    while messages
        .last()
        .is_some_and(|(role, _)| matches!(role.as_str(), "system" | "developer"))
    {
        messages.pop();
    }
    match messages.pop() {
        Some((role, text)) if role == "user" => {
            if text.trim().is_empty() {
                return Err(Refusal::invalid(param, "The last message has no text."));
            }
            Ok((messages, text))
        }
        Some((role, _)) => Err(Refusal::invalid(
            param,
            format!("The last message must have the role `user`, not `{role}`."),
        )),
        None => Err(Refusal::invalid(
            param,
            format!("`{param}` holds no message."),
        )),
    }
}

/// The text of a message: a string, or a list of parts of text.
fn plain_text(content: &Value, param: &str) -> Result<String, Refusal> {
    match content {
        Value::Null => Ok(String::new()),
        Value::String(text) => Ok(text.clone()),
        Value::Array(parts) => {
            let mut text = String::new();
            for part in parts {
                let kind = part.get("type").and_then(Value::as_str).unwrap_or("text");
                if !matches!(kind, "text" | "input_text" | "output_text" | "refusal") {
                    let message =
                        format!("Assistants read text; a part of type `{kind}` cannot be read.");
                    return Err(Refusal::unsupported(param, message));
                }
                if !text.is_empty() {
                    text.push('\n');
                }
                text.push_str(part.get("text").and_then(Value::as_str).unwrap_or_default());
            }
            Ok(text)
        }
        _ => Err(Refusal::invalid(
            param,
            "The content must be a text or a list of parts.",
        )),
    }
}

fn items_as_messages(items: &[Value]) -> Result<Vec<(String, String)>, Refusal> {
    let mut messages = Vec::with_capacity(items.len());
    for (index, item) in items.iter().enumerate() {
        let kind = item
            .get("type")
            .and_then(Value::as_str)
            .unwrap_or("message");
        match kind {
            "message" => {
                let role = item.get("role").and_then(Value::as_str).unwrap_or("user");
                let content = item.get("content").unwrap_or(&Value::Null);
                let text = plain_text(content, &format!("input[{index}].content"))?;
                messages.push((role.to_owned(), text));
            }
            "reasoning" => {}
            other => {
                let message = format!("An item of type `{other}` cannot be read; send messages.");
                return Err(Refusal::unsupported(&format!("input[{index}]"), message));
            }
        }
    }
    Ok(messages)
}

fn check_model(model: &str) -> Result<(), Refusal> {
    if model.is_empty() {
        let message = "`model` must name an assistant; GET /v1/models lists them.";
        return Err(Refusal::invalid("model", message));
    }
    Ok(())
}

fn check_tools(tools: Option<&[Value]>) -> Result<(), Refusal> {
    match tools {
        Some([_, ..]) => Err(no_tools("tools")),
        _ => Ok(()),
    }
}

fn no_tools(param: &str) -> Refusal {
    let message = format!(
        "Assistants call their own tools and cannot call the client's: send no `{param}`. To use Heliograph's tools from \
         your own model, connect to /mcp or call POST /api/tools/{{name}}."
    );
    Refusal::unsupported(param, message)
}

fn no_log_probabilities(param: &str) -> Refusal {
    let message = format!("Assistants give no log probabilities; leave out `{param}`.");
    Refusal::unsupported(param, message)
}

/// None are asked for by 0.
fn check_top_logprobs(count: Option<u32>) -> Result<(), Refusal> {
    match count {
        None | Some(0) => Ok(()),
        Some(_) => Err(no_log_probabilities("top_logprobs")),
    }
}

fn check_format(param: &str, format: Option<&Value>) -> Result<(), Refusal> {
    let kind = format
        .and_then(|format| format.get("type"))
        .and_then(Value::as_str);
    match kind {
        None | Some("text") => Ok(()),
        Some(kind) => {
            let message = format!("Answers are Markdown; the format `{kind}` cannot be given.");
            Err(Refusal::unsupported(param, message))
        }
    }
}

fn temperature(value: Option<f32>) -> Result<Option<f32>, Refusal> {
    match value {
        Some(value) if !(0.0..=2.0).contains(&value) => Err(Refusal::invalid(
            "temperature",
            format!("{value} is not from 0 to 2."),
        )),
        value => Ok(value.map(|value| value.min(HIGHEST_TEMPERATURE))),
    }
}

fn max_tokens(param: &str, value: Option<u32>) -> Result<Option<u32>, Refusal> {
    match value {
        Some(0) => Err(Refusal::invalid(param, "It must be at least 1.")),
        value => Ok(value),
    }
}

/// `metadata.thread_id`.
fn thread_of(metadata: Option<&Map<String, Value>>) -> Result<Option<String>, Refusal> {
    match metadata.and_then(|metadata| metadata.get("thread_id")) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(id)) => Ok(Some(id.clone())),
        Some(_) => Err(Refusal::invalid(
            "metadata.thread_id",
            "The id of a thread is a text.",
        )),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn chat(body: Value) -> Result<Question, Refusal> {
        serde_json::from_value::<ChatRequest>(body)
            .unwrap()
            .question()
    }

    fn response(body: Value) -> Result<Question, Refusal> {
        serde_json::from_value::<ResponseRequest>(body)
            .unwrap()
            .question()
    }

    #[test]
    fn the_last_message_is_the_question() {
        let question = chat(json!({
            "model": "site", "stream": true, "stream_options": { "include_usage": true }, "temperature": 1.7, "max_tokens": 9,
            "user": "someone", "metadata": { "thread_id": "t1" },
            "messages": [
                { "role": "system", "content": "Be brief." },
                { "role": "user", "content": "Hello" },
                { "role": "assistant", "content": "Hi." },
                { "role": "user", "content": [{ "type": "text", "text": "How is" }, { "type": "text", "text": "the site?" }] },
            ],
        }))
        .unwrap();
        assert_eq!(question.text, "How is\nthe site?");
        assert_eq!(question.before.len(), 3);
        assert!(question.stream && question.include_usage);
        assert_eq!(
            (question.temperature, question.max_tokens),
            (Some(1.0), Some(9))
        );
        assert_eq!(question.thread.as_deref(), Some("t1"));
    }

    #[test]
    fn what_no_assistant_can_do_is_refused_by_name() {
        let hello = json!([{ "role": "user", "content": "Hello" }]);
        let image = json!([{ "role": "user", "content": [{ "type": "image_url", "image_url": { "url": "x" } }] }]);
        for (body, param) in [
            (json!({ "messages": hello }), "model"),
            (json!({ "model": "site" }), "messages"),
            (
                json!({ "model": "site", "messages": [{ "role": "assistant", "content": "Hi" }] }),
                "messages",
            ),
            (
                json!({ "model": "site", "messages": image }),
                "messages[0].content",
            ),
            (
                json!({ "model": "site", "messages": hello, "tools": [{ "type": "function" }] }),
                "tools",
            ),
            (
                json!({ "model": "site", "messages": hello, "functions": [{}] }),
                "functions",
            ),
            (json!({ "model": "site", "messages": hello, "n": 2 }), "n"),
            (
                json!({ "model": "site", "messages": hello, "max_tokens": 0 }),
                "max_tokens",
            ),
            (
                json!({ "model": "site", "messages": hello, "max_completion_tokens": 0 }),
                "max_completion_tokens",
            ),
            (
                json!({ "model": "site", "messages": hello, "logprobs": true }),
                "logprobs",
            ),
            (
                json!({ "model": "site", "messages": hello, "top_logprobs": 3 }),
                "top_logprobs",
            ),
            (
                json!({ "model": "site", "messages": hello, "audio": { "voice": "alloy", "format": "wav" } }),
                "audio",
            ),
            (
                json!({ "model": "site", "messages": [{ "role": "assistant", "audio": { "id": "a" } }, hello[0]] }),
                "messages[0].audio",
            ),
            (
                json!({ "model": "site", "messages": hello, "temperature": 3 }),
                "temperature",
            ),
            (
                json!({ "model": "site", "messages": hello, "response_format": { "type": "json_object" } }),
                "response_format",
            ),
        ] {
            let refusal = chat(body).unwrap_err();
            assert_eq!(
                (refusal.status, refusal.param.as_deref()),
                (400, Some(param)),
                "{refusal:?}"
            );
        }
        let none = json!({ "model": "site", "messages": hello, "audio": null, "logprobs": false, "top_logprobs": 0, "tools": [], "tool_choice": "none", "response_format": { "type": "text" } });
        assert!(chat(none).is_ok());
    }

    #[test]
    fn a_response_takes_a_text_or_items() {
        let question = response(
            json!({ "model": "site", "input": "Hello", "previous_response_id": "resp_1" }),
        )
        .unwrap();
        assert_eq!(
            (
                question.text.as_str(),
                question.previous_response.as_deref()
            ),
            ("Hello", Some("resp_1"))
        );
        let items = json!([
            { "role": "user", "content": "Hello" },
            { "type": "message", "role": "assistant", "content": [{ "type": "output_text", "text": "Hi." }] },
            { "role": "user", "content": [{ "type": "input_text", "text": "How is it?" }] },
        ]);
        let question =
            response(json!({ "model": "site", "input": items, "conversation": { "id": "c1" } }))
                .unwrap();
        assert_eq!(
            question.before,
            [
                ("user".into(), "Hello".into()),
                ("assistant".into(), "Hi.".into())
            ]
        );
        assert_eq!(question.thread.as_deref(), Some("c1"));
        for (body, param) in [
            (
                json!({ "model": "site", "input": "Hi", "tools": [{ "type": "web_search" }] }),
                "tools",
            ),
            (
                json!({ "model": "site", "input": [{ "type": "function_call_output" }] }),
                "input[0]",
            ),
            (
                json!({ "model": "site", "input": "Hi", "background": true }),
                "background",
            ),
            (
                json!({ "model": "site", "input": "Hi", "previous_response_id": "r", "conversation": "c" }),
                "previous_response_id",
            ),
            (
                json!({ "model": "site", "input": "Hi", "top_logprobs": 2 }),
                "top_logprobs",
            ),
            (
                json!({ "model": "site", "input": "Hi", "include": ["message.output_text.logprobs"] }),
                "include",
            ),
            (json!({ "model": "site" }), "input"),
        ] {
            assert_eq!(response(body).unwrap_err().param.as_deref(), Some(param));
        }
    }

    #[test]
    fn a_transcript_depends_on_the_words_alone() {
        let key = |messages: &[(&'static str, &'static str)]| {
            transcript("site", messages.iter().copied())
        };
        let one = key(&[
            ("system", "x"),
            ("user", "Hello  there"),
            ("assistant", "Hi.\n"),
        ]);
        assert_eq!(one, key(&[("user", "Hello there"), ("assistant", "Hi.")]));
        assert_ne!(one, key(&[("user", "Hello there"), ("assistant", "Ho.")]));
        assert_ne!(
            one,
            key(&[("user", "Hello"), ("user", "there"), ("assistant", "Hi.")])
        );
        assert_ne!(
            one,
            transcript(
                "data",
                [("user", "Hello there"), ("assistant", "Hi.")].into_iter()
            )
        );
    }
}
