//! A conversation in a test: sends messages, checks every run's events against the laws, and reads
//! them and the memory.

use std::sync::{
    Arc,
    atomic::{AtomicBool, AtomicU32, Ordering},
};

use agent_analyst::{
    AnalystAssistant, AnalystSettings, AnalystState, InProcessMemory, KeptQuery, Memory,
    MemoryError, OpenQuestion, Recollection, Record, open_question,
};
use agent_kit::{Attempt, Runner, Tools, TurnInput, UserInput, events::check_laws, testing::Model};
use async_trait::async_trait;
use contracts::{
    run::{FinishReason, RunEvent, Source, ToolCallKind},
    todo::{EntryStatus, MemoryEntry, Plan, TaskStatus, TodoList, TodoListState},
};
use futures::StreamExt;
use graph::{Checkpoint, Checkpointer, MemorySaver};
use llm::ChatModel;
use serde_json::Value;

use crate::double::Double;

const KEY: &str = "owner:thread";

/// A memory that can be away.
#[derive(Default)]
pub(crate) struct Frail {
    pub(crate) kept: InProcessMemory,
    /// Nothing can be read.
    pub(crate) blind: AtomicBool,
    /// Records that are still taken before none is.
    records_left: AtomicU32,
    limited: AtomicBool,
    lost: AtomicBool,
}

impl Frail {
    /// Accepts this number of records, and no more.
    pub(crate) fn fails_after(&self, records: u32) {
        self.records_left.store(records, Ordering::Relaxed);
        self.limited.store(true, Ordering::Relaxed);
    }

    pub(crate) fn recovers(&self) {
        self.limited.store(false, Ordering::Relaxed);
        self.blind.store(false, Ordering::Relaxed);
    }

    /// Another run has taken over.
    pub(crate) fn is_lost_after(&self, records: u32) {
        self.fails_after(records);
        self.lost.store(true, Ordering::Relaxed);
    }

    fn readable(&self) -> Result<(), MemoryError> {
        if self.blind.load(Ordering::Relaxed) {
            return Err(MemoryError::Unavailable("away".into()));
        }
        Ok(())
    }
}

#[async_trait]
impl Memory for Frail {
    async fn recall(&self, key: &str, run: &str, turns: u32) -> Result<Recollection, MemoryError> {
        self.readable()?;
        self.kept.recall(key, run, turns).await
    }

    async fn record(&self, key: &str, record: Record) -> Result<u32, MemoryError> {
        self.readable()?;
        if self.limited.load(Ordering::Relaxed) {
            let left = self.records_left.load(Ordering::Relaxed);
            if left == 0 {
                return Err(if self.lost.load(Ordering::Relaxed) {
                    MemoryError::Lost
                } else {
                    MemoryError::Failed("full".into())
                });
            }
            self.records_left.store(left - 1, Ordering::Relaxed);
        }
        self.kept.record(key, record).await
    }

    async fn query(&self, key: &str, id: Option<u32>) -> Result<Option<KeptQuery>, MemoryError> {
        self.readable()?;
        self.kept.query(key, id).await
    }
}

/// The checkpoint of a thread.
pub(crate) struct Thread {
    pub(crate) state: AnalystState,
    /// The question that waits for the person.
    pub(crate) pending: Option<OpenQuestion>,
}

fn runner(
    settings: AnalystSettings,
    memory: &Arc<Frail>,
    store: Option<Arc<dyn Checkpointer>>,
) -> Runner<AnalystAssistant> {
    let memories = Arc::new(Arc::clone(memory));
    Runner::new(AnalystAssistant::new(settings, memories), store).unwrap()
}

/// A thread and who writes in it.
pub(crate) struct Chat {
    pub(crate) tools: Arc<Double>,
    pub(crate) memory: Arc<Frail>,
    store: Arc<dyn Checkpointer>,
    runner: Runner<AnalystAssistant>,
    settings: AnalystSettings,
    turns: u32,
    model: Option<Arc<dyn ChatModel>>,
    pub(crate) now: &'static str,
}

