//! Where a node performs: emits the run's events in their right order, and calls tools.

use std::sync::{
    Arc,
    atomic::{AtomicU32, Ordering},
};

use contracts::{
    run::{Channel, RunEvent, Source, ToolCallKind},
    tools::{
        ToolEnvelope, ToolStatus,
        names::{RENDER_UI_COMPONENT, REQUEST_USER_SELECTION},
    },
    ui::{RenderUiComponent, RequestUserSelection},
};
use futures::{StreamExt, stream};
use graph::{Context, State};
use llm::ChatModel;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Map, Value};

use crate::{Account, Tools, ToolsError, tools::Watched};

/// How many tool calls one run has under way at a time: enough to hide latency, too few to crowd out others.
const CALLS_AT_ONCE: usize = 4;

/// What the nodes of one run share: the person's tools, the model, the cost, new ids.
pub struct Performance {
    run_id: String,
    made: AtomicU32,
    tools: Arc<dyn Tools>,
    model: Option<Arc<dyn ChatModel>>,
    account: Arc<Account>,
}

impl Performance {
    /// Of a run. Ids of calls and text blocks are made from the run's, so it has to be unique and of `[A-Za-z0-9_-]`.
    pub fn new(
        run_id: impl Into<String>,
        tools: Arc<dyn Tools>,
        model: Option<Arc<dyn ChatModel>>,
    ) -> Self {
        let account = Arc::<Account>::default();
        Self {
            run_id: run_id.into(),
            made: AtomicU32::new(0),
            tools: Arc::new(Watched {
                tools,
                account: Arc::clone(&account),
            }),
            model,
            account,
        }
    }

    /// A new id, unique in the thread because the run's id is.
    pub fn new_id(&self, prefix: &str) -> String {
        let number = self.made.fetch_add(1, Ordering::Relaxed) + 1;
        format!("{prefix}_{}_{number}", self.run_id)
    }

    /// The person's tools.
    pub fn tools(&self) -> &Arc<dyn Tools> {
        &self.tools
    }

    /// The model, while it has not failed.
    pub fn model(&self) -> Option<&Arc<dyn ChatModel>> {
        self.model.as_ref().filter(|_| !self.account.has_failed())
    }

    /// What the run's models cost and how they fared.
    pub fn account(&self) -> &Arc<Account> {
        &self.account
    }
}

/// A node's means of expression.
pub struct Stage<S: State> {
    context: Context<S>,
    performance: Arc<Performance>,
}

impl<S: State> Clone for Stage<S> {
    fn clone(&self) -> Self {
        Self {
            context: self.context.clone(),
            performance: Arc::clone(&self.performance),
        }
    }
}

/// A tool's answer to a call, whatever it was.
#[derive(Debug, Clone)]
pub struct Called {
    /// The call.
    pub id: String,
    /// The answer, also where there was none: then it says so.
    pub envelope: ToolEnvelope,
    /// Why the service could not be asked, where it could not.
    pub error: Option<ToolsError>,
}

impl Called {
    /// What a call brought, whatever that is.
    fn new(id: String, tool: &str, answer: Result<ToolEnvelope, ToolsError>) -> Self {
        let (envelope, error) = match answer {
            Ok(envelope) => (envelope, None),
            Err(error) => {
                let source = &error as &dyn std::error::Error;
                tracing::warn!(tool, error = source, "a tool call failed");
                let envelope = ToolEnvelope::without_result(ToolStatus::Error, error.for_people());
                (envelope, Some(error))
            }
        };
        Self {
            id,
            envelope,
            error,
        }
    }

    /// The result, typed, when the tool did what it was asked.
    pub fn result<T: DeserializeOwned>(&self) -> Option<T> {
        if self.envelope.status != ToolStatus::Ok {
            return None;
        }
        self.any_result()
    }

    /// The result, typed, also of a tool that failed and has something to show for it.
    pub fn any_result<T: DeserializeOwned>(&self) -> Option<T> {
        let result = self.envelope.result.as_ref()?;
        match T::deserialize(result) {
            Ok(result) => Some(result),
            Err(error) => {
                tracing::error!(%error, "a tool's result is not of its contract");
                None
            }
        }
    }

