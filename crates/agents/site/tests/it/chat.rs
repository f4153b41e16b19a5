//! A conversation in a test: sends messages, checks every run's events against the laws, and reads them.

use std::sync::Arc;

use agent_site::{
    Record, SiteAssistant, SiteState, Tools, TurnInput, UserInput, events::check_laws,
};
use contracts::{
    run::{FinishReason, RunEvent, ToolCallKind},
    tools::names,
};
use futures::StreamExt;
use graph::{Checkpointer, MemorySaver};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::double::Double;

/// A thread and who writes in it.
pub(crate) struct Chat {
    pub(crate) tools: Arc<Double>,
    store: Arc<dyn Checkpointer>,
    assistant: SiteAssistant,
    turns: u32,
}

impl Chat {
    pub(crate) fn new(tools: Arc<Double>) -> Self {
        Self::on(tools, Arc::new(MemorySaver::new()))
    }

    pub(crate) fn on(tools: Arc<Double>, store: Arc<dyn Checkpointer>) -> Self {
        let assistant = SiteAssistant::new(Some(Arc::clone(&store))).unwrap();
        Self {
            tools,
            store,
            assistant,
            turns: 0,
        }
    }

    /// The same thread in a new process.
    pub(crate) fn restart(&mut self) {
        self.assistant = SiteAssistant::new(Some(Arc::clone(&self.store))).unwrap();
    }

    pub(crate) fn input(&mut self, message: UserInput) -> TurnInput {
        self.turns += 1;
        TurnInput {
            thread_id: "thread".to_owned(),
            thread_key: Some("owner:thread".into()),
            run_id: format!("run{}", self.turns),
            message_id: format!("msg{}", self.turns),
            message,
            user_timezone: Some("Europe/Zurich".to_owned()),
            now: "2025-12-05T08:30:00Z".parse().unwrap(),
            tools: Arc::clone(&self.tools) as Arc<dyn Tools>,
            model: None,
            history: Vec::new(),
            cancellation: CancellationToken::new(),
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
        let input = self.input(message);
        let events: Vec<RunEvent> = self.assistant.run(input).collect().await;
        if let Err(breaches) = check_laws(&events) {
            panic!("{breaches:#?}\n{events:#?}");
        }
        self.check_history().await;
        Turn { events }
    }

    pub(crate) async fn state(&self) -> SiteState {
        self.assistant
            .thread("owner:thread")
            .await
            .unwrap()
            .unwrap()
    }

    pub(crate) fn assistant(&self) -> &SiteAssistant {
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

/// What one turn brought.
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

    pub(crate) fn reason(&self) -> FinishReason {
        match self.events.last() {
            Some(RunEvent::Finished { reason, .. }) => *reason,
            other => panic!("not finished: {other:?}"),
        }
    }
}
