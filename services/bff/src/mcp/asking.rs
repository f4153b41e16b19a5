//! Assistants as tools: `ask_site` and so on. What an assistant asks back goes to the person
//! through the client, where the client can do that; otherwise it is part of the answer.

use contracts::assistants::AssistantDescription;
use contracts::named_events::PostMessage;
use contracts::run::{RunEvent, ToolCallKind};
use contracts::threads::{IfNotExists, Multitask};
use contracts::tools::names::REQUEST_USER_SELECTION;
use http::HeaderMap;
use protocols::elicitation;
use protocols::prose::Prose;
use rmcp::RoleServer;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ElicitRequest,
    ElicitRequestParams, ElicitResult, ElicitationAction, ErrorData, InputRequest,
    InputRequiredResult, JsonObject, ProgressNotificationParam, ProtocolVersion, Tool,
    ToolAnnotations,
};
use rmcp::service::RequestContext;
use serde_json::{Value, json};
use service_kit::problem::ApiError;

use super::{failed_call, words};
use crate::orchestrator::{OnBehalf, RunReply};

const PREFIX: &str = "ask_";
const SCOPE: &str = "chat";

/// The name of the one question that an answer can wait for.
const SELECTION: &str = "selection";

/// Questions in a row that one call passes on to the person.
const ROUNDS: usize = 8;

/// The assistants that the account can ask.
pub(super) async fn list(on_behalf: &OnBehalf) -> Result<Vec<Tool>, ApiError> {
    if !on_behalf.may(SCOPE) {
        return Ok(Vec::new());
    }
    let list = on_behalf.assistants().await?;
    Ok(list.assistants.into_iter().map(described).collect())
}

/// The assistant of a tool.
pub(super) fn assistant_of(tool: &str) -> Option<&str> {
    tool.strip_prefix(PREFIX).filter(|name| !name.is_empty())
}

/// Asks an assistant, and passes on what it asks back.
pub(super) async fn ask(
    on_behalf: &OnBehalf,
    assistant: &str,
    request: CallToolRequestParams,
    context: &RequestContext<RoleServer>,
) -> Result<CallToolResponse, ErrorData> {
    let arguments = request.arguments.unwrap_or_default();
    let mut thread = text_of(&arguments, "thread_id")?;
    let mut message = match request.request_state {
        Some(state) => {
            let answered = request.input_responses.unwrap_or_default();
            let answered = answered.get(SELECTION).cloned().unwrap_or_default();
            thread = Some(state);
            match chosen(&answered) {
                Some(message) => message,
                None => return Ok(declined(thread.as_deref()).into()),
            }
        }
        None => text_of(&arguments, "message")?
            .ok_or_else(|| ErrorData::invalid_params("`message` is missing.", None))?,
    };
    let mut progress = Progress::of(context);
    for _ in 0..ROUNDS {
        let asked = post(on_behalf, assistant, &message, thread.take()).await;
        let answer = match asked {
            Ok(answer) => answer.stop_when_dropped(on_behalf),
            Err(error) => return Ok(failed_call(words(&error)).into()),
        };
        let said = tokio::select! {
            said = heard(answer, &mut progress) => said,
            // The answer is dropped, which stops it.
            () = context.ct.cancelled() => return Ok(failed_call("The call was cancelled.").into()),
        };
        let said = match said {
            Ok(said) => said,
            Err(error) => return Ok(failed_call(words(&error)).into()),
        };
        let Some(question) = said.question.as_ref().filter(|_| can_ask(context)) else {
            return Ok(said.result().into());
        };
        let newest = version(context) >= ProtocolVersion::V_2025_11_25;
        let Ok(elicited) = serde_json::from_value::<ElicitRequestParams>(elicitation::form(
            question, &said.text, newest,
        )) else {
            return Ok(said.result().into());
        };
        if version(context) >= ProtocolVersion::V_2026_07_28 {
            let request = InputRequest::Elicitation(ElicitRequest::new(elicited));
            let requests = [(SELECTION.to_owned(), request)].into();
            return Ok(InputRequiredResult::new(Some(requests), Some(said.thread_id)).into());
        }
        let answered = context.peer.create_elicitation(elicited).await;
        let answered = answered
            .ok()
            .and_then(|answered| serde_json::to_value(answered).ok());
        match answered.as_ref().and_then(chosen) {
            Some(selected) => (message, thread) = (selected, Some(said.thread_id)),
            None => return Ok(said.result().into()),
        }
    }
    Ok(failed_call("The assistant asked back too often in one call.").into())
}

/// The answer of a run.
struct Said {
    text: String,
    thread_id: String,
    run_id: String,
    /// The picker that the answer ends with.
    question: Option<Value>,
    failed: bool,
}

impl Said {
    fn result(&self) -> CallToolResult {
        let mut content = vec![ContentBlock::text(self.text.clone())];
        if self.question.is_some() {
            content.push(ContentBlock::text(format!(
                "To answer, call this tool again with `thread_id` \"{}\" and the chosen name as `message`.",
                self.thread_id
            )));
        }
        let mut result = if self.failed {
            CallToolResult::error(content)
        } else {
            CallToolResult::success(content)
        };
        result.structured_content = Some(json!({
            "answer": self.text, "thread_id": self.thread_id, "run_id": self.run_id, "asks_back": self.question.is_some(),
        }));
        result
    }
}

