//! The first node: what the message is. An answer to the open picker comes first, then schedules,
//! then a greeting, then the trigger grammar. What no rule is sure of is classified by a model, or
//! goes to free chat if there is no model.

use std::sync::Arc;

use agent_kit::UserInput;
use chrono::{DateTime, NaiveDate, Utc};
use contracts::run::{RunEvent, Source};
use graph::{END, NodeResult};
use serde_json::{Map, Value, json};

use crate::{
    flows::{self, free_chat},
    graph::SCHEDULES,
    history,
    language::{
        Argument, Choice, Flow, Horizon, MIN_CONFIDENCE, Offered, PickerAnswer, Question,
        is_cancel, parse_answer,
    },
    model::routing::{self, Routed},
    narrative::phrases,
    reading, recovery,
    run::{Context, Node, site},
    sentences,
    state::{PendingSelection, Record, SiteState, SiteUpdate},
    ui::{self, Picker},
};

/// How clients begin a message that says what was picked.
const PICKED: [&str; 3] = ["selected:", "user selected:", "i selected:"];

/// Maximum number of times that days are asked for again when there are no data for those of the
/// answer.
const DAYS_ASKED_AGAIN: u32 = 1;

/// Characters kept of an answer that cannot be taken.
const LONGEST_ANSWER: usize = 200;

/// Decides which workflow takes the message.
pub(crate) async fn router(state: Arc<SiteState>, context: Context) -> NodeResult<SiteState> {
    let node = Node::from(context);
    let next = routed(&node, &state).await;
    Ok(node.done().then_goto(next))
}

/// The node that comes next.
async fn routed(node: &Node, state: &SiteState) -> &'static str {
    match &node.run().message {
        UserInput::Text(text) => {
            let record = Record::User { text: text.clone() };
            node.update(SiteUpdate::Recorded(Box::new(record)));
            match &state.pending_selection {
                Some(pending) => answered(node, state, pending, text, text).await,
                None if is_picked(text) => nothing_open(node, sentences::NO_OPEN_QUESTION).await,
                None => said(node, state, text).await,
            }
        }
        UserInput::SelectionOutput { call_id, output } => match &state.pending_selection {
            Some(pending) if pending.tool_call_id == *call_id => {
                answered_by_value(node, state, pending, output).await
            }
            _ if state
                .messages
                .call(call_id)
                .is_some_and(|call| call.result.is_some()) =>
            {
                nothing_open(node, sentences::ANSWERED_BEFORE).await
            }
            _ => nothing_open(node, sentences::NO_OPEN_QUESTION).await,
        },
    }
}

/// A message that answers no picker: about schedules, or a task.
async fn said(node: &Node, state: &SiteState, text: &str) -> &'static str {
    if flows::schedules::is_about(state, text) {
        certain(node, Flow::FreeChat).await;
        return SCHEDULES;
    }
    new_task(node, state, text.to_owned()).await
}

/// The node of a workflow. `continued` is who asked the question that the message answers.
fn node_of(node: &Node, flow: Flow, request: &str, continued: Option<Source>) -> &'static str {
    match flow {
        Flow::FreeChat => free_chat::entry(node.run(), request, continued),
        flow => flow.as_str(),
    }
}

/// The answer to the open picker as a value.
async fn answered_by_value(
    node: &Node,
    state: &SiteState,
    pending: &PendingSelection,
    output: &Value,
) -> &'static str {
    let Some(words) = selection_words(output) else {
        let given = output.to_string();
        return ask_again(node, pending, sentences::UNREADABLE_ANSWER, &given).await;
    };
    // Said as a choice, so that a value is never taken for a question; giving up is not one.
    let said = if is_cancel(&words) {
        words.clone()
    } else {
        format!("Selected: {words}")
    };
    answered(node, state, pending, &said, &words).await
}

