//! The first node: what the message is. An answer to the open picker comes first, then a greeting,
//! then the trigger grammar; what no rule is sure of a model classifies, if there is one, and else
//! goes to free chat.

use std::sync::Arc;

use chrono::{DateTime, NaiveDate, Utc};
use contracts::run::{RunEvent, Source};
use graph::{Context, NodeResult};
use serde_json::{Map, Value, json};

use crate::{
    history::{self, Answered},
    language::{
        Answer, Argument, Choice, Flow, Horizon, MIN_CONFIDENCE, Offered, Question, is_cancel,
        parse_answer,
    },
    model::routing::{self, Routed},
    narrative::phrases,
    reading, sentences,
    stage::Stage,
    state::{Finding, PendingSelection, Record, SiteState, SiteUpdate},
    turn::UserInput,
};

/// How clients begin a message that says what was picked.
const PICKED: [&str; 3] = ["selected:", "user selected:", "i selected:"];

/// How often days are asked for again when there are no data for those of the answer.
const DAYS_ASKED_AGAIN: u32 = 1;

/// Characters kept of an answer that cannot be taken.
const LONGEST_ANSWER: usize = 200;

/// Decides which workflow takes the message.
pub(crate) async fn router(
    state: Arc<SiteState>,
    context: Context<SiteState>,
) -> NodeResult<SiteState> {
    let mut stage = Stage::new(&state, context)?;
    match stage.turn().message.clone() {
        UserInput::Text(text) => {
            stage.record(Record::User { text: text.clone() });
            match &state.pending_selection {
                Some(pending) => answered(&mut stage, &state, pending, &text, text.clone()).await,
                None if is_picked(&text) => {
                    nothing_open(&mut stage, sentences::NO_OPEN_QUESTION).await;
                }
                None => new_task(&mut stage, &state, text).await,
            }
        }
        UserInput::SelectionOutput { call_id, output } => match &state.pending_selection {
            Some(pending) if pending.tool_call_id == call_id => match selection_words(&output) {
                Some(words) => {
                    // Said as a choice, so that a value is never taken for a question; giving up is
                    // no choice.
                    let said = if is_cancel(&words) {
                        words.clone()
                    } else {
                        format!("Selected: {words}")
                    };
                    answered(&mut stage, &state, pending, &said, words).await;
                }
                None => {
                    ask_again(
                        &mut stage,
                        pending,
                        sentences::UNREADABLE_ANSWER,
                        &output.to_string(),
                    )
                    .await;
                }
            },
            _ if state
                .messages
                .call(&call_id)
                .is_some_and(|call| call.result.is_some()) =>
            {
                nothing_open(&mut stage, sentences::ANSWERED_BEFORE).await;
            }
            _ => nothing_open(&mut stage, sentences::NO_OPEN_QUESTION).await,
        },
    }
    Ok(stage.done())
}

/// Where the router leads.
pub(crate) fn after_router(state: &SiteState) -> &'static str {
    if state.work.over {
        graph::END
    } else if state.work.retrying {
        crate::graph::RECOVERY
    } else {
        state.active_flow.unwrap_or(Flow::FreeChat).as_str()
    }
}

/// A message while a picker is open. `said` is the message, `given` what it gives as the answer.
async fn answered(
    stage: &mut Stage,
    state: &SiteState,
    pending: &PendingSelection,
    said: &str,
    given: String,
) {
    let offered = Offered::from_request(pending.argument, &pending.request);
    let today = today(state, stage.turn().now);
    let horizon = Horizon {
        loggers: &[],
        anchor: pending.request.max_date.unwrap_or(today),
        today,
    };
    let mut answer = parse_answer(said, &offered, &horizon);
    if matches!(answer, Answer::NotAnAnswer | Answer::Invalid { .. }) && !offered.options.is_empty()
    {
        // A device may be named in other words than the picker's: by its brand, or a part of its
        // id.
        let site = stage.turn().site(stage.persons_zone()).await;
        let knowing = Horizon {
            loggers: &site.loggers,
            ..horizon
        };
        answer = parse_answer(said, &offered, &knowing);
    }
    match answer {
        Answer::Chosen(choice) => go_on(stage, state, pending, choice).await,
        Answer::Invalid { reason } => ask_again(stage, pending, &reason, &given).await,
        Answer::Cancelled => cancel(stage, pending).await,
        Answer::NotAnAnswer => match stage.turn().message.clone() {
            UserInput::Text(text) => {
                close(stage, pending, json!({ "status": "not_answered" })).await;
                new_task(stage, state, text).await;
            }
            // A value given for the picker's call is intended as its answer, whatever it is.
            UserInput::SelectionOutput { .. } => {
                ask_again(stage, pending, sentences::UNREADABLE_ANSWER, &given).await;
            }
        },
    }
}

