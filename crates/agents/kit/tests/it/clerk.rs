//! The clerk: with a model it lets it call tools, without one it asks for a day and then answers.
//! It records what is said and done.

use std::sync::{Arc, Mutex};

use agent_kit::{
    Asked, Assistant, AssistantGraph, Begin, CallMade, Called, Decision, Kept, NodeContext,
    Remembered, RunContext, Runner, ThreadState, ToolHandler, ToolLimits, ToolLoop, ToolRecord,
    ToolSet, Tools, ToolsError, TurnInput, UserInput, Words, events::check_laws, figures::Known,
    offered_tool, testing::Model,
};
use async_trait::async_trait;
use contracts::{
    run::{RunEvent, Source},
    tools::{ToolDefinition, ToolEnvelope, ToolStatus, solar_definitions},
};
use futures::StreamExt;
use graph::{Answers, BuildError, END, NodeResult, START, Snapshot, State, StateGraph};
use llm::{ChatModel, Message, ToolCall};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// The notes of the clerk.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Notes {
    pub(crate) lines: Vec<String>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Line(String);

impl State for Notes {
    type Update = Line;
    type Event = RunEvent;

    fn apply(&mut self, line: Line) {
        self.lines.push(line.0);
    }
}

impl ThreadState for Notes {
    fn said(text: &str) -> Option<Line> {
        Some(Line(format!("said {text}")))
    }

    fn called(call: &ToolRecord<'_>) -> Option<Line> {
        let status = call.envelope.status;
        Some(Line(format!("called {} {status:?}", call.tool)))
    }
}

pub(crate) struct Clerk(pub(crate) ToolLimits);

/// The state that the clerk's runs share.
pub(crate) struct Desk(ToolLimits);

type Run = RunContext<Desk>;
type Node = NodeContext<Notes, Run>;

impl Assistant for Clerk {
    const NAME: &'static str = "clerk";
    const IS_REPEATABLE: bool = true;
    const INTERRUPTS: bool = true;

    type State = Notes;
    type Run = Desk;

    fn build_graph() -> Result<AssistantGraph<Self>, BuildError> {
        let mut graph = StateGraph::new();
        graph
            .add_node("model", with_model)
            .add_node("ask", ask)
            .add_conditional_edges_with(
                START,
                |_: &Notes, run: &Run| {
                    if run.model().is_some() {
                        "model"
                    } else {
                        "ask"
                    }
                },
                ["model", "ask"],
            )
            .add_edge("model", END)
            .add_edge("ask", END);
        graph.build("clerk")
    }

    fn recursion_limit(&self) -> u32 {
        3
    }

    fn run(&self, _turn: &TurnInput) -> Desk {
        Desk(self.0)
    }

    fn begin(&self, turn: &TurnInput, kept: Option<&Snapshot<Notes>>) -> Begin<Notes> {
        let waits = kept.is_some_and(|kept| kept.interrupts().next().is_some());
        if waits {
            Begin::Answer {
                answers: Answers::one(turn.message.words()),
                update: None,
            }
        } else {
            Begin::Turn(Line(format!("asked {}", turn.message.words())))
        }
    }

    fn remembered(kept: &Snapshot<Notes>) -> Remembered {
        Remembered {
            values: json!(kept.state.lines),
            asks: kept.interrupts().next().is_some(),
        }
    }
}

async fn ask(_: Arc<Notes>, context: graph::Context<Notes, Run>) -> NodeResult<Notes> {
    let node = Node::from(context);
    node.route("clerk", 1.0, Source::Rules).await;
    let day: String = match node.context().interrupt("day", "Which day?") {
        Ok(day) => day,
        Err(question) => {
            node.say_in_step("Which day?").await;
            return Err(question);
        }
    };
    node.say_in_step(&format!("On {day}, then.")).await;
    Ok(node.done())
}

async fn with_model(_: Arc<Notes>, context: graph::Context<Notes, Run>) -> NodeResult<Notes> {
    let node = Node::from(context);
    node.route("clerk", 1.0, Source::Model).await;
    let run = node.run();
    let listed = run.tools().definitions().await?;
    let mut tool_loop = ToolLoop::new(
        "You are a clerk.",
        Arc::new(ToolSet::new(listed.iter().map(offered_tool))),
        vec![Message::user(run.message.words())],
        Known::default(),
        run.assistant.0,
    );
    let mut folder = Folder::default();
    loop {
        node.begin_step().await;
        let mut words = Words::default();
        let asked = tool_loop.ask(&node, &mut words, &folder).await;
        node.end_words(words).await;
        if let Asked::Calls(calls) = &asked {
            tool_loop.make_calls(&node, calls, &mut folder).await;
        }
        node.end_step().await;
        if matches!(asked, Asked::Ended(_)) {
            break;
        }
    }
    Ok(node.done())
}

