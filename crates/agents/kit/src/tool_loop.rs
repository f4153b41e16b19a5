//! The loop of a model that calls tools: it is asked, its calls are checked and made, their results
//! go back to it, until it answers.
//!
//! [`ToolLoop`] owns the conversation with the model and every check that does not depend on the
//! assistant:
//!
//! * A call names a tool that is offered, and its arguments fit the tool's schema ([`ToolSet`]).
//! * One answer asks for at most [`ToolLimits::max_calls_per_step`] calls, and a turn for at most
//!   [`ToolLimits::max_calls`].
//! * No call is made twice, neither within one answer nor in a later one, unless the assistant says
//!   otherwise.
//! * Every call is answered to the model, also one that is not made; ids that were used before are
//!   replaced, for providers refuse them.
//! * The calls of an answer that was cut off are not made: they may not be all there were.
//! * The last question allows no calls, so that the turn ends.
//!
//! What an assistant adds is a [`ToolHandler`]: what the model gets of a result, and calls that are
//! answered without the service.

mod tool_set;

use std::sync::Arc;

use async_trait::async_trait;
use llm::{AssistantMessage, ChatRequest, Message, ToolCall, ToolChoice, ToolOutput};
use serde_json::{Map, Value, json};

pub use tool_set::{ToolSet, ToolSetCache, offered_tool};

use crate::{
    Called, FigureGate, Gate, Heard, NodeContext, ThreadState, Words, figures::Known, listen,
};

/// Limits on a model's work in one turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ToolLimits {
    /// Number of times that it is asked, the closing question excepted.
    pub max_steps: u32,
    /// Maximum number of calls in one answer that are made; the model gets an error for the others.
    pub max_calls_per_step: usize,
    /// Calls of the turn.
    pub max_calls: usize,
}

/// The result of a call whose arguments fit. `O` is what only the assistant knows how to do.
#[derive(Debug)]
pub enum Decision<O> {
    /// The service is asked.
    Call(Map<String, Value>),
    /// The assistant does it itself, see [`ToolHandler::perform`].
    Own(O),
    /// It is answered with this.
    Answer(Value),
    /// It is not made, for this reason.
    Refuse(String),
}

/// The model's view of a call that was made.
#[derive(Debug, Clone, PartialEq)]
pub struct Kept {
    /// The result, or what there is of it.
    pub output: Value,
    /// Whether the call succeeded.
    pub ok: bool,
}

/// A call that was made in this turn.
#[derive(Debug, Clone, PartialEq)]
pub struct CallMade {
    /// The tool.
    pub tool: String,
    /// The arguments of the call.
    pub arguments: Map<String, Value>,
    /// Whether the call succeeded.
    pub ok: bool,
}

/// The assistant's part of the loop.
#[async_trait]
pub trait ToolHandler<S: ThreadState, R>: Send {
    /// What only this assistant knows how to do with a call; [`std::convert::Infallible`] for
    /// nothing.
    type Own: Send;

    /// Whether a tool of the set is offered at the moment.
    fn offers(&self, _tool: &str) -> bool {
        true
    }

    /// Decides on the words of an answer. By default its figures have to be known.
    fn gate<'a>(&'a self, known: &'a Known) -> Box<dyn Gate + 'a> {
        Box::new(FigureGate::new(known))
    }

    /// The decision on a call whose arguments fit. `known` is what a text may name now; `before`
    /// has the decisions on the earlier calls of the answer.
    fn decide(
        &mut self,
        call: &ToolCall,
        arguments: Map<String, Value>,
        known: &Known,
        before: &[Decision<Self::Own>],
    ) -> Decision<Self::Own> {
        let _ = (call, known, before);
        Decision::Call(arguments)
    }

    /// The decision on a call that was made before in this turn, as the `index`-th of all that were
    /// made; `None` makes it again.
    fn repeated(&self, index: usize, made: &CallMade) -> Option<Decision<Self::Own>> {
        let _ = (index, made);
        let reason = "This very call was made already; its result stands above.";
        Some(Decision::Refuse(reason.to_owned()))
    }

    /// Keeps the result of a call, and says what the model gets of it. What the text may then name
    /// is added to `known`; the arguments of the call are in it already.
    fn keep(
        &mut self,
        call: &ToolCall,
        arguments: &Map<String, Value>,
        called: &Called,
        known: &mut Known,
    ) -> Kept;

