//! The context of a node: emits the run's events in their right order, calls tools, and records
//! what was said and done.

mod envelope;
mod ui;

use std::{borrow::Cow, ops::Deref, sync::Arc};

use agent_kit::{ToolsError, Words};

use contracts::{
    run::{Channel, RunEvent, Source, ToolCallKind},
    tools::{SummaryStats, ToolEnvelope, ToolStatus},
};
use futures::{StreamExt, stream};
use graph::{Command, Context, NodeError};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Map, Value};

pub(crate) use ui::spoken_question;

use crate::{
    state::{CallRecord, Failure, Record, SiteState, SiteUpdate},
    turn::Turn,
};

/// Maximum number of simultaneous tool calls of one run: enough to hide the latency of a fleet,
/// too few to crowd out others.
pub(crate) const CALLS_AT_ONCE: usize = 4;

/// A node's means of expression. What it records takes effect when the node returns
/// [`Stage::done`].
pub(crate) struct Stage {
    voice: agent_kit::Stage<SiteState>,
    turn: Arc<Turn>,
    zone: chrono_tz::Tz,
    /// The source that leads the task: a picker's answer belongs to the one that asked.
    leader: Source,
    updates: Vec<SiteUpdate>,
    /// Number of times that the picker that is opened next was asked again.
    asked_again: u32,
}

impl Deref for Stage {
    type Target = agent_kit::Stage<SiteState>;

    fn deref(&self) -> &Self::Target {
        &self.voice
    }
}

/// A tool's answer to a call.
pub(crate) struct Called<T> {
    pub(crate) result: T,
    pub(crate) stats: Option<SummaryStats>,
}

impl Stage {
    /// Fails on a state that no turn has begun: a thread continued as it was, which only a new turn
    /// can do.
    pub(crate) fn new(state: &SiteState, context: Context<SiteState>) -> Result<Self, NodeError> {
        let turn = state.work.turn.clone();
        let turn =
            turn.ok_or_else(|| NodeError::permanent("a turn has to begin with its input"))?;
        Ok(Self {
            voice: agent_kit::Stage::new(context, Arc::clone(&turn.performance)),
            turn,
            zone: state.flow_context.zone(),
            leader: state.work.leader(),
            updates: Vec::new(),
            asked_again: 0,
        })
    }

    pub(crate) fn turn(&self) -> &Turn {
        &self.turn
    }

    /// The person's clock; UTC when it is unknown.
    pub(crate) fn persons_zone(&self) -> chrono_tz::Tz {
        self.zone
    }

    /// Ends the node with everything recorded.
    pub(crate) fn done(self) -> Command<SiteState> {
        Command::updates(self.updates)
    }

    pub(crate) fn update(&mut self, update: impl Into<SiteUpdate>) {
        self.updates.push(update.into());
    }

    /// A block of text within the step.
    pub(crate) async fn say(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        self.voice.say(Channel::Final, text).await;
        self.record(Record::Assistant {
            text: text.to_owned(),
        });
    }

    /// Ends the block and remembers it.
    pub(crate) async fn end_words(&mut self, words: Words) {
        let said = self.voice.end_words(words).await;
        if !said.is_empty() {
            self.record(Record::Assistant { text: said });
        }
    }

    /// A step that is only text. What closes an answer has to be one: clients send a conversation
    /// again by themselves when its last step holds only finished calls.
    pub(crate) async fn say_in_step(&mut self, text: &str) {
        self.begin_step().await;
        self.say(text).await;
        self.end_step().await;
    }

    /// Calls a tool within the step.
    pub(crate) async fn call<T: DeserializeOwned>(
        &mut self,
        tool: &'static str,
        arguments: &impl Serialize,
    ) -> Result<Called<T>, Failure> {
        let call = self.announce(tool, arguments).await;
        let answer = self
            .turn
            .tools()
            .call(tool, Value::Object(call.arguments.clone()))
            .await;
        self.settle(call, answer).await
    }

