//! Free chat with a model.

use std::sync::Arc;

use agent_kit::{
    Asked, End, Heard, PastMessage, ToolLoop, UserInput, Words, complete, facts::FactRegistry,
    figures::Known, model_idle, model_stopped, model_unusable, prose::remainder,
};
use chrono::Datelike;
use contracts::run::Source;
use graph::{Command, END, NodeResult};
use llm::{FinishReason, Message};

use super::{
    asked::AskedFor,
    replies::Replies,
    results::{Question, Results},
};
use crate::{
    flows::{Early, LAST_STEP, ended},
    graph::MODEL_CHAT,
    history,
    language::{self, Flow, question},
    model::{Site, system_prompt, toolbox::tool_set},
    narrative::{Preferences, narrate},
    run::{Context, Failed, Node, site},
    sentences,
    state::{SiteState, SiteUpdate},
    ui::{self, Picker, spoken_question},
};

/// A chat with a model: what was said and found out in the run.
#[derive(Debug)]
pub(crate) struct ModelChat {
    tool_loop: ToolLoop,
    pub(super) results: Results,
    /// Everything said in this run that was let through, an answer a line.
    pub(super) said: String,
    /// Whether the newest step is text and nothing else.
    pub(super) ends_in_text: bool,
    /// Whether a sentence of it is on the results.
    pub(super) spoke: bool,
    /// The message of the person.
    request: String,
    /// Whether the rules have an answer to the request, or at least know that there is none.
    rules_answer: bool,
}

/// How an answer of the model ended.
enum Ending {
    /// In calls, which were made: the model is asked again.
    Called,
    /// In a failed call that recovery can repair.
    Failed(Box<Failed>),
    /// In a question to the person, or in words: nothing is left to do.
    Over,
    /// In nothing that can be used: the rules answer.
    Unusable,
}

/// Asks the model once, lets its words through as they come, and makes the calls that it asks for.
/// A run that is stopped keeps what came before the newest question.
pub(crate) async fn model_chat(state: Arc<SiteState>, context: Context) -> NodeResult<SiteState> {
    let node = Node::from(context);
    let begun = match node.run().assistant.take_chat() {
        Some(chat) => Some(chat),
        None => ModelChat::begin(&node, &state).await,
    };
    let Some(mut chat) = begun else {
        return Ok(Command::goto(Flow::FreeChat.as_str()));
    };
    let next = match chat.ask(&node).await {
        Ending::Called => MODEL_CHAT,
        Ending::Failed(failed) => return Ok(ended(node, Err(Early::Failed(failed)))),
        Ending::Over => {
            node.account().worded_by(Source::Model);
            END
        }
        Ending::Unusable => {
            node.account().worded_by(Source::Rules);
            Flow::FreeChat.as_str()
        }
    };
    node.run().assistant.keep_chat(chat);
    Ok(node.done().then_goto(next))
}

impl ModelChat {
    /// Begins with the thread so far and everything that is known of it; `None` when the tools are
    /// not known.
    async fn begin(node: &Node, state: &SiteState) -> Option<Self> {
        let run = node.run();
        let (definitions, site) = futures::join!(run.tools().definitions(), site(run, state));
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
        let past = if run.history.is_empty() {
            remembered = history::remembered(&state.messages);
            &remembered
        } else {
            &run.history
        };
        // What a person picks takes the place of what the request names.
        let asked_for = match &run.message {
            UserInput::Text(_) => AskedFor::of(&state.flow_context.request, site),
            UserInput::SelectionOutput { .. } => AskedFor::default(),
        };
        let mut results = Results::for_question(asked_for, &site.loggers);
        results.facts.know_today(site.today);
        known_devices(&mut results.facts, site);
        let mut messages = history::messages(past, &state.messages, &mut results.facts);
        // The thread's own memory has this turn's message already.
        if !run.history.is_empty() {
            messages.extend(asked(&run.message, &messages));
        }
        if messages.is_empty() {
            messages.push(Message::user(state.flow_context.request.as_str()));
        }
        Some(Self {
            tool_loop: ToolLoop::new(
                system_prompt(site, &state.flow_context),
                run.assistant.tool_sets.of(&definitions, tool_set),
                messages,
                known(site, past, &run.message),
                run.assistant.settings.tool_limits(),
            ),
            results,
            said: String::new(),
            ends_in_text: false,
            spoke: false,
            request: state.flow_context.request.clone(),
            rules_answer: question(&state.flow_context.request) != language::Question::Unknown,
        })
    }

