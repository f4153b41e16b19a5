//! A conversation in a test: sends messages, checks every run's events against the laws, and reads
//! them.

use std::sync::Arc;

use agent_kit::{
    Attempt, PastCall, PastMessage, PastRole, Runner, Tools, TurnInput, UserInput,
    events::check_laws, testing::Model,
};
use agent_site::{Record, SiteAssistant, SiteSettings, SiteState};
use contracts::{
    run::{FinishReason, RunEvent, Source, ToolCallKind, Usage},
    tools::names,
};
use futures::StreamExt;
use graph::{Checkpointer, MemorySaver};
use llm::ChatModel;
use serde_json::Value;

use crate::double::Double;

/// A thread and who writes in it.
pub(crate) struct Chat {
    pub(crate) tools: Arc<Double>,
    store: Arc<dyn Checkpointer>,
    assistant: Runner<SiteAssistant>,
    turns: u32,
    pub(crate) model: Option<Arc<dyn ChatModel>>,
    /// What storage holds of the thread; empty where only the thread's own state remembers it.
    pub(crate) history: Vec<PastMessage>,
    pub(crate) stores: bool,
    /// Whether turns run without a user who waits for them.
    pub(crate) unattended: bool,
}

fn runner(settings: SiteSettings, store: &Arc<dyn Checkpointer>) -> Runner<SiteAssistant> {
    Runner::new(SiteAssistant::new(settings), Some(Arc::clone(store))).unwrap()
}

impl Chat {
    pub(crate) fn new(tools: Arc<Double>) -> Self {
        Self::on(tools, Arc::new(MemorySaver::new()))
    }

    pub(crate) fn on(tools: Arc<Double>, store: Arc<dyn Checkpointer>) -> Self {
        let assistant = runner(SiteSettings::default(), &store);
        Self {
            tools,
            store,
            assistant,
            turns: 0,
            model: None,
            history: Vec::new(),
            stores: false,
            unattended: false,
        }
    }

    /// The same thread in a new process.
    pub(crate) fn restart(&mut self) {
        self.assistant = runner(SiteSettings::default(), &self.store);
    }

    pub(crate) fn input(&mut self, message: UserInput) -> TurnInput {
        self.turns += 1;
        TurnInput {
            thread_id: "thread".to_owned(),
            thread_key: Some("owner:thread".into()),
            message_id: format!("msg{}", self.turns),
            timezone: Some("Europe/Zurich".to_owned()),
            model: self.model.clone(),
            history: self.history.clone(),
            unattended: self.unattended,
            ..TurnInput::new(
                format!("run{}", self.turns),
                message,
                "2025-12-05T08:30:00Z".parse().unwrap(),
                Arc::clone(&self.tools) as Arc<dyn Tools>,
            )
        }
    }

    pub(crate) async fn say(&mut self, text: &str) -> Turn {
        self.send(UserInput::Text(text.to_owned())).await
    }

    /// Answers the picker of a turn with a value, as an AI SDK client does.
    pub(crate) async fn give(&mut self, call_id: &str, output: Value) -> Turn {
        self.send(UserInput::SelectionOutput {
            call_id: call_id.to_owned(),
            output,
        })
        .await
    }

    pub(crate) async fn send(&mut self, message: UserInput) -> Turn {
        let open = self.open_call().await;
        let input = self.input(message.clone());
        let events: Vec<RunEvent> = self.assistant.run(input).collect().await;
        if let Err(breaches) = check_laws(&events) {
            panic!("{breaches:#?}\n{events:#?}");
        }
        self.check_history().await;
        self.check_answered(open.as_deref(), &events).await;
        if self.stores {
            self.store(&message, &events);
        }
        Turn { events }
    }

    /// Has the newest turn answered again, as if its process had died.
    pub(crate) async fn again(&mut self, message: &str) -> Turn {
        self.turns -= 1;
        let input = TurnInput {
            attempt: Attempt {
                number: 2,
                worker: None,
            },
            ..self.input(UserInput::Text(message.to_owned()))
        };
        let events: Vec<RunEvent> = self.assistant.run(input).collect().await;
        if let Err(breaches) = check_laws(&events) {
            panic!("{breaches:#?}\n{events:#?}");
        }
        Turn { events }
    }