    /// Does what only this assistant knows how to do, within the step, and says what the model gets
    /// of it.
    async fn perform(&mut self, node: &NodeContext<S, R>, own: Self::Own) -> Value;
}

/// How a question to the model ended.
#[derive(Debug)]
pub enum Asked {
    /// It asks for calls: [`ToolLoop::make_calls`] comes next, in the same step.
    Calls(Vec<ToolCall>),
    /// It asks for no more calls.
    Ended(Box<Heard>),
}

/// A model's conversation with tools. Everything large in it is shared, so a copy is cheap.
#[derive(Debug, Clone)]
pub struct ToolLoop {
    system: Arc<str>,
    tools: Arc<ToolSet>,
    messages: Arc<[Message]>,
    /// The figures and names that the text may contain.
    known: Arc<Known>,
    limits: ToolLimits,
    steps: u32,
    calls: usize,
    made: Vec<CallMade>,
    left_out: u32,
}

impl ToolLoop {
    /// Begins with instructions, the conversation so far, which ends with the person's message, and
    /// what a text may name of it.
    pub fn new(
        system: impl Into<Arc<str>>,
        tools: Arc<ToolSet>,
        messages: Vec<Message>,
        known: Known,
        limits: ToolLimits,
    ) -> Self {
        Self {
            system: system.into(),
            tools,
            messages: messages.into(),
            known: Arc::new(known),
            limits,
            steps: 0,
            calls: 0,
            made: Vec::new(),
            left_out: 0,
        }
    }

    /// Whether the next question is the last one, which allows no calls.
    pub fn is_last(&self) -> bool {
        self.steps >= self.limits.max_steps || self.calls >= self.limits.max_calls
    }

    /// Sentences that were not let through, in all answers so far.
    pub fn left_out(&self) -> u32 {
        self.left_out
    }

    /// The figures and names that the text may contain.
    pub fn known(&self) -> &Known {
        &self.known
    }

    /// The calls that were made so far, in their order.
    pub fn made(&self) -> &[CallMade] {
        &self.made
    }

    /// Asks the model once, within the step, and writes its words as far as they hold. The caller
    /// ends the words; where the model asks for calls, the step stays open for them.
    pub async fn ask<S: ThreadState, R, H: ToolHandler<S, R>>(
        &mut self,
        node: &NodeContext<S, R>,
        words: &mut Words,
        handler: &H,
    ) -> Asked {
        let is_last = self.is_last();
        let request = ChatRequest {
            system: Some(Arc::clone(&self.system)),
            messages: Arc::clone(&self.messages),
            tools: self.tools.offered(|tool| handler.offers(tool)),
            tool_choice: if is_last {
                ToolChoice::None
            } else {
                ToolChoice::Auto
            },
            ..ChatRequest::default()
        };
        let mut gate = handler.gate(&self.known);
        let mut heard = listen(node, words, request, &mut *gate, None).await;
        drop(gate);
        self.steps += 1;
        self.left_out += heard.left_out;
        if is_last || !heard.is_whole() || heard.message.calls.is_empty() {
            return Asked::Ended(Box::new(heard));
        }
        // What has to be said belongs to the answer, which comes after the calls.
        if !heard.closing.held.is_empty() {
            node.write(words, &heard.closing.held).await;
            heard.message.text = words.said().trim_start().to_owned();
        }
        self.make_ids_unique(&mut heard.message, || node.services().new_id("asked"));
        let calls = heard.message.calls.clone();
        self.push([Message::Assistant(heard.message)]);
        Asked::Calls(calls)
    }