    /// Asks the model once, in a step of its own with the calls that it asks for.
    async fn ask(&mut self, node: &Node) -> Ending {
        if self.tool_loop.is_last() {
            node.warn("model_limited", sentences::LOOKED_LONG_ENOUGH)
                .await;
        }
        if self.rules_answer {
            node.rules_have_answer();
        }
        node.begin_step().await;
        let cards = std::mem::take(&mut self.results.cards);
        // Words before calls announce them; no user waits for an announcement of a schedule.
        let unattended = node.run().unattended;
        let mut words = Words::default().with_cards(cards).held(unattended);
        let asked = self.tool_loop.ask(node, &mut words, &self.results).await;
        self.results.has_shown_cards |= words.has_shown_cards();
        let calls = match asked {
            Asked::Calls(calls) => calls,
            Asked::Ended(mut heard) => {
                self.spoke = heard.sentences > 0;
                if self.spoke {
                    complete(node, &mut words, &mut heard).await;
                }
                self.note(&words);
                self.ends_in_text = !words.said().is_empty();
                return self.end(node, words, *heard).await;
            }
        };
        self.results.cards = words.take_cards();
        self.ends_in_text = false;
        if !words.is_held() {
            self.note(&words);
            node.end_words(words).await;
        }
        self.results.begin();
        self.tool_loop
            .make_calls(node, &calls, &mut self.results)
            .await;
        let question = self.results.question();
        if question.is_some() {
            self.results.show_cards(node).await;
        }
        node.end_step().await;
        node.update(SiteUpdate::Step(3));
        if let Some(question) = question {
            self.ask_person(node, question).await;
            return Ending::Over;
        }
        match self.results.failure() {
            Some(failure) => Ending::Failed(Box::new(Failed {
                failure,
                loggers: None,
                asked_by: Source::Model,
            })),
            None => Ending::Called,
        }
    }

    fn note(&mut self, words: &Words) {
        self.said.push_str(words.said());
        self.said.push('\n');
    }

    /// Asks the person; in words, too, for clients that draw no pickers, unless the model has just
    /// asked in its own.
    async fn ask_person(&self, node: &Node, question: Question) {
        let Question { argument, request } = question;
        let asked = self.said.trim_end_matches('\n').ends_with('?');
        let words = if asked && self.said_just_now() {
            String::new()
        } else {
            spoken_question(None, &request)
        };
        let picker = Picker {
            asked_by: Source::Model,
            ..Picker::new(argument, request, Flow::FreeChat)
        };
        ui::ask_saying(node, &words, picker).await;
    }

    /// Whether the newest answer had words.
    fn said_just_now(&self) -> bool {
        self.said
            .lines()
            .next_back()
            .is_some_and(|line| !line.is_empty())
    }

    /// Ends an answer without calls: with its words, or by handing over to the rules.
    ///
    /// An answer of which sentences were left out says so. What was left out before calls is not
    /// missed: it announces, it does not answer.
    async fn end(&self, node: &Node, mut words: Words, heard: Heard) -> Ending {
        let begun = !words.said().is_empty();
        let spoke = heard.sentences > 0;
        let whole = match &heard.end {
            End::Finished(FinishReason::Stop | FinishReason::ToolCalls) => true,
            End::Finished(reason) if spoke => {
                let cut = *reason == FinishReason::Length;
                let text = if cut {
                    node.account().cut();
                    sentences::ANSWER_CUT
                } else {
                    node.account().break_off();
                    sentences::REST_HELD_BACK
                };
                node.warn("model_limited", text).await;
                true
            }
            End::Finished(_) | End::Failed(_) => false,
        };
        let left_out = self.results.left_out();
        if spoke && whole && !left_out.iter().all(|device| self.said.contains(device)) {
            let text = sentences::some_left_out(&left_out, "the figures");
            node.write(&mut words, " ").await;
            node.write(&mut words, &text).await;
        }
        if spoke && whole && heard.left_out > 0 {
            let rest = remainder(&self.plain(), &self.said);
            node.write(&mut words, " ").await;
            node.write(&mut words, &rest).await;
            node.write(&mut words, "\n\n").await;
            let note = sentences::left_out(heard.left_out);
            node.write(&mut words, &note).await;
        }
        node.end_words(words).await;
        node.end_step().await;
        if spoke && whole {
            node.update(SiteUpdate::Step(LAST_STEP));
            node.update(SiteUpdate::RecoveryAttempts(0));
            return Ending::Over;
        }
        // A question back or a courtesy, where the rules know no better.
        let is_idle = heard.answers_nothing(&self.request);
        if heard.is_whole() && begun && !is_idle && !self.rules_answer && self.results.is_empty() {
            return Ending::Over;
        }
        if is_idle && heard.is_whole() {
            model_idle(node).await;
        } else if begun && spoke {
            model_stopped(node, &heard).await;
        } else {
            model_unusable(node, &heard).await;
        }
        Ending::Unusable
    }

    /// The rules' text on the results so far.
    fn plain(&self) -> String {
        let replies = self.results.replies();
        let replies = replies.iter().flatten();
        let texts = replies.map(|reply| narrate(&reply.facts(), &Preferences::default()).text);
        texts.collect::<Vec<_>>().join(" ")
    }

    /// The results so far, for the rules to report.
    pub(super) fn replies(&self) -> Replies {
        self.results.replies()
    }
}

/// This turn's message; `None` for the answer to a picker that is in the conversation with its
/// result.
fn asked(message: &UserInput, messages: &[Message]) -> Option<Message> {
    match message {
        UserInput::Text(text) => Some(Message::user(text.as_str())),
        UserInput::SelectionOutput { call_id, output } => {
            let is_answered = messages
                .iter()
                .any(|message| matches!(message, Message::Tool(told) if told.call_id == *call_id));
            (!is_answered).then(|| Message::user(format!("Selected: {output}")))
        }
    }
}

/// The names that the model's words may hold before any call.
fn known_devices(facts: &mut FactRegistry, site: &Site) {
    for logger in &site.loggers {
        facts.know(&logger.logger_id);
        facts.know(&logger.site_name);
    }
}

/// The figures that a card or a picker may have before any call: those of the conversation, the
/// devices, the days around today.
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