    /// The next turn begins and is cut off before anything of it is kept.
    pub(crate) fn begun(&mut self) {
        self.turns += 1;
    }

    async fn open_call(&self) -> Option<String> {
        let kept = self.assistant.thread("owner:thread").await.ok()??;
        Some(kept.state.pending_selection?.tool_call_id)
    }

    /// The thread has the result of every picker that is closed, once.
    async fn check_answered(&self, open: Option<&str>, events: &[RunEvent]) {
        let answers: Vec<_> = events
            .iter()
            .filter_map(|event| match event {
                RunEvent::ToolAnswered { id, output } => Some((id.as_str(), output)),
                _ => None,
            })
            .collect();
        let state = self.state().await;
        let closed = open.filter(|id| {
            state
                .pending_selection
                .as_ref()
                .is_none_or(|pending| pending.tool_call_id != **id)
        });
        assert_eq!(
            answers.iter().map(|(id, _)| *id).collect::<Vec<_>>(),
            closed.into_iter().collect::<Vec<_>>()
        );
        for (id, output) in answers {
            if let Some(call) = state.messages.call(id) {
                assert_eq!(call.result.as_ref(), Some(output));
            }
        }
    }

    /// Keeps a turn as storage does: the question, and the answer with its calls.
    fn store(&mut self, message: &UserInput, events: &[RunEvent]) {
        for event in events {
            if let RunEvent::ToolAnswered { id, output } = event {
                let calls = self.history.iter_mut().flat_map(|past| &mut past.calls);
                calls
                    .filter(|call| call.id == *id)
                    .for_each(|call| call.output = Some(output.clone()));
            }
        }
        let past = |role, text: String, calls| PastMessage { role, text, calls };
        if let UserInput::Text(text) = message {
            self.history
                .push(past(PastRole::User, text.clone(), Vec::new()));
        }
        let mut answer = past(PastRole::Assistant, String::new(), Vec::new());
        for event in events {
            match event {
                RunEvent::TextDelta { delta, .. } => answer.text.push_str(delta),
                RunEvent::TextFinished { .. } => answer.text.push('\n'),
                RunEvent::ToolCall {
                    id, name, input, ..
                } => answer.calls.push(PastCall {
                    id: id.clone(),
                    name: name.clone(),
                    input: input.clone(),
                    output: None,
                    ok: true,
                }),
                RunEvent::ToolResult { id, output, ok } => {
                    let calls = answer.calls.iter_mut().filter(|call| call.id == *id);
                    calls.for_each(|call| {
                        call.output = Some(output.clone());
                        call.ok = *ok;
                    });
                }
                _ => {}
            }
        }
        self.history.push(answer);
    }

    pub(crate) async fn state(&self) -> SiteState {
        let kept = self.assistant.thread("owner:thread").await;
        kept.unwrap().unwrap().state
    }

    /// The same with a model, and with storage.
    pub(crate) fn with_model(tools: Arc<Double>, model: &Arc<Model>) -> Self {
        let mut chat = Self::new(tools);
        chat.model = Some(Arc::clone(model) as Arc<dyn ChatModel>);
        chat.stores = true;
        chat
    }

    /// The same with other limits on what a model may do.
    pub(crate) fn limited(mut self, settings: SiteSettings) -> Self {
        self.assistant = runner(settings, &self.store);
        self
    }

    pub(crate) fn assistant(&self) -> &Runner<SiteAssistant> {
        &self.assistant
    }

    /// Every call but the open picker has its result; the open picker has none.
    async fn check_history(&self) {
        let state = self.state().await;
        let open = state
            .pending_selection
            .as_ref()
            .map(|pending| pending.tool_call_id.as_str());
        let mut ids = std::collections::BTreeSet::new();
        for record in state.messages.iter() {
            if let Record::Tool(call) = record {
                assert!(
                    ids.insert(call.id.clone()),
                    "the call {} is recorded twice",
                    call.id
                );
                assert_eq!(
                    call.result.is_none(),
                    open == Some(call.id.as_str()),
                    "{call:?}"
                );
            }
        }
    }

