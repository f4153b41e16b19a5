//! A conversation in a test: sends messages, checks every run's events against the laws, and reads
//! them.

use std::sync::Arc;

use agent_data::{
    DataAssistant, DataSettings, DataState, PlanPreview, TargetChoice, pending_choice, pending_plan,
};
use agent_kit::{Attempt, PastMessage, Runner, Tools, TurnInput, UserInput, events::check_laws};
use contracts::{
    run::{Channel, FinishReason, RunEvent, Source, ToolCallKind},
    tools::names,
};
use futures::StreamExt;
use graph::{Checkpoint, Checkpointer, MemorySaver};
use llm::ChatModel;
use serde_json::Value;

use crate::{double::Double, model::Model};

/// The memory of a thread.
pub(crate) struct Thread {
    pub(crate) state: DataState,
    /// The plan that waits for a person's approval.
    pub(crate) pending: Option<PlanPreview>,
    /// The question for the target that waits for an answer.
    pub(crate) choice: Option<TargetChoice>,
}

/// A thread and who writes in it.
pub(crate) struct Chat {
    pub(crate) tools: Arc<Double>,
    store: Arc<dyn Checkpointer>,
    runner: Runner<DataAssistant>,
    settings: DataSettings,
    target: Option<String>,
    turns: u32,
    pub(crate) model: Option<Arc<dyn ChatModel>>,
    pub(crate) history: Vec<PastMessage>,
}

impl Chat {
    pub(crate) fn new(tools: Arc<Double>) -> Self {
        let store: Arc<dyn Checkpointer> = Arc::new(MemorySaver::new());
        // Most tests look at what the rules say.
        let settings = DataSettings {
            model_wording: false,
            ..DataSettings::default()
        };
        let mut chat = Self {
            runner: Runner::new(DataAssistant::default(), None).unwrap(),
            tools,
            store,
            settings,
            target: None,
            turns: 0,
            model: None,
            history: Vec::new(),
        };
        chat.restart();
        chat
    }

    /// Over a thread that is stored already.
    pub(crate) async fn stored(tools: Arc<Double>, checkpoint: Checkpoint) -> Self {
        let mut chat = Self::new(tools);
        chat.store.put(&checkpoint).await.unwrap();
        chat.restart();
        chat
    }

    /// The stored state of the thread.
    pub(crate) async fn kept(&self) -> Value {
        let kept = self.store.get("owner:thread", None).await.unwrap().unwrap();
        serde_json::from_slice(&kept.state).unwrap()
    }

    pub(crate) fn with_model(tools: Arc<Double>, model: &Arc<Model>) -> Self {
        let mut chat = Self::new(tools);
        chat.model = Some(Arc::clone(model) as Arc<dyn ChatModel>);
        chat
    }

    pub(crate) fn limited(mut self, change: impl FnOnce(&mut DataSettings)) -> Self {
        change(&mut self.settings);
        self.restart();
        self
    }

    /// The target that the next messages are sent with.
    pub(crate) fn about(&mut self, target: Option<&str>) {
        self.target = target.map(str::to_owned);
    }

    /// The same thread in a new process.
    pub(crate) fn restart(&mut self) {
        let assistant = DataAssistant::new(self.settings.clone());
        self.runner = Runner::new(assistant, Some(Arc::clone(&self.store))).unwrap();
    }

    fn input(&mut self, message: UserInput) -> TurnInput {
        self.turns += 1;
        let now = "2026-11-21T08:30:00Z".parse().unwrap();
        let tools = Arc::clone(&self.tools) as Arc<dyn Tools>;
        TurnInput {
            thread_id: "thread".to_owned(),
            thread_key: Some("owner:thread".into()),
            message_id: format!("msg{}", self.turns),
            target: self.target.clone(),
            model: self.model.clone(),
            history: self.history.clone(),
            ..TurnInput::new(format!("run{}", self.turns), message, now, tools)
        }
    }

    pub(crate) async fn say(&mut self, text: &str) -> Turn {
        self.send(UserInput::Text(text.to_owned())).await
    }

    /// Answers a picker with a value, as an AI SDK client does.
    pub(crate) async fn give(&mut self, call_id: &str, output: Value) -> Turn {
        self.send(UserInput::SelectionOutput {
            call_id: call_id.to_owned(),
            output,
        })
        .await
    }

    async fn send(&mut self, message: UserInput) -> Turn {
        let input = self.input(message);
        checked(self.runner.run(input).collect().await)
    }