async fn post(
    on_behalf: &OnBehalf,
    assistant: &str,
    message: &str,
    thread: Option<String>,
) -> Result<RunReply, ApiError> {
    let message = PostMessage {
        content: message.to_owned(),
        if_not_exists: if thread.is_some() {
            IfNotExists::Create
        } else {
            IfNotExists::default()
        },
        thread_id: thread,
        assistant: Some(assistant.to_owned()),
        multitask_strategy: Multitask::Enqueue,
        ..PostMessage::default()
    };
    on_behalf.ask(&message, &HeaderMap::new()).await
}

/// Reads an answer to its end.
async fn heard(
    mut answer: RunReply,
    progress: &mut Option<Progress<'_>>,
) -> Result<Said, ApiError> {
    let mut prose = Prose::default();
    let mut said = Said {
        text: String::new(),
        thread_id: answer.thread_id.clone(),
        run_id: answer.run_id.clone(),
        question: None,
        failed: false,
    };
    while let Some(event) = answer.next_event().await? {
        if let Some(more) = prose.take(&event) {
            said.text.push_str(&more);
        }
        match &event {
            RunEvent::Status { text } => tell(progress, text).await,
            RunEvent::ToolCall {
                name, input, kind, ..
            } => {
                if name == REQUEST_USER_SELECTION {
                    said.question = Some(input.clone());
                } else if *kind == ToolCallKind::Server {
                    tell(progress, name).await;
                }
            }
            RunEvent::Failed { text, .. } => {
                if !said.text.is_empty() {
                    said.text.push_str("\n\n");
                }
                said.text.push_str(text);
                said.failed = true;
            }
            _ => {}
        }
    }
    Ok(said)
}

/// Progress notifications of one call.
struct Progress<'a> {
    context: &'a RequestContext<RoleServer>,
    token: rmcp::model::ProgressToken,
    steps: f64,
}

impl<'a> Progress<'a> {
    /// Of a client that asked for them.
    fn of(context: &'a RequestContext<RoleServer>) -> Option<Self> {
        let token = context.meta.get_progress_token()?;
        Some(Self {
            context,
            token,
            steps: 0.0,
        })
    }
}

async fn tell(progress: &mut Option<Progress<'_>>, text: &str) {
    let Some(progress) = progress else { return };
    progress.steps += 1.0;
    let mut step = ProgressNotificationParam::new(progress.token.clone(), progress.steps);
    step.message = Some(text.to_owned());
    if let Err(error) = progress.context.peer.notify_progress(step).await {
        tracing::debug!(%error, "a client does not take progress");
    }
}

/// Whether the client can put a question with a form to the person.
fn can_ask(context: &RequestContext<RoleServer>) -> bool {
    let capabilities = context.client_capabilities();
    let elicitation = capabilities.and_then(|capabilities| capabilities.elicitation);
    // One that names no mode means forms.
    elicitation.is_some_and(|modes| modes.form.is_some() || modes.url.is_none())
}

fn version(context: &RequestContext<RoleServer>) -> ProtocolVersion {
    context
        .protocol_version()
        .unwrap_or(ProtocolVersion::V_2025_06_18)
}

/// The message that a person's choice amounts to.
fn chosen(answered: &Value) -> Option<String> {
    let result: ElicitResult = serde_json::from_value(answered.clone()).ok()?;
    if result.action != ElicitationAction::Accept {
        return None;
    }
    elicitation::message(result.content.as_ref()?)
}

fn declined(thread: Option<&str>) -> CallToolResult {
    let mut result =
        CallToolResult::success(vec![ContentBlock::text("The question was not answered.")]);
    result.structured_content = Some(json!({
        "answer": "The question was not answered.", "thread_id": thread, "run_id": null, "asks_back": false,
    }));
    result
}

fn text_of(arguments: &JsonObject, name: &str) -> Result<Option<String>, ErrorData> {
    match arguments.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(_) => Err(ErrorData::invalid_params(
            format!("`{name}` must be a text."),
            None,
        )),
    }
}

fn described(assistant: AssistantDescription) -> Tool {
    let description = format!(
        "Asks the assistant “{}” and returns its answer as Markdown. {}",
        assistant.title, assistant.description
    );
    let input = json!({
        "type": "object",
        "properties": {
            "message": { "type": "string", "minLength": 1, "description": "The question, in words." },
            "thread_id": { "type": "string", "description": "The conversation to continue, from an earlier answer." },
        },
        "required": ["message"],
    });
    let output = json!({
        "type": "object",
        "properties": {
            "answer": { "type": "string", "description": "The answer, as Markdown." },
            "thread_id": { "type": ["string", "null"], "description": "The conversation." },
            "run_id": { "type": ["string", "null"], "description": "The run that answered." },
            "asks_back": { "type": "boolean", "description": "Whether the answer ends with a question to the person." },
        },
        "required": ["answer", "thread_id", "asks_back"],
    });
    let schema = |value: Value| match value {
        Value::Object(schema) => std::sync::Arc::new(schema),
        _ => std::sync::Arc::default(),
    };
    // An answer is kept in a conversation.
    let annotations = ToolAnnotations::with_title(assistant.title)
        .read_only(false)
        .destructive(false)
        .open_world(false);
    Tool::new(
        format!("{PREFIX}{}", assistant.id),
        description,
        schema(input),
    )
    .with_raw_output_schema(schema(output))
    .with_annotations(annotations)
}
