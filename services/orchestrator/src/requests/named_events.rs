//! Requests to `POST /v1/messages`.

use agent_kit::UserInput;
use contracts::named_events::{MessageOptions, PostMessage};
use contracts::threads::{Dialect, IfNotExists};
use conversations::{IfMissing, Question};
use llm::ModelOptions;
use service_kit::problem::ApiError;

use super::{check_name, check_text, checked_context, checked_id};
use crate::runs::RunInput;
use crate::runs::accept::MessageRequest;

/// Reads a request; who it says that asks is checked before.
pub(crate) fn read(request: PostMessage) -> Result<MessageRequest, ApiError> {
    let text = request.content;
    check_text(&text, "/content")?;
    let thread = request
        .thread_id
        .map(|id| checked_id(id, "/thread_id"))
        .transpose()?;
    let attached = checked_context(request.context, request.inventory_id)?;
    Ok(MessageRequest {
        dialect: Dialect::NamedEvents,
        thread,
        if_missing: match request.if_not_exists {
            IfNotExists::Reject => IfMissing::Refuse,
            IfNotExists::Create => IfMissing::Create,
        },
        multitask: request.multitask_strategy,
        assistant: request.assistant,
        input: RunInput {
            input: UserInput::Text(text.clone()),
            continued_message: None,
            gave_up: None,
            timezone: None,
            model_options: model_options(request.options)?,
            unattended: false,
        },
        question: Some(Question { id: None, text }),
        context_defaults: attached.defaults,
        context: attached.context,
        delegated: attached.delegated,
    })
}

fn model_options(options: MessageOptions) -> Result<ModelOptions, ApiError> {
    check_name(options.model.as_deref(), "/options/model")?;
    if options
        .temperature
        .is_some_and(|value| !(0.0..=1.0).contains(&value))
    {
        return Err(ApiError::invalid_field(
            "/options/temperature",
            "must be 0 to 1",
        ));
    }
    if options.max_tokens == Some(0) {
        return Err(ApiError::invalid_field(
            "/options/max_tokens",
            "must be at least 1",
        ));
    }
    Ok(ModelOptions {
        model: options.model,
        temperature: options.temperature,
        max_output_tokens: options.max_tokens,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn asked(options: &Value) -> Result<MessageRequest, ApiError> {
        read(serde_json::from_value(json!({ "content": "Hi", "options": options })).unwrap())
    }

    #[test]
    fn wishes_are_taken_and_checked() {
        let options = json!({ "model": "m", "temperature": 0.5, "max_tokens": 9, "new": true });
        let model_options = asked(&options).unwrap().input.model_options;
        assert_eq!(model_options.model.as_deref(), Some("m"));
        assert_eq!(
            (model_options.temperature, model_options.max_output_tokens),
            (Some(0.5), Some(9))
        );
        for (options, pointer) in [
            (json!({ "temperature": 1.5 }), "/options/temperature"),
            (json!({ "max_tokens": 0 }), "/options/max_tokens"),
            (json!({ "model": "x".repeat(300) }), "/options/model"),
        ] {
            let Err(refused) = asked(&options) else {
                panic!("{pointer} was taken");
            };
            assert_eq!(refused.problem().errors[0].pointer, pointer);
        }
    }
}
