//! Starter questions as prompts.

use contracts::assistants::{AssistantDescription, Starter};
use rmcp::model::{ErrorData, GetPromptResult, Prompt, PromptMessage, Role};
use service_kit::problem::ApiError;

use super::failed;
use crate::orchestrator::OnBehalf;

/// Every starter question of every assistant.
pub(super) async fn list(on_behalf: &OnBehalf) -> Result<Vec<Prompt>, ApiError> {
    let prompt = |(name, assistant, starter): (String, AssistantDescription, Starter)| {
        let description = format!("{}: {}", assistant.title, starter.message);
        Prompt::new(name, Some(description), None).with_title(starter.label)
    };
    Ok(named(on_behalf).await?.into_iter().map(prompt).collect())
}

/// The question, to be put to the assistant that it is a starter of.
pub(super) async fn get(on_behalf: &OnBehalf, name: &str) -> Result<GetPromptResult, ErrorData> {
    let prompts = named(on_behalf).await.map_err(failed)?;
    let found = prompts.into_iter().find(|(known, _, _)| known == name);
    let Some((_, assistant, starter)) = found else {
        let text = format!("There is no prompt `{name}`.");
        return Err(ErrorData::invalid_params(text, None));
    };
    let text = format!(
        "{}\n\n(Ask with the tool `ask_{}`.)",
        starter.message, assistant.id
    );
    let message = PromptMessage::new_text(Role::User, text);
    Ok(GetPromptResult::new(vec![message]).with_description(starter.label))
}

/// Each starter with a name: the assistant and its place.
async fn named(
    on_behalf: &OnBehalf,
) -> Result<Vec<(String, AssistantDescription, Starter)>, ApiError> {
    if !on_behalf.may("chat") {
        return Ok(Vec::new());
    }
    let mut named = Vec::new();
    for assistant in on_behalf.assistants().await?.assistants {
        for (place, starter) in (1..).zip(assistant.starters.clone()) {
            let name = format!("{}_{place}", assistant.id);
            named.push((name, assistant.clone(), starter));
        }
    }
    Ok(named)
}
