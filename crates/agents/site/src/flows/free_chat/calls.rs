//! Making the model's calls, and what follows from their results.

use std::sync::Arc;

use contracts::{
    run::Source,
    tools::{ToolStatus, names},
    ui::{RenderUiComponent, RequestUserSelection},
};
use futures::{StreamExt, stream};
use graph::{Context, NodeError, NodeResult};
use llm::{Message, ToolCall, ToolOutput};
use serde_json::{Map, Value, json};

use super::{
    cards,
    dialogue::{Dialogue, Fetched, Next},
};
use crate::{
    flows::worst_of,
    language::{Argument, Flow},
    model::{summary, toolbox::READ_RESULT},
    recovery,
    stage::{CALLS_AT_ONCE, Stage, spoken_question},
    state::{Failure, Finding, SiteState, SiteUpdate},
};

/// The treatment of one call.
enum Plan {
    /// The service is asked.
    Call(Map<String, Value>),
    /// The page shows it.
    Show(Box<RenderUiComponent>),
    /// The person is asked, which ends the turn.
    Ask(Argument, Box<RequestUserSelection>),
    /// It is answered here.
    Answer(Value),
    /// It is not made, for this reason.
    Refuse(String),
}

/// Executes the calls of the newest answer: those of the service a few at a time, then those that
/// the page shows, last the question to the person. Every call is answered to the model, also the
/// ones that are not made.
pub(super) async fn call_tools(
    state: Arc<SiteState>,
    context: Context<SiteState>,
) -> NodeResult<SiteState> {
    let mut stage = Stage::new(&state, context)?;
    let mut dialogue = dialogue(&state)?.clone();
    let calls = Arc::clone(&dialogue.pending);
    let plans = plan(&calls, &dialogue, &stage);
    dialogue.calls += calls.len();
    let mut fetched = fetch(&mut stage, &calls, &plans).await;
    let mut outputs = Vec::new();
    let mut question = None;
    for (index, (call, plan)) in calls.iter().zip(plans).enumerate() {
        let (output, is_error) = match plan {
            Plan::Call(arguments) => {
                let (output, failure) = fetched
                    .iter_mut()
                    .find(|(at, ..)| *at == index)
                    .map(|(_, output, failure)| (std::mem::take(output), failure.take()))
                    .unwrap_or_default();
                let good = failure.is_none();
                dialogue.outcome.any_good |= good;
                dialogue.outcome.failures.extend(failure);
                let told = dialogue.keep(Fetched {
                    tool: call.name.clone(),
                    arguments,
                    good,
                    output,
                });
                (told, !good)
            }
            Plan::Show(card) => {
                stage.show_here(*card).await;
                dialogue.cards += 1;
                (json!({ "status": "shown" }), false)
            }
            Plan::Ask(argument, request) => {
                question = Some((argument, request));
                (json!({ "status": "asked" }), false)
            }
            Plan::Answer(answer) => (answer, false),
            Plan::Refuse(reason) => {
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
    stage.end_step().await;
    dialogue.push(outputs);
    if let Some((argument, request)) = question {
        ask(&mut stage, &mut dialogue, argument, *request).await;
    }
    stage.update(SiteUpdate::Step(2));
    stage.update(Finding::Dialogue(Box::new(dialogue)));
    Ok(stage.done())
}

fn dialogue(state: &SiteState) -> Result<&Dialogue, NodeError> {
    let dialogue = state.work.dialogue.as_deref();
    dialogue.ok_or_else(|| NodeError::permanent("the model was not asked"))
}

fn plan(calls: &[ToolCall], dialogue: &Dialogue, stage: &Stage) -> Vec<Plan> {
    let options = stage.turn().options();
    let room = options
        .max_calls_per_step
        .min(options.max_calls.saturating_sub(dialogue.calls));
    let mut plans: Vec<Plan> = Vec::new();
    for (index, call) in calls.iter().enumerate() {
        let plan = if index >= room {
            Plan::Refuse(format!(
                "Too many calls at once: only the first {room} were made."
            ))
        } else {
            match dialogue.toolbox().check(&call.name, &call.arguments) {
                Ok(arguments) => planned(call, arguments, dialogue, &plans, &calls[..index]),
                Err(reason) => Plan::Refuse(reason),
            }
        };
        plans.push(plan);
    }
    plans
}

fn planned(
    call: &ToolCall,
    arguments: Map<String, Value>,
    dialogue: &Dialogue,
    before: &[Plan],
    calls_before: &[ToolCall],
) -> Plan {
    match call.name.as_str() {
        names::RENDER_UI_COMPONENT => match cards::card(arguments, dialogue) {
            Ok(card) => Plan::Show(Box::new(card)),
            Err(faults) => Plan::Refuse(faults),
        },
        names::REQUEST_USER_SELECTION
            if before.iter().any(|plan| matches!(plan, Plan::Ask(..))) =>
        {
            Plan::Refuse("Only one question at a time.".to_owned())
        }
        names::REQUEST_USER_SELECTION => match cards::picker(arguments, &dialogue.known) {
            Ok((argument, request)) => Plan::Ask(argument, Box::new(request)),
            Err(faults) => Plan::Refuse(faults),
        },
        READ_RESULT => match read(&arguments, dialogue) {
            Ok(rows) => Plan::Answer(rows),
            Err(reason) => Plan::Refuse(reason),
        },
        name => {
            if let Some(handle) = dialogue.same(name, &arguments) {
                return Plan::Answer(json!({
                    "status": "ok", "handle": handle, "message": "You have this result already; see its handle above.",
                }));
            }
            let twice = before.iter().zip(calls_before).any(|(plan, other)| {
                other.name == name && matches!(plan, Plan::Call(theirs) if *theirs == arguments)
            });
            if twice {
                return Plan::Refuse("The same call stands in this step already.".to_owned());
            }
            Plan::Call(arguments)
        }
    }
}

fn read(arguments: &Map<String, Value>, dialogue: &Dialogue) -> Result<Value, String> {
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
    let result = dialogue.result(text("handle"))?;
    summary::slice(
        &result.output,
        text("path"),
        number("offset").unwrap_or(0),
        number("limit").unwrap_or(summary::MOST_ROWS),
    )
}

/// Executes the calls of the service, a few at a time, and emits each to the client; by their
/// places in the answer.
async fn fetch(
    stage: &mut Stage,
    calls: &[ToolCall],
    plans: &[Plan],
) -> Vec<(usize, Value, Option<Failure>)> {
    let mut announced = Vec::new();
    for (index, (call, plan)) in calls.iter().zip(plans).enumerate() {
        if let Plan::Call(arguments) = plan {
            announced.push((index, stage.announce(call.name.clone(), arguments).await));
        }
    }
    let tools = Arc::clone(stage.turn().tools());
    let calls = announced.into_iter().map(|(index, call)| {
        let tools = Arc::clone(&tools);
        async move {
            let arguments = Value::Object(call.arguments.clone());
            let answer = tools.call(&call.tool, arguments).await;
            (index, call, answer)
        }
    });
    let mut answers = stream::iter(calls).buffered(CALLS_AT_ONCE);
    let mut fetched = Vec::new();
    while let Some((index, call, answer)) = answers.next().await {
        let (output, failure) = stage.settle_raw(call, answer).await;
        fetched.push((index, output, failure));
    }
    fetched
}

/// Asks the person; in words, too, for clients that draw no pickers, unless the model has just
/// asked in its own.
async fn ask(
    stage: &mut Stage,
    dialogue: &mut Dialogue,
    argument: Argument,
    request: RequestUserSelection,
) {
    let asked = dialogue.said.trim_end_matches('\n').ends_with('?');
    let words = if asked && dialogue.said_just_now() {
        String::new()
    } else {
        spoken_question(None, &request)
    };
    stage
        .ask_saying(&words, argument, request, Flow::FreeChat, None)
        .await;
    dialogue.outcome.asked = true;
    stage.turn().account().worded_by(Source::Model);
}

/// The next node after the results: the model, recovery when no call succeeded and a choice
/// can repair that, or the end of the turn when the person is asked.
pub(super) async fn check_calls(
    state: Arc<SiteState>,
    context: Context<SiteState>,
) -> NodeResult<SiteState> {
    let mut stage = Stage::new(&state, context)?;
    let outcome = &dialogue(&state)?.outcome;
    let next = if outcome.asked {
        Next::Over
    } else {
        let worst = worst_of(outcome.failures.clone()).filter(|_| !outcome.any_good);
        if let Some(failure) = worst.filter(is_recoverable) {
            stage.update(Finding::Failure(failure));
        }
        Next::Model
    };
    stage.update(SiteUpdate::Step(3));
    stage.update(Finding::Next(next));
    Ok(stage.done())
}

/// Whether a choice of the person can repair it; what cannot be repaired the model explains.
fn is_recoverable(failure: &Failure) -> bool {
    match failure.status {
        ToolStatus::NoDataInWindow => recovery::days_repair(failure),
        ToolStatus::NoData => true,
        ToolStatus::Error | ToolStatus::Ok => false,
    }
}