    /// Executes the calls of the newest answer within the step, those of the service a few at a
    /// time, then what the assistant does itself. Every call is answered to the model, also one
    /// that is not made.
    pub async fn make_calls<S: ThreadState, R, H: ToolHandler<S, R>>(
        &mut self,
        node: &NodeContext<S, R>,
        calls: &[ToolCall],
        handler: &mut H,
    ) {
        let decisions = self.decide(calls, handler);
        self.calls += calls.len();
        let mut announced = Vec::new();
        for (call, decision) in calls.iter().zip(&decisions) {
            if let Decision::Call(arguments) = decision {
                announced.push(node.announce(&call.name, arguments).await);
            }
        }
        let mut results = node.settle_each(announced).await.into_iter();
        let mut outputs = Vec::new();
        for (call, decision) in calls.iter().zip(decisions) {
            let (output, is_error) = match decision {
                Decision::Call(arguments) => match results.next() {
                    Some(called) => self.keep(call, arguments, &called, handler),
                    None => (json!({ "status": "error" }), true),
                },
                Decision::Own(own) => (handler.perform(node, own).await, false),
                Decision::Answer(answer) => (answer, false),
                Decision::Refuse(reason) => {
                    tracing::info!(tool = call.name, reason, "a call of the model was refused");
                    (json!({ "status": "refused", "message": reason }), true)
                }
            };
            outputs.push(Message::Tool(ToolOutput {
                call_id: call.id.clone(),
                name: call.name.clone(),
                output,
                is_error,
            }));
        }
        self.push(outputs);
    }

    fn decide<S: ThreadState, R, H: ToolHandler<S, R>>(
        &self,
        calls: &[ToolCall],
        handler: &mut H,
    ) -> Vec<Decision<H::Own>> {
        let room = self
            .limits
            .max_calls_per_step
            .min(self.limits.max_calls.saturating_sub(self.calls));
        let mut decisions = Vec::new();
        for (index, call) in calls.iter().enumerate() {
            let checked = if index < room {
                self.tools.check(call, |tool| handler.offers(tool))
            } else {
                Err(format!(
                    "Too many calls at once: only the first {room} were made."
                ))
            };
            let decision = match checked {
                Ok(arguments) => match handler.decide(call, arguments, &self.known, &decisions) {
                    Decision::Call(arguments) => {
                        let before = calls.iter().zip(&decisions);
                        self.unless_repeated(call, arguments, before, handler)
                    }
                    other => other,
                },
                Err(reason) => Decision::Refuse(reason),
            };
            decisions.push(decision);
        }
        decisions
    }

    fn unless_repeated<'a, S: ThreadState, R, H: ToolHandler<S, R>>(
        &self,
        call: &ToolCall,
        arguments: Map<String, Value>,
        mut before: impl Iterator<Item = (&'a ToolCall, &'a Decision<H::Own>)>,
        handler: &H,
    ) -> Decision<H::Own>
    where
        H::Own: 'a,
    {
        let is_same = |made: &CallMade| made.tool == call.name && made.arguments == arguments;
        if let Some(index) = self.made.iter().rposition(is_same)
            && let Some(decision) = handler.repeated(index, &self.made[index])
        {
            return decision;
        }
        let stands_before = before.any(|(other, decision)| {
            other.name == call.name
                && matches!(decision, Decision::Call(theirs) if *theirs == arguments)
        });
        if stands_before {
            return Decision::Refuse("The same call stands in this step already.".to_owned());
        }
        Decision::Call(arguments)
    }

    fn keep<S: ThreadState, R, H: ToolHandler<S, R>>(
        &mut self,
        call: &ToolCall,
        arguments: Map<String, Value>,
        called: &Called,
        handler: &mut H,
    ) -> (Value, bool) {
        let known = Arc::make_mut(&mut self.known);
        for value in arguments.values() {
            known.learn_value(value);
        }
        let Kept { output, ok } = handler.keep(call, &arguments, called, known);
        self.made.push(CallMade {
            tool: call.name.clone(),
            arguments,
            ok,
        });
        (output, !ok)
    }

    fn make_ids_unique(&self, message: &mut AssistantMessage, new_id: impl Fn() -> String) {
        let said = self.messages.iter().filter_map(|message| match message {
            Message::Assistant(said) => Some(&said.calls),
            _ => None,
        });
        let mut used: Vec<String> = said.flatten().map(|call| call.id.clone()).collect();
        for call in &mut message.calls {
            if call.id.is_empty() || used.contains(&call.id) {
                call.id = new_id();
            }
            used.push(call.id.clone());
        }
    }

    fn push(&mut self, more: impl IntoIterator<Item = Message>) {
        self.messages = self.messages.iter().cloned().chain(more).collect();
    }
}