    /// Answers the newest turn again, as if its process had died before it could say so.
    pub(crate) async fn again(&mut self, message: &str) -> Turn {
        self.turns -= 1;
        let mut input = self.input(UserInput::Text(message.to_owned()));
        input.attempt = Attempt {
            number: 2,
            worker: None,
        };
        checked(self.runner.run(input).collect().await)
    }

    /// Stops the turn as soon as its first event has come.
    pub(crate) async fn stop(&mut self, text: &str) -> Turn {
        let input = self.input(UserInput::Text(text.to_owned()));
        let cancel = input.cancellation.clone();
        let mut events = Vec::new();
        let mut run = Box::pin(self.runner.run(input));
        while let Some(event) = run.next().await {
            if events.is_empty() {
                cancel.cancel();
            }
            events.push(event);
        }
        checked(events)
    }

    pub(crate) async fn thread(&self) -> Thread {
        let kept = self.runner.thread("owner:thread").await;
        let kept = kept.unwrap().unwrap();
        Thread {
            pending: pending_plan(&kept),
            choice: pending_choice(&kept),
            state: kept.state,
        }
    }
}

fn checked(events: Vec<RunEvent>) -> Turn {
    if let Err(breaches) = check_laws(&events) {
        panic!("{breaches:#?}\n{events:#?}");
    }
    Turn { events }
}

/// The events of a turn.
pub(crate) struct Turn {
    pub(crate) events: Vec<RunEvent>,
}

impl Turn {
    /// The answer's text.
    pub(crate) fn text(&self) -> String {
        self.on(Channel::Final)
    }

    /// The text of a channel, blocks apart.
    pub(crate) fn on(&self, wanted: Channel) -> String {
        let mut texts: Vec<String> = Vec::new();
        let mut here = false;
        for event in &self.events {
            match event {
                RunEvent::TextStarted { channel, .. } => {
                    here = *channel == wanted;
                    if here {
                        texts.push(String::new());
                    }
                }
                RunEvent::TextDelta { delta, .. } if here => {
                    texts.last_mut().unwrap().push_str(delta);
                }
                _ => {}
            }
        }
        texts.join("\n")
    }

    pub(crate) fn route(&self) -> (&str, Source) {
        let mut events = self.events.iter();
        events
            .find_map(|event| match event {
                RunEvent::Route { flow, source, .. } => Some((flow.as_str(), *source)),
                _ => None,
            })
            .unwrap()
    }

    pub(crate) fn source(&self) -> Source {
        match self.events.last() {
            Some(RunEvent::Finished { source, .. }) => *source,
            other => panic!("{other:?}"),
        }
    }

    pub(crate) fn reason(&self) -> FinishReason {
        match self.events.last() {
            Some(RunEvent::Finished { reason, .. }) => *reason,
            other => panic!("{other:?}"),
        }
    }

    pub(crate) fn warnings(&self) -> Vec<&str> {
        let events = self.events.iter();
        events
            .filter_map(|event| match event {
                RunEvent::Warning { code, .. } => Some(code.as_str()),
                _ => None,
            })
            .collect()
    }

    /// The names of the tools that a person sees.
    pub(crate) fn told_calls(&self) -> Vec<&str> {
        let events = self.events.iter();
        events
            .filter_map(|event| match event {
                RunEvent::ToolCall { name, .. } => Some(name.as_str()),
                _ => None,
            })
            .collect()
    }

    /// The rows or sources beside the text.
    pub(crate) fn data(&self) -> Option<&Value> {
        let mut events = self.events.iter();
        events.find_map(|event| match event {
            RunEvent::StructuredData { data } => Some(data),
            _ => None,
        })
    }

    /// The chart.
    pub(crate) fn chart(&self) -> Option<&Value> {
        let mut events = self.events.iter();
        events.find_map(|event| match event {
            RunEvent::ToolCall {
                name,
                input,
                kind: ToolCallKind::Display,
                ..
            } if name == names::RENDER_UI_COMPONENT => Some(&input["props"]),
            _ => None,
        })
    }

    /// The open picker: its call and its arguments.
    pub(crate) fn picker(&self) -> (&str, &Value) {
        let mut events = self.events.iter();
        events
            .find_map(|event| match event {
                RunEvent::ToolCall {
                    id,
                    input,
                    kind: ToolCallKind::Client,
                    ..
                } => Some((id.as_str(), input)),
                _ => None,
            })
            .unwrap()
    }

    /// The pickers of earlier messages that were answered.
    pub(crate) fn answered(&self) -> Vec<(&str, &Value)> {
        let events = self.events.iter();
        events
            .filter_map(|event| match event {
                RunEvent::ToolAnswered { id, output } => Some((id.as_str(), output)),
                _ => None,
            })
            .collect()
    }
}