/// A message while a picker is open. `words` is the message, `given` what it gives as the answer.
async fn answered(
    node: &Node,
    state: &SiteState,
    pending: &PendingSelection,
    words: &str,
    given: &str,
) -> &'static str {
    let offered = Offered::from_request(pending.argument, &pending.request);
    let today = today(state, node.run().now);
    let horizon = Horizon {
        loggers: &[],
        anchor: pending.request.max_date.unwrap_or(today),
        today,
    };
    let mut answer = parse_answer(words, &offered, &horizon);
    if matches!(
        answer,
        PickerAnswer::NotAnAnswer | PickerAnswer::Invalid { .. }
    ) && !offered.options.is_empty()
    {
        // A device may be named in other words than the picker's: by its brand, or a part of its
        // id.
        let site = site(node.run(), state).await;
        let knowing = Horizon {
            loggers: &site.loggers,
            ..horizon
        };
        answer = parse_answer(words, &offered, &knowing);
    }
    match answer {
        PickerAnswer::Chosen(choice) => go_on(node, state, pending, choice).await,
        PickerAnswer::Invalid { reason } => ask_again(node, pending, &reason, given).await,
        PickerAnswer::Cancelled => cancel(node, pending).await,
        PickerAnswer::NotAnAnswer => match &node.run().message {
            UserInput::Text(text) => {
                close(node, pending, json!({ "status": "not_answered" })).await;
                said(node, state, text).await
            }
            // A value given for the picker's call is intended as its answer, whatever it is.
            UserInput::SelectionOutput { .. } => {
                ask_again(node, pending, sentences::UNREADABLE_ANSWER, given).await
            }
        },
    }
}

/// The task continues with what was chosen.
async fn go_on(
    node: &Node,
    state: &SiteState,
    pending: &PendingSelection,
    choice: Choice,
) -> &'static str {
    certain(node, pending.flow).await;
    let chosen = chosen_values(&choice);
    // A model that asked takes up the answer in its own words; the rules do it when it is away by
    // now.
    let models = pending.asked_by == Source::Model && node.has_model();
    if !models {
        node.say_in_step(&acknowledgement(&choice)).await;
    }
    close(
        node,
        pending,
        json!({ "selection": chosen, "selectedFor": pending.argument.as_str() }),
    )
    .await;
    let mut task = state.flow_context.clone();
    if pending.asked_by == Source::Rules || is_of_task(node, state, &choice).await {
        task = task.choose(choice);
    }
    node.update(SiteUpdate::Switched(pending.flow));
    if !models && pending.retry.is_some() {
        recovery::retry_with_date(node, task.chosen_period()).await;
    }
    node.update(SiteUpdate::Context(Box::new(task)));
    node.update(SiteUpdate::Step(1));
    let continued = if models { Source::Model } else { Source::Rules };
    node_of(
        node,
        pending.flow,
        &state.flow_context.request,
        Some(continued),
    )
}

/// Whether what was chosen is a device or days: a model may ask for anything.
async fn is_of_task(node: &Node, state: &SiteState, choice: &Choice) -> bool {
    let ids = match choice {
        Choice::Day(_) | Choice::Range(_) => return true,
        Choice::Logger(id) => std::slice::from_ref(id),
        Choice::Loggers(ids) | Choice::Ranked(ids, _) => ids,
    };
    let site = site(node.run(), state).await;
    ids.iter()
        .all(|id| site.loggers.iter().any(|logger| logger.logger_id == *id))
}

/// The answer cannot be taken: the same options again, as a new call.
async fn ask_again(
    node: &Node,
    pending: &PendingSelection,
    reason: &str,
    given: &str,
) -> &'static str {
    certain(node, pending.flow).await;
    let given: String = given.chars().take(LONGEST_ANSWER).collect();
    close(
        node,
        pending,
        json!({ "selection": given, "selectedFor": pending.argument.as_str(), "error": reason }),
    )
    .await;
    let PendingSelection {
        argument,
        request,
        flow,
        retry,
        asked_by,
        asked_again,
        ..
    } = pending.clone();
    let days = matches!(argument, Argument::Date | Argument::DateRange);
    if days && asked_again >= DAYS_ASKED_AGAIN {
        node.update(SiteUpdate::Dropped);
        node.say_in_step(&phrases::no_such_days(reason)).await;
        return END;
    }
    let picker = Picker {
        argument,
        request,
        flow,
        retry,
        asked_by,
        asked_again: asked_again + 1,
    };
    ui::ask(node, Some(reason), picker).await;
    END
}

async fn cancel(node: &Node, pending: &PendingSelection) -> &'static str {
    certain(node, pending.flow).await;
    close(node, pending, json!({ "status": "cancelled" })).await;
    node.update(SiteUpdate::Dropped);
    node.say_in_step(phrases::CANCELLED).await;
    END
}

/// An answer that no picker waits for. The current task, and a picker that is open beside, stay
/// as they are.
async fn nothing_open(node: &Node, words: &str) -> &'static str {
    certain(node, Flow::FreeChat).await;
    node.say_in_step(words).await;
    END
}