    /// Executes several calls within the step, a few at a time; the answers come in the order of
    /// the calls.
    pub(crate) async fn call_each<T: DeserializeOwned, A: Serialize>(
        &mut self,
        tool: &'static str,
        arguments: impl IntoIterator<Item = A>,
    ) -> Vec<Result<Called<T>, Failure>> {
        let mut announced = Vec::new();
        for arguments in arguments {
            announced.push(self.announce(tool, &arguments).await);
        }
        let turn = Arc::clone(&self.turn);
        let calls = announced.into_iter().map(|call| {
            let turn = Arc::clone(&turn);
            async move {
                let answer = turn
                    .tools()
                    .call(&call.tool, Value::Object(call.arguments.clone()))
                    .await;
                (call, answer)
            }
        });
        let mut answers = stream::iter(calls).buffered(CALLS_AT_ONCE);
        let mut results = Vec::new();
        while let Some((call, answer)) = answers.next().await {
            results.push(self.settle(call, answer).await);
        }
        results
    }

    /// Emits that a call is made.
    pub(crate) async fn announce(
        &mut self,
        tool: impl Into<Cow<'static, str>>,
        arguments: &impl Serialize,
    ) -> Announced {
        let tool = tool.into();
        let arguments = match serde_json::to_value(arguments) {
            Ok(Value::Object(arguments)) => arguments,
            _ => Map::new(),
        };
        let id = self.turn.new_id("call");
        self.emit(RunEvent::ToolCall {
            id: id.clone(),
            name: tool.clone().into_owned(),
            input: Value::Object(arguments.clone()),
            kind: ToolCallKind::Server,
        })
        .await;
        Announced {
            id,
            tool,
            arguments,
        }
    }

    /// Emits the outcome of a call, whatever it is, and reads it.
    pub(crate) async fn settle<T: DeserializeOwned>(
        &mut self,
        call: Announced,
        answer: Result<ToolEnvelope, ToolsError>,
    ) -> Result<Called<T>, Failure> {
        let envelope = envelope_of(&call, answer);
        let read = envelope::read::<T>(&call.tool, &call.arguments, &envelope);
        self.tell_result(call, envelope, false).await;
        read
    }

    /// The same without reading it: the whole envelope as JSON, and the failure that it is, if it
    /// is one.
    pub(crate) async fn settle_raw(
        &mut self,
        call: Announced,
        answer: Result<ToolEnvelope, ToolsError>,
    ) -> (Value, Option<Failure>) {
        let envelope = envelope_of(&call, answer);
        let failure = envelope::read::<Value>(&call.tool, &call.arguments, &envelope).err();
        let output = self.tell_result(call, envelope, true).await;
        (output.unwrap_or_default(), failure)
    }

    /// Emits a call's result and records it. Returns it on request, because it
    /// may be large.
    async fn tell_result(
        &mut self,
        call: Announced,
        envelope: ToolEnvelope,
        back: bool,
    ) -> Option<Value> {
        let ok = envelope.status != ToolStatus::Error;
        let digest = envelope::digest(&envelope);
        let output = envelope::into_value(envelope);
        let kept = back.then(|| output.clone());
        let Announced {
            id,
            tool,
            arguments,
        } = call;
        self.emit(RunEvent::ToolResult {
            id: id.clone(),
            output,
            ok,
        })
        .await;
        self.record(Record::Tool(CallRecord {
            id,
            name: tool.into_owned(),
            input: Value::Object(arguments),
            result: Some(digest),
        }));
        kept
    }

    /// From here on the rules lead: what is asked is answered to them.
    pub(crate) fn hand_to(&mut self, leader: Source) {
        self.leader = leader;
    }

    /// The picker that is opened next is the same again, for this many times.
    pub(crate) fn ask_again_for(&mut self, times: u32) {
        self.asked_again = times;
    }

    pub(crate) fn record(&mut self, record: Record) {
        self.update(SiteUpdate::Recorded(Box::new(record)));
    }
}

/// A call that the client knows of and that still lacks its result.
pub(crate) struct Announced {
    id: String,
    pub(crate) tool: Cow<'static, str>,
    pub(crate) arguments: Map<String, Value>,
}

/// The answer as an envelope, also when there was none.
fn envelope_of(call: &Announced, answer: Result<ToolEnvelope, ToolsError>) -> ToolEnvelope {
    answer.unwrap_or_else(|error| {
        tracing::warn!(
            tool = &*call.tool,
            error = &error as &dyn std::error::Error,
            "a tool call failed"
        );
        ToolEnvelope::without_result(ToolStatus::Error, error.for_people())
    })
}
