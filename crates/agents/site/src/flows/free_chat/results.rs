//! The results of the model's calls, and the calls that the assistant answers itself: cards,
//! pickers, and the reading of results that the model got in short.

use agent_kit::{
    CallMade, Called, Decision, Gate, Kept, ToolHandler,
    facts::{FactGate, FactRegistry},
    figures::Known,
};
use async_trait::async_trait;
use contracts::{
    tools::{LoggerSummary, ToolStatus, names},
    ui::{RenderUiComponent, RequestUserSelection},
};
use llm::ToolCall;
use serde::de::IgnoredAny;
use serde_json::{Map, Value, json};

use super::{
    asked::{AskedFor, scoped},
    cards,
    replies::{Replies, Reply},
};
use crate::{
    calls,
    findings::Failure,
    flows::worst_of,
    language::Argument,
    model::{summary, toolbox::READ_RESULT},
    narrative::{Preferences, narrate},
    recovery,
    run::{Node, Run},
    state::SiteState,
};

/// Told to a model that asked for something else than the person did.
const OF_ANOTHER_QUESTION: &str = "This is not of the devices, the site or the days of the question, so nothing can be said of it. Ask for those of the question.";

/// The results of a chat.
#[derive(Debug, Default)]
pub(crate) struct Results {
    fetched: Vec<Fetched>,
    /// The facts that the model's words may name.
    pub(super) facts: FactRegistry,
    /// The devices that a question may offer.
    pub(super) loggers: Vec<LoggerSummary>,
    /// The devices of the calls, and whether they succeeded.
    devices: Vec<(String, bool)>,
    /// Whether any of them was given to the model in short.
    summarised: bool,
    /// Cards that the model asked for. They belong to its answer: they are shown once a sentence of
    /// that stands.
    pub(super) cards: Vec<RenderUiComponent>,
    /// Whether any was shown.
    pub(super) has_shown_cards: bool,
    /// The devices, the site and the days of the question.
    asked: AskedFor,
    /// Whether a result is about it.
    is_of_question: bool,
    /// The outcome of the calls of the newest answer.
    newest: Newest,
}

/// The outcome of the calls of one answer.
#[derive(Debug, Default)]
struct Newest {
    any_good: bool,
    failures: Vec<Failure>,
    /// The question to the person.
    question: Option<Question>,
}

/// A question of the model to the person.
#[derive(Debug)]
pub(crate) struct Question {
    pub(super) argument: Argument,
    pub(super) request: RequestUserSelection,
}

/// A tool's answer to a call of the model.
#[derive(Debug)]
pub(super) struct Fetched {
    pub(super) tool: String,
    /// The whole envelope.
    pub(super) output: Value,
    pub(super) good: bool,
}

/// What only this assistant does with a call.
#[derive(Debug)]
pub(crate) enum Own {
    /// The page shows it.
    Show(Box<RenderUiComponent>),
    /// The person is asked, which ends the turn.
    Ask(Box<Question>),
}

impl Results {
    /// None yet, of these devices, for a question that names these things.
    pub(super) fn for_question(asked: AskedFor, loggers: &[LoggerSummary]) -> Self {
        Self {
            asked,
            loggers: loggers.to_vec(),
            ..Self::default()
        }
    }

    /// Another answer's calls are made.
    pub(super) fn begin(&mut self) {
        self.newest = Newest::default();
    }

    /// The question of the newest answer to the person.
    pub(super) fn question(&mut self) -> Option<Question> {
        self.newest.question.take()
    }

    /// The failure of the newest answer's calls that a choice of the person can repair, when all of
    /// them failed. The model explains a failure that cannot be repaired.
    pub(super) fn failure(&self) -> Option<Failure> {
        if self.newest.any_good {
            return None;
        }
        worst_of(self.newest.failures.clone()).filter(is_repairable)
    }

    /// Shows the cards before a question to the person, within the step.
    pub(super) async fn show_cards(&mut self, node: &Node) {
        for card in std::mem::take(&mut self.cards) {
            node.show_in_step(&card).await;
        }
    }

    /// Whether nothing was found out.
    pub(super) fn is_empty(&self) -> bool {
        self.fetched.is_empty()
    }

    /// The result of a handle.
    pub(super) fn result(&self, handle: &str) -> Result<&Fetched, String> {
        let number = handle
            .strip_prefix("result_")
            .and_then(|number| number.parse::<usize>().ok());
        number
            .and_then(|number| self.fetched.get(number.checked_sub(1)?))
            .ok_or_else(|| format!("There is no result of the handle {handle:?}."))
    }

    /// The results so far, for the rules to report.
    pub(super) fn replies(&self) -> Replies {
        let read: Replies = self
            .fetched
            .iter()
            .filter(|one| one.good)
            .filter_map(|one| Some(Ok(Reply::read(&one.tool, &one.output)?)))
            .collect();
        // The list of devices was looked up on the way to something, unless it is all there is.
        let on_the_way = |reply: &Result<Reply, Failure>| matches!(reply, Ok(Reply::Loggers(_)));
        if read.iter().all(on_the_way) {
            read
        } else {
            read.into_iter().filter(|one| !on_the_way(one)).collect()
        }
    }

    /// The devices of failed calls, of which nothing else was found out.
    pub(super) fn left_out(&self) -> Vec<String> {
        let mut left_out: Vec<String> = Vec::new();
        for (device, good) in &self.devices {
            left_out.retain(|known| known != device);
            if !good {
                left_out.push(device.clone());
            }
        }
        left_out
    }