    /// The recorded result of a call.
    pub(crate) async fn result_of(&self, call_id: &str) -> Value {
        self.state()
            .await
            .messages
            .call(call_id)
            .unwrap()
            .result
            .clone()
            .unwrap()
    }
}

/// The events of one turn.
#[derive(Debug)]
pub(crate) struct Turn {
    pub(crate) events: Vec<RunEvent>,
}

impl Turn {
    pub(crate) fn flow(&self) -> &str {
        self.events
            .iter()
            .find_map(|event| match event {
                RunEvent::Route { flow, .. } => Some(flow.as_str()),
                _ => None,
            })
            .unwrap()
    }

    /// Everything said, a block per line.
    pub(crate) fn text(&self) -> String {
        let deltas = self.events.iter().filter_map(|event| match event {
            RunEvent::TextDelta { delta, .. } => Some(delta.as_str()),
            _ => None,
        });
        deltas.collect::<Vec<_>>().join("\n")
    }

    /// The cards shown.
    pub(crate) fn cards(&self) -> Vec<&Value> {
        self.events
            .iter()
            .filter_map(|event| match event {
                RunEvent::ToolCall {
                    input,
                    kind: ToolCallKind::Display,
                    ..
                } => Some(input),
                _ => None,
            })
            .collect()
    }

    pub(crate) fn card(&self) -> &Value {
        let cards = self.cards();
        assert_eq!(cards.len(), 1, "{self:#?}");
        cards[0]
    }

    /// The picker's call and arguments.
    pub(crate) fn picker(&self) -> (String, &Value) {
        self.open_picker()
            .unwrap_or_else(|| panic!("no picker: {self:#?}"))
    }

    pub(crate) fn open_picker(&self) -> Option<(String, &Value)> {
        self.events.iter().find_map(|event| match event {
            RunEvent::ToolCall {
                id,
                name,
                input,
                kind: ToolCallKind::Client,
            } if name == names::REQUEST_USER_SELECTION => Some((id.clone(), input)),
            _ => None,
        })
    }

    /// The text, its blocks one below the other.
    pub(crate) fn blocks(&self) -> Vec<String> {
        let mut blocks = Vec::new();
        for event in &self.events {
            match event {
                RunEvent::TextStarted { .. } => blocks.push(String::new()),
                RunEvent::TextDelta { delta, .. } => blocks.last_mut().unwrap().push_str(delta),
                _ => {}
            }
        }
        blocks
    }

    /// The calls of the service: their names, in order.
    pub(crate) fn called(&self) -> Vec<&str> {
        let names = self.events.iter().filter_map(|event| match event {
            RunEvent::ToolCall {
                name,
                kind: ToolCallKind::Server,
                ..
            } => Some(name.as_str()),
            _ => None,
        });
        names.collect()
    }

    pub(crate) fn warnings(&self) -> Vec<&str> {
        let codes = self.events.iter().filter_map(|event| match event {
            RunEvent::Warning { code, .. } => Some(code.as_str()),
            _ => None,
        });
        codes.collect()
    }

    pub(crate) fn source(&self) -> Source {
        match self.events.last() {
            Some(RunEvent::Finished { source, .. }) => *source,
            other => panic!("not finished: {other:?}"),
        }
    }

    pub(crate) fn usage(&self) -> Option<Usage> {
        match self.events.last() {
            Some(RunEvent::Finished { usage, .. }) => *usage,
            other => panic!("not finished: {other:?}"),
        }
    }

    pub(crate) fn reason(&self) -> FinishReason {
        match self.events.last() {
            Some(RunEvent::Finished { reason, .. }) => *reason,
            other => panic!("not finished: {other:?}"),
        }
    }
}