    /// What the tool said, or that it could not.
    pub fn message(&self) -> &str {
        self.envelope
            .message
            .as_deref()
            .unwrap_or("The data service could not do that.")
    }
}

/// A call that the client knows of and that still lacks its result.
#[derive(Debug, Clone)]
pub struct Announced {
    /// The call.
    pub id: String,
    /// The tool.
    pub tool: String,
    /// Its arguments.
    pub arguments: Map<String, Value>,
}

impl<S: State<Event = RunEvent>> Stage<S> {
    /// A node's stage.
    pub fn new(context: Context<S>, performance: Arc<Performance>) -> Self {
        Self {
            context,
            performance,
        }
    }

    /// What the nodes of the run share.
    pub fn performance(&self) -> &Arc<Performance> {
        &self.performance
    }

    /// The node's own context.
    pub fn context(&self) -> &Context<S> {
        &self.context
    }

    /// Emits an event as it is.
    pub async fn emit(&self, event: RunEvent) {
        self.context.emit(event).await;
    }

    /// What the router decided.
    pub async fn route(&self, flow: &str, confidence: f64, source: Source) {
        self.emit(RunEvent::Route {
            flow: flow.to_owned(),
            confidence,
            source,
        })
        .await;
    }

    /// A step of the flow begins.
    pub async fn begin_step(&self) {
        self.emit(RunEvent::StepStarted).await;
    }

    /// The step is over.
    pub async fn end_step(&self) {
        self.emit(RunEvent::StepFinished).await;
    }

    /// A passing hint for a waiting person.
    pub async fn hint(&self, text: &str) {
        self.emit(RunEvent::Status {
            text: text.to_owned(),
        })
        .await;
    }

    /// Something that the reader should know.
    pub async fn warn(&self, code: &str, text: &str) {
        self.emit(RunEvent::Warning {
            code: code.to_owned(),
            text: text.to_owned(),
        })
        .await;
    }

    /// A block of text within the step.
    pub async fn say(&self, channel: Channel, text: &str) {
        let mut words = Words::on(channel);
        self.write(&mut words, text).await;
        self.end_words(words).await;
    }

    /// A step that is only text of the answer. What closes an answer has to be one: clients send a conversation again by themselves when
    /// its last step holds nothing but finished calls.
    pub async fn say_in_step(&self, text: &str) {
        self.begin_step().await;
        self.say(Channel::Final, text).await;
        self.end_step().await;
    }

    /// Opens a picker within the step. The run ends with it; the choice arrives with the next run.
    pub async fn open_picker(&self, id: String, picker: &RequestUserSelection) {
        self.emit(RunEvent::ToolCall {
            id,
            name: REQUEST_USER_SELECTION.to_owned(),
            input: serde_json::to_value(picker).unwrap_or_default(),
            kind: ToolCallKind::Client,
        })
        .await;
    }

    /// Writes more of the block, within the step. Space goes out with the words that follow it.
    pub async fn write(&self, words: &mut Words, text: &str) {
        let start = text.trim_start();
        let piece = start.trim_end();
        if piece.is_empty() {
            words.space.push_str(text);
            return;
        }
        words.space.push_str(&text[..text.len() - start.len()]);
        let id = if let Some(id) = &words.id {
            id.clone()
        } else {
            words.space.clear();
            let id = self.performance.new_id("txt");
            self.emit(RunEvent::TextStarted {
                id: id.clone(),
                channel: words.channel,
            })
            .await;
            words.id.insert(id).clone()
        };
        let mut delta = std::mem::take(&mut words.space);
        delta.push_str(piece);
        words.said.push_str(&delta);
        words.space.push_str(&start[piece.len()..]);
        self.emit(RunEvent::TextDelta { id, delta }).await;
    }

    /// Says that the text breaks off here, in the middle of a sentence.
    pub async fn break_off(&self, words: &mut Words) {
        words.space.clear();
        self.write(words, "\u{2026}").await;
    }

    /// Ends the block; returns what it says.
    pub async fn end_words(&self, words: Words) -> String {
        if let Some(id) = words.id {
            self.emit(RunEvent::TextFinished { id }).await;
        }
        words.said
    }

