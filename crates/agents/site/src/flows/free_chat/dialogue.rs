//! What free chat with a model knows and has done so far in the run.

use std::sync::Arc;

use agent_kit::{PastMessage, figures::Known};
use chrono::Datelike;
use llm::{AssistantMessage, ChatRequest, Message, ToolCall, ToolChoice};
use serde_json::{Map, Value};

use super::replies::{Replies, Reply};
use crate::{
    history,
    model::{Site, summary, system_prompt, toolbox::Toolbox},
    stage::Stage,
    state::{Failure, SiteState},
    turn::UserInput,
};

/// The next node of free chat with a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Next {
    /// The model is asked.
    Model,
    /// Its calls are made.
    Tools,
    /// The rules answer, from the question.
    Rules,
    /// The rules answer, with what was found out.
    Results,
    /// Nothing is left to do here.
    Over,
}

/// Free chat with a model. Everything large is shared, so a copy is cheap.
#[derive(Debug, Clone)]
pub(crate) struct Dialogue {
    toolbox: Arc<Toolbox>,
    system: Arc<str>,
    messages: Arc<[Message]>,
    /// The figures and names that the text may contain.
    pub(super) known: Arc<Known>,
    /// The results of this run.
    pub(super) results: Vec<Arc<Fetched>>,
    /// Whether any of them was given to the model in short.
    summarised: bool,
    /// Number of times that the model was asked.
    pub(super) steps: u32,
    /// Number of calls that it has asked for.
    pub(super) calls: usize,
    /// The calls of its newest answer.
    pub(super) pending: Arc<[ToolCall]>,
    /// The result of them.
    pub(super) outcome: Outcome,
    /// Everything said in this run that was let through.
    pub(super) said: String,
    /// Whether the newest step is text and nothing else.
    pub(super) ends_in_text: bool,
    /// Cards shown.
    pub(super) cards: u32,
}

/// The result of the calls of one answer.
#[derive(Debug, Clone, Default)]
pub(super) struct Outcome {
    pub(super) any_good: bool,
    pub(super) failures: Vec<Failure>,
    /// A picker is open.
    pub(super) asked: bool,
}

/// A tool's answer to a call of the model.
#[derive(Debug)]
pub(super) struct Fetched {
    pub(super) tool: String,
    pub(super) arguments: Map<String, Value>,
    /// The whole envelope.
    pub(super) output: Value,
    pub(super) good: bool,
}

impl Dialogue {
    /// Begins with the thread so far and everything that is known of it; `None` when it is not
    /// known what may be called.
    pub(super) async fn begin(state: &SiteState, stage: &Stage) -> Option<Self> {
        let turn = stage.turn();
        let (definitions, site) =
            futures::join!(turn.tools().definitions(), turn.site(stage.persons_zone()));
        let definitions = match definitions {
            Ok(definitions) => definitions,
            Err(error) => {
                tracing::warn!(
                    error = &error as &dyn std::error::Error,
                    "the tools could not be listed, so no model is asked"
                );
                return None;
            }
        };
        let remembered;
        let past = if turn.history.is_empty() {
            remembered = history::remembered(&state.messages);
            &remembered
        } else {
            &turn.history
        };
        let answered = state.work.answered.as_deref();
        let (mut messages, found) = history::messages(past, answered);
        match &turn.message {
            _ if turn.history.is_empty() => {}
            UserInput::Text(text) => messages.push(Message::user(text.as_str())),
            UserInput::SelectionOutput { output, .. } if !found => {
                messages.push(Message::user(format!("Selected: {output}")));
            }
            UserInput::SelectionOutput { .. } => {}
        }
        if messages.is_empty() {
            messages.push(Message::user(state.flow_context.request.as_str()));
        }
        Some(Self {
            toolbox: turn.shared.toolboxes.of(definitions),
            system: system_prompt(&site, &state.flow_context).into(),
            known: Arc::new(known(&site, past, &turn.message)),
            messages: messages.into(),
            results: Vec::new(),
            summarised: false,
            steps: 0,
            calls: 0,
            pending: Arc::new([]),
            outcome: Outcome::default(),
            said: String::new(),
            ends_in_text: false,
            cards: 0,
        })
    }

    /// The next question to the model; the last one allows no calls.
    pub(super) fn request(&self, last: bool) -> ChatRequest {
        ChatRequest {
            system: Some(Arc::clone(&self.system)),
            messages: Arc::clone(&self.messages),
            tools: self.toolbox.tools(self.summarised),
            tool_choice: if last {
                ToolChoice::None
            } else {
                ToolChoice::Auto
            },
            ..ChatRequest::default()
        }
    }