impl Chat {
    pub(crate) fn new(tools: Arc<Double>) -> Self {
        let memory: Arc<Frail> = Arc::default();
        let mut chat = Self {
            runner: runner(AnalystSettings::default(), &memory, None),
            tools,
            memory,
            store: Arc::new(MemorySaver::new()),
            settings: AnalystSettings::default(),
            turns: 0,
            model: None,
            now: "2025-01-15T10:30:00Z",
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
        let kept = self.store.get(KEY, None).await.unwrap().unwrap();
        serde_json::from_slice(&kept.state).unwrap()
    }

    /// With a model that is asked for only what the switches turn on.
    pub(crate) fn with_model(tools: Arc<Double>, model: &Arc<Model>) -> Self {
        let mut chat = Self::new(tools).with(|options| {
            options.model_planning = false;
            options.model_rewriting = false;
            options.model_wording = false;
        });
        chat.model = Some(Arc::clone(model) as Arc<dyn ChatModel>);
        chat
    }

    pub(crate) fn with(mut self, change: impl FnOnce(&mut AnalystSettings)) -> Self {
        change(&mut self.settings);
        self.restart();
        self
    }

    /// The same thread in a new process.
    pub(crate) fn restart(&mut self) {
        let store = Some(Arc::clone(&self.store));
        self.runner = runner(self.settings.clone(), &self.memory, store);
    }

    /// The same in a new process that has lost the checkpoints.
    pub(crate) fn lose_checkpoint(&mut self) {
        self.store = Arc::new(MemorySaver::new());
        self.restart();
    }

    fn input(&mut self, message: UserInput) -> TurnInput {
        self.turns += 1;
        let now = self.now.parse().unwrap();
        let tools = Arc::clone(&self.tools) as Arc<dyn Tools>;
        TurnInput {
            thread_id: "thread".to_owned(),
            thread_key: Some(KEY.into()),
            message_id: format!("msg{}", self.turns),
            model: self.model.clone(),
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

    /// Has the newest turn answered again, as if its process had died.
    pub(crate) async fn again(&mut self, message: &str) -> Turn {
        self.turns -= 1;
        let mut input = self.input(UserInput::Text(message.to_owned()));
        input.attempt = Attempt {
            number: 2,
            worker: None,
        };
        checked(self.runner.run(input).collect().await)
    }

    /// Runs a turn until this number of tool calls were answered, and then drops it, as if the
    /// process had died.
    pub(crate) async fn dies_after(&mut self, message: &str, results: usize) {
        let input = self.input(UserInput::Text(message.to_owned()));
        let mut run = Box::pin(self.runner.run(input));
        let mut seen = 0;
        while let Some(event) = run.next().await {
            seen += usize::from(matches!(event, RunEvent::ToolResult { .. }));
            if seen > results {
                break;
            }
        }
    }

    /// A turn without a thread.
    pub(crate) async fn say_without_thread(&mut self, text: &str) -> Turn {
        let mut input = self.input(UserInput::Text(text.to_owned()));
        input.thread_key = None;
        checked(self.runner.run(input).collect().await)
    }

    pub(crate) async fn thread(&self) -> Thread {
        let kept = self.runner.thread(KEY).await.unwrap().unwrap();
        Thread {
            pending: open_question(&kept),
            state: kept.state,
        }
    }

    pub(crate) fn entries(&self) -> Vec<MemoryEntry> {
        self.memory.kept.entries(KEY)
    }

    /// The attempts, with their outcomes.
    pub(crate) fn attempts(&self) -> Vec<(String, EntryStatus)> {
        let entries = self.entries().into_iter();
        entries
            .map(|entry| (entry.todo_key, entry.status))
            .collect()
    }

    pub(crate) fn lists(&self) -> Vec<TodoList> {
        self.memory.kept.lists(KEY)
    }

    pub(crate) fn states(&self) -> Vec<TodoListState> {
        self.lists().into_iter().map(|list| list.state).collect()
    }

    pub(crate) fn queries(&self) -> Vec<KeptQuery> {
        self.memory.kept.queries(KEY)
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
    /// The text, blocks apart.
    pub(crate) fn text(&self) -> String {
        let mut texts: Vec<String> = Vec::new();
        for event in &self.events {
            match event {
                RunEvent::TextStarted { .. } => texts.push(String::new()),
                RunEvent::TextDelta { delta, .. } => texts.last_mut().unwrap().push_str(delta),
                _ => {}
            }
        }
        texts.join("\n")
    }

    pub(crate) fn flow(&self) -> (&str, Source) {
        let mut events = self.events.iter();
        events
            .find_map(|event| match event {
                RunEvent::Route { flow, source, .. } => Some((flow.as_str(), *source)),
                _ => None,
            })
            .unwrap()
    }

    pub(crate) fn reason(&self) -> FinishReason {
        match self.events.last() {
            Some(RunEvent::Finished { reason, .. }) => *reason,
            other => panic!("{other:?}"),
        }
    }

    pub(crate) fn source(&self) -> Source {
        match self.events.last() {
            Some(RunEvent::Finished { source, .. }) => *source,
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

    pub(crate) fn data(&self) -> Option<&Value> {
        let mut events = self.events.iter();
        events.find_map(|event| match event {
            RunEvent::StructuredData { data } => Some(data),
            _ => None,
        })
    }

    pub(crate) fn plans(&self) -> Vec<&Plan> {
        let events = self.events.iter();
        events
            .filter_map(|event| match event {
                RunEvent::Plan { plan } => Some(plan),
                _ => None,
            })
            .collect()
    }

    /// The keys of the newest plan with how far they are.
    pub(crate) fn tasks(&self) -> Vec<(&str, TaskStatus)> {
        let plan = self.plans().into_iter().next_back().unwrap();
        let tasks = plan.tasks.iter();
        tasks.map(|task| (task.key.as_str(), task.status)).collect()
    }

    /// The open picker: its call, and its labels.
    pub(crate) fn picker(&self) -> (&str, Vec<&str>) {
        let mut events = self.events.iter();
        events
            .find_map(|event| match event {
                RunEvent::ToolCall {
                    id,
                    input,
                    kind: ToolCallKind::Client,
                    ..
                } => {
                    let options = input["options"].as_array().unwrap();
                    let labels = options
                        .iter()
                        .map(|option| option["label"].as_str().unwrap());
                    Some((id.as_str(), labels.collect()))
                }
                _ => None,
            })
            .unwrap()
    }

    /// The pickers of earlier messages that got an answer.
    pub(crate) fn answered(&self) -> Vec<(&str, &Value)> {
        let events = self.events.iter();
        events
            .filter_map(|event| match event {
                RunEvent::ToolAnswered { id, output } => Some((id.as_str(), &output["selection"])),
                _ => None,
            })
            .collect()
    }
}