    /// Calls a tool within the step.
    pub async fn call(&self, tool: &str, arguments: &impl Serialize) -> Called {
        let call = self.announce(tool, arguments).await;
        let answer = self.dispatch(&call).await;
        self.settle(call, answer).await
    }

    /// Calls a tool without an event in the stream.
    pub async fn call_quietly(&self, tool: &str, arguments: &impl Serialize) -> Called {
        let arguments = serde_json::to_value(arguments).unwrap_or_default();
        let answer = self.performance.tools.call(tool, arguments).await;
        Called::new(String::new(), tool, answer)
    }

    /// Shows a card, in a step of its own. One whose props are not right is not shown.
    pub async fn show(&self, card: &RenderUiComponent) {
        if !card.validate().is_empty() {
            return;
        }
        let Ok(props) = serde_json::to_value(card) else {
            return;
        };
        let id = self.performance.new_id("call");
        self.begin_step().await;
        self.emit(RunEvent::ToolCall {
            id: id.clone(),
            name: RENDER_UI_COMPONENT.to_owned(),
            input: props.clone(),
            kind: ToolCallKind::Display,
        })
        .await;
        self.emit(RunEvent::ToolResult {
            id,
            output: props,
            ok: true,
        })
        .await;
        self.end_step().await;
    }

    /// Makes several calls within the step, a few at a time; the answers come, and are told, in the order of the calls.
    pub async fn call_each(&self, calls: impl IntoIterator<Item = (String, Value)>) -> Vec<Called> {
        let mut announced = Vec::new();
        for (tool, arguments) in calls {
            announced.push(self.announce(&tool, &arguments).await);
        }
        self.settle_each(announced).await
    }

    /// Makes calls that were announced, a few at a time; the answers come, and are told, in the order of the calls.
    pub async fn settle_each(&self, announced: Vec<Announced>) -> Vec<Called> {
        let asked = announced.into_iter().map(|call| async move {
            let answer = self.dispatch(&call).await;
            (call, answer)
        });
        let mut answers = stream::iter(asked).buffered(CALLS_AT_ONCE);
        let mut results = Vec::new();
        while let Some((call, answer)) = answers.next().await {
            results.push(self.settle(call, answer).await);
        }
        results
    }

    async fn dispatch(&self, call: &Announced) -> Result<ToolEnvelope, ToolsError> {
        let arguments = Value::Object(call.arguments.clone());
        self.performance.tools.call(&call.tool, arguments).await
    }

    /// Tells the client that a call is made.
    pub async fn announce(&self, tool: &str, arguments: &impl Serialize) -> Announced {
        let arguments = match serde_json::to_value(arguments) {
            Ok(Value::Object(arguments)) => arguments,
            _ => Map::new(),
        };
        let id = self.performance.new_id("call");
        self.emit(RunEvent::ToolCall {
            id: id.clone(),
            name: tool.to_owned(),
            input: Value::Object(arguments.clone()),
            kind: ToolCallKind::Server,
        })
        .await;
        Announced {
            id,
            tool: tool.to_owned(),
            arguments,
        }
    }

    /// Tells the client what a call brought, whatever that is.
    pub async fn settle(
        &self,
        call: Announced,
        answer: Result<ToolEnvelope, ToolsError>,
    ) -> Called {
        let called = Called::new(call.id, &call.tool, answer);
        self.emit(RunEvent::ToolResult {
            id: called.id.clone(),
            output: serde_json::to_value(&called.envelope).unwrap_or_default(),
            ok: called.envelope.status != ToolStatus::Error,
        })
        .await;
        called
    }
}

/// A block of text in the making. It begins with its first word, so that none is empty.
#[derive(Debug, Default)]
pub struct Words {
    channel: Channel,
    id: Option<String>,
    said: String,
    /// Space between the last piece and the next.
    space: String,
}

impl Words {
    /// A block for these readers.
    pub fn on(channel: Channel) -> Self {
        Self {
            channel,
            ..Self::default()
        }
    }

    /// What was said so far.
    pub fn said(&self) -> &str {
        &self.said
    }
}