    pub(super) fn toolbox(&self) -> &Toolbox {
        &self.toolbox
    }

    /// Takes an answer with calls. Ids that were used before are replaced: providers refuse them.
    pub(super) fn take(&mut self, mut message: AssistantMessage, new_id: impl Fn() -> String) {
        let mut used: Vec<String> = Vec::new();
        for call in &mut message.calls {
            let again = |id: &str| {
                self.messages.iter().any(|message| match message {
                    Message::Assistant(said) => said.calls.iter().any(|one| one.id == id),
                    _ => false,
                })
            };
            if call.id.is_empty() || used.contains(&call.id) || again(&call.id) {
                call.id = new_id();
            }
            used.push(call.id.clone());
        }
        self.pending = message.calls.clone().into();
        self.outcome = Outcome::default();
        self.push([Message::Assistant(message)]);
    }

    /// Adds to the conversation.
    pub(super) fn push(&mut self, more: impl IntoIterator<Item = Message>) {
        self.messages = self.messages.iter().cloned().chain(more).collect();
    }

    /// Keeps a result and says what the model gets of it.
    pub(super) fn keep(&mut self, fetched: Fetched) -> Value {
        let known = Arc::make_mut(&mut self.known);
        for value in fetched.arguments.values() {
            known.learn_value(value);
        }
        known.learn_value(&fetched.output);
        let (mut told, short) = summary::for_model(&fetched.output);
        if short {
            self.summarised = true;
            known.learn_value(&told);
        }
        self.results.push(Arc::new(fetched));
        if let Value::Object(members) = &mut told {
            members.insert("handle".to_owned(), handle(self.results.len()).into());
        }
        told
    }

    /// The result of a handle.
    pub(super) fn result(&self, handle: &str) -> Result<&Fetched, String> {
        let number = handle
            .strip_prefix("result_")
            .and_then(|number| number.parse::<usize>().ok());
        number
            .and_then(|number| self.results.get(number.checked_sub(1)?))
            .map(AsRef::as_ref)
            .ok_or_else(|| format!("There is no result of the handle {handle:?}."))
    }

    /// The handle of an earlier call that was the same and went well.
    pub(super) fn same(&self, tool: &str, arguments: &Map<String, Value>) -> Option<String> {
        let at = self
            .results
            .iter()
            .position(|one| one.good && one.tool == tool && one.arguments == *arguments)?;
        Some(handle(at + 1))
    }

    /// Whether the newest answer had words.
    pub(super) fn said_just_now(&self) -> bool {
        self.said
            .lines()
            .next_back()
            .is_some_and(|line| !line.is_empty())
    }

    /// The findings, for the rules' answer.
    pub(super) fn replies(&self) -> Replies {
        let read: Replies = self
            .results
            .iter()
            .filter(|one| one.good)
            .filter_map(|one| Some(Ok(Reply::read(&one.tool, &one.output)?)))
            .collect();
        // Which devices there are was looked up on the way to something, unless there is nothing
        // else.
        let on_the_way = |reply: &Result<Reply, Failure>| matches!(reply, Ok(Reply::Loggers(_)));
        if read.iter().all(on_the_way) {
            read
        } else {
            read.into_iter().filter(|one| !on_the_way(one)).collect()
        }
    }
}

fn handle(number: usize) -> String {
    format!("result_{number}")
}

/// The facts that a text may name before any call: the conversation's own figures, the devices, the
/// days around today.
fn known(site: &Site, past: &[PastMessage], message: &UserInput) -> Known {
    let mut known = Known::default();
    let year = site.newest.unwrap_or(site.today).year();
    known.learn(&site.loggers);
    for day in [Some(site.today), site.newest].into_iter().flatten() {
        let around = [day.pred_opt(), Some(day), day.succ_opt()];
        around
            .into_iter()
            .flatten()
            .for_each(|day| known.add_day(day));
    }
    for message in past {
        known.learn_text(&message.text, year);
        for call in &message.calls {
            known.learn_value(&call.input);
            if let Some(output) = &call.output {
                known.learn_value(output);
            }
        }
    }
    match message {
        UserInput::Text(text) => known.learn_text(text, year),
        UserInput::SelectionOutput { output, .. } => known.learn_value(output),
    }
    known
}
