//! The plan of record is the tree that was found; where two tables can be joined by more than one
//! pair of columns, a model may choose.

use std::sync::Arc;

use agent_kit::{Unusable, warn_once};
use graph::NodeResult;
use serde_json::{Value, json};

use crate::{
    draft::Draft,
    prompt::{self, join},
    run::Context,
    state::DataState,
};

const PROMPT: &str = include_str!("../../prompts/plan_joins.md");

/// Settles the joins.
pub(crate) async fn plan_joins(state: Arc<DataState>, context: Context) -> NodeResult<DataState> {
    let mut draft = Draft::new(&state, context);
    let in_doubt = draft
        .work
        .plan
        .steps
        .iter()
        .any(|step| !step.choices.is_empty());
    if in_doubt && draft.node.has_model() {
        choose(&mut draft).await;
    }
    let plan = prompt::plan_for_people(&draft.work);
    if !plan.is_empty() {
        let shown = format!("Joins:\n- {}", plan.join("\n- "));
        draft.show_work(&shown).await;
    }
    Ok(draft.done())
}

async fn choose(draft: &mut Draft) {
    let joins: Vec<Value> = draft
        .work
        .plan
        .steps
        .iter()
        .enumerate()
        .filter(|(_, step)| !step.choices.is_empty())
        .map(|(number, step)| {
            let choices: Vec<String> = std::iter::once(&step.edge).chain(&step.choices).map(join).collect();
            json!({ "number": number, "choices": choices.iter().enumerate().map(|(at, text)| json!({ "number": at, "join": text })).collect::<Vec<_>>() })
        })
        .collect();
    let format = prompt::object("plan", &[("choices", json!({ "type": "object" }))]);
    let request = prompt::within(
        draft.settings().max_context_tokens,
        PROMPT,
        format,
        |detail| json!({ "question": draft.work.asked.question, "joins": joins[..detail.of(joins.len())] }),
    );
    let Some(answer) = draft
        .node
        .ask(request, draft.settings().writing_timeout)
        .await
    else {
        return;
    };
    let choices = prompt::object_in(&answer).and_then(|mut object| object.remove("choices"));
    let Some(Value::Object(choices)) = choices else {
        tracing::warn!("the model's choice of joins cannot be read");
        return warn_once(&draft.node, Unusable::Plan).await;
    };
    for (number, choice) in &choices {
        let step = number
            .parse()
            .ok()
            .and_then(|number: usize| draft.work.plan.steps.get_mut(number));
        let choice = choice
            .as_u64()
            .and_then(|choice| usize::try_from(choice).ok());
        if let (Some(step), Some(choice)) = (step, choice)
            && let Some(chosen) = choice
                .checked_sub(1)
                .and_then(|at| step.choices.get_mut(at))
        {
            std::mem::swap(&mut step.edge, chosen);
        }
    }
}
