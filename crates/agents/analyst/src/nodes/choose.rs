//! A model chooses among options that exist, where the person needs to be asked nothing. No node:
//! what nodes and tools use.

use contracts::tools::clarification::{Clarification, ClarificationAnswer};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{prompt, step::Step};

const PROMPT: &str = include_str!("../../prompts/choose.md");

#[derive(Deserialize)]
struct Choice {
    about: String,
    option_id: String,
}

/// The model's choice for each part; ids that were not offered are ignored, and parts that it
/// leaves out are not in it.
pub(crate) async fn choose(
    step: &Step,
    request: &str,
    clarification: &Clarification,
) -> Vec<ClarificationAnswer> {
    if !step.node.has_model() {
        return Vec::new();
    }
    let choice = json!({
        "type": "object",
        "properties": { "about": { "type": "string" }, "option_id": { "type": "string" } },
        "required": ["about", "option_id"],
        "additionalProperties": false,
    });
    let members = [("choices", json!({ "type": "array", "items": choice }))];
    let material = json!({ "request": request, "unclear": clarification.parts });
    let asked = prompt::brief(PROMPT, "choices", &members, &material);
    let patience = step.settings().reading_timeout;
    let Some(answer) = step.ask_object(asked, patience).await else {
        return Vec::new();
    };
    let choices: Vec<Choice> = answer
        .get("choices")
        .and_then(|choices: &Value| Vec::deserialize(choices).ok())
        .unwrap_or_default();
    clarification
        .parts
        .iter()
        .filter_map(|part| {
            let choice = choices.iter().find(|choice| choice.about == part.about)?;
            let option = part
                .options
                .iter()
                .find(|option| option.id == choice.option_id)?;
            Some(ClarificationAnswer {
                about: part.about.clone(),
                option_id: Some(option.id.clone()),
                text: option.label.clone(),
            })
        })
        .collect()
}
