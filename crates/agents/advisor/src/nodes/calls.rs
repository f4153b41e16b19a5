//! Making the model's calls.

use std::sync::Arc;

use agent_kit::{Stage, Transient};
use graph::{Command, Context, NodeError, NodeResult};
use llm::ToolCall;
use serde_json::json;

use crate::{
    dialogue::Dialogue,
    state::{AdvisorState, Change},
};

/// Makes the calls of the newest answer, a few at a time. Every call is answered to the model, also the ones that are not made.
pub(crate) async fn call_tools(
    state: Arc<AdvisorState>,
    context: Context<AdvisorState>,
) -> NodeResult<AdvisorState> {
    let turn = state.turn()?;
    let stage = Stage::new(context, Arc::clone(&turn.performance));
    let dialogue = state.work.dialogue.as_deref();
    let mut dialogue = dialogue
        .ok_or_else(|| NodeError::permanent("there is no dialogue"))?
        .clone();
    let options = &turn.options;
    let room = options
        .max_calls_per_step
        .min(options.max_calls.saturating_sub(dialogue.calls));
    let calls = Arc::clone(&dialogue.pending);
    dialogue.calls += calls.len();
    let mut announced = Vec::new();
    let mut plans: Vec<(&ToolCall, Result<usize, String>)> = Vec::new();
    for (index, call) in calls.iter().enumerate() {
        let checked = if index < room {
            dialogue.check(call)
        } else {
            Err(format!("Too many calls: only the first {room} were made."))
        };
        let plan = match checked {
            Ok(arguments) => {
                announced.push(stage.announce(&call.name, &arguments).await);
                Ok(announced.len() - 1)
            }
            Err(reason) => {
                tracing::info!(tool = call.name, reason, "a call of the model was refused");
                Err(reason)
            }
        };
        plans.push((call, plan));
    }
    let answers = stage.settle_each(announced).await;
    stage.end_step().await;
    let mut outputs = Vec::new();
    for (call, plan) in plans {
        let output = match plan {
            Ok(index) => dialogue.keep(call, &answers[index].envelope, options.max_result_bytes),
            Err(reason) => {
                let refused = json!({ "status": "refused", "message": reason });
                Dialogue::output(call, refused, true)
            }
        };
        outputs.push(output);
    }
    dialogue.push(outputs);
    let dialogue = Change::Dialogue(Transient(Some(Arc::new(dialogue))));
    Ok(Command::updates([dialogue.into()]))
}
