//! The context of a node: the order of events, tools, the model, and the updates of the state.

use std::{
    fmt,
    sync::{Arc, Mutex, PoisonError},
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
use graph::{Command, Context};
use llm::ChatStream;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Map, Value};

use crate::first_word::TAKES_LONGER;
use crate::sentence_filter::{Filtering, SentenceFilter};
use crate::{Account, RunContext, RunServices, ThreadState, ToolRecord, ToolsError};

/// Maximum number of simultaneous tool calls of one run: enough to hide latency, too few to crowd
/// out others.
const CALLS_AT_ONCE: usize = 4;

/// The context of an assistant's node: it emits the events of the run in their order, calls
/// tools, asks the model, and collects the updates of the state that the node returns with
/// [`NodeContext::done`].
///
/// Texts, calls and cards are recorded in the thread if its state asks for that, see
/// [`ThreadState`].
pub struct NodeContext<S: ThreadState, R = ()> {
    context: Context<S, R>,
    services: Arc<RunServices>,
    /// A lock, because parts of a node may work at the same time.
    updates: Mutex<Vec<S::Update>>,
}

impl<S: ThreadState, A> From<Context<S, RunContext<A>>> for NodeContext<S, RunContext<A>> {
    fn from(context: Context<S, RunContext<A>>) -> Self {
        Self {
            services: Arc::clone(context.run().services()),
            context,
            updates: Mutex::default(),
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
    /// The outcome of a call, whatever it is.
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

    /// The tool's message, or its error.
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
    /// The arguments of the call.
    pub arguments: Map<String, Value>,
}

impl<S: ThreadState, R> NodeContext<S, R> {
    /// The state that the nodes of the run share.
    pub fn run(&self) -> &R {
        self.context.run()
    }

    /// The services that the nodes of every run share.
    pub fn services(&self) -> &Arc<RunServices> {
        &self.services
    }

    /// The usage and failures of the run's models.
    pub fn account(&self) -> &Account {
        self.services.account()
    }

    /// The engine's own context.
    pub fn context(&self) -> &Context<S, R> {
        &self.context
    }

    /// Changes the state when the node returns [`Self::done`].
    pub fn update(&self, update: impl Into<S::Update>) {
        self.lock().push(update.into());
    }

    /// Ends the node with all its updates, in their order.
    pub fn done(self) -> Command<S> {
        let updates = self.updates.into_inner();
        Command::updates(updates.unwrap_or_else(PoisonError::into_inner))
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<S::Update>> {
        // A list is whole whatever happened to its last writer.
        self.updates.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn record(&self, update: Option<S::Update>) {
        self.lock().extend(update);
    }

    /// Emits an event as it is.
    pub async fn emit(&self, event: RunEvent) {
        self.context.emit(event).await;
    }

    /// Emits the router's decision.
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
        self.services.first_word().step(true);
        self.emit(RunEvent::StepStarted).await;
    }

    /// The step is over.
    pub async fn end_step(&self) {
        self.services.first_word().step(false);
        self.emit(RunEvent::StepFinished).await;
    }

    /// A passing hint for a waiting person.
    pub async fn hint(&self, text: &str) {
        self.emit(RunEvent::Status {
            text: text.to_owned(),
        })
        .await;
    }

    /// Says, in place of a first word that is due, that the answer takes longer.
    pub(crate) async fn take_longer(&self) {
        if self.services.first_word().is_in_step() {
            self.say(Channel::Final, TAKES_LONGER).await;
        } else {
            self.say_in_step(TAKES_LONGER).await;
        }
        self.services.first_word().promise();
    }

    /// The rules have an answer: a model that has said nothing of its own when the first word is
    /// due gives way to them.
    pub fn rules_have_answer(&self) {
        self.services.first_word().rules_answer();
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

    /// A step that is only text of the answer. What closes an answer has to be one: clients send a
    /// conversation again by themselves when its last step holds only finished calls.
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
        if words.said.is_empty() {
            words.space.clear();
        }
        let mut delta = std::mem::take(&mut words.space);
        delta.push_str(piece);
        words.said.push_str(&delta);
        words.space.push_str(&start[piece.len()..]);
        words.waiting.push_str(&delta);
        if words.is_held {
            // The model has said something, although it is not sent yet.
            self.services.first_word().say();
        } else if words.cards.is_empty() {
            self.send(words).await;
        }
    }

    /// Emits the text that waits.
    async fn send(&self, words: &mut Words) {
        let delta = std::mem::take(&mut words.waiting);
        if delta.is_empty() {
            return;
        }
        let id = if let Some(id) = &words.id {
            id.clone()
        } else {
            let id = self.services.new_id("txt");
            self.emit(RunEvent::TextStarted {
                id: id.clone(),
                channel: words.channel,
            })
            .await;
            words.id.insert(id).clone()
        };
        self.services.first_word().say();
        self.emit(RunEvent::TextDelta { id, delta }).await;
    }

    /// A sentence of the text stands: the cards that belong to it are shown, and the text that
    /// waited for that goes out in a step of its own.
    pub(crate) async fn stand(&self, words: &mut Words) {
        let cards = std::mem::take(&mut words.cards);
        if cards.is_empty() {
            return;
        }
        for card in &cards {
            self.show_in_step(card).await;
        }
        self.end_step().await;
        self.begin_step().await;
        words.has_shown = true;
        self.send(words).await;
    }

    /// Says that the text breaks off here, in the middle of a sentence.
    pub async fn break_off(&self, words: &mut Words) {
        words.space.clear();
        self.write(words, "\u{2026}").await;
    }

    /// Ends the block; returns what it says.
    pub async fn end_words(&self, mut words: Words) -> String {
        self.send(&mut words).await;
        if let Some(id) = words.id {
            self.emit(RunEvent::TextFinished { id }).await;
            self.record(S::said(&words.said));
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
        let answer = self.services.tools().call(tool, arguments).await;
        Called::new(String::new(), tool, answer)
    }

    /// Shows a card, in a step of its own. One whose props are not right is not shown.
    pub async fn show(&self, card: &RenderUiComponent) {
        if !card.validate().is_empty() {
            return;
        }
        self.begin_step().await;
        self.show_in_step(card).await;
        self.end_step().await;
    }

    /// Shows a card within the step. Its props have to be right.
    pub async fn show_in_step(&self, card: &RenderUiComponent) {
        let Ok(props) = serde_json::to_value(card) else {
            tracing::error!("a card cannot be written as JSON, so it is not shown");
            return;
        };
        let id = self.services.new_id("call");
        self.record(S::shown(&id, &props));
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
    }

    /// Executes several calls within the step, a few at a time; the answers come, and are emitted,
    /// in the order of the calls.
    pub async fn call_each(&self, calls: impl IntoIterator<Item = (String, Value)>) -> Vec<Called> {
        let mut announced = Vec::new();
        for (tool, arguments) in calls {
            announced.push(self.announce(&tool, &arguments).await);
        }
        self.settle_each(announced).await
    }

    /// Executes calls that were announced, a few at a time; the answers come, and are emitted, in
    /// the order of the calls.
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
        self.services.tools().call(&call.tool, arguments).await
    }

    /// Emits that a call is made.
    pub async fn announce(&self, tool: &str, arguments: &impl Serialize) -> Announced {
        let arguments = match serde_json::to_value(arguments) {
            Ok(Value::Object(arguments)) => arguments,
            _ => Map::new(),
        };
        let id = self.services.new_id("call");
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

    /// Emits the outcome of a call, whatever it is.
    pub async fn settle(
        &self,
        call: Announced,
        answer: Result<ToolEnvelope, ToolsError>,
    ) -> Called {
        let called = Called::new(call.id, &call.tool, answer);
        self.record(S::called(&ToolRecord {
            id: &called.id,
            tool: &call.tool,
            arguments: &call.arguments,
            envelope: &called.envelope,
        }));
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
#[derive(Default)]
pub struct Words {
    channel: Channel,
    id: Option<String>,
    said: String,
    /// Space between the last piece and the next.
    space: String,
    /// The filter of a model's sentences, before they are written.
    filtering: Option<Filtering>,
    /// Cards that are shown before the text, once a sentence of it stands. The text waits for that.
    cards: Vec<RenderUiComponent>,
    /// The text that waits.
    waiting: String,
    /// Whether the text waits for its end.
    is_held: bool,
    /// Whether cards were shown.
    has_shown: bool,
}

impl fmt::Debug for Words {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Words")
            .field("said", &self.said)
            .finish_non_exhaustive()
    }
}

impl Words {
    /// A block for these readers.
    pub fn on(channel: Channel) -> Self {
        Self {
            channel,
            ..Self::default()
        }
    }

    /// The same block, with cards that are shown before it if a sentence of it stands.
    #[must_use]
    pub fn with_cards(self, cards: Vec<RenderUiComponent>) -> Self {
        Self { cards, ..self }
    }

    /// The same block, all of which waits for its end, so that it can be dropped.
    #[must_use]
    pub fn held(self, is_held: bool) -> Self {
        Self { is_held, ..self }
    }

    /// Whether all of it waits for its end.
    pub fn is_held(&self) -> bool {
        self.is_held
    }

    /// The cards that are not shown, since no sentence stands yet.
    pub fn take_cards(&mut self) -> Vec<RenderUiComponent> {
        std::mem::take(&mut self.cards)
    }

    /// Whether cards were shown before the text.
    pub fn has_shown_cards(&self) -> bool {
        self.has_shown
    }

    /// The same block, for a model's sentences that pass the filter.
    #[must_use]
    pub fn filtered_by(self, filter: impl SentenceFilter) -> Self {
        Self {
            filtering: Some(Filtering::by(Arc::new(filter))),
            ..self
        }
    }

    /// A model's answer, as far as its sentences pass the filter.
    pub(crate) fn filtered(&self, answer: ChatStream) -> ChatStream {
        match &self.filtering {
            Some(filtering) => filtering.filtered(answer),
            None => answer,
        }
    }

    /// Number of sentences that the filter left out.
    pub(crate) fn left_out(&self) -> u32 {
        self.filtering.as_ref().map_or(0, Filtering::left_out)
    }

    /// The text so far.
    pub fn said(&self) -> &str {
        &self.said
    }
}