/// The task continues with what was chosen.
async fn go_on(stage: &mut Stage, state: &SiteState, pending: &PendingSelection, choice: Choice) {
    certain(stage, pending.flow).await;
    let chosen = chosen_values(&choice);
    // A model that asked takes up the answer in its own words; the rules do it when it is away by
    // now.
    let models = pending.asked_by == Source::Model && stage.turn().model().is_some();
    if !models {
        stage.say_in_step(&acknowledgement(&choice)).await;
    }
    close(
        stage,
        pending,
        json!({ "selection": chosen, "selectedFor": pending.argument.as_str() }),
    )
    .await;
    let mut task = state.flow_context.clone();
    if pending.asked_by == Source::Rules || is_of_task(stage, &choice).await {
        task = task.choose(choice);
    }
    stage.update(Finding::Continued(if models {
        Source::Model
    } else {
        Source::Rules
    }));
    stage.update(SiteUpdate::Switched(pending.flow));
    if !models {
        task.retry.clone_from(&pending.retry);
        if pending.retry.is_some() {
            stage.update(Finding::Retrying);
        }
    }
    stage.update(SiteUpdate::Context(Box::new(task)));
    stage.update(SiteUpdate::Step(1));
}

/// Whether what was chosen is a device or days: a model may ask for anything.
async fn is_of_task(stage: &Stage, choice: &Choice) -> bool {
    let ids = match choice {
        Choice::Day(_) | Choice::Range(_) => return true,
        Choice::Logger(id) => std::slice::from_ref(id),
        Choice::Loggers(ids) | Choice::Ranked(ids, _) => ids,
    };
    let site = stage.turn().site(stage.persons_zone()).await;
    ids.iter()
        .all(|id| site.loggers.iter().any(|logger| logger.logger_id == *id))
}

/// The answer cannot be taken: the same options again, as a new call.
async fn ask_again(stage: &mut Stage, pending: &PendingSelection, reason: &str, given: &str) {
    certain(stage, pending.flow).await;
    let given: String = given.chars().take(LONGEST_ANSWER).collect();
    close(
        stage,
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
        stage.update(SiteUpdate::Dropped);
        stage.say_in_step(&phrases::no_such_days(reason)).await;
        stage.update(Finding::Over);
        return;
    }
    stage.hand_to(asked_by);
    stage.ask_again_for(asked_again + 1);
    stage
        .ask(Some(reason), argument, request, flow, retry)
        .await;
    stage.update(Finding::Over);
}

async fn cancel(stage: &mut Stage, pending: &PendingSelection) {
    certain(stage, pending.flow).await;
    close(stage, pending, json!({ "status": "cancelled" })).await;
    stage.update(SiteUpdate::Dropped);
    stage.say_in_step(phrases::CANCELLED).await;
    stage.update(Finding::Over);
}

/// An answer that no picker waits for. The task available, and a picker that is open beside, stay
/// as they are.
async fn nothing_open(stage: &mut Stage, words: &str) {
    certain(stage, Flow::FreeChat).await;
    stage.say_in_step(words).await;
    stage.update(Finding::Over);
}

async fn new_task(stage: &mut Stage, state: &SiteState, text: String) {
    let text = reading::spelt_out(stage, state, text).await;
    let read = reading::understand(stage, &text).await;
    let rules = read.classification;
    // What a rule is sure of never waits for a model.
    let routed = if rules.confidence < MIN_CONFIDENCE {
        let remembered;
        let recent = if stage.turn().history.is_empty() {
            remembered = history::remembered(&state.messages);
            &remembered
        } else {
            &stage.turn().history
        };
        routing::route(stage, &text, recent).await
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
    route(stage, flow, found.confidence, source).await;
    let transition = phrases::transition(flow);
    // In free chat a model announces itself what it looks at.
    let itself = flow == Flow::FreeChat
        && (stage.turn().model().is_some() || says_enough_itself(read.question));
    if state.active_flow != Some(flow) && !transition.is_empty() && !itself {
        stage.say_in_step(transition).await;
    }
    // What only explains or refuses does not take the place of the task before.
    let keeps = flow == Flow::FreeChat && reading::leaves_the_task(read.question);
    let leans_on = keeps.then(|| Box::new(state.flow_context.leant_on()));
    stage.update(SiteUpdate::NewTask {
        flow,
        request: text,
        slots,
        leans_on: leans_on.filter(|before| !before.request.is_empty()),
    });
}

/// What a rule decided for good.
async fn certain(stage: &Stage, flow: Flow) {
    route(stage, flow, 1.0, Source::Rules).await;
}

async fn route(stage: &Stage, flow: Flow, confidence: f64, source: Source) {
    stage
        .emit(RunEvent::Route {
            flow: flow.as_str().to_owned(),
            confidence,
            source,
        })
        .await;
}

/// Gives the picker's call its one result.
///
/// An event carries it to the store of the thread.
async fn close(stage: &mut Stage, pending: &PendingSelection, result: Value) {
    let call_id = pending.tool_call_id.clone();
    stage
        .emit(RunEvent::ToolAnswered {
            id: call_id.clone(),
            output: result.clone(),
        })
        .await;
    stage.update(Finding::Answered(Answered {
        call_id: call_id.clone(),
        output: result.clone(),
    }));
    stage.update(SiteUpdate::Answered { call_id, result });
    stage.update(SiteUpdate::Pending(None));
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