/// Answers `diagnose_error_codes` itself, and makes calls that failed again.
#[derive(Default)]
struct Folder {
    kept: usize,
}

#[async_trait]
impl ToolHandler<Notes, Run> for Folder {
    type Own = String;

    fn offers(&self, tool: &str) -> bool {
        tool != "forecast_production" || self.kept > 0
    }

    fn decide(
        &mut self,
        call: &ToolCall,
        arguments: Map<String, Value>,
        _known: &Known,
        _before: &[Decision<String>],
    ) -> Decision<String> {
        match call.name.as_str() {
            "diagnose_error_codes" => Decision::Own("none".to_owned()),
            "get_fleet_overview" => Decision::Answer(json!({ "status": "known" })),
            _ => Decision::Call(arguments),
        }
    }

    fn repeated(&self, index: usize, made: &CallMade) -> Option<Decision<String>> {
        made.ok
            .then(|| Decision::Answer(json!({ "see": index + 1 })))
    }

    fn keep(
        &mut self,
        _call: &ToolCall,
        _arguments: &Map<String, Value>,
        called: &Called,
        known: &mut Known,
    ) -> Kept {
        self.kept += 1;
        let output = called.envelope.result.clone().unwrap_or_default();
        known.learn_value(&output);
        Kept {
            output,
            ok: called.envelope.status == ToolStatus::Ok,
        }
    }

    async fn perform(&mut self, node: &Node, own: String) -> Value {
        node.hint("Looking myself").await;
        json!({ "codes": own })
    }
}

/// Tools that give the answers in turn, and remember what they were asked.
pub(crate) struct Shelf {
    answers: Mutex<Vec<Result<ToolEnvelope, ToolsError>>>,
    pub(crate) calls: Mutex<Vec<String>>,
}

impl Shelf {
    pub(crate) fn with(
        answers: impl IntoIterator<Item = Result<ToolEnvelope, ToolsError>>,
    ) -> Arc<Self> {
        let mut answers: Vec<_> = answers.into_iter().collect();
        answers.reverse();
        Arc::new(Self {
            answers: Mutex::new(answers),
            calls: Mutex::default(),
        })
    }

    pub(crate) fn called(&self) -> Vec<String> {
        self.calls.lock().unwrap().clone()
    }
}

#[async_trait]
impl Tools for Shelf {
    async fn call(&self, name: &str, _: Value) -> Result<ToolEnvelope, ToolsError> {
        self.calls.lock().unwrap().push(name.to_owned());
        let answer = self.answers.lock().unwrap().pop();
        answer.unwrap_or_else(|| Ok(ToolEnvelope::ok(json!({ "kwh": 42 }))))
    }

    async fn definitions(&self) -> Result<Arc<[ToolDefinition]>, ToolsError> {
        Ok(solar_definitions().into())
    }
}

pub(crate) const LIMITS: ToolLimits = ToolLimits {
    max_steps: 4,
    max_calls_per_step: 4,
    max_calls: 8,
};

pub(crate) fn input(run_id: &str, message: &str, tools: &Arc<Shelf>) -> TurnInput {
    let message = UserInput::Text(message.to_owned());
    let now = "2026-03-01T12:00:00Z".parse().unwrap();
    TurnInput {
        thread_key: Some("owner:thread".into()),
        ..TurnInput::new(run_id, message, now, Arc::clone(tools) as Arc<dyn Tools>)
    }
}

/// Lets a model answer within these limits.
pub(crate) async fn answer(limits: ToolLimits, model: &Arc<Model>, tools: &Arc<Shelf>) -> String {
    let runner = Runner::new(Clerk(limits), None).unwrap();
    let turn = TurnInput {
        model: Some(Arc::clone(model) as Arc<dyn ChatModel>),
        ..input("r", "How much?", tools)
    };
    said(&runner, turn).await
}

/// The text of a turn, whose events keep the laws.
pub(crate) async fn said(runner: &Runner<Clerk>, turn: TurnInput) -> String {
    let events: Vec<RunEvent> = runner.run(turn).collect().await;
    check_laws(&events).unwrap();
    let deltas = events.iter().filter_map(|event| match event {
        RunEvent::TextDelta { delta, .. } => Some(delta.as_str()),
        _ => None,
    });
    deltas.collect()
}
