//! The plan of record is the tree that was found; where two tables can be joined by more than one pair of columns, a model may choose.

use std::sync::Arc;

use agent_kit::warn_once;
use graph::{Context, NodeResult};
use serde_json::{Value, json};

use crate::{
    prompt::{self, join},
    scene::Scene,
    state::DataState,
};

const PROMPT: &str = include_str!("../../prompts/plan_joins.md");

/// Settles the joins.
pub(crate) async fn plan_joins(
    state: Arc<DataState>,
    context: Context<DataState>,
) -> NodeResult<DataState> {
    let mut scene = Scene::new(&state, context)?;
    let in_doubt = scene.work.steps.iter().any(|step| !step.choices.is_empty());
    if in_doubt && scene.has_model() {
        choose(&mut scene).await;
    }
    let plan = prompt::plan_for_people(&scene.work);
    if !plan.is_empty() {
        let shown = format!("Joins:\n- {}", plan.join("\n- "));
        scene.show_work(&shown).await;
    }
    Ok(scene.done())
}

async fn choose(scene: &mut Scene) {
    let joins: Vec<Value> = scene
        .work
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
        scene.options().max_context_tokens,
        PROMPT,
        format,
        |detail| json!({ "question": scene.work.question, "joins": joins[..detail.of(joins.len())] }),
    );
    let Some(answer) = scene.ask(request, scene.options().writing_timeout).await else {
        return;
    };
    let choices = prompt::object_in(&answer).and_then(|mut object| object.remove("choices"));
    let Some(Value::Object(choices)) = choices else {
        tracing::warn!("the model's choice of joins can not be read");
        return warn_once(scene.stage()).await;
    };
    for (number, choice) in &choices {
        let step = number
            .parse()
            .ok()
            .and_then(|number: usize| scene.work.steps.get_mut(number));
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