    /// The rules' sentences on a result: the answer has to have the important ones. The list of
    /// devices is looked up on the way to something.
    fn state(&mut self, reply: &Reply) {
        let narrative = narrate(&reply.facts(), &Preferences::default());
        if !matches!(reply, Reply::Loggers(_)) {
            for sentence in &narrative.must {
                self.facts.must_say(sentence);
            }
        }
        self.facts.state(&narrative.text);
    }

    /// Rows of a result that the model got in short.
    fn rows(&self, arguments: &Map<String, Value>) -> Result<Value, String> {
        let text = |name: &str| {
            arguments
                .get(name)
                .and_then(Value::as_str)
                .unwrap_or_default()
        };
        let number = |name: &str| {
            let number = arguments.get(name).and_then(Value::as_u64);
            number.and_then(|number| usize::try_from(number).ok())
        };
        let result = self.result(text("handle"))?;
        summary::slice(
            &result.output,
            text("path"),
            number("offset").unwrap_or(0),
            number("limit").unwrap_or(summary::MOST_ROWS),
        )
    }
}

fn handle(number: usize) -> String {
    format!("result_{number}")
}

fn is_repairable(failure: &Failure) -> bool {
    match failure.status {
        ToolStatus::NoDataInWindow => recovery::days_repair(failure),
        ToolStatus::NoData => true,
        ToolStatus::Error | ToolStatus::Ok => false,
    }
}

#[async_trait]
impl ToolHandler<SiteState, Run> for Results {
    type Own = Own;

    /// Reading is offered when there is something to read.
    fn offers(&self, tool: &str) -> bool {
        tool != READ_RESULT || self.summarised
    }

    fn gate<'a>(&'a self, _known: &'a Known) -> Box<dyn Gate + 'a> {
        Box::new(FactGate::new(&self.facts))
    }

    fn decide(
        &mut self,
        call: &ToolCall,
        arguments: Map<String, Value>,
        known: &Known,
        before: &[Decision<Own>],
    ) -> Decision<Own> {
        match call.name.as_str() {
            names::RENDER_UI_COMPONENT => match cards::card(arguments, self, known) {
                Ok(card) => Decision::Own(Own::Show(Box::new(card))),
                Err(faults) => Decision::Refuse(faults),
            },
            names::REQUEST_USER_SELECTION
                if before
                    .iter()
                    .any(|one| matches!(one, Decision::Own(Own::Ask(_)))) =>
            {
                Decision::Refuse("Only one question at a time.".to_owned())
            }
            names::REQUEST_USER_SELECTION => match cards::picker(arguments, known, self) {
                Ok(question) => Decision::Own(Own::Ask(Box::new(question))),
                Err(faults) => Decision::Refuse(faults),
            },
            READ_RESULT => match self.rows(&arguments) {
                Ok(rows) => Decision::Answer(self.facts.annotate(&rows)),
                Err(reason) => Decision::Refuse(reason),
            },
            _ => Decision::Call(arguments),
        }
    }

    /// A call that failed may be made again.
    fn repeated(&self, index: usize, made: &CallMade) -> Option<Decision<Own>> {
        made.ok.then(|| {
            Decision::Answer(json!({
                "status": "ok",
                "handle": handle(index + 1),
                "message": "You have this result already; see its handle above.",
            }))
        })
    }

    fn keep(
        &mut self,
        call: &ToolCall,
        arguments: &Map<String, Value>,
        called: &Called,
        known: &mut Known,
    ) -> Kept {
        let failure = calls::read::<IgnoredAny>(called, &call.name, arguments).err();
        let good = failure.is_none();
        self.newest.any_good |= good;
        let device = arguments.get("logger_id").and_then(Value::as_str);
        self.devices
            .extend(device.map(|device| (device.to_owned(), good)));
        self.newest.failures.extend(failure);
        let output = serde_json::to_value(&called.envelope).unwrap_or_default();
        known.learn_value(&output);
        let (mut short, is_short) = summary::for_model(&output);
        if is_short {
            self.summarised = true;
            known.learn_value(&short);
        }
        self.is_of_question |= good && self.asked.fits(&call.name, arguments, &output);
        if good && !self.is_of_question {
            tracing::info!(tool = call.name, "a result is not about what was asked");
            self.fetched.push(Fetched {
                tool: call.name.clone(),
                output: Value::Null,
                good: false,
            });
            let output = json!({ "status": "refused", "message": OF_ANOTHER_QUESTION });
            return Kept { output, ok: good };
        }
        short = self
            .facts
            .annotate(&scoped(short, arguments, &self.loggers));
        if let Some(reply) = Reply::read(&call.name, &output).filter(|_| good) {
            self.state(&reply);
            if let Value::Object(members) = &mut short {
                members.insert("sentences".to_owned(), self.facts.new_sentences());
            }
        }
        self.fetched.push(Fetched {
            tool: call.name.clone(),
            output,
            good,
        });
        if let Value::Object(members) = &mut short {
            members.insert("handle".to_owned(), handle(self.fetched.len()).into());
        }
        Kept {
            output: short,
            ok: good,
        }
    }

    async fn perform(&mut self, _: &Node, own: Own) -> Value {
        match own {
            Own::Show(card) => {
                self.cards.push(*card);
                json!({ "status": "shown" })
            }
            Own::Ask(question) => {
                self.newest.question = Some(*question);
                json!({ "status": "asked" })
            }
        }
    }
}