async fn new_task(node: &Node, state: &SiteState, text: String) -> &'static str {
    let run = node.run();
    let text = reading::spelt_out(node, state, text).await;
    let read = reading::understand(node, state, &text).await;
    let rules = read.classification;
    // What a rule is sure of never waits for a model.
    let routed = if rules.confidence < MIN_CONFIDENCE {
        let remembered;
        let recent = if run.history.is_empty() {
            remembered = history::remembered(&state.messages);
            &remembered
        } else {
            &run.history
        };
        routing::route(node, state, &text, recent).await
    } else {
        None
    };
    let source = match &routed {
        Some(_) => Source::Model,
        None => Source::Rules,
    };
    let Routed { found, slots } = routed.unwrap_or(Routed {
        found: rules,
        slots: String::new(),
    });
    let flow = if found.confidence < MIN_CONFIDENCE {
        Flow::FreeChat
    } else {
        found.flow
    };
    node.route(flow.as_str(), found.confidence, source).await;
    let transition = phrases::transition(flow);
    // In free chat a model announces itself what it looks at.
    let itself = flow == Flow::FreeChat && (node.has_model() || says_enough_itself(read.question));
    let is_announced = !itself && !node.run().unattended;
    if state.active_flow != Some(flow) && !transition.is_empty() && is_announced {
        node.say_in_step(transition).await;
    }
    // What only explains or refuses does not take the place of the task before.
    let keeps = flow == Flow::FreeChat && reading::leaves_the_task(read.question);
    let leans_on = keeps.then(|| Box::new(state.flow_context.leant_on()));
    let next = node_of(node, flow, &text, None);
    node.update(SiteUpdate::NewTask {
        flow,
        request: text,
        slots,
        leans_on: leans_on.filter(|before| !before.request.is_empty()),
    });
    next
}

/// Emits the decision of a rule.
async fn certain(node: &Node, flow: Flow) {
    node.route(flow.as_str(), 1.0, Source::Rules).await;
}

/// Gives the picker's call its one result.
///
/// An event carries it to the store of the thread.
async fn close(node: &Node, pending: &PendingSelection, result: Value) {
    let call_id = pending.tool_call_id.clone();
    node.emit(RunEvent::ToolAnswered {
        id: call_id.clone(),
        output: result.clone(),
    })
    .await;
    node.update(SiteUpdate::Answered { call_id, result });
    node.update(SiteUpdate::Pending(None));
}

fn is_picked(text: &str) -> bool {
    let text = text.trim_start().to_lowercase();
    PICKED.iter().any(|start| text.starts_with(start))
}

fn chosen_values(choice: &Choice) -> Vec<String> {
    match choice {
        Choice::Logger(id) => vec![id.clone()],
        Choice::Loggers(ids) => ids.clone(),
        Choice::Day(day) => vec![day.to_string()],
        Choice::Range(period) => vec![period.start.to_string(), period.end.to_string()],
        Choice::Ranked(_, ranked) => vec![phrases::ranked(*ranked)],
    }
}

fn acknowledgement(choice: &Choice) -> String {
    match choice {
        Choice::Day(day) => phrases::acknowledge_day(*day),
        Choice::Range(period) => phrases::acknowledge_period(*period),
        Choice::Logger(_) | Choice::Loggers(_) | Choice::Ranked(..) => {
            phrases::acknowledgement(&chosen_values(choice))
        }
    }
}

/// What only explains itself looks nothing up, so it announces nothing.
fn says_enough_itself(question: Question) -> bool {
    matches!(
        question,
        Question::Help
            | Question::Unknown
            | Question::Definition
            | Question::Thanks
            | Question::Beyond(_)
    )
}

/// An answer given as a value, in the words in which a person would send it.
fn selection_words(output: &Value) -> Option<String> {
    match output {
        Value::String(text) => Some(text.clone()).filter(|text| !text.trim().is_empty()),
        Value::Array(values) => {
            let values: Vec<_> = values.iter().map(selection_words).collect::<Option<_>>()?;
            (!values.is_empty()).then(|| values.join(", "))
        }
        Value::Object(members) => object_words(members),
        Value::Null | Value::Bool(_) | Value::Number(_) => None,
    }
}

fn object_words(members: &Map<String, Value>) -> Option<String> {
    let text = |name: &str| members.get(name).and_then(Value::as_str);
    if members.get("cancelled").and_then(Value::as_bool) == Some(true) {
        return Some("cancel".to_owned());
    }
    if let (Some(start), Some(end)) = (text("start"), text("end")) {
        return Some(format!("{start}:{end}"));
    }
    let value = ["selection", "selected", "value", "values", "date"]
        .iter()
        .find_map(|name| members.get(*name))?;
    selection_words(value)
}

fn today(state: &SiteState, now: DateTime<Utc>) -> NaiveDate {
    now.with_timezone(&state.flow_context.zone()).date_naive()
}

#[cfg(test)]
mod tests;
